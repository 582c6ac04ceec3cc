"""The games that the learner plays: all seats of most of them, one seat against a frozen player in the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.loading import Player
from card_envs.agents.seating import OWN, Seating
from card_envs.core.batch import Batch
from card_envs.core.game import Game

LeagueScores = tuple[NDArray[np.int64], NDArray[np.float64]]  # frozen players, and the learner's shares of the win
NOBODY = -1  # instead of a frozen player: the learner plays all seats


class Pool(Protocol):
    """Who may sit opposite the learner. See league.py."""

    def draw(self, lots: NDArray[np.float64]) -> NDArray[np.int64]:
        """For each game that starts, the number of a frozen player, or NOBODY."""

    def player(self, number: int) -> Player:
        """The frozen player with this number."""


class GameGroup:
    """Games with one number of players. In each of them, always, the learner has a choice to make."""

    def __init__(self, game: Game, players: int, games: int, *, seed: int, pool: Pool | None, **options: Any) -> None:
        self.batch = Batch(game, games, players=players, seed=seed, auto_reset=False, **options)
        self.players = players
        self._pool = pool
        self._seating = Seating(self.batch)
        self._opponent = np.full(games, NOBODY)
        self._own = np.zeros(games, np.int64)  # the learner's seat where somebody sits opposite
        self._everyone = np.arange(games)
        self._scores: list[LeagueScores] = []
        self._known: list[int] = []  # frozen players in the order in which the seating met them
        self._begin(self._everyone)

    def play(self, actions: NDArray[np.int64], ended: NDArray[np.bool_], rewards: NDArray[np.float32]) -> None:
        """Play one action of the learner in each game; frozen players play on; finished games start anew."""
        self.batch.step(actions)
        self._play_on(self._everyone)
        ended[:] = self.batch.done
        rewards[:, : self.players] = self.batch.rewards
        self._renew(np.flatnonzero(ended))

    def _renew(self, over: NDArray[np.int64]) -> None:
        while over.size:  # more than once only where a game can end before the learner has decided anything
            self._note_scores(over)
            self.batch.reset(None, over)
            self._begin(over)
            over = over[self.batch.done[over]]

    def _note_scores(self, over: NDArray[np.int64]) -> None:
        league = over[self._opponent[over] != NOBODY]
        if league.size:
            first = self.batch.ranks[league] == 1
            shares = first[np.arange(len(league)), self._own[league]] / first.sum(axis=1)
            self._scores.append((self._opponent[league], shares))

    def take_scores(self) -> list[LeagueScores]:
        """How the learner did against frozen players since this was asked last."""
        scores, self._scores = self._scores, []
        return scores

    def _begin(self, games: NDArray[np.int64]) -> None:
        """Seat everyone at games that have just started, by lots that follow from each game's seed."""
        seating = self._seating
        seating.start_lots(games)
        seating.players[games] = OWN
        if self._pool is not None:
            self._opponent[games] = self._pool.draw(seating.draw_lots(games))
            self._own[games] = (seating.draw_lots(games) * self.players).astype(np.int64)
            league = games[self._opponent[games] != NOBODY]
            for number in np.unique(self._opponent[league]):
                theirs = league[self._opponent[league] == number]
                seating.players[theirs] = self._number(int(number))
            seating.players[league, self._own[league]] = OWN
        self._play_on(games)

    def _play_on(self, games: NDArray[np.int64]) -> None:
        """Let frozen players act, and the learner where it has no choice, until it has one or the game is over."""
        while games.size:
            self._seating.play_on(games)
            games = games[self.batch.action_mask[games].sum(axis=1) == 1]
            if games.size:
                self.batch.step(self.batch.action_mask[games].argmax(axis=1), games)

    def _number(self, frozen: int) -> int:
        assert self._pool is not None
        if frozen not in self._known:
            self._known.append(frozen)
        return self._seating.number_of(self._pool.player(frozen))

    def look(self) -> Iterator[tuple[NDArray[np.int64], int, NDArray[np.float32]]]:
        """What each seat of the learner sees now, whether it is to act or not."""
        for seat in range(self.players):
            rows = np.flatnonzero(self._seating.players[:, seat] == OWN)
            yield rows, seat, self.batch.observe_seats(rows, seat)[0]

    def saved(self) -> dict[str, Any]:
        """All games under way, as plain arrays."""
        return {
            "states": _bytes(self.batch.states),
            "lots": _bytes(self._seating.lots),
            "seeds": self.batch.seeds.copy(),
            "seated": self._seating.players.copy(),
            "opponent": self._opponent.copy(),
            "own": self._own.copy(),
            "known": list(self._known),
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Continue the games that were saved. The seating meets the frozen players in the same order again."""
        self.batch.reset(saved["seeds"])
        _bytes(self.batch.states, copy=False)[:] = saved["states"]
        self.batch.show()
        _bytes(self._seating.lots, copy=False)[:] = saved["lots"]
        for frozen in saved["known"]:
            self._number(frozen)
        self._seating.players[:] = saved["seated"]
        self._opponent[:] = saved["opponent"]
        self._own[:] = saved["own"]


def _bytes(records: NDArray[Any], copy: bool = True) -> NDArray[np.uint8]:
    plain = records.view(np.ndarray).view(np.uint8).reshape(len(records), -1)
    return plain.copy() if copy else plain


class SelfPlayGames:
    """All games of a run, in groups by number of players: what `ppo.collect_rollouts` plays."""

    def __init__(
        self, game: Game, players: Sequence[int], games: int, *, seed: int, pool: Pool | None = None, **options: Any
    ) -> None:
        self.game = game
        self.count = games
        self.most_players = max(players)
        bounds = [games * part // len(players) for part in range(len(players) + 1)]
        self._parts = [slice(*pair) for pair in pairwise(bounds)]
        self.groups = [
            GameGroup(game, number, part.stop - part.start, seed=seed + index, pool=pool, **options)
            for index, (number, part) in enumerate(zip(players, self._parts, strict=True))
        ]

    def _each(self) -> Iterator[tuple[slice, GameGroup]]:
        return zip(self._parts, self.groups, strict=True)

    def show(self, observation: NDArray[np.float32], mask: NDArray[np.int8], seat: NDArray[np.int64]) -> None:
        """Write what the seats to act see, what they may do, and which they are."""
        for part, group in self._each():
            observation[part], mask[part], seat[part] = (
                group.batch.observation,
                group.batch.action_mask,
                group.batch.seat,
            )

    def play(self, actions: NDArray[np.int64], ended: NDArray[np.bool_], rewards: NDArray[np.float32]) -> None:
        """Play one action in each game, and on until the learner is to act again; say what has ended, and how."""
        for part, group in self._each():
            group.play(actions[part], ended[part], rewards[part])

    def look(self) -> Iterator[tuple[NDArray[np.int64], int, NDArray[np.float32]]]:
        """For each seat that the learner plays: games, seat, and what that seat sees there now."""
        for part, group in self._each():
            for rows, seat, observation in group.look():
                yield rows + part.start, seat, observation
