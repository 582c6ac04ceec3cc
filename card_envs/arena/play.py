"""Playing one chunk. The same chunk is played the same way in any process on any number of workers."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from card_envs.agents.loading import Player, load_agent, plays_inside
from card_envs.agents.seating import Seating
from card_envs.arena.schedule import Chunk
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.core.loops import SHARED


@dataclass(frozen=True)
class Setting:
    """All that the games of a tournament have in common."""

    rules: Game
    players: int
    options: Mapping[str, Any]
    seed: int

    def batch(self, seeds: NDArray[np.int64]) -> Batch:
        """Games at their start."""
        return Batch(self.rules, len(seeds), seed=seeds, auto_reset=False, **{**self.options, "players": self.players})


@dataclass(frozen=True, eq=False)
class ChunkResults:
    """Results of the games of a chunk, one row per game and one column per seat. `sizes`: games of each deal."""

    seeds: NDArray[np.int64]
    seats: NDArray[np.int16]
    points: NDArray[np.int32]
    ranks: NDArray[np.int32]
    score_sheets: NDArray[np.int32]
    sizes: NDArray[np.int64]


@functools.cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def sit_down(
    setting: Setting, seating: Seating, seats: NDArray[np.int16], agents: Mapping[int, Player], seed: int
) -> None:
    """Let agents sit down at games that are about to start."""
    loaded = {
        number: load_agent(setting.rules, agents[number], players=setting.players, seed=seed)
        if isinstance(agents[number], str) and not plays_inside(agents[number])
        else agents[number]
        for number in np.unique(seats).tolist()
    }
    seating.sit_down_by_number(loaded, seats)
    seating.start_lots(np.arange(len(seats)))


def chunk_seeds(setting: Setting, chunk: Chunk) -> NDArray[np.int64]:
    """The seed of each game of a chunk: the same for all rotations of a deal."""
    sizes = chunk.sizes()
    seeds = np.empty(len(sizes), np.int64)
    SHARED.fill_seeds(chunk.seed(setting.seed), seeds)
    return np.repeat(seeds, sizes)


def play_chunk(setting: Setting, chunk: Chunk, agents: Mapping[int, Player]) -> ChunkResults:
    """Play all games of a chunk side by side."""
    seeds, seats = chunk_seeds(setting, chunk), chunk.seats(setting.seed)
    batch = setting.batch(seeds)
    seating = Seating(batch)
    sit_down(setting, seating, seats, agents, chunk.seed(setting.seed))
    play_alike(seating)
    return ChunkResults(seeds, seats, batch.points, batch.ranks, batch.score_sheet, chunk.sizes())


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread: sums that are shared out otherwise have other last digits."""
    with _libraries().limit(limits=1):
        yield


def play_alike(seating: Seating) -> None:
    """Play all games to their end, with the same digits whatever the machine is doing besides."""
    with one_thread():
        seating.play_on(np.arange(seating.batch.num_games))
