"""Adding up the games of a tournament, chunk by chunk, and the same again for each draw of a bootstrap over deals."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.arena.isolation import NOBODY, REASONS
from card_envs.arena.play import ChunkResults
from card_envs.arena.schedule import LineUp, derived_seed
from card_envs.errors import TournamentError

SEATS, WINS, POINTS, RANKS = range(4)  # what is added up per agent; then who was ahead of whom
MOST_NUMBERS = 4_000_000  # that are looked at together
FEWEST_DRAWS, MOST_DRAWS = 200, 1000
MOST_DIFFERENT = 2**20  # points of one agent
LARGE_STRATUM = 16  # deals; with fewer, fixing the weight of a line-up would make intervals too narrow


def _poisson_table() -> NDArray[np.uint8]:
    """How often a deal is drawn, by a random 16-bit number: Poisson with mean 1."""
    chances = np.cumsum([math.exp(-1) / math.factorial(number) for number in range(9)])
    return np.searchsorted(chances, (np.arange(2**16) + 0.5) / 2**16).astype(np.uint8)


_TIMES_DRAWN = _poisson_table()


class Tally:
    """Sums over all games that it was shown. Memory does not grow with their number."""

    def __init__(self, agents: int, players: int, columns: int, seed: int) -> None:
        self.agents, self.players, self.seed = agents, players, seed
        self.width = 4 * agents + agents * agents
        draws = int(np.clip(4 * MOST_NUMBERS // self.width, FEWEST_DRAWS, MOST_DRAWS))
        self.games = self.deals = 0
        self.sums = np.zeros(self.width)
        self.drawn = np.zeros((draws, self.width))
        self.by_seat = np.zeros((3, agents, players))  # games, wins, points
        self.sources = np.zeros((agents, columns))
        self.histogram: dict[tuple[int, int], int] = defaultdict(int)  # by agent and points
        self.forfeits = np.zeros((agents, len(REASONS)), np.int64)
        self.line_ups: dict[LineUp, NDArray[np.float64]] = {}  # games, then wins of each of its agents

    def add(self, number: int, games: ChunkResults) -> None:
        """Add the games of chunk `number`, as the store gives them."""
        wins = (games.ranks == 1) / (games.ranks == 1).sum(axis=1, keepdims=True)
        starts = np.concatenate([[0], np.cumsum(games.sizes)])  # of the deals among the games
        line_ups = np.sort(games.seats[starts[:-1]], axis=1)
        borders = np.flatnonzero(np.any(np.diff(line_ups, axis=0) != 0, axis=1)) + 1
        stretches = list(pairwise([0, *borders.tolist(), len(line_ups)]))  # of deals with the same line-up
        self.games += len(games.seeds)
        self.deals += len(games.sizes)
        self._add_details(games, wins)
        for low, high in stretches:
            self._add_line_up(tuple(line_ups[low].tolist()), games, wins, slice(starts[low], starts[high]))
        weights = self._draw(number, stretches)
        step = max(1, MOST_NUMBERS // self.width)
        for first in range(0, len(games.sizes), step):
            deals = slice(first, first + step)
            rows = slice(starts[first], starts[min(first + step, len(games.sizes))])
            sums = self._deal_sums(games, wins, games.sizes[deals], rows)
            self.sums += sums.sum(axis=0)
            self.drawn += weights[:, deals] @ sums

    def _draw(self, number: int, stretches: list[tuple[int, int]]) -> NDArray[np.float64]:
        """How much each deal weighs in each draw. A line-up with many deals has the same weight in all draws, as in
        the tournament itself.
        """
        rng = np.random.default_rng(derived_seed(self.seed, "bootstrap", number))
        shape = (len(self.drawn), stretches[-1][1])
        weights: NDArray[np.float64] = _TIMES_DRAWN[rng.integers(0, 2**16, shape, np.uint16)].astype(np.float64)
        for low, high in stretches:
            if high - low >= LARGE_STRATUM:
                total = weights[:, low:high].sum(axis=1, keepdims=True)
                weights[:, low:high] *= (high - low) / np.maximum(total, 1)
        return weights

    def _deal_sums(
        self, games: ChunkResults, wins: NDArray[np.float64], sizes: NDArray[np.int64], rows: slice
    ) -> NDArray[np.float64]:
        """One row per deal, with all that is added up."""
        deals, agents = len(sizes), self.agents
        deal = np.repeat(np.arange(deals), sizes)
        seats, ranks = games.seats[rows], games.ranks[rows]
        own = (deal[:, None] * agents + seats).ravel()
        values: list[NDArray[Any]] = [np.ones(seats.shape), wins[rows], games.points[rows], ranks]
        parts = [np.bincount(own, value.ravel(), deals * agents).reshape(deals, agents) for value in values]
        pairs = [(one, other) for one in range(self.players) for other in range(self.players) if one != other]
        first, second = (list(side) for side in zip(*pairs, strict=True))
        better, worse = seats[:, first], seats[:, second]
        ahead = (ranks[:, first] < ranks[:, second]) + 0.5 * (ranks[:, first] == ranks[:, second])
        place = (deal[:, None] * agents + better) * agents + worse
        met = better != worse  # an agent does not meet itself
        parts.append(np.bincount(place[met], ahead[met], deals * agents * agents).reshape(deals, agents * agents))
        return np.concatenate(parts, axis=1)

    def _add_details(self, games: ChunkResults, wins: NDArray[np.float64]) -> None:
        values: list[NDArray[Any]] = [np.ones(wins.shape), wins, games.points]
        for place, value in enumerate(values):
            where = games.seats * self.players + np.arange(self.players)
            counted = np.bincount(where.ravel(), value.ravel(), self.agents * self.players)
            self.by_seat[place] += counted.reshape(self.agents, self.players)
        for game in np.flatnonzero(games.forfeits[:, 0] != NOBODY):
            seat, reason = games.forfeits[game]
            self.forfeits[games.seats[game, seat], reason] += 1
        seats = games.seats.ravel()
        for column in range(self.sources.shape[1]):
            self.sources[:, column] += np.bincount(seats, games.score_sheets[:, :, column].ravel(), self.agents)
        self._add_points(seats, games.points.ravel())

    def _add_points(self, seats: NDArray[Any], points: NDArray[Any]) -> None:
        low, high = int(points.min()), int(points.max())
        wide = high - low + 1
        places = seats * wide + (points - low)
        if wide <= MOST_NUMBERS // self.agents:
            counts = np.bincount(places, minlength=self.agents * wide)
            found = np.flatnonzero(counts)
            counts = counts[found]
        else:  # a table of all points in between would be much larger than what is in it
            found, counts = np.unique(places, return_counts=True)
        for place, count in zip(found.tolist(), counts.tolist(), strict=True):
            self.histogram[place // wide, low + place % wide] += count
        if len(self.histogram) > MOST_DIFFERENT:
            raise TournamentError(
                f"its games have more than {MOST_DIFFERENT} different results of one agent each, too many to count them"
            )

    def _add_line_up(self, line_up: LineUp, games: ChunkResults, wins: NDArray[np.float64], rows: slice) -> None:
        won = np.bincount(games.seats[rows].ravel(), wins[rows].ravel(), self.agents)
        seen = self.line_ups.setdefault(line_up, np.zeros(1 + self.players))
        seen += [rows.stop - rows.start, *won[list(line_up)]]

    def per_agent(self, what: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """One of the sums by agent, and the same in each draw."""
        part = slice(what * self.agents, (what + 1) * self.agents)
        return self.sums[part], self.drawn[:, part]

    def ahead(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How often each agent finished ahead of each other one, and the same in each draw."""
        shape = (self.agents, self.agents)
        return self.sums[4 * self.agents :].reshape(shape), self.drawn[:, 4 * self.agents :].reshape(-1, *shape)
