"""A perceptron that treats alike what is alike: which of its weights are one number, and how to calculate with that.

In each of our games some things differ in nothing but their names: the dishes of King Lui, the colours of Zum Kuhkuck,
the rows of Ku-Ka-King. In a tied network each layer has groups of units, one unit per thing in each, and some units for
the whole position; weights that a swap of two things carries into one another are one number. A unit then weighs its
own thing by one number and all others by a second one. That is the difference of the two times its own thing, plus the
second one times the sum of all: a small product for each thing and one in common for all of them, instead of a large
one. With 7 things and layers of 128 units it has a sixth of the multiplications.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from card_envs.core.game import Symmetry

GROUPED = 7 / 8  # part of a tied layer's units, unless a network says otherwise; the rest stands for the whole position
NOTHING = -1  # instead of the place of a weight

Ints = NDArray[np.int64]
Orders = Sequence[Ints]  # one for each swap that makes up all others: where the number that stands at i comes from


def orbits(rows: Orders, columns: Orders) -> Ints:
    """For each entry of a matrix the number of its class; entries are of one class if swaps carry one into another."""
    label = np.arange(len(rows[0]) * len(columns[0])).reshape(len(rows[0]), len(columns[0]))
    while True:
        before = label
        for row, column in zip(rows, columns, strict=True):
            label = np.minimum(label, label[np.ix_(row, column)])
            back = np.empty_like(label)
            back[np.ix_(row, column)] = label
            label = np.minimum(label, back)
        if (label == before).all():
            return np.unique(label, return_inverse=True)[1].reshape(label.shape)


@dataclass(frozen=True)
class Ties:
    """How inputs, the units of each layer, and outputs change places when things do: for each swap one order."""

    things: Orders
    levels: tuple[Orders, ...]  # inputs, layers, actions
    alone: Orders  # of something that is there once, such as the value

    @functools.cached_property
    def alike(self) -> Ints:
        """For each input the number of those that are like it."""
        return orbits(self.levels[0], self.alone)[:, 0]

    @functools.cached_property
    def representatives(self) -> Ints:
        """For each weight of the network the place of the first one of its class."""
        return np.unique(self.classes, return_index=True)[1][self.classes]

    @functools.cached_property
    def classes(self) -> Ints:
        """For each weight of the network, as `Places` has them in a row, the number of its class."""
        found, total = [], 0
        for outputs, inputs in _layers((*self.levels, self.alone)):
            for label in (orbits(outputs, inputs), orbits(outputs, self.alone)):
                found.append(label.reshape(-1) + total)
                total += int(label.max()) + 1
        return np.concatenate(found)


def _layers(levels: tuple[Orders, ...]) -> Iterator[tuple[Orders, Orders]]:
    """Outputs and inputs of each layer, the two heads last: both follow the last hidden layer."""
    *body, actions, value = levels
    for before, after in pairwise(body):
        yield after, before
    yield actions, body[-1]
    yield value, body[-1]


@functools.lru_cache(maxsize=64)
def ties_of(symmetry: Symmetry, hidden: tuple[int, ...], part: float = GROUPED) -> Ties:
    """The ties of a network with these hidden layers, of which this part is in groups."""
    items = symmetry.things
    swaps: Orders = [np.r_[1, 0, 2:items], np.roll(np.arange(items), 1)]  # these two make up all others
    inputs, actions = zip(*map(symmetry.relabel, swaps), strict=True)
    layers = []
    for size in hidden:
        grouped = _in_groups(size, items, part)
        units = np.arange(size)
        layers.append(
            [np.r_[units[:grouped].reshape(-1, items)[:, swap].reshape(-1), units[grouped:]] for swap in swaps]
        )
    return Ties(swaps, (inputs, *layers, actions), [np.zeros(1, np.int64)] * len(swaps))


def _in_groups(size: int, items: int, part: float) -> int:
    """How many units of a layer stand for one thing each."""
    return int(size * part) // items * items


class Places:
    """Where the weights of a network are if all of them stand in one row: layer by layer, each with its biases last."""

    def __init__(self, inputs: int, hidden: tuple[int, ...], actions: int) -> None:
        last = hidden[-1] if hidden else inputs
        self.shapes = [(after, before) for before, after in pairwise((inputs, *hidden))] + [(actions, last), (1, last)]
        self.starts = [0, *accumulate(outputs * (columns + 1) for outputs, columns in self.shapes)]

    def weights(self, layer: int) -> Ints:
        """Of a layer's matrix."""
        outputs, columns = self.shapes[layer]
        return np.arange(outputs * columns).reshape(outputs, columns) + self.starts[layer]

    def biases(self, layer: int) -> Ints:
        """Of a layer's biases."""
        outputs, columns = self.shapes[layer]
        return np.arange(outputs) + self.starts[layer] + outputs * columns


@dataclass(frozen=True)
class Level:
    """What goes into a layer: groups of one number per thing, and numbers for the whole. Each says where it stands."""

    groups: Ints  # (groups, things)
    whole: Ints

    @property
    def common(self) -> Ints:
        """Whose weights are those of a sum over all things, and of the wholes: of a group, the second thing."""
        return np.concatenate([self.groups[:, 1:2].reshape(-1), self.whole])


@dataclass(frozen=True)
class Kind:
    """Actions that swaps carry into one another.

    In each way in which they have to do with things (take this one; feed these two), each has some things that it has
    to do with in that way. Each other thing is as good as any other.
    """

    actions: Ints
    ways: tuple[NDArray[np.bool_], ...]  # (actions, things)

    @property
    def things(self) -> list[int]:
        """For the first action: one thing of each way, and one of the others, first."""
        rest = ~np.any([way[0] for way in self.ways], axis=0) if self.ways else np.array([True])
        return [int(rest.argmax()), *(int(way[0].argmax()) for way in self.ways)]


@dataclass(frozen=True)
class Plan:
    """How a network is calculated. agents/perceptron.py does so; it takes what is in here as plain arrays.

    `sizes` has a row per layer, the two heads together being the last: groups and wholes that go in, and that come out.
    `source` says which inputs the first ones are. An action's logit is the sum of the last layer's outputs that
    `terms` names from `first[action]` on, up to `first[action + 1]`. These are counted group by group and in each thing
    by thing, then the common parts of the groups, then the wholes, of which the value is the last. Each number that is
    calculated with is the weight at its place in `plus` less the one at its place in `minus`.
    """

    things: int
    sizes: Ints
    source: Ints
    first: Ints
    terms: Ints
    plus: Ints
    minus: Ints

    @functools.cached_property
    def key(self) -> bytes:
        """The same for the same plan, in every process."""
        digest = hashlib.sha256(str(self.things).encode())
        for array in (self.sizes, self.source, self.first, self.terms, self.plus, self.minus):
            digest.update(array.tobytes())
        return digest.digest()

    @property
    def products(self) -> int:
        """How many multiplications one row takes."""
        return sum(
            before * after * self.things + (before + whole) * (after + others)
            for before, whole, after, others in self.sizes.tolist()
        )


def fits(weights: NDArray[np.float32], symmetry: Symmetry, hidden: tuple[int, ...], part: float = GROUPED) -> bool:
    """Whether a network's weights, in a row, have the ties that `tied_plan` relies on.

    Biases of hidden layers need not be the same to the last bit: they are calculated with one by one.
    """
    ties = ties_of(symmetry, hidden, part)
    same = weights == weights[ties.representatives]
    places = Places(len(ties.alike), hidden, len(ties.levels[-1][0]))
    for layer in range(len(hidden)):
        same[places.biases(layer)] = True
    return bool(same.all())


@functools.lru_cache(maxsize=64)
def plain_plan(inputs: int, hidden: tuple[int, ...], actions: int) -> Plan:
    """Every number for itself."""
    levels = [Level(np.zeros((0, 1), np.int64), np.arange(size)) for size in (inputs, *hidden)]
    kinds = [Kind(np.array([action]), ()) for action in range(actions)]
    return _plan(1, levels, kinds, Places(inputs, hidden, actions))


@functools.lru_cache(maxsize=64)
def tied_plan(symmetry: Symmetry, hidden: tuple[int, ...], part: float = GROUPED) -> Plan | None:
    """In groups; None where that cannot be: without hidden layers, or if an input stands for several things at once."""
    ties = ties_of(symmetry, hidden, part)
    inputs = _input_level(ties) if hidden else None
    if inputs is None:
        return None
    items = len(ties.things[0])
    levels = [inputs]
    for size in hidden:
        units = np.arange(_in_groups(size, items, part))
        levels.append(Level(units.reshape(-1, items), np.arange(len(units), size)))
    return _plan(items, levels, _kinds(ties), Places(len(ties.alike), hidden, len(ties.levels[-1][0])))


def inputs_of(symmetry: Symmetry) -> Level | None:
    """The inputs that a thing has, group by group, and those of the whole; None if one stands for several things."""
    return _input_level(ties_of(symmetry, ()))


def _input_level(ties: Ties) -> Level | None:
    """Inputs by the thing that each stands for, and those that stand for the whole."""
    label, alike, items = orbits(ties.things, ties.levels[0]), ties.alike, len(ties.things[0])
    groups, whole = [], []
    for number in range(int(alike.max()) + 1):
        members = np.flatnonzero(alike == number)
        if len(members) == 1:
            whole.append(members[0])
            continue
        found, counts = np.unique(label[:, members], return_counts=True)
        own = label[:, members] == found[counts.argmin()]
        if len(found) != 2 or not (own.sum(axis=0) == 1).all() or not (own.sum(axis=1) == 1).all():
            return None
        groups.append(members[own.argmax(axis=1)])
    return Level(np.array(groups, np.int64).reshape(-1, items), np.array(whole, np.int64))


def _kinds(ties: Ties) -> list[Kind]:
    label, alike = orbits(ties.levels[-1], ties.things), orbits(ties.levels[-1], ties.alone)[:, 0]
    kinds = []
    for number in range(int(alike.max()) + 1):
        members = np.flatnonzero(alike == number)
        found, counts = np.unique(label[members], return_counts=True)
        ways = np.delete(found, counts.argmax())
        kinds.append(Kind(members, tuple(label[members] == way for way in ways)))
    return kinds


def _plan(items: int, levels: list[Level], kinds: list[Kind], places: Places) -> Plan:
    """The order in which numbers are written down here is the one in which agents/perceptron.py reads them."""
    sizes, plus, minus = [], [], []

    def write(added: Ints, taken: Ints | None = None) -> None:
        plus.append(added.reshape(-1))
        minus.append(np.full(added.size, NOTHING) if taken is None else taken.reshape(-1))

    for layer, (before, after) in enumerate(pairwise(levels)):
        weights, rows = places.weights(layer), after.groups[:, :1]
        sizes.append((*_size(before), *_size(after)))
        write(weights[rows, before.groups[:, 0]], weights[rows, before.groups[:, -1]])
        write(weights[np.r_[rows[:, 0], after.whole]][:, before.common])
        write(places.biases(layer)[np.r_[after.groups.reshape(-1), after.whole]])
    last, (policy, value) = levels[-1], (len(levels) - 1, len(levels))
    weights, groups = places.weights(policy), sum(len(kind.ways) for kind in kinds)
    sizes.append((*_size(last), groups, len(kinds) + 1))
    for kind in kinds:
        rest, *others = kind.things
        for thing in others:
            write(weights[kind.actions[0], last.groups[:, thing]], weights[kind.actions[0], last.groups[:, rest]])
    write(np.full(groups * sum(_size(last)), NOTHING))
    for kind in kinds:
        write(weights[kind.actions[0], np.r_[last.groups[:, kind.things[0]], last.whole]])
    write(places.weights(value)[0, last.common])
    write(np.full(groups * items, NOTHING))
    write(places.biases(policy)[[kind.actions[0] for kind in kinds]])
    write(places.biases(value))
    first, terms = _terms(items, kinds, groups)
    source = np.r_[levels[0].groups.reshape(-1), levels[0].whole]
    return Plan(items, np.array(sizes, np.int64), source, first, terms, np.concatenate(plus), np.concatenate(minus))


def _size(level: Level) -> tuple[int, int]:
    return len(level.groups), len(level.whole)


def _terms(items: int, kinds: list[Kind], groups: int) -> tuple[Ints, Ints]:
    """Which outputs of the last layer each action's logit is the sum of."""
    sums: dict[int, Ints] = {}
    group = 0
    for number, kind in enumerate(kinds):
        for row, action in enumerate(kind.actions.tolist()):
            own = [np.flatnonzero(has[row]) + (group + way) * items for way, has in enumerate(kind.ways)]
            sums[action] = np.concatenate([*own, [groups * (items + 1) + number]])
        group += len(kind.ways)
    ordered = [sums[action] for action in range(len(sums))]
    return np.cumsum([0, *map(len, ordered)]), np.concatenate(ordered).astype(np.int64)
