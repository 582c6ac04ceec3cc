"""Perceptrons, compiled: what agents/symmetry.py has planned, calculated for many rows of observations.

Rows are taken in blocks, and within a block numbers stand unit by unit, with all rows of a unit side by side: so every
loop runs along rows, which processors do many at a time, and all of a block stays close to the processor. What comes
out for a row does not depend on the rows beside it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from card_envs.agents.symmetry import Plan
from card_envs.core.cache import compile_alone
from card_envs.core.compile import contracted, inner, named_tuple

BLOCK = 64  # rows
LANES = 16  # rows are filled up to a multiple of this
RELU, TANH = 0, 1

Numbers = NDArray[np.float32]


class Form(NamedTuple):
    """A plan and an activation, as loops take them; see Plan."""

    things: int
    activation: int
    sizes: NDArray[np.int64]
    source: NDArray[np.int64]
    first: NDArray[np.int64]
    terms: NDArray[np.int64]


def form_of(plan: Plan, activation: str) -> Form:
    """How a network is calculated that has this activation between its layers."""
    arrays = map(_own, (plan.sizes, plan.source, plan.first, plan.terms))
    return Form(plan.things, {"relu": RELU, "tanh": TANH}[activation], *arrays)


def _own(array: NDArray[Any]) -> NDArray[Any]:
    """The array, or a copy if it cannot be written to, as what Ray has sent: compiled code takes one kind only."""
    return np.require(array, requirements=("C", "W"))


def numbers_of(plan: Plan, weights: Numbers) -> Numbers:
    """The numbers that a plan calculates with, from all weights in a row."""
    with_nothing = np.append(weights, np.float32(0))  # NOTHING is the last place
    numbers: Numbers = with_nothing[plan.plus] - with_nothing[plan.minus]
    return numbers


@contracted
def add_product(weights: Any, values: Any, out: Any) -> None:
    """out += weights @ values, along long rows: two rows of results and four of values at a time."""
    outputs, inputs = weights.shape
    length = values.shape[1]
    for m in range(0, outputs - 1, 2):
        one, two = out[m], out[m + 1]
        for k in range(0, inputs - 3, 4):
            a0, a1, a2, a3 = weights[m, k], weights[m, k + 1], weights[m, k + 2], weights[m, k + 3]
            b0, b1, b2, b3 = weights[m + 1, k], weights[m + 1, k + 1], weights[m + 1, k + 2], weights[m + 1, k + 3]
            x0, x1, x2, x3 = values[k], values[k + 1], values[k + 2], values[k + 3]
            for i in range(length):
                one[i] = (((one[i] + a0 * x0[i]) + a1 * x1[i]) + a2 * x2[i]) + a3 * x3[i]
                two[i] = (((two[i] + b0 * x0[i]) + b1 * x1[i]) + b2 * x2[i]) + b3 * x3[i]
        for k in range(inputs // 4 * 4, inputs):
            a0, b0, x0 = weights[m, k], weights[m + 1, k], values[k]
            for i in range(length):
                one[i] += a0 * x0[i]
                two[i] += b0 * x0[i]
    for m in range(outputs // 2 * 2, outputs):
        one = out[m]
        for k in range(inputs):
            a0, x0 = weights[m, k], values[k]
            for i in range(length):
                one[i] += a0 * x0[i]


@inner
def activate(values: Any, activation: Any) -> None:
    """What comes between layers, in place."""
    flat = values.reshape(values.size)
    if activation == RELU:
        for i in range(flat.size):
            flat[i] = flat[i] if flat[i] > 0 else np.float32(0)
    else:
        for i in range(flat.size):
            flat[i] = np.tanh(flat[i])


@inner
def matrix(numbers: Any, start: Any, rows: Any, columns: Any) -> Any:
    """Some of the numbers, as a matrix."""
    return numbers[start : start + rows * columns].reshape(rows, columns)


@inner
def work_size(form: Any, rows: Any) -> Any:
    """How many numbers a block of so many rows has in all layers."""
    total = 0
    for layer in range(form.sizes.shape[0]):
        groups_in, whole_in, groups, whole = form.sizes[layer]
        total += groups_in * (form.things + 1) + whole_in
        if layer == form.sizes.shape[0] - 1:
            total += groups * (form.things + 1) + whole
    return total * rows


@inner
def fill_inputs(form: Any, observation: Any, picked: Any, center: Any, scale: Any, work: Any, rows: Any) -> None:
    """The block's inputs, unit by unit; `picked` says which rows of the observations, and the rest is nothing."""
    things, groups, whole = form.things, form.sizes[0, 0], form.sizes[0, 1]
    group = work[: groups * things * rows].reshape(groups * things, rows)
    common = work[groups * things * rows : (groups * (things + 1) + whole) * rows].reshape(groups + whole, rows)
    for place in range(form.source.size):
        origin = form.source[place]
        shift, factor = center[origin], scale[origin]
        into = group[place] if place < groups * things else common[place - groups * things + groups]
        for row in range(picked.size):
            into[row] = (observation[picked[row], origin] - shift) * factor
        for row in range(picked.size, rows):
            into[row] = 0.0
    add_up(group, common, things)


@inner
def add_up(group: Any, common: Any, things: Any) -> None:
    """The sums over all things, in front of what is known of the whole."""
    for unit in range(group.shape[0] // things):
        total = common[unit]
        for row in range(total.size):
            total[row] = 0.0
        for thing in range(things):
            own = group[unit * things + thing]
            for row in range(total.size):
                total[row] += own[row]


@inner
def forward(form: Any, numbers: Any, work: Any, rows: Any) -> Any:
    """Calculate all layers of a block from its inputs; returns where in `work` the last layer's outputs begin."""
    things, layers = form.things, form.sizes.shape[0]
    start, at = 0, 0
    for layer in range(layers):
        groups_in, whole_in, groups, whole = form.sizes[layer]
        group_in = matrix(work, at, groups_in, things * rows)
        common_in = matrix(work, at + groups_in * things * rows, groups_in + whole_in, rows)
        at += (groups_in * (things + 1) + whole_in) * rows
        group = matrix(work, at, groups * things, rows)
        common = matrix(work, at + groups * things * rows, groups + whole, rows)
        own = matrix(numbers, start, groups, groups_in)
        start += own.size
        shared = matrix(numbers, start, groups + whole, groups_in + whole_in)
        start += shared.size
        for unit in range(groups + whole):
            bias, into = (
                numbers[start + groups * things + unit - groups] if unit >= groups else np.float32(0),
                common[unit],
            )
            for row in range(rows):
                into[row] = bias
        add_product(shared, common_in, common)
        for unit in range(groups * things):
            bias, from_common, into = numbers[start + unit], common[unit // things], group[unit]
            for row in range(rows):
                into[row] = from_common[row] + bias
        add_product(own, group_in, matrix(work, at, groups, things * rows))
        start += groups * things + whole
        if layer < layers - 1:
            activate(group, form.activation)
            activate(common[groups:], form.activation)
            add_up(group, common, things)
    return at


@inner
def filled_up(rows: Any) -> Any:
    """So many rows that nothing is left over."""
    return (rows + LANES - 1) // LANES * LANES


@inner
def number_of_outputs(form: Any) -> Any:
    """Of the last layer: groups thing by thing, their common parts, wholes."""
    return form.sizes[-1, 2] * (form.things + 1) + form.sizes[-1, 3]


@inner
def add_logits(form: Any, outputs: Any, logits: Any) -> None:
    """A block's logits, (actions, rows), from the last layer's outputs."""
    for action in range(logits.shape[0]):
        into = logits[action]
        for row in range(into.size):
            into[row] = 0.0
        for place in range(form.first[action], form.first[action + 1]):
            term = outputs[form.terms[place]]
            for row in range(into.size):
                into[row] += term[row]


def answer(form: Any, numbers: Any, center: Any, scale: Any, observation: Any, logits: Any, values: Any) -> None:
    """Logits of all actions and the value, for each row of observations."""
    count, actions = logits.shape
    work, turned = np.empty(work_size(form, BLOCK), np.float32), np.empty(actions * BLOCK, np.float32)
    everyone = np.arange(count)
    for begin in range(0, count, BLOCK):
        picked = everyone[begin : begin + BLOCK]
        rows = filled_up(picked.size)
        fill_inputs(form, observation, picked, center, scale, work, rows)
        outputs = matrix(work, forward(form, numbers, work, rows), number_of_outputs(form), rows)
        own = matrix(turned, 0, actions, rows)
        add_logits(form, outputs, own)
        for row in range(picked.size):
            for action in range(actions):
                logits[begin + row, action] = own[action, row]
            values[begin + row] = outputs[-1, row]


FORM = named_tuple((*[types.int64] * 2, types.int64[:, ::1], *[types.int64[::1]] * 3), Form)
NUMBERS, _SEEN = types.float32[::1], types.Array(types.float32, 2, "C", readonly=True)


@functools.cache
def compiled_answer() -> Callable[[Form, Numbers, Numbers, Numbers, Numbers, Numbers, Numbers], None]:
    """`answer`, compiled when it is first needed."""
    signature = (FORM, NUMBERS, NUMBERS, NUMBERS, _SEEN, types.float32[:, ::1], NUMBERS)
    return compile_alone(answer, signature, "perceptron")  # type: ignore[no-any-return]


class Perceptron:
    """A network that is ready to be asked: what its weights mean, planned and put in order.

    Inputs are centred and scaled first, where that is not part of the weights already.
    """

    def __init__(
        self, plan: Plan, activation: str, numbers: Numbers, center: Numbers | None = None, scale: Numbers | None = None
    ) -> None:
        self.plan, self.activation, self.numbers = plan, activation, _own(numbers)
        self.form = form_of(plan, activation)
        inputs = int(plan.source.max(initial=-1)) + 1  # not all of an observation need be looked at
        self.center = np.zeros(inputs, np.float32) if center is None else _own(center)
        self.scale = np.ones(inputs, np.float32) if scale is None else _own(scale)

    def with_numbers(self, numbers: Numbers) -> Perceptron:
        """The same network with other numbers."""
        twin = object.__new__(Perceptron)
        twin.__dict__.update(self.__dict__, numbers=numbers)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return Perceptron, (self.plan, self.activation, self.numbers, self.center, self.scale)

    def is_like(self, other: Perceptron) -> bool:
        """Whether the other one is calculated in the same way, with other numbers."""
        return other.plan.key == self.plan.key and other.activation == self.activation

    def __call__(self, observation: Numbers) -> tuple[Numbers, Numbers]:
        """Logits of all actions, legal or not, and values: one row for each row of observations."""
        count, actions = len(observation), self.form.first.size - 1
        logits, values = np.empty((count, actions), np.float32), np.empty(count, np.float32)
        compiled_answer()(self.form, self.numbers, self.center, self.scale, observation, logits, values)
        return logits, values
