"""How good a player is: win shares from equal deals, with the player on each seat in turn.

A player is as strong as it is against whoever knows it best. So one of those that it is measured against may be a
response: a searcher that knows its policy, on one seat, with the player itself on all others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.loading import Player
from card_envs.agents.search.options import MOST_ACTIONS, MOST_PLAYOUTS
from card_envs.agents.search.players import rollout
from card_envs.arena.match import play_match
from card_envs.arena.play import one_thread
from card_envs.core.options import whole_number

EVALUATION_SEED = 2**62  # far from the seeds of the games that are learned from
MEASUREMENT = "against "  # how what is measured is called in the log, before the opponent's name
RESPONSE = "response"  # an opponent that is no agent by name: who knows the player
Table = tuple[str, int]  # an opponent, and the number of players
DealShares = dict[Table, NDArray[np.float64]]  # each deal's share of the win


@dataclass(frozen=True)
class EvaluationSettings:
    """When and how the learner is measured.

    Args:
        every: decisions between two measurements
        deals: number of deals, each of which is played with the learner on every seat
        pool: how many of its own snapshots it plays against besides bot and random: the hardest of a league, or else
            the newest
        response_playouts: how many playouts per decision a response has that knows the learner, and searches the best
            answer to it; 0 for no such response
        response_deals: number of deals for that
    """

    every: int = 2_000_000
    deals: int = 250
    pool: int = 2
    response_playouts: int = 0
    response_deals: int = 50

    def __post_init__(self) -> None:
        whole_number(self.every, "evaluation.every", 1, 2**62)
        whole_number(self.deals, "evaluation.deals", 2, 2**20)
        whole_number(self.pool, "evaluation.pool", 0, 1000)
        whole_number(self.response_playouts, "evaluation.response_playouts", 0, MOST_PLAYOUTS)
        whole_number(self.response_deals, "evaluation.response_deals", 2, 2**20)


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


def measuring_seed(seed: int) -> int:
    """Of the deals that a run with this seed is measured on."""
    return EVALUATION_SEED + seed % 2**32


def play_seats(
    game: str, player: Player, opponent: Player, players: int, deals: int, seed: int, **options: Any
) -> NDArray[np.float64]:
    """One player against copies of another: for each deal the mean share of the win over all seats it sat on."""
    total = np.zeros(deals)
    for seat in range(players):
        line_up = [opponent] * players
        line_up[seat] = player
        with one_thread():  # the same digits on any machine
            total += play_match(game, line_up, deals, seed=seed, **options).wins[:, seat]
    return total / players


def play_against_response(
    game: str, player: Player, players: int, deals: int, seed: int, playouts: int, **options: Any
) -> NDArray[np.float64]:
    """One who knows the player against copies of it: for each deal what is left of the win for each of the copies."""
    response = rollout(model=player, playouts=playouts, actions=MOST_ACTIONS)
    return (1.0 - play_seats(game, response, player, players, deals, seed, **options)) / (players - 1)


def worst_case(results: DealShares) -> float:
    """What a player gets from its hardest opponent, in fair shares; the mean over the numbers of players."""
    numbers = {number for _, number in results}
    hardest = [min(one.mean() for (_, other), one in results.items() if other == number) for number in numbers]
    return float(np.mean([number * share for number, share in zip(numbers, hardest, strict=True)]))


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
        for name, value in ((f"{MEASUREMENT}{opponent}", share.mean), (f"{MEASUREMENT}{opponent} error", share.error))
    }
