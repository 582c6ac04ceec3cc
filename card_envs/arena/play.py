"""Playing one chunk. The same chunk is played the same way in any process on any number of workers."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.loading import Player, from_package, load_agent, plays_inside
from card_envs.agents.seating import Seating
from card_envs.agents.speaking.options import Speaker
from card_envs.arena.isolation import begin_to_play, no_forfeits, note_forfeits, stand_up
from card_envs.arena.schedule import Chunk, derived_seed
from card_envs.arena.searchers import searcher
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
    isolate: float | None = None  # seconds that an agent of another package has for an answer, in its own process
    challenge: bool = False  # every line-up is one agent among copies of the first

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
    forfeits: NDArray[np.int64]  # see arena/isolation.py


@functools.cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def rotations(sizes: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The rows of each rotation: the first games of all deals, then the second ones, ..."""
    begins = np.cumsum(sizes) - sizes
    turn = np.arange(sizes.sum()) - np.repeat(begins, sizes)
    for rotation in range(int(sizes.max(initial=0))):
        yield np.flatnonzero(turn == rotation)


def sit_down(
    setting: Setting,
    seating: Seating,
    seats: NDArray[np.int16],
    agents: Mapping[int, Player],
    rotation: tuple[int, int],
) -> list[Player]:
    """Let agents sit down at games that are about to start. `rotation` is a chunk's number, and which rotation of it.

    Each agent is begun anew, once for every seat that it has at a table: no agent sees two hands of a deal. Returns
    the agents that were begun, for `stand_up`.
    """
    before = np.tril(seats[:, :, None] == seats[:, None, :], -1).sum(axis=2)  # seats that the agent has before this
    everyone = int(seats.max()) + 1
    lives = seats + everyone * before
    begun = {}
    for life in np.unique(lives).tolist():
        hand, number = divmod(life, everyone)
        # Unrelated to the deals: who knew the seed of a chunk would know all of its cards.
        seed = derived_seed(setting.seed, "agent", *rotation, number, hand)
        begun[life] = _begin_anew(setting, agents[number], seed)
    seating.sit_down_by_number(begun, lives)
    seating.start_lots(np.arange(len(seats)))
    return list(begun.values())


def _begin_anew(setting: Setting, player: Player, seed: int) -> Player:
    """An agent that remembers nothing; those that cannot remember anything are shared."""
    if plays_inside(player) or type(player) is CheckpointAgent:
        return player
    if (thinks := searcher(player)) and thinks.remembers_nothing:
        return thinks
    if isinstance(player, Speaker):
        return load_agent(setting.rules, player)
    if isinstance(player, str):
        if setting.isolate is not None and from_package(player):
            return begin_to_play(setting.rules, player, setting.players, setting.isolate, seed)
        return load_agent(setting.rules, player, players=setting.players, seed=seed)
    return copy.deepcopy(player)


def chunk_seeds(setting: Setting, chunk: Chunk) -> NDArray[np.int64]:
    """The seed of each game of a chunk: the same for all rotations of a deal."""
    sizes = chunk.sizes()
    seeds = np.empty(len(sizes), np.int64)
    SHARED.fill_seeds(chunk.seed(setting.seed), seeds)
    return np.repeat(seeds, sizes)


def play_chunk(setting: Setting, chunk: Chunk, agents: Mapping[int, Player]) -> ChunkResults:
    """Play all games of a chunk: one rotation of its deals after the other, the games of each side by side."""
    seeds, seats, sizes = chunk_seeds(setting, chunk), chunk.seats(setting.seed), chunk.sizes()
    shape = (*seats.shape, len(setting.rules.score_columns))
    points, ranks, sheets = np.empty(seats.shape, np.int32), np.empty(seats.shape, np.int32), np.empty(shape, np.int32)
    forfeits = no_forfeits(len(seats))
    for number, rows in enumerate(rotations(sizes)):
        batch = setting.batch(seeds[rows])
        seating = Seating(batch)
        begun = sit_down(setting, seating, seats[rows], agents, (chunk.number, number))
        try:
            play_alike(seating)
        finally:
            stand_up(begun)
        points[rows], ranks[rows], sheets[rows] = batch.points, batch.ranks, batch.score_sheet
        note_forfeits(forfeits, rows, seating.forfeits)
    return ChunkResults(seeds, seats, points, ranks, sheets, sizes, forfeits)


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread: sums that are shared out otherwise have other last digits."""
    with _libraries().limit(limits=1):
        yield


def play_alike(seating: Seating) -> None:
    """Play all games to their end, with the same digits whatever the machine is doing besides."""
    with one_thread():
        seating.play_on(np.arange(seating.batch.num_games))
