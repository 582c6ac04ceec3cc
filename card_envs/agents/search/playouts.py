"""Imagined games, played on by models of the players: each begins with one action in one world of a position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.positions import Positions
from card_envs.agents.search.models import ASKED, Model, Models
from card_envs.core.batch import Batch
from card_envs.core.compile import record_array
from card_envs.core.loops import SHARED
from card_envs.core.playing import LOTS

AT_ONCE = 4096  # imagined games side by side, so that memory is flat

Ints = NDArray[np.int64]


def play_out(
    positions: Positions, rows: Ints, actions: Ints, seeds: Ints, models: Models, depth: int
) -> NDArray[np.float64]:
    """What the seat to act gets for an action in one imagined game each, from position `rows[k]` on.

    Two playouts of a position with the same seed are the same world: what the seat cannot know, all chance to come and
    the lots of the players are alike, so that what differs is due to the actions. With a depth, a game is cut at the
    seat's own decision after so many others of its own, and the model says what it is worth there.
    """
    worlds = positions.imagine(1, seeds, rows=rows, reopen=True)
    play = _Play(worlds, positions.seat[rows], seeds, models)
    play.choose_before_own()
    worlds.step(actions)
    return play.to_the_end(depth)


def outcomes(worlds: Batch, seats: Ints) -> NDArray[np.float64]:
    """The outcome reward of one seat in each game that is over: whatever the table pays, a searcher plays to win."""
    first = worlds.ranks == 1
    shares = first[np.arange(len(seats)), seats] / np.maximum(first.sum(axis=1), 1)
    reward: NDArray[np.float64] = (worlds.players * shares - 1.0) / (worlds.players - 1)
    return reward


class _Play:
    """Imagined games under way. Each has lots of its own, which follow from its seed."""

    def __init__(self, worlds: Batch, own: Ints, seeds: Ints, models: Models) -> None:
        self.worlds, self.own, self.models = worlds, own, models
        self.all = np.arange(len(own))
        self.players = models.seating(own, worlds.players)
        self.lots = record_array(len(own), LOTS)
        SHARED.start_lots(self.lots, self.all, seeds)

    def choose_before_own(self) -> None:
        """In a simultaneous choice, those choose who are asked before the own seat; none of them sees a choice."""
        worlds = self.worlds
        if (worlds.seat == self.own).all():
            return
        inside = self.players[self.all, self.own].copy()
        self.players[self.all, self.own] = ASKED
        while (games := self.all[worlds.seat != self.own]).size:
            worlds.play_on(self.lots, self.players, games)
            games = games[worlds.seat[games] != self.own[games]]
            self._ask(self.models.others, games)
        self.players[self.all, self.own] = inside

    def to_the_end(self, depth: int) -> NDArray[np.float64]:
        """Play on, and say what the own seats get."""
        worlds, own, others = self.worlds, self.models.own, self.models.others
        left = np.full(len(self.all), depth if depth else -1)
        cut = np.zeros(len(self.all))
        games = self.all
        while True:
            worlds.play_on(self.lots, self.players, games)
            games = games[worlds.seat[games] >= 0]
            if not games.size:
                break
            mine = worlds.seat[games] == self.own[games]
            if depth:
                left[games[mine]] -= 1
                ends = mine & (left[games] == 0)
                if ends.any():
                    cut[games[ends]] = own.values(worlds.observation[games[ends]])
                    games, mine = games[~ends], mine[~ends]
            if own is others:
                self._ask(own, games)
            else:
                self._ask(own, games[mine])
                self._ask(others, games[~mine])
        finished = worlds.seat < 0
        return np.where(finished, outcomes(worlds, self.own), cut)

    def _ask(self, model: Model, games: Ints) -> None:
        if games.size:
            worlds, lots = self.worlds, np.empty(len(games))
            SHARED.draw_lots(self.lots, games, lots)
            worlds.step(model.choose(worlds.observation[games], worlds.action_mask[games], lots), games)
