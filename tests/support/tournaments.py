"""What several test files about tournaments need."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np

from card_envs.arena import Tournament
from card_envs.arena.isolation import no_forfeits
from card_envs.arena.play import ChunkResults, chunk_seeds


class First:
    """Takes the first legal action."""

    name = "first"

    def act(self, observation: Any, action_mask: Any) -> Any:
        return action_mask.argmax(axis=1)


class Fragile(First):
    """Takes its whole process down, once: the first time that the file of its mark is not there."""

    name = "fragile"

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def act(self, observation: Any, action_mask: Any) -> Any:
        try:
            self.mark.touch(exist_ok=False)
        except FileExistsError:
            return super().act(observation, action_mask)
        os.kill(os.getpid(), signal.SIGKILL)


def play_by_strength(tournament: Tournament, strengths: Any, seed: int) -> None:
    """Fill a tournament with the results of agents whose true strengths are known.

    Each game's ranking follows the Plackett-Luce model exactly, for luck is Gumbel's. In half of the deals the luck
    belongs to the seat, as good cards do, so that the rotations of a deal are far from independent.
    """
    rng, strengths = np.random.default_rng(seed), np.asarray(strengths)
    columns = len(tournament.setting.rules.score_columns)
    for chunk in tournament.schedule.chunks:
        seats, sizes = chunk.seats(tournament.setting.seed), chunk.sizes()
        deal = np.repeat(np.arange(len(sizes)), sizes)
        of_seat = rng.gumbel(size=(len(sizes), seats.shape[1]))[deal]
        belongs = (rng.random(len(sizes)) < 0.5)[deal, None]
        luck = np.where(belongs, of_seat, rng.gumbel(size=seats.shape))
        ranks = (-strengths[seats] - luck).argsort(axis=1).argsort(axis=1) + 1
        sheets = np.zeros((*seats.shape, columns), np.int32)
        seeds = chunk_seeds(tournament.setting, chunk)
        tournament.store.add_chunk(
            chunk, ChunkResults(seeds, seats, 10 - ranks, ranks, sheets, sizes, no_forfeits(len(seats)))
        )
