"""Ratings by maximum likelihood: the Bradley-Terry model of who finishes ahead of whom, on Elo's scale.

A game of several players counts as one comparison of each two of them. Under the Plackett-Luce model of whole rankings
these comparisons follow the Bradley-Terry model with the same strengths, so the estimate is that of either. Comparisons
of one game depend on each other; the intervals come from a bootstrap over whole deals, which does not mind.
"""

from __future__ import annotations

import importlib.util
import math

import numpy as np
from numpy.typing import NDArray

from card_envs.errors import OptionError

ELO = 400 / math.log(10)  # 400 points more: ten times the odds of finishing ahead
PRIOR = 1.0  # drawn games that everyone is taken to have played, shared by all others: keeps each rating finite
MOST_ROUNDS = 10_000
EXACT, ROUGH = 1e-8, 1e-4  # when to stop searching; the second is well below one point of rating


def check_installed() -> None:
    """Refuse in one sentence if the library that rates is not there."""
    if importlib.util.find_spec("choix") is None:
        raise OptionError("ratings need the library choix; install it with: pip install 'card-envs[arena]'")


def rate(
    ahead: NDArray[np.float64], start: NDArray[np.float64] | None = None, precision: float = EXACT
) -> NDArray[np.float64]:
    """Ratings whose mean is 0, from how often each agent finished ahead of each other one; a tie is half.

    `start` are ratings to begin the search from, which makes it shorter and nothing else.
    """
    import choix

    agents = len(ahead)
    if agents < 2:
        return np.zeros(agents)
    drawn = PRIOR / 2 / (agents - 1)
    initial = None if start is None else start / ELO
    found = choix.ilsr_pairwise_dense(ahead + drawn, initial_params=initial, max_iter=MOST_ROUNDS, tol=precision)
    return np.asarray(found - found.mean()) * ELO


def rate_many(many: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ratings for each of many tables of comparisons, as exact as an interval needs them."""
    return np.array([rate(ahead, start, ROUGH) for ahead in many]).reshape(len(many), len(start))
