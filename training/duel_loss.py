"""What a duel's network is asked to say, compiled: what pairs of choices have turned out to be worth, by squares."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from card_envs.agents.duel import FIRST_PAIR, OTHERS, OWN, SAME, fill_worth
from card_envs.agents.perceptron import BLOCK, FORM, NUMBERS, Perceptron, work_size
from card_envs.core.cache import compile_alone
from card_envs.core.compile import inner, named_tuple
from training.backward import backward, begin_block, transposed

Floats = NDArray[np.float32]
WORTH, VALUE, FIGURES = range(3)  # parts of the loss


class Lessons(NamedTuple):
    """What is learned from, one row per position of one seat."""

    observation: Floats
    worth: Floats  # of each pair of choices, own and other, (rows, choices, choices); no number where it was not tried
    value: Floats


@inner
def pair_slopes(worth: Any, tried: Any, choices: Any, rank: Any, bounded: Any, outputs: Any, slopes: Any) -> Any:
    """How the mean square of what pairs are off changes with each number; returns that mean and V's slope."""
    count, total, pull = 0, 0.0, np.float32(0)
    for i in range(choices):
        for j in range(choices):
            count += not np.isnan(tried[i, j])
    for place in range(slopes.size):
        slopes[place] = 0.0
    for i in range(choices):
        for j in range(choices):
            if np.isnan(tried[i, j]):
                continue
            off = worth[i, j] - tried[i, j]
            total += off * off / count
            slope = np.float32(2.0 * off / count * (1.0 - worth[i, j] ** 2 if bounded else 1.0))
            pull += slope
            slopes[OWN * choices + i] += slope
            slopes[OTHERS * choices + j] -= slope
            if i == j:
                slopes[SAME * choices + i] += slope
            else:
                for k in range(rank):
                    u, v = (FIRST_PAIR + k) * choices + i, (FIRST_PAIR + rank + k) * choices + j
                    slopes[u] += slope * outputs[v]
                    slopes[v] += slope * outputs[u]
    return total, pull


def lesson_gradient(
    form: Any,
    numbers: Any,
    center: Any,
    scale: Any,
    lessons: Any,
    picked: Any,
    rank: Any,
    bounded: Any,
    vf_coef: Any,
    plus: Any,
    gradient: Any,
    figures: Any,
) -> None:
    """Add to `gradient` that of the mean loss of the picked lessons, and to `figures` the sums of its parts.

    Each number that was calculated with is what the gradient's entry at its place in `plus` belongs to.
    """
    choices, size = lessons.worth.shape[1], work_size(form, BLOCK)
    work, back, turned = np.empty(size, np.float32), np.empty(size, np.float32), transposed(form, numbers)
    each = (FIRST_PAIR + 2 * rank) * choices
    own, slopes, worth = np.empty(each, np.float32), np.empty(each, np.float32), np.empty((choices, choices))
    share, own_gradient = np.float32(1 / picked.size), np.zeros(numbers.size, np.float32)
    for begin in range(0, picked.size, BLOCK):
        these = picked[begin : begin + BLOCK]
        at, rows, outputs, into = begin_block(form, numbers, center, scale, lessons.observation, these, work, back)
        for row in range(these.size):
            for place in range(each):
                own[place] = outputs[place, row]
            fill_worth(own, outputs[-1, row], choices, rank, bounded, worth)
            off, pull = pair_slopes(worth, lessons.worth[these[row]], choices, rank, bounded, own, slopes)
            for place in range(each):
                into[place, row] = slopes[place] * share
            value = np.float32(math.tanh(outputs[-1, row])) if bounded else outputs[-1, row]
            wrong = value - lessons.value[these[row]]
            slope = np.float32(2.0 * vf_coef) * wrong * (np.float32(1) - value * value if bounded else np.float32(1))
            into[-1, row] = (pull + slope) * share
            figures[WORTH] += off
            figures[VALUE] += wrong**2
        backward(form, turned, work, back, at, rows, own_gradient)
    for number in range(numbers.size):
        gradient[plus[number]] += own_gradient[number]


@functools.cache
def _compiled() -> Callable[..., None]:
    lessons = named_tuple((types.float32[:, ::1], types.float32[:, :, ::1], NUMBERS), Lessons)
    places = types.int64[::1]
    signature = (
        *(FORM, *[NUMBERS] * 3, lessons, places, types.int64, types.boolean, types.float64, places, NUMBERS),
        types.float64[::1],
    )
    return compile_alone(lesson_gradient, signature, "perceptron")  # type: ignore[no-any-return]


def calculate_gradient(
    network: Perceptron,
    lessons: Lessons,
    picked: NDArray[np.int64],
    rank: int,
    bounded: bool,
    vf_coef: float,
    plus: NDArray[np.int64],
    gradient: Floats,
    figures: NDArray[np.float64],
) -> None:
    """`lesson_gradient` of a network, compiled when it is first needed."""
    form, numbers, center, scale = network.form, network.numbers, network.center, network.scale
    _compiled()(form, numbers, center, scale, lessons, picked, rank, bounded, vf_coef, plus, gradient, figures)
