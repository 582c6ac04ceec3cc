"""Ratings by maximum likelihood: the Bradley-Terry model of who finishes ahead of whom, on Elo's scale.

A game of several players counts as one comparison of each two of them. Under the Plackett-Luce model of whole rankings
these comparisons follow the Bradley-Terry model with the same strengths, so the estimate is that of either. Comparisons
of one game depend on each other; the intervals come from a bootstrap over whole deals, which does not mind.
"""

from __future__ import annotations

import importlib.util
import math
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from card_envs.errors import OptionError

ELO = 400 / math.log(10)  # 400 points more: ten times the odds of finishing ahead
PRIOR = 1.0  # drawn games that everyone is taken to have played, shared by all others: keeps each rating finite
MOST_ROUNDS = 1000  # of choix's search, which usually takes fewer than ten
MOST_STEPS, CAREFUL, MOST_CAREFUL = 100, 1e-3, 1e6  # of Newton's method, as Levenberg and Marquardt damp it
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
    with np.errstate(all="ignore"):  # choix divides by nothing where it finds no answer
        return _search(ahead, start, precision)[0]


def rate_many(many: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ratings for each of many tables of comparisons, as exact as an interval needs them."""
    rated, hard = [], False
    with np.errstate(all="ignore"):
        for ahead in many:
            ratings, hard = _search(ahead, start, ROUGH, hard=hard)  # what was hard once is hard each time
            rated.append(ratings)
    return np.array(rated).reshape(len(many), len(start))


def _search(
    ahead: NDArray[np.float64], start: NDArray[np.float64] | None, precision: float, *, hard: bool = False
) -> tuple[NDArray[np.float64], bool]:
    """Ratings, and whether choix could not find them: where agents hardly met, or one is all but sure to be ahead, its
    search goes on for very long. Newton's method gets to the same maximum in a few steps, of more work each.
    """
    import choix

    agents = len(ahead)
    if agents < 2:
        return np.zeros(agents), hard
    compared = ahead + PRIOR / 2 / (agents - 1)
    initial = None if start is None else start / ELO
    found = None
    if not hard:
        with suppress(RuntimeError, ValueError, np.linalg.LinAlgError):
            found = choix.ilsr_pairwise_dense(compared, initial_params=initial, max_iter=MOST_ROUNDS, tol=precision)
    if found is None or not np.isfinite(found).all():
        found, hard = _newton(compared, np.zeros(agents) if initial is None else initial, precision), True
    return np.asarray(found - found.mean()) * ELO, hard


def _newton(compared: NDArray[np.float64], strengths: NDArray[np.float64], precision: float) -> NDArray[np.float64]:
    """The strengths with which these comparisons are likeliest. The likelihood has one maximum only."""
    compared = compared - np.diag(compared.diagonal())
    both = compared + compared.T

    def likelihood(strengths: NDArray[np.float64]) -> float:
        return -float((compared * np.logaddexp(0, strengths[None, :] - strengths[:, None])).sum())

    now, caution = likelihood(strengths), 0.0
    for _ in range(MOST_STEPS):
        expected = 0.5 + 0.5 * np.tanh((strengths[:, None] - strengths[None, :]) / 2)  # to be ahead
        slope = compared.sum(axis=1) - (both * expected).sum(axis=1)
        curve = both * expected * expected.T
        bent = np.diag(curve.sum(axis=1) * (1 + caution))
        try:
            # The mean fixes what no comparison tells: the sum of all strengths.
            step = np.linalg.solve(bent - curve + curve.mean(), slope)
        except np.linalg.LinAlgError:
            break
        after = likelihood(strengths + step)
        if after >= now:
            strengths, now, caution = strengths + step, after, caution / 10 if caution > CAREFUL else 0.0
        elif caution > MOST_CAREFUL:  # as good as these numbers can tell
            break
        else:  # too long a step: one that turns towards the steepest way up, and is shorter
            caution = max(10 * caution, CAREFUL)
        if np.abs(step).sum() < precision:
            break
    return strengths
