"""What an agent that searches, or that is told in words, may know of the games in which it is to act."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.core.batch import Batch
from card_envs.presentation.history import Heard, seat_view, tell_history


class Positions:
    """Some games of a batch, as the seat to act in each of them knows them."""

    def __init__(self, batch: Batch, games: NDArray[np.int64]) -> None:
        self._batch, self._games = batch, games
        self.game = batch.game
        self.players = batch.players
        self.observation: NDArray[np.float32] = batch.observation[games]
        self.action_mask: NDArray[np.int8] = batch.action_mask[games]
        self.seat: NDArray[np.int64] = batch.seat[games]

    def __len__(self) -> int:
        return len(self._games)

    def only(self, row: int) -> Positions:
        """One of these positions."""
        return Positions(self._batch, self._games[row : row + 1])

    def number(self, row: int) -> int:
        """Which game of the batch a position belongs to: the same for all of its positions."""
        return int(self._games[row])

    def options(self) -> dict[str, Any]:
        """What tells this table from others of the game, besides the number of players."""
        return {name: value for name, value in self._batch.chosen.items() if name != "players"}

    def view(self, row: int) -> dict[str, Any]:
        """The position as its seat knows it, by names and numbers, from which it can be told in words."""
        return seat_view(self.game, self._batch.states[self._games[row]], self.players, int(self.seat[row]))

    def heard(self, row: int) -> tuple[list[Heard], list[Heard]]:
        """What its seat has heard before its last own move, and from that move on; nothing unless the batch follows
        the game.
        """
        journal, game, seat = self._batch.journal, int(self._games[row]), int(self.seat[row])
        if journal is None or game not in journal.pages:
            return [], []
        page = journal.pages[game]
        told = tell_history(self.game, page, self.players, seat)
        last = max((move for move, (actor, _) in enumerate(page.moves) if actor == seat), default=0)
        earlier, since = ([line for lines in part for line in lines] for part in (told[:last], told[last:]))
        return earlier, since

    def imagine(
        self,
        copies: int,
        seed: int | NDArray[np.int64],
        *,
        rows: NDArray[np.int64] | None = None,
        reopen: bool = False,
    ) -> Batch:
        """`copies` games of each position, side by side, in which all that its seat cannot know is drawn anew.

        `seed` is one number, or one for each imagined game. `rows` lists some positions instead of all, and may name
        one several times.

        What others have already chosen in a simultaneous choice is drawn too, each possible choice being as likely as
        any other, which is no way to play. Who has a model of the others wants `reopen`: then nobody has chosen yet,
        it may be another seat's turn, and the model chooses for those who come before the own seat.
        """
        games = self._games if rows is None else self._games[rows]
        return self._batch.imagine(games, copies, seed, reopen=reopen)
