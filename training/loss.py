"""PPO's loss, row by row and compiled: what it is, and how it changes with each logit and value.

It is written out instead of left to automatic differentiation, which takes many times as long. With p the
probabilities, an action's log probability changes with the logits by (1 for the action) - p, and the entropy H by
-p (log p + H). The divergence from a magnet m, the sum of p (log p - log m), changes by p (log p - log m - that sum).
Where it is known what all actions are worth, w, the gain is the sum of p w, and changes by p (w - that sum).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from card_envs.core.cache import compile_alone
from card_envs.core.compile import inner, named_tuple
from training.ppo_settings import Coefficients, SelfPlayPPOSettings

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
POLICY, VALUE, ENTROPY, MOVED, APART, FIGURES = range(6)  # parts of the loss, and distances
BY_LOT = 1.0  # instead of the logarithm of a probability, which is never above 0: not the policy has chosen


class Decisions(NamedTuple):
    """What is learned from, one row per decision."""

    observation: Floats
    mask: NDArray[np.int8]
    action: Ints
    taught: Ints  # what the teacher would have done
    log_probability: Floats
    value: Floats
    advantage: Floats
    target: Floats
    magnet: Floats  # the logits of the policy that it is drawn to, (rows, actions); no rows where there is none
    worth: Floats  # how much better each action is than the policy, (rows, actions); no rows where nobody has tried


class Loss(NamedTuple):
    """What the parts of the loss weigh, and where they are cut."""

    clip_range: float
    clip_range_vf: float  # 0 for no limit
    vf_coef: float
    ent_coef: float
    teacher_coef: float
    magnet_coef: float
    even: float  # part of an action's weight that does not depend on how likely it is, where all actions were tried

    @classmethod
    def of(cls, settings: SelfPlayPPOSettings, coefficients: Coefficients) -> Loss:
        """As the settings have it at this moment of a run."""
        limit = 0.0 if settings.clip_range_vf is None else settings.clip_range_vf
        return cls(
            float(settings.clip_range),
            float(limit),
            float(settings.vf_coef),
            float(coefficients.ent_coef),
            float(coefficients.teacher_coef),
            float(settings.magnet_coef),
            float(settings.even),
        )


@inner
def log_total(logits: Any, legal: Any, count: Any) -> Any:
    """The logarithm of the sum of what the first `count` legal actions weigh."""
    highest = logits[legal[0]]
    for k in range(count):
        highest = max(highest, logits[legal[k]])
    total = np.float32(0)
    for k in range(count):
        total += math.exp(logits[legal[k]] - highest)
    return highest + np.float32(math.log(total))


@inner
def policy_slopes(loss: Any, decisions: Any, row: Any, logits: Any, legal: Any, likely: Any, figures: Any) -> None:
    """Put in the place of each logit of a decision how its loss changes with it; add up the figures.

    `legal` and `likely` are there to be written in: the legal actions, and their probabilities.
    """
    mask, action = decisions.mask[row], decisions.action[row]
    count, highest = 0, logits[action]
    for other in range(mask.size):
        if mask[other]:
            legal[count] = other
            count += 1
            highest = max(highest, logits[other])
    total = np.float32(0)
    for k in range(count):
        likely[k] = math.exp(logits[legal[k]] - highest)
        total += likely[k]
    shift = highest + np.float32(math.log(total))
    entropy = np.float32(0)
    for k in range(count):
        likely[k] /= total
        entropy -= likely[k] * (logits[legal[k]] - shift)
    change = np.float64(logits[action] - shift - decisions.log_probability[row])
    ratio, advantage = math.exp(change), decisions.advantage[row]
    free = ratio * advantage
    bounded = min(max(ratio, 1.0 - loss.clip_range), 1.0 + loss.clip_range) * advantage
    pull = np.float32(free if free <= bounded else 0.0)  # where the bound is the smaller one, nothing pulls
    bonus, teacher = np.float32(loss.ent_coef), np.float32(loss.teacher_coef)
    hold = np.float32(loss.magnet_coef)
    magnet, apart, magnet_shift = decisions.magnet[row if hold > 0 else 0 : row + 1], np.float32(0), np.float32(0)
    if hold > 0:
        magnet_shift = log_total(magnet[0], legal, count)
        for k in range(count):
            apart += likely[k] * (logits[legal[k]] - shift - magnet[0, legal[k]] + magnet_shift)
    known = decisions.worth.shape[0] > 0
    worth, gain = decisions.worth[row if known else 0 : row + 1], np.float32(0)
    if known:  # of all actions: then what was taken by lot does not matter
        pull = np.float32(0)
        for k in range(count):
            gain += likely[k] * worth[0, legal[k]]
    even, mean = np.float32(loss.even if known else 0.0), np.float32(0)
    for turn in range(2):  # the mean of what draws logits, then by how much each is drawn more than that
        for k in range(count):
            log_p = logits[legal[k]] - shift
            drawn = bonus * log_p
            if hold > 0:
                drawn += hold * (log_p - magnet[0, legal[k]] + magnet_shift)
            if known:
                drawn -= worth[0, legal[k]]
            weight = likely[k] + even * (np.float32(1) / count - likely[k])
            if turn == 0:
                mean += weight * drawn
            else:
                logits[legal[k]] = likely[k] * (pull + teacher) + weight * (drawn - mean)
    for other in range(mask.size):
        logits[other] = logits[other] if mask[other] else np.float32(0)
    logits[action] -= pull
    if teacher > 0:
        logits[decisions.taught[row]] -= teacher
    figures[POLICY] -= gain if known else min(free, bounded)
    figures[ENTROPY] += entropy
    figures[MOVED] += 0.0 if decisions.log_probability[row] == BY_LOT else ratio - 1.0 - change
    figures[APART] += apart


@inner
def value_slope(loss: Any, decisions: Any, row: Any, value: Any, figures: Any) -> Any:
    """How a decision's loss changes with its value; adds up the figure."""
    target, old = decisions.target[row], decisions.value[row]
    off = value - target
    error = off * off
    if loss.clip_range_vf > 0:
        near = old + min(max(value - old, -loss.clip_range_vf), loss.clip_range_vf) - target
        if near * near > error:
            error = near * near
            off = near if abs(value - old) < loss.clip_range_vf else 0.0
    figures[VALUE] += error
    return 2.0 * loss.vf_coef * off


def slopes_of(decisions: Any, picked: Any, loss: Any, logits: Any, values: Any, figures: Any) -> None:
    """Put slopes of the mean loss of some decisions in the place of their logits and values."""
    count, actions = logits.shape
    legal, likely = np.empty(actions, np.int64), np.empty(actions, np.float32)
    for k in range(count):
        policy_slopes(loss, decisions, picked[k], logits[k], legal, likely, figures)
        values[k] = value_slope(loss, decisions, picked[k], values[k], figures) / count
        for action in range(actions):
            logits[k, action] /= count


DECISIONS = named_tuple(
    (
        types.float32[:, ::1],
        types.int8[:, ::1],
        types.int64[::1],
        types.int64[::1],
        *[types.float32[::1]] * 4,
        *[types.float32[:, ::1]] * 2,
    ),
    Decisions,
)
LOSS = named_tuple([types.float64] * len(Loss._fields), Loss)


@functools.cache
def compiled_slopes() -> Callable[[Decisions, Ints, Loss, Floats, Floats, NDArray[np.float64]], None]:
    """`slopes_of`, compiled when it is first needed."""
    signature = (DECISIONS, types.int64[::1], LOSS, types.float32[:, ::1], types.float32[::1], types.float64[::1])
    return compile_alone(slopes_of, signature, "loss")  # type: ignore[no-any-return]
