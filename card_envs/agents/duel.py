"""Duels: tables where all choose at once. A network says what choices are worth, and what is played is worked out: the
equilibrium of that small game.

Probabilities that must be mixed jump from one position to the next, where what choices are worth changes little; so
the worth is what a network can learn. All that follows is made of numbers that the network has for each choice.

At tables of two one matrix says everything, for what one seat wins the other loses. A choice i against a choice j is
worth V + a[i] - b[j] + u[i].v[j], and V + a[i] - b[i] + d[i] where both want the same. Where rewards are bounded by -1
and 1, it is the hyperbolic tangent of that: near the end a game is a step.

Where there are more seats, each seat t has numbers of its own. Its choice i is worth a[t, i], d[t, i] more if anybody
else wants the same, and u[t, i].v[s, j] more beside another choice j of each other seat s. What others choose is worth
something by itself as well, but that does not tell choices apart; so V, what the own seat can expect, stands alone.
There are several equilibria then. Which one is meant is told by what seats are used to do: h[t, i] are the logits of
that, and what is played departs from it where that is worth something.

Choices that differ in nothing but their names (rows) are things, as in symmetry.py: a layer has units for each thing,
which weigh their own thing by one matrix and the sum of all things, beside the units for the whole, by another.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numba import types
from numpy.typing import NDArray

from card_envs.agents.duel_worth import (
    DUEL_FORM,
    FIRST_BESIDE,
    FIRST_PAIR,
    TWO,
    fill_pairs,
    fill_sums,
    room_for_sums,
)
from card_envs.agents.equilibrium import settle, solve
from card_envs.agents.perceptron import Perceptron
from card_envs.agents.symmetry import NOTHING, Plan
from card_envs.core.cache import compile_alone
from card_envs.core.compile import inner
from card_envs.errors import CheckpointError

LEAST = 1e-9  # how likely a choice counts as that is never played, for it needs a logarithm
MOST_LAYERS, LARGEST_LAYER, MOST_CHOICES, MOST_RANK, MOST_ROUNDS, MOST_INPUTS = 16, 4096, 256, 256, 10_000, 2**16
MOST_SEATS = 16
LEAST_EASE, MOST_EASE = 1e-4, 1e4

Numbers = NDArray[np.float32]
Tensors = Mapping[str, Numbers]


@dataclass(frozen=True)
class Duel:
    """The form of such a network. Its input layer takes `inputs` in this order: first `groups` numbers for each thing,
    group by group, then those of the whole. `hidden` has units per thing and units for the whole of each layer.

    It is for tables of up to so many `seats`. An observation says from place `legal` on which choices there are now
    (all, where that is None), and from `waiting` on which seats have to choose, the own one first (all, where that is
    None). Equilibria are approached in so many `rounds`. `bounded` says that no reward is beyond -1 or 1, and neither
    is what is expected. Where there are more seats than two, what is worth `ease` more than another choice is e times
    as likely beside it as seats are used to.
    """

    inputs: tuple[int, ...]
    groups: int
    choices: int
    things: int  # as many as choices, or 1 where choices are not alike
    hidden: tuple[tuple[int, int], ...]
    rank: int
    rounds: int
    legal: int | None
    actions: int  # of the game: the choices come first, and whoever waits has none
    bounded: bool
    seats: int = TWO
    waiting: int | None = None
    ease: float = 1.0

    NAMES: ClassVar[tuple[str, ...]] = (
        *("inputs", "groups", "choices", "things", "hidden"),
        *("rank", "rounds", "legal", "actions", "bounded", "seats", "waiting", "ease"),
    )

    @classmethod
    def read(cls, described: Mapping[str, object]) -> Duel:
        """The duel that is described, if it is one."""
        if described.keys() != {*cls.NAMES}:
            raise CheckpointError(f"a duel is described by {', '.join(cls.NAMES)}, not by {shortened(described)}")
        given: dict[str, Any] = dict(described)
        most = {"groups": MOST_INPUTS, "rank": MOST_RANK, "rounds": MOST_ROUNDS, "choices": MOST_CHOICES}
        most |= {"actions": MOST_INPUTS, "seats": MOST_SEATS}
        least = {"rounds": 1, "choices": 1, "actions": 1, "seats": TWO}
        inputs, hidden = given["inputs"], given["hidden"]
        sound = (
            all(_whole(given[name], least.get(name, 0), limit) for name, limit in most.items())
            and given["things"] in (1, given["choices"])
            and type(given["things"]) is int
            and isinstance(inputs, list | tuple)
            and 0 < len(inputs) <= MOST_INPUTS
            and all(_whole(one, 0, MOST_INPUTS) for one in inputs)
            and len(set(inputs)) == len(inputs) >= given["groups"] * given["things"]
            and isinstance(hidden, list | tuple)
            and len(hidden) <= MOST_LAYERS
            and all(_is_layer(layer) and layer[0] * given["things"] <= MOST_INPUTS for layer in hidden)
            and all(given[name] is None or _whole(given[name], 0, MOST_INPUTS) for name in ("legal", "waiting"))
            and type(given["bounded"]) is bool
            and type(given["ease"]) is float
            and LEAST_EASE <= given["ease"] <= MOST_EASE
        )
        if not sound:
            raise CheckpointError(f"a duel cannot be read from {shortened(described)}")
        layers = tuple((layer[0], layer[1]) for layer in hidden)
        return cls(**{**given, "inputs": tuple(inputs), "hidden": layers})

    def describe(self) -> dict[str, object]:
        """As checkpoints keep it."""
        told = {name: getattr(self, name) for name in self.NAMES}
        return {**told, "inputs": list(self.inputs), "hidden": [list(layer) for layer in self.hidden]}

    @property
    def numbers_each(self) -> int:
        """How many numbers the network has for each choice."""
        return FIRST_PAIR + 2 * self.rank if self.seats == TWO else self.seats * (FIRST_BESIDE + 2 * self.rank)

    @functools.cached_property
    def sizes(self) -> tuple[tuple[int, int], ...]:
        """Units per thing and units for the whole of each level, from the inputs to the outputs; the value is last."""
        whole = len(self.inputs) - self.groups * self.things
        alike = self.things == self.choices
        last = (self.numbers_each, 1) if alike else (0, self.numbers_each * self.choices + 1)
        return ((self.groups, whole), *self.hidden, last)

    def tensors(self, inputs: int, actions: int) -> dict[str, tuple[int, ...]]:
        """Name and shape of each of its weights."""
        ends = [max(self.inputs), 0 if self.legal is None else self.legal + self.choices - 1]
        ends += [] if self.waiting is None else [self.waiting + self.seats - 1]
        if max(ends) >= inputs or not self.choices <= self.actions == actions:
            raise CheckpointError(
                f"its duel is not for the {inputs} numbers of an observation and the {actions} actions of this game"
            )
        shapes: dict[str, tuple[int, ...]] = {}
        for layer, ((groups_in, whole_in), (groups, whole)) in enumerate(pairwise(self.sizes)):
            shapes[f"layer.{layer}.own"] = (groups, groups_in)
            shapes[f"layer.{layer}.common"] = (groups + whole, groups_in + whole_in)
            shapes[f"layer.{layer}.bias"] = (groups + whole,)
        return {name: shape for name, shape in shapes.items() if 0 not in shape}

    def outputs(self, weights: Tensors, observation: Numbers) -> tuple[Numbers, Numbers]:
        """For rows of observations all numbers of all choices, (rows, numbers, choices) in a row each, and V."""
        rows = observation[:, list(self.inputs)]
        cut = self.groups * self.things
        group, whole = rows[:, :cut].reshape(len(rows), self.groups, self.things), rows[:, cut:]
        for layer, (groups, wholes) in enumerate(self.sizes[1:]):
            common = np.concatenate([group.sum(axis=2), whole], axis=1)
            common = self._linear(weights, f"layer.{layer}", common, groups + wholes)
            own = weights.get(f"layer.{layer}.own")
            mixed = common[:, :groups, None] + (0 if own is None else np.einsum("ok,rkt->rot", own, group))
            group, whole = np.broadcast_to(mixed, (len(rows), groups, self.things)), common[:, groups:]
            if layer < len(self.hidden):
                group, whole = np.maximum(group, 0), np.maximum(whole, 0)
        found = np.concatenate([group.reshape(len(rows), -1), whole], axis=1).astype(np.float32)
        return np.ascontiguousarray(found[:, :-1]), np.ascontiguousarray(found[:, -1])

    def _linear(self, weights: Tensors, layer: str, values: Numbers, size: int) -> Numbers:
        common = weights.get(f"{layer}.common")
        start: Numbers = np.zeros((len(values), size), np.float32) if common is None else values @ common.T
        return start + weights[f"{layer}.bias"]

    @functools.cached_property
    def plan(self) -> Plan:
        """How the same is calculated by agents/perceptron.py: `plus` says where each number stands in all weights."""
        plus, start = [], 0
        for (groups_in, whole_in), (groups, whole) in pairwise(self.sizes):
            matrices = groups * groups_in + (groups + whole) * (groups_in + whole_in)
            plus.append(np.arange(start, start + matrices))
            biases = np.arange(groups + whole) + start + matrices
            # The sums over all things have a bias of their own already, so that of each thing is the common one.
            plus.append(np.r_[np.repeat(biases[:groups], self.things), biases[groups:]])
            start += matrices + groups + whole
        layers = [(*before, *after) for before, after in pairwise(self.sizes)]
        terms, places = np.arange(self.numbers_each * self.choices), np.concatenate(plus)
        sizes, source = np.array(layers, np.int64), np.array(self.inputs, np.int64)
        nothing = np.full(len(places), NOTHING)
        return Plan(self.things, sizes, source, np.arange(len(terms) + 1), terms, places, nothing)

    def in_a_row(self, weights: Tensors) -> Numbers:
        """All weights, in the order of `plan`."""
        names = [f"layer.{layer}.{part}" for layer in range(len(self.sizes) - 1) for part in ("own", "common", "bias")]
        return np.concatenate([weights[name].reshape(-1) for name in names if name in weights])

    def perceptron(self, weights: Tensors) -> Perceptron:
        """What gives `outputs`, compiled."""
        return Perceptron(self.plan, "relu", self.in_a_row(weights)[self.plan.plus])

    @property
    def form(self) -> tuple[int, int, int, bool, float]:
        """What compiled code needs to know: seats, choices, the rank, whether rewards are bounded, and the ease."""
        return self.seats, self.choices, self.rank, self.bounded, self.ease

    def logits(self, outputs: Numbers, values: Numbers, observation: Numbers) -> Numbers:
        """Logarithms of how likely each action is in the equilibrium; whoever has no choice is not asked."""
        found = np.full((len(outputs), self.actions), math.log(LEAST), np.float32)
        legal, waiting = (-1 if place is None else place for place in (self.legal, self.waiting))
        compiled_play()(outputs, values, observation, legal, waiting, self.form, self.rounds, found)
        return found

    def expected(self, values: Numbers) -> Numbers:
        """The reward that each seat can expect, where the network has said V."""
        return np.tanh(values) if self.bounded else values


def shortened(described: Mapping[str, object]) -> str:
    """A description in a sentence that refuses it."""
    return str(dict(described))[:200]


def _whole(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _is_layer(layer: object) -> bool:
    return (
        isinstance(layer, list | tuple)
        and len(layer) == 2
        and all(_whole(size, 0, LARGEST_LAYER) for size in layer)
        and sum(layer) > 0
    )


@inner
def told(observation: Any, place: Any, most: Any, found: Any) -> Any:
    """The numbers of those of whom the observation says 1 from this place on, into `found`; returns how many."""
    count = 0
    for one in range(most):
        if place < 0 or observation[place + one] > 0:
            found[count] = one
            count += 1
    return count


def play(
    outputs: Any, values: Any, observation: Any, legal: Any, waiting: Any, form: Any, rounds: Any, logits: Any
) -> None:
    """The equilibrium of each row, into logits that stand at `LEAST` already."""
    seats, choices, rank, bounded, ease = form
    pairs, worth, habit = np.empty((choices, choices)), room_for_sums(seats, choices), np.empty((seats, choices))
    room, likely = np.empty((4, seats, choices)), np.empty((seats, choices))
    open_choices, who = np.empty(choices, np.int64), np.empty(seats, np.int64)
    for row in range(outputs.shape[0]):
        count = told(observation[row], legal, choices, open_choices)
        players = told(observation[row], waiting, seats, who)
        if players == 0 or who[0] != 0:
            continue
        if seats == TWO:
            fill_pairs(outputs[row], values[row], choices, rank, bounded, pairs)
            solve(pairs, open_choices[:count], rounds, room, likely)
        else:
            fill_sums(outputs[row], seats, choices, rank, worth, habit)
            settle(worth, habit, ease, who[:players], open_choices[:count], rounds, room, likely)
        for k in range(count):
            logits[row, open_choices[k]] = math.log(max(likely[0, open_choices[k]], LEAST))


_SEEN, _VALUES = (types.Array(types.float32, axes, "C", readonly=True) for axes in (2, 1))


@functools.cache
def compiled_play() -> Callable[..., None]:
    """`play`, compiled when it is first needed."""
    numbers = types.int64
    signature = (_SEEN, _VALUES, _SEEN, numbers, numbers, DUEL_FORM, numbers, types.float32[:, ::1])
    return compile_alone(play, signature, "duel")  # type: ignore[no-any-return]
