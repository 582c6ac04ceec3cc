"""Backwards through a perceptron, compiled: the gradient of PPO's loss, block by block of rows.

Forwards it is calculated as players are, in card_envs/agents/perceptron.py. Nothing is kept but the units of one block,
and nothing is calculated for inputs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from card_envs.agents.perceptron import (
    BLOCK,
    FORM,
    NUMBERS,
    RELU,
    Numbers,
    Perceptron,
    add_logits,
    add_product,
    add_up,
    fill_inputs,
    filled_up,
    forward,
    matrix,
    number_of_outputs,
    work_size,
)
from card_envs.core.cache import compile_alone
from card_envs.core.compile import inner, reordered
from training.loss import DECISIONS, LOSS, Decisions, Loss, policy_slopes, value_slope


@reordered
def add_outer(slopes: Any, values: Any, into: Any) -> None:
    """into += slopes @ values.T: sums along long rows, two rows of slopes and four of values at a time."""
    outputs, inputs = into.shape
    length = values.shape[1]
    for m in range(0, outputs - 1, 2):
        one, two = slopes[m], slopes[m + 1]
        for k in range(0, inputs - 3, 4):
            x0, x1, x2, x3 = values[k], values[k + 1], values[k + 2], values[k + 3]
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = np.float32(0)
            for i in range(length):
                a0 += one[i] * x0[i]
                a1 += one[i] * x1[i]
                a2 += one[i] * x2[i]
                a3 += one[i] * x3[i]
                b0 += two[i] * x0[i]
                b1 += two[i] * x1[i]
                b2 += two[i] * x2[i]
                b3 += two[i] * x3[i]
            into[m, k] += a0
            into[m, k + 1] += a1
            into[m, k + 2] += a2
            into[m, k + 3] += a3
            into[m + 1, k] += b0
            into[m + 1, k + 1] += b1
            into[m + 1, k + 2] += b2
            into[m + 1, k + 3] += b3
        for k in range(inputs // 4 * 4, inputs):
            into[m, k] += dot(one, values[k])
            into[m + 1, k] += dot(two, values[k])
    for m in range(outputs // 2 * 2, outputs):
        for k in range(inputs):
            into[m, k] += dot(slopes[m], values[k])


@reordered
def dot(one: Any, two: Any) -> Any:
    """The sum of products."""
    total = np.float32(0)
    for i in range(one.size):
        total += one[i] * two[i]
    return total


@reordered
def row_sum(values: Any) -> Any:
    """The sum of all."""
    total = np.float32(0)
    for i in range(values.size):
        total += values[i]
    return total


@inner
def through_activation(slopes: Any, units: Any, activation: Any) -> None:
    """What comes back through the activation of these units, in place."""
    flat, own = slopes.reshape(slopes.size), units.reshape(units.size)
    if activation == RELU:
        for i in range(flat.size):
            flat[i] = flat[i] if own[i] > 0 else np.float32(0)
    else:
        for i in range(flat.size):
            flat[i] *= np.float32(1) - own[i] * own[i]


@inner
def transposed(form: Any, numbers: Any) -> Any:
    """The matrices of all layers, each turned, in the places where they stand."""
    turned = np.empty_like(numbers)
    start = 0
    for layer in range(form.sizes.shape[0]):
        groups_in, whole_in, groups, whole = form.sizes[layer]
        for outputs, inputs in ((groups, groups_in), (groups + whole, groups_in + whole_in)):
            own, into = matrix(numbers, start, outputs, inputs), matrix(turned, start, inputs, outputs)
            for m in range(outputs):
                for k in range(inputs):
                    into[k, m] = own[m, k]
            start += outputs * inputs
        start += groups * form.things + whole
    return turned


@inner
def backward(form: Any, turned: Any, work: Any, back: Any, at: Any, rows: Any, gradient: Any) -> None:
    """Add a block's gradient. `back` has the slopes of the last layer's outputs, where `work` has the outputs."""
    things = form.things
    start = gradient.size
    for layer in range(form.sizes.shape[0] - 1, -1, -1):
        groups_in, whole_in, groups, whole = form.sizes[layer]
        biases = start - groups * things - whole
        shared = biases - (groups + whole) * (groups_in + whole_in)
        own = shared - groups * groups_in
        start = own
        slopes = matrix(back, at, groups * things, rows)
        common = matrix(back, at + groups * things * rows, groups + whole, rows)
        add_up(slopes, common, things)
        long = matrix(back, at, groups, things * rows)
        before = at - (groups_in * (things + 1) + whole_in) * rows
        below = before + groups_in * things * rows
        add_outer(long, matrix(work, before, groups_in, things * rows), matrix(gradient, own, groups, groups_in))
        add_outer(
            common,
            matrix(work, below, groups_in + whole_in, rows),
            matrix(gradient, shared, groups + whole, groups_in + whole_in),
        )
        for unit in range(groups * things):
            gradient[biases + unit] += row_sum(slopes[unit])
        for unit in range(whole):
            gradient[biases + groups * things + unit] += row_sum(common[groups + unit])
        at = before
        if layer == 0:
            return
        common_in = matrix(back, below, groups_in + whole_in, rows)
        for i in range(below, below + common_in.size):
            back[i] = 0.0
        add_product(matrix(turned, shared, groups_in + whole_in, groups + whole), common, common_in)
        for unit in range(groups_in * things):
            into, origin = back[before + unit * rows : before + (unit + 1) * rows], common_in[unit // things]
            for row in range(rows):
                into[row] = origin[row]
        add_product(matrix(turned, own, groups_in, groups), long, matrix(back, before, groups_in, things * rows))
        size = groups_in * things * rows
        through_activation(back[before : before + size], work[before : before + size], form.activation)
        size = whole_in * rows
        below += groups_in * rows
        through_activation(back[below : below + size], work[below : below + size], form.activation)


@inner
def begin_block(
    form: Any, numbers: Any, center: Any, scale: Any, observation: Any, these: Any, work: Any, back: Any
) -> Any:
    """Forwards through a block: where its outputs begin, how many rows it is filled up to, its outputs, and their
    slopes, of which none is there yet.
    """
    rows = filled_up(these.size)
    fill_inputs(form, observation, these, center, scale, work, rows)
    at, count = forward(form, numbers, work, rows), number_of_outputs(form)
    slopes = matrix(back, at, count, rows)
    for i in range(at, at + slopes.size):
        back[i] = 0.0
    return at, rows, matrix(work, at, count, rows), slopes


def loss_gradient(
    form: Any,
    numbers: Any,
    center: Any,
    scale: Any,
    decisions: Any,
    picked: Any,
    loss: Any,
    plus: Any,
    minus: Any,
    gradient: Any,
    figures: Any,
) -> None:
    """Add to `gradient` that of the mean loss of the picked decisions, and to `figures` the sums of its parts.

    Each number that was calculated with is what the gradient's entry at its place in `plus` belongs to, less that at
    its place in `minus`.
    """
    actions, size = decisions.mask.shape[1], work_size(form, BLOCK)
    work, back, turned = np.empty(size, np.float32), np.empty(size, np.float32), transposed(form, numbers)
    block, own = np.empty(actions * BLOCK, np.float32), np.empty(actions, np.float32)
    legal, likely = np.empty(actions, np.int64), np.empty(actions, np.float32)
    share, own_gradient = np.float32(1 / picked.size), np.zeros(numbers.size, np.float32)
    for begin in range(0, picked.size, BLOCK):
        these = picked[begin : begin + BLOCK]
        at, rows, outputs, slopes = begin_block(form, numbers, center, scale, decisions.observation, these, work, back)
        logits = matrix(block, 0, actions, rows)
        add_logits(form, outputs, logits)
        for row in range(these.size):
            for action in range(actions):
                own[action] = logits[action, row]
            policy_slopes(loss, decisions, these[row], own, legal, likely, figures)
            for action in range(actions):
                logits[action, row] = own[action] * share
            slopes[-1, row] = value_slope(loss, decisions, these[row], outputs[-1, row], figures) * share
        for row in range(these.size, rows):
            for action in range(actions):
                logits[action, row] = 0.0
        for action in range(actions):
            for place in range(form.first[action], form.first[action + 1]):
                into = slopes[form.terms[place]]
                for row in range(rows):
                    into[row] += logits[action, row]
        backward(form, turned, work, back, at, rows, own_gradient)
    for number in range(numbers.size):
        gradient[plus[number]] += own_gradient[number]
        gradient[minus[number]] -= own_gradient[number]


@functools.cache
def _compiled() -> Callable[..., None]:
    places = types.int64[::1]
    signature = (FORM, *[NUMBERS] * 3, DECISIONS, places, LOSS, places, places, NUMBERS, types.float64[::1])
    return compile_alone(loss_gradient, signature, "perceptron")  # type: ignore[no-any-return]


def calculate_gradient(
    network: Perceptron,
    decisions: Decisions,
    picked: NDArray[np.int64],
    loss: Loss,
    places: tuple[NDArray[np.int64], NDArray[np.int64]],
    gradient: Numbers,
    figures: NDArray[np.float64],
) -> None:
    """`loss_gradient` of a network, compiled when it is first needed."""
    form, numbers, center, scale = network.form, network.numbers, network.center, network.scale
    _compiled()(form, numbers, center, scale, decisions, picked, loss, *places, gradient, figures)
