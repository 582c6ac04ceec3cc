"""Games of a tournament that are worth seeing: by who plays, who finishes ahead of whom, margin, points and upset."""

from __future__ import annotations

import heapq
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from card_envs.arena.isolation import NOBODY
from card_envs.arena.play import ChunkResults
from card_envs.arena.standings import Standings
from card_envs.arena.store import Store
from card_envs.core.options import one_of
from card_envs.errors import OptionError

ORDERS = ("number", "margin", "close", "upset", "points")
MOST_GAMES = 1000  # that are listed
Bools = NDArray[np.bool_]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Wanted:
    """Which games: all that is given must hold. Agents are named as in the standings.

    `margin` is how many points the winner is ahead of whoever comes next; `points` are those of `agent`, or of the
    winner if none is named. An upset is a game that a lower-rated agent wins. `first` says which games come first:
    the earliest, the clearest, the closest, the largest upsets, or those with most points.
    """

    agent: str | None = None
    ahead_of: str | None = None
    line_up: tuple[str, ...] = ()
    margin_from: int | None = None
    margin_to: int | None = None
    points_from: int | None = None
    points_to: int | None = None
    upsets: bool = False
    first: str = "number"

    def __post_init__(self) -> None:
        one_of(self.first, "first", ORDERS)
        if self.ahead_of is not None and self.agent is None:
            raise OptionError("who finishes ahead of whom? name an agent, too")


@dataclass(frozen=True)
class FoundGame:
    """A game: who sat where, what came out, the margin, and by how much the winner was rated below the best loser."""

    number: int
    agents: tuple[str, ...]
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    margin: int
    upset: float


def find_games(store: Store, standings: Standings, wanted: Wanted, most: int) -> tuple[int, list[FoundGame]]:
    """How many games there are like this, and the first ones of them. Games that were forfeited cannot be seen."""
    names = {name: number for number, name in enumerate(standings.names)}
    ratings = np.zeros(len(names))
    for row in standings.rows:
        ratings[row.number] = row.rating.value
    found = _Found(store, standings.names, ratings, wanted, names)
    return found.count_and_list(min(most, MOST_GAMES))


class _Found:
    def __init__(
        self,
        store: Store,
        names: Sequence[str],
        ratings: Numbers,
        wanted: Wanted,
        numbers: Mapping[str, int],
    ) -> None:
        self.store, self.names, self.ratings, self.wanted = store, names, ratings, wanted

        def number(name: str) -> int:
            if name not in numbers:
                raise OptionError(f"there is no agent {name!r} in this tournament; there are {', '.join(names)}")
            return numbers[name]

        self.agent = None if wanted.agent is None else number(wanted.agent)
        self.ahead_of = None if wanted.ahead_of is None else number(wanted.ahead_of)
        self.line_up = sorted(map(number, wanted.line_up))
        players = store.setting.players
        if self.line_up and len(self.line_up) != players:
            raise OptionError(f"a line-up of this tournament has {players} agents, not {len(self.line_up)}")

    def count_and_list(self, most: int) -> tuple[int, list[FoundGame]]:
        count, best = 0, []
        for number, games in self.store.chunks():
            first = self.store.schedule.chunks[number].first_game
            margin, upset = _margins(games), self._upsets(games)
            rows = np.flatnonzero(self._fits(games, margin, upset))
            count += len(rows)
            keys = self._order(games, margin, upset)
            best += [
                (float(keys[row]), first + row, self._game(first, games, row, margin, upset))
                for row in rows[np.argsort(keys[rows], kind="stable")][:most].tolist()
            ]
            best = heapq.nsmallest(most, best, key=lambda one: one[:2])
        return count, [game for _, _, game in best]

    def _fits(self, games: ChunkResults, margin: Numbers, upset: Numbers) -> Bools:
        fits: Bools = games.forfeits[:, 0] == NOBODY
        for limits, value in zip(self._limits(), (margin, self._points(games)), strict=True):
            low, high = limits
            fits &= (value >= (-np.inf if low is None else low)) & (value <= (np.inf if high is None else high))
        if self.wanted.upsets:
            fits &= upset > 0
        if self.agent is not None:
            own = games.seats == self.agent
            fits &= own.any(axis=1)
            if self.ahead_of is not None:
                worst = np.iinfo(games.ranks.dtype).max
                mine = np.where(own, games.ranks, worst).min(axis=1)
                theirs = np.where(games.seats == self.ahead_of, games.ranks, -1).max(axis=1)
                fits &= mine < theirs
        if self.line_up:
            fits &= (np.sort(games.seats, axis=1) == np.array(self.line_up)).all(axis=1)
        return fits

    def _limits(self) -> Iterator[tuple[int | None, int | None]]:
        yield self.wanted.margin_from, self.wanted.margin_to
        yield self.wanted.points_from, self.wanted.points_to

    def _points(self, games: ChunkResults) -> Numbers:
        """Of the agent that is asked for, on the best of its seats; of the winner if none is."""
        theirs = games.ranks == 1 if self.agent is None else games.seats == self.agent
        points: Numbers = np.where(theirs, games.points, -np.inf).max(axis=1)
        return points

    def _upsets(self, games: ChunkResults) -> Numbers:
        """By how much the best-rated loser is rated above the best-rated winner; 0 if that is nobody."""
        rated, won = self.ratings[games.seats], games.ranks == 1
        losers = np.where(won, -np.inf, rated).max(axis=1)
        winners = np.where(won, rated, -np.inf).max(axis=1)
        upset: Numbers = np.nan_to_num(losers - winners, nan=0.0, neginf=0.0, posinf=0.0).clip(min=0.0)
        return upset

    def _order(self, games: ChunkResults, margin: Numbers, upset: Numbers) -> Numbers:
        orders = {"margin": -margin, "close": margin, "upset": -upset, "points": -self._points(games)}
        return orders.get(self.wanted.first, np.zeros(len(margin)))

    def _game(self, first: int, games: ChunkResults, row: int, margin: Numbers, upset: Numbers) -> FoundGame:
        return FoundGame(
            first + row,
            tuple(self.names[agent] for agent in games.seats[row].tolist()),
            tuple(games.points[row].tolist()),
            tuple(games.ranks[row].tolist()),
            int(margin[row]),
            round(float(upset[row]), 1),
        )


def _margins(games: ChunkResults) -> Numbers:
    """How many points the winner is ahead of whoever comes next; 0 where two won, or a tie was broken otherwise."""
    if games.points.shape[1] < 2:
        return np.zeros(len(games.points))
    in_order = np.take_along_axis(games.points, np.argsort(games.ranks, axis=1, kind="stable"), axis=1)
    return (in_order[:, 0] - in_order[:, 1]).astype(np.float64)


def find_command(folder: str, wanted: Wanted) -> str:
    """The command that lists the same games."""
    parts = ["card-envs", "find", folder]
    for field in fields(wanted):
        value = getattr(wanted, field.name)
        if value == field.default:
            continue
        option = f"--{field.name.replace('_', '-')}"
        for one in value if isinstance(value, tuple) else (value,):
            parts += [option] if one is True else [option, str(one)]
    return shlex.join(parts)
