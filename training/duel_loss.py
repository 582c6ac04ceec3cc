"""What a duel's network is asked to say, compiled: what pairs of choices have turned out to be worth, by squares."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from card_envs.agents.duel import Duel
from card_envs.agents.duel_worth import (
    ALONE,
    DUEL_FORM,
    FIRST_BESIDE,
    FIRST_PAIR,
    HABIT,
    MET,
    OTHERS,
    OWN,
    SAME,
    TWO,
    fill_pairs,
    fill_sums,
    room_for_sums,
)
from card_envs.agents.perceptron import BLOCK, FORM, NUMBERS, Perceptron, work_size
from card_envs.core.cache import compile_alone
from card_envs.core.compile import inner, named_tuple
from training.backward import backward, begin_block, transposed

Floats = NDArray[np.float32]
OFF, VALUE, UNUSUAL, FIGURES = range(4)  # parts of the loss
COEFS = types.UniTuple(types.float64, 2)  # type: ignore[no-untyped-call]


class Lessons(NamedTuple):
    """What is learned from, one row per position as one seat sees it; seats are counted from that one on."""

    observation: Floats
    worth: (
        Floats  # of each choice to its seat, beside what the others chose, (rows, seats, choices); no number: no choice
    )
    chosen: NDArray[np.int64]  # what each seat chose, (rows, seats); -1 where it had no choice
    likely: Floats  # how likely each seat was to make each choice, (rows, seats, choices)
    value: Floats


@inner
def pair_slopes(
    lessons: Any, row: Any, choices: Any, rank: Any, bounded: Any, pairs: Any, outputs: Any, slopes: Any
) -> Any:
    """How the mean square of what pairs are off changes with each number; returns that mean and V's slope."""
    count, total, pull = 0, 0.0, np.float32(0)
    for own in range(2 * choices):
        count += not np.isnan(lessons.worth[row, own // choices, own % choices])
    for place in range(slopes.size):
        slopes[place] = 0.0
    for tried in range(2 * choices):
        seat, own = tried // choices, tried % choices
        found = lessons.worth[row, seat, own]
        if np.isnan(found):
            continue
        i, j = (own, lessons.chosen[row, 1]) if seat == 0 else (lessons.chosen[row, 0], own)
        off = pairs[i, j] - (found if seat == 0 else -found)
        total += off * off / count
        slope = np.float32(2.0 * off / count * (1.0 - pairs[i, j] ** 2 if bounded else 1.0))
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


@inner
def sum_slopes(
    lessons: Any, row: Any, seats: Any, choices: Any, rank: Any, worth: Any, outputs: Any, slopes: Any
) -> Any:
    """The same where there are more seats: how far a seat's choices are from their mean counts; V has no part."""
    count, total, each = 0, 0.0, (FIRST_BESIDE + 2 * rank) * choices
    for place in range(slopes.size):
        slopes[place] = 0.0
    for seat in range(seats):
        count += lessons.chosen[row, seat] >= 0
    for seat in range(seats):
        if lessons.chosen[row, seat] < 0:
            continue
        legal, mean = 0, 0.0
        for own in range(choices):
            if not np.isnan(lessons.worth[row, seat, own]):
                mean += said(lessons, row, seat, own, seats, worth) - lessons.worth[row, seat, own]
                legal += 1
        mean /= legal
        for own in range(choices):
            found = lessons.worth[row, seat, own]
            if np.isnan(found):
                continue
            off = said(lessons, row, seat, own, seats, worth) - found - mean
            total += off * off / (legal * count)
            slope = np.float32(2.0 * off / (legal * count))
            slopes[seat * each + ALONE * choices + own] += slope
            if is_met(lessons, row, seat, own, seats):
                slopes[seat * each + MET * choices + own] += slope
            for other in range(seats):
                chosen = lessons.chosen[row, other]
                if other == seat or chosen < 0 or chosen == own:
                    continue
                for k in range(rank):
                    u = seat * each + (FIRST_BESIDE + k) * choices + own
                    v = other * each + (FIRST_BESIDE + rank + k) * choices + chosen
                    slopes[u] += slope * outputs[v]
                    slopes[v] += slope * outputs[u]
    return total


@inner
def habit_slopes(
    lessons: Any, row: Any, seats: Any, choices: Any, rank: Any, coef: Any, habit: Any, slopes: Any
) -> Any:
    """Add how the cross entropy of what seats are used to do changes with each number; returns its mean over seats."""
    count, total, each = 0, 0.0, (FIRST_BESIDE + 2 * rank) * choices
    for seat in range(seats):
        count += lessons.chosen[row, seat] >= 0
    for seat in range(seats):
        if lessons.chosen[row, seat] < 0:
            continue
        highest, summed = -np.inf, 0.0
        for own in range(choices):
            if not np.isnan(lessons.worth[row, seat, own]):
                highest = max(highest, habit[seat, own])
        for own in range(choices):
            if not np.isnan(lessons.worth[row, seat, own]):
                summed += math.exp(habit[seat, own] - highest)
        for own in range(choices):
            if not np.isnan(lessons.worth[row, seat, own]):
                said, wanted = habit[seat, own] - highest - math.log(summed), lessons.likely[row, seat, own]
                total -= wanted * said / count
                slopes[seat * each + HABIT * choices + own] += np.float32(coef * (math.exp(said) - wanted) / count)
    return total


@inner
def is_met(lessons: Any, row: Any, seat: Any, own: Any, seats: Any) -> Any:
    """Whether anybody else made this choice."""
    found = False
    for other in range(seats):
        found |= other != seat and lessons.chosen[row, other] == own
    return found


@inner
def said(lessons: Any, row: Any, seat: Any, own: Any, seats: Any, worth: Any) -> Any:
    """What a seat's choice is worth by the network, beside what the others chose."""
    alone, met, beside = worth
    more = alone[seat, own]
    if is_met(lessons, row, seat, own, seats):
        more += met[seat, own]
    for other in range(seats):
        if other != seat and lessons.chosen[row, other] >= 0:
            more += beside[seat, other, own, lessons.chosen[row, other]]
    return more


def lesson_gradient(
    form: Any,
    numbers: Any,
    center: Any,
    scale: Any,
    lessons: Any,
    picked: Any,
    duel: Any,
    coefs: Any,
    plus: Any,
    gradient: Any,
    figures: Any,
) -> None:
    """Add to `gradient` that of the mean loss of the picked lessons, and to `figures` the sums of its parts.

    Each number that was calculated with is what the gradient's entry at its place in `plus` belongs to.
    """
    (seats, choices, rank, bounded, _), (vf_coef, habit_coef) = duel, coefs
    size = work_size(form, BLOCK)
    work, back, turned = np.empty(size, np.float32), np.empty(size, np.float32), transposed(form, numbers)
    each = (FIRST_PAIR + 2 * rank) * choices if seats == TWO else seats * (FIRST_BESIDE + 2 * rank) * choices
    own, slopes = np.empty(each, np.float32), np.empty(each, np.float32)
    pairs, worth, habit = np.empty((choices, choices)), room_for_sums(seats, choices), np.empty((seats, choices))
    share, own_gradient = np.float32(1 / picked.size), np.zeros(numbers.size, np.float32)
    for begin in range(0, picked.size, BLOCK):
        these = picked[begin : begin + BLOCK]
        at, rows, outputs, into = begin_block(form, numbers, center, scale, lessons.observation, these, work, back)
        for row in range(these.size):
            for place in range(each):
                own[place] = outputs[place, row]
            if seats == TWO:
                fill_pairs(own, outputs[-1, row], choices, rank, bounded, pairs)
                off, pull = pair_slopes(lessons, these[row], choices, rank, bounded, pairs, own, slopes)
            else:
                fill_sums(own, seats, choices, rank, worth, habit)
                off, pull = sum_slopes(lessons, these[row], seats, choices, rank, worth, own, slopes), np.float32(0)
                figures[UNUSUAL] += habit_slopes(lessons, these[row], seats, choices, rank, habit_coef, habit, slopes)
            for place in range(each):
                into[place, row] = slopes[place] * share
            value = np.float32(math.tanh(outputs[-1, row])) if bounded else outputs[-1, row]
            wrong = value - lessons.value[these[row]]
            slope = np.float32(2.0 * vf_coef) * wrong * (np.float32(1) - value * value if bounded else np.float32(1))
            into[-1, row] = (pull + slope) * share
            figures[OFF] += off
            figures[VALUE] += wrong**2
        backward(form, turned, work, back, at, rows, own_gradient)
    for number in range(numbers.size):
        gradient[plus[number]] += own_gradient[number]


@functools.cache
def _compiled() -> Callable[..., None]:
    seen, worth, chosen = types.float32[:, ::1], types.float32[:, :, ::1], types.int64[:, ::1]
    lessons, places = named_tuple((seen, worth, chosen, worth, NUMBERS), Lessons), types.int64[::1]
    signature = (
        *(FORM, *[NUMBERS] * 3, lessons, places, DUEL_FORM, COEFS, places, NUMBERS),
        types.float64[::1],
    )
    return compile_alone(lesson_gradient, signature, "perceptron")  # type: ignore[no-any-return]


def calculate_gradient(
    network: Perceptron,
    lessons: Lessons,
    picked: NDArray[np.int64],
    duel: Duel,
    coefs: tuple[float, float],
    gradient: Floats,
    figures: NDArray[np.float64],
) -> None:
    """`lesson_gradient` of a duel's network, compiled when first needed. `coefs` are those of value and habits."""
    form, numbers, center, scale = network.form, network.numbers, network.center, network.scale
    _compiled()(form, numbers, center, scale, lessons, picked, duel.form, coefs, duel.plan.plus, gradient, figures)
