"""Who plays whom on which deals. All of it follows from the seed, the number of agents and the number of games.

A *line-up* is who sits down together. A *deal* is a seed that one line-up plays in every seat rotation, so that each of
its agents sits once on every seat. A *chunk* is a list of deals with a fixed number: the unit that is played, kept and
counted. A schedule grows by stages, and what it has already stays as it is: more agents or more games only add chunks.

In a *challenge* the only line-ups are those of one agent among copies of the first one.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.core.options import LARGEST_SEED, whole_number
from card_envs.errors import OptionError

LineUp = tuple[int, ...]
MOST_LINE_UPS = 20_000  # above this, or with fewer deals than line-ups, line-ups are drawn
GAMES_IN_CHUNK = 4096  # enough for a network's call to be worth its while
FEWEST_DEALS, CHUNKS = 32, 16  # a small tournament still has some chunks to share out
# A schedule follows from a few numbers, which a stranger may have written. These bounds keep it a matter of seconds.
MOST_GAMES_IN_CHUNK = 2**15
MOST_CHUNKS = 600_000
MOST_STAGES = 10_000
MOST_WORK, WORK_OF_DRAWING = 2_000_000, 20  # line-ups that are listed in all; drawing one takes as long as listing many


class Stage(NamedTuple):
    """How far a schedule has been asked to go: so many agents, and about so many games in all."""

    agents: int
    games: int


class Part(NamedTuple):
    """Some deals of one line-up."""

    line_up: LineUp
    deals: int

    @property
    def rotations(self) -> int:
        """Seat rotations of a deal; one, where rotating changes nothing because one agent has all seats."""
        return len(self.line_up) if len(set(self.line_up)) > 1 else 1


@dataclass(frozen=True)
class Chunk:
    """Deals that are played together, always in the same way."""

    number: int
    first_game: int
    parts: tuple[Part, ...]

    @property
    def games(self) -> int:
        """How many games it has."""
        return sum(part.deals * part.rotations for part in self.parts)

    @property
    def agents(self) -> frozenset[int]:
        """Whoever plays in it."""
        return frozenset(chain.from_iterable(part.line_up for part in self.parts))

    def sizes(self) -> NDArray[np.int64]:
        """How many games each of its deals has."""
        return np.repeat([part.rotations for part in self.parts], [part.deals for part in self.parts])

    def seed(self, seed: int) -> int:
        """The number from which all chance of the chunk comes."""
        return chunk_seed(seed, self.number)

    def seats(self, seed: int) -> NDArray[np.int16]:
        """Which agent sits on which seat in each game: the order at the table drawn per deal, then rotated."""
        rng = np.random.default_rng(self.seed(seed))
        rows: list[NDArray[np.int16]] = []
        for part in self.parts:
            line_up, deals, rotations = part.line_up, part.deals, part.rotations
            places = np.arange(len(line_up))
            turns = (places - np.arange(rotations)[:, None]) % len(line_up)  # who sits on each seat after each rotation
            order = rng.permuted(np.tile(np.array(line_up, np.int16), (deals, 1)), axis=1)
            if 1 < len(set(line_up)) < len(line_up):
                # An order such as A B A B looks the same after two steps; A A B B never does.
                same = (order[:, turns[1:]] == order[:, None]).all(axis=2).any(axis=1)
                order[same] = line_up
            rows.append(order[:, turns].reshape(-1, len(line_up)))
        return np.concatenate(rows)


def derived_seed(seed: int, *what: object) -> int:
    """A seed for one purpose, unrelated to those for others."""
    digest = hashlib.sha256(" ".join(map(str, (seed, *what))).encode()).digest()
    return int.from_bytes(digest[:8], "little") & LARGEST_SEED


def chunk_seed(seed: int, number: int) -> int:
    """The number from which all chance of a chunk comes."""
    return derived_seed(seed, "chunk", number)


def number_of_line_ups(agents: int, players: int, challenge: bool = False) -> int:
    """How many different line-ups there are, with everyone on as equally many seats as can be."""
    return agents - 1 if challenge else comb(agents, players % agents)


def all_line_ups(agents: int, players: int, challenge: bool = False) -> list[LineUp]:
    """Every line-up. With fewer agents than seats, each gets its part of the seats, and some get one more."""
    if challenge:
        return [(*(0,) * (players - 1), challenger) for challenger in range(1, agents)]
    each, more = divmod(players, agents)
    everyone = tuple(range(agents)) * each
    return [tuple(sorted((*everyone, *extra))) for extra in combinations(range(agents), more)]


class Schedule:
    """The chunks of a tournament, in the order in which they are played."""

    def __init__(self, seed: int, players: int, chunk_deals: int | None = None, challenge: bool = False) -> None:
        if chunk_deals is not None:
            whole_number(chunk_deals, "chunk_deals", 1, MOST_GAMES_IN_CHUNK // players)
        self.seed, self.players, self.chunk_deals, self.challenge = seed, players, chunk_deals, challenge
        self._chunk_deals_given = chunk_deals is not None
        self.games = 0  # of all chunks
        self.stages: list[Stage] = []
        self.chunks: list[Chunk] = []
        self.deals: Counter[LineUp] = Counter()
        self._work = 0

    @classmethod
    def planned(
        cls, seed: int, players: int, chunk_deals: int | None, stages: Iterable[Stage], challenge: bool = False
    ) -> Schedule:
        """A schedule that has grown by these stages."""
        self = cls(seed, players, chunk_deals, challenge)
        for stage in stages:
            self.grow(stage)
        return self

    def grown(self, stage: Stage) -> Schedule:
        """The schedule that this one would become."""
        given = self.chunk_deals if self._chunk_deals_given else None
        return Schedule.planned(self.seed, self.players, given, [*self.stages, stage], self.challenge)

    def chunk_of(self, game: int) -> Chunk:
        """The chunk that has a game."""
        return self.chunks[bisect_right(self.chunks, game, key=lambda chunk: chunk.first_game) - 1]

    def games_with(self, agents: int) -> int:
        """How many games to ask for when agents come in later, so that each line-up is played as often as before."""
        last = self.stages[-1]
        before, after = (self._line_ups(number) for number in (last.agents, agents))
        return max(last.games, last.games * after // before)

    def grow(self, stage: Stage) -> None:
        """Add the chunks that are missing for a stage."""
        number = len(self.stages)
        rng = np.random.default_rng(derived_seed(self.seed, "stage", number))
        missing = self._missing(stage, rng)
        self.stages.append(stage)
        if self.chunk_deals is None:
            deals = sum(part.deals for part in missing)
            self.chunk_deals = int(np.clip(deals // CHUNKS, FEWEST_DEALS, GAMES_IN_CHUNK // self.players))
        if len(self.chunks) + sum(part.deals for part in missing) // self.chunk_deals >= MOST_CHUNKS:
            raise OptionError(
                f"a tournament has at most {MOST_CHUNKS} chunks, here of {self.chunk_deals} deals, which is not enough "
                f"for {stage.games} games; play fewer, or larger chunks"
            )
        packed = _pack(missing, self.chunk_deals)
        # Drawn by lot, so that a tournament that is stopped half-way has played a bit of everything.
        for place in rng.permutation(len(packed)).tolist():
            self.chunks.append(Chunk(len(self.chunks), self.games, packed[place]))
            self.games += self.chunks[-1].games
        for part in missing:
            self.deals[part.line_up] += part.deals

    def _line_ups(self, agents: int) -> int:
        return number_of_line_ups(agents, self.players, self.challenge)

    def _missing(self, stage: Stage, rng: np.random.Generator) -> list[Part]:
        agents, players = stage.agents, self.players
        if self.challenge and agents < 2:
            raise OptionError("a challenge is between the first agent and others; name somebody besides it")
        deals = max(1, round(stage.games / (players if agents > 1 else 1)))
        line_ups = self._line_ups(agents)
        if line_ups <= min(deals, MOST_LINE_UPS) or agents <= players or self.challenge:
            self._count_work(line_ups)
            each = max(1, round(deals / line_ups))
            listed = all_line_ups(agents, players, self.challenge)
            lacking = ((line_up, each - self.deals[line_up]) for line_up in listed)
            return [Part(line_up, number) for line_up, number in lacking if number > 0]
        wanted = deals - self.deals.total()
        if wanted <= 0:
            return []
        self._count_work(WORK_OF_DRAWING * min(wanted, MOST_LINE_UPS))
        drawn = self._drawn_line_ups(agents, min(wanted, MOST_LINE_UPS), rng)
        each, more = divmod(wanted, len(drawn))
        return [Part(line_up, each + (place < more)) for place, line_up in enumerate(drawn)]

    def _count_work(self, line_ups: int) -> None:
        self._work += line_ups
        if self._work > MOST_WORK or len(self.stages) >= MOST_STAGES:
            raise OptionError("a tournament cannot grow so often with so many agents; start another one")

    def _drawn_line_ups(self, agents: int, number: int, rng: np.random.Generator) -> list[LineUp]:
        """Line-ups in which everyone meets everyone as equally often as can be: whoever has met the others least."""
        met = np.zeros((agents, agents))
        for line_up, deals in self.deals.items():
            met[np.ix_(line_up, line_up)] += deals
        drawn = []
        for _ in range(number):
            played = met.diagonal() + rng.random(agents)
            chosen = [int(played.argmin())]
            while len(chosen) < self.players:
                cost = met[chosen].sum(axis=0) * agents + played
                cost[chosen] = np.inf
                chosen.append(int(cost.argmin()))
            met[np.ix_(chosen, chosen)] += 1
            drawn.append(tuple(sorted(chosen)))
        return drawn


def _pack(parts: list[Part], chunk_deals: int) -> list[tuple[Part, ...]]:
    """Fill chunks with deals, one line-up after the other."""
    packed: list[tuple[Part, ...]] = []
    filling: list[Part] = []
    room = chunk_deals
    for line_up, remaining in parts:
        while remaining:
            deals = min(remaining, room)
            filling.append(Part(line_up, deals))
            remaining, room = remaining - deals, room - deals
            if not room:
                packed.append(tuple(filling))
                filling, room = [], chunk_deals
    return [*packed, tuple(filling)] if filling else packed
