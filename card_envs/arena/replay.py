"""A game of a tournament once more, move by move."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.loading import Player, plays_inside
from card_envs.agents.seating import Seating
from card_envs.arena.isolation import NOBODY, REASONS, stand_up
from card_envs.arena.play import ChunkResults, play_alike, rotations, sit_down
from card_envs.arena.reload import reload
from card_envs.arena.store import Store
from card_envs.core.batch import Batch
from card_envs.core.options import LARGEST_SEED, whole_number
from card_envs.errors import TournamentError


class Replay:
    """One game of the tournament in a folder, played again by the agents that played it.

    `game` is the game, `batch` holds this one game at its start, `agents` are the names by seat, `moves` pairs of seat
    and action, `points` and `ranks` what was recorded. The agents play the whole rotation that the game was part of
    once more, just as they did: what an agent answers may depend on the other games that it is asked about, if only in
    the last digit.
    """

    def __init__(self, folder: str | PathLike[str], number: int) -> None:
        self.folder, self.number = folder, whole_number(number, "the game's number", 0, LARGEST_SEED)
        store = Store.open(folder)
        try:
            store.check_version()
            self._setting = store.setting
            chunk, row = store.find_game(self.number)
            entrants, recorded = store.entrants, store.games(chunk)
            if recorded.forfeits[row, 0] != NOBODY:
                seat, reason = recorded.forfeits[row].tolist()
                raise TournamentError(
                    f"game {self.number} of {self.folder} was forfeited by {entrants[recorded.seats[row, seat]].name} "
                    f"({REASONS[reason]}), so that there is no game to be shown; choose another"
                )
            rotation, rows = next(
                (number, rows) for number, rows in enumerate(rotations(recorded.sizes)) if row in rows
            )
            playing = np.unique(recorded.seats[rows]).tolist()
            loaded = {one: reload(store, entrants[one]) for one in playing}
        finally:
            store.close()
        self.game = self._setting.rules
        self.points, self.ranks = recorded.points[row], recorded.ranks[row]
        self.agents = tuple(entrants[agent].name for agent in recorded.seats[row])
        self.batch = self._setting.batch(recorded.seeds[row : row + 1])
        if all(plays_inside(loaded[one]) for one in recorded.seats[row].tolist()):
            rows = np.array([row])  # built-in players know nothing of the games beside theirs
        self.moves = self._play(recorded, row, rows, loaded, (chunk, rotation))

    def _play(
        self,
        recorded: ChunkResults,
        row: int,
        rows: NDArray[np.int64],
        agents: dict[int, Player],
        rotation: tuple[int, int],
    ) -> list[tuple[int, int]]:
        batch = self._setting.batch(recorded.seeds[rows])
        seating, place = Seating(batch), int(np.flatnonzero(rows == row)[0])
        begun = sit_down(self._setting, seating, recorded.seats[rows], agents, rotation)
        journal = batch.follow([place])
        try:
            play_alike(seating)
        finally:
            stand_up(begun)
        # Whoever forfeited by taking too long may not do so again, which tells nothing about other games.
        compared = rows if (recorded.forfeits[rows] == NOBODY).all() else np.array([row])
        found = np.searchsorted(rows, compared)
        same = (batch.points[found] == recorded.points[compared]).all()
        same &= (batch.ranks[found] == recorded.ranks[compared]).all()
        if not same or (batch.score_sheet[found] != recorded.score_sheets[compared]).any():
            raise TournamentError(
                f"game {self.number} of {self.folder} comes out otherwise than it was recorded: an agent does not play "
                f"alike twice, or the tournament was played on another kind of processor, whose sums have other last "
                f"digits"
            )
        return journal.pages[place].moves

    def __iter__(self) -> Iterator[tuple[Batch, int, int]]:
        """Each move in turn: a batch that holds the game before the move, the seat to act, and its action."""
        batch = self.batch.copy()
        for seat, action in self.moves:
            yield batch, seat, action
            batch.step_one(action)
