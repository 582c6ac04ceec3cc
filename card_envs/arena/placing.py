"""Where somebody stands on a tournament's scale who has played some games against agents that were rated there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from card_envs.arena.ratings import ELO, PRIOR
from card_envs.arena.standings import Figure

LIMIT = 3.841  # twice the difference in log-likelihood at which a 95 % interval ends
FURTHEST = 4000.0  # points of rating from the nearest opponent
STEPS = 40  # of halving


class Comparison(NamedTuple):
    """An opponent's rating, whether one finished ahead of it (1, a tie 0.5, 0), and how many the game brought."""

    rating: float
    score: float
    of: int


def place(comparisons: Sequence[Comparison]) -> Figure:
    """The rating with which these results are likeliest, and its 95 % interval by the likelihood.

    The opponents' ratings are taken as they are. As in a tournament, one drawn game against all of them is added,
    which keeps ratings finite. Comparisons of one game depend on each other; for the interval they count as one game
    together, which makes it rather too wide than too narrow.
    """
    if not comparisons:
        return Figure(math.nan, math.nan, math.nan)
    low = min(one.rating for one in comparisons) - FURTHEST
    high = max(one.rating for one in comparisons) + FURTHEST
    prior = PRIOR / len(comparisons)

    def slope(rating: float, weight: Callable[[Comparison], float]) -> float:
        total = 0.0
        for one in comparisons:
            expected = 0.5 + 0.5 * math.tanh((rating - one.rating) / ELO / 2)
            total += weight(one) * (one.score - expected) + prior * (0.5 - expected)
        return total

    def likelihood(rating: float) -> float:
        total = 0.0
        for one in comparisons:
            away = (rating - one.rating) / ELO
            won, lost = -_softplus(-away), -_softplus(away)
            total += (one.score * won + (1 - one.score) * lost) / one.of + prior * 0.5 * (won + lost)
        return total

    def best(weight: Callable[[Comparison], float]) -> float:
        return _zero(lambda rating: slope(rating, weight), low, high)

    value, careful = best(lambda one: 1.0), best(lambda one: 1 / one.of)
    limit = likelihood(careful) - LIMIT / 2
    ends = (
        _zero(lambda rating: limit - likelihood(rating), low, careful),
        _zero(lambda rating: likelihood(rating) - limit, careful, high),
    )
    return Figure(value, min(ends[0], value), max(ends[1], value))


def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))


def _zero(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls from low to high crosses 0; an end where it does not."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2


def share_interval(wins: float, games: int) -> Figure:
    """A win share with its 95 % interval by Wilson, which holds for few games, too."""
    if not games:
        return Figure(math.nan, math.nan, math.nan)
    share, z2 = wins / games, 1.959964**2
    middle = (share + z2 / (2 * games)) / (1 + z2 / games)
    half = math.sqrt(z2 * (share * (1 - share) / games + z2 / (4 * games * games))) / (1 + z2 / games)
    return Figure(share, max(middle - half, 0.0), min(middle + half, 1.0))
