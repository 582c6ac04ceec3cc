"""How good a player is: win shares from equal deals, with the player on each seat in turn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.loading import Player
from card_envs.arena.match import play_match
from card_envs.core.options import whole_number

EVALUATION_SEED = 2**62  # added to the run's own: far from the seeds of the games that are learned from
DealShares = dict[
    tuple[str, int], NDArray[np.float64]
]  # by opponent and number of players: each deal's share of the win


@dataclass(frozen=True)
class EvaluationSettings:
    """When and how the learner is measured.

    Args:
        every: decisions between two measurements
        deals: number of deals, each of which is played with the learner on every seat
        pool: how many of its own snapshots it plays against besides bot and random: the hardest of a league, or else
            the newest
    """

    every: int = 2_000_000
    deals: int = 250
    pool: int = 2

    def __post_init__(self) -> None:
        whole_number(self.every, "evaluation.every", 1, 2**62)
        whole_number(self.deals, "evaluation.deals", 2, 2**20)
        whole_number(self.pool, "evaluation.pool", 0, 1000)


@dataclass(frozen=True)
class Share:
    """A win share and its standard error. Deals are independent of each other, the seats of one deal are not."""

    mean: float
    error: float

    @classmethod
    def of(cls, per_deal: NDArray[np.float64]) -> Share:
        """From each deal's mean over the seats."""
        return cls(float(per_deal.mean()), float(per_deal.std(ddof=1) / math.sqrt(len(per_deal))))

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {1.96 * self.error:.3f}"


def play_seats(
    game: str, player: Player, opponent: Player, players: int, deals: int, seed: int, **options: Any
) -> NDArray[np.float64]:
    """One player against copies of another: for each deal the mean share of the win over all seats it sat on."""
    total = np.zeros(deals)
    for seat in range(players):
        line_up = [opponent] * players
        line_up[seat] = player
        total += play_match(game, line_up, deals, seed=seed, **options).wins[:, seat]
    return total / players


@dataclass
class Judge:
    """Measures players against the same people on the same deals, and remembers the best.

    The best is not the last: a player becomes it by doing better than it, on average over all opponents and numbers of
    players. As the pool changes, the best meets the new ones too.
    """

    game: str
    players: Sequence[int]
    deals: int
    seed: int
    options: Mapping[str, Any]
    _best: DealShares | None = None

    def measure(self, player: Path, opponents: Sequence[str], known: DealShares | None = None) -> DealShares:
        """A player's results against each opponent with each number of players; those already known are kept."""
        known, seed = known or {}, EVALUATION_SEED + self.seed % 2**32
        return {
            (opponent, number): known[opponent, number]
            if (opponent, number) in known
            else play_seats(self.game, player, opponent, number, self.deals, seed, **self.options)
            for opponent in opponents
            for number in self.players
        }

    def compare(self, player: Path, best: Path | None, opponents: Sequence[str]) -> tuple[DealShares, bool]:
        """A player's results, and whether it is better than the best so far."""
        results = self.measure(player, opponents)
        if best is not None:
            self._best = self.measure(best, opponents, self._best)
            if np.mean([results[key].mean() - self._best[key].mean() for key in results]) <= 0:
                return results, False
        self._best = results
        return results, True


def shares(results: DealShares) -> dict[str, Share]:
    """Results in words: opponent (and number of players, if there are several), and the win share."""
    several = len({number for _, number in results}) > 1
    return {
        Path(opponent).stem + (f", {number} players" if several else ""): Share.of(per_deal)
        for (opponent, number), per_deal in results.items()
    }


def figures(measured: Mapping[str, Share]) -> dict[str, float]:
    """Win shares and their errors, for the log."""
    return {
        name: value
        for opponent, share in measured.items()
        for name, value in ((f"against {opponent}", share.mean), (f"against {opponent} error", share.error))
    }
