"""Networks without torch: what a checkpoint's weights mean, in NumPy, and how they are calculated fast.

A checkpoint names the kind of its network and describes it. Another kind is one class here, which says how such
weights are run, one line in KINDS, and one class in training/, which learns them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.duel import Duel, shortened
from card_envs.agents.perceptron import Perceptron, numbers_of
from card_envs.agents.symmetry import GROUPED, fits, plain_plan, tied_plan
from card_envs.core.compile import JIT
from card_envs.core.game import Symmetry
from card_envs.errors import CheckpointError

LARGEST_LAYER = 2**16
MOST_LAYERS = 64
LARGEST_TIED = 2**22  # weights; of larger networks nobody looks whether some are one number
LARGEST_LOGIT = 1e300  # what an infinite one counts as; two of them can be subtracted

Numbers = NDArray[np.float32]
Weights = Mapping[str, Numbers]
Description = Mapping[str, object]
Run = Callable[[Numbers], tuple[Numbers, Numbers]]  # logits and values of rows of observations

ACTIVATIONS: dict[str, Callable[[Numbers], Numbers]] = {
    "tanh": np.tanh,
    "relu": lambda values: np.maximum(values, np.float32(0)),
}


class Network(Protocol):
    """A form that weights can have. It holds no weights itself.

    Observations come as one row or as a batch of rows, and answers have as many rows.
    """

    kind: ClassVar[str]

    def describe(self) -> dict[str, object]:
        """All that is needed to make this network again, as JSON can hold it; `kind` is among it."""

    def tensors(self, inputs: int, actions: int) -> dict[str, tuple[int, ...]]:
        """Name and shape of each of its weights, for so many inputs and actions."""

    def logits(self, weights: Weights, observation: Numbers) -> Numbers:
        """The policy's logits of all actions, legal or not."""

    def values(self, weights: Weights, observation: Numbers) -> Numbers:
        """The reward that the seat can expect."""


@runtime_checkable
class FastNetwork(Network, Protocol):
    """A form that has a faster way than `logits` and `values`, which say what is meant."""

    def ready(self, weights: Weights, symmetry: Symmetry | None) -> Run:
        """The same as one function of rows of observations, of a game in which these things are alike."""


def _ask(network: Network, weights: Weights, observation: Numbers) -> tuple[Numbers, Numbers]:
    return network.logits(weights, observation), network.values(weights, observation)


def ready(network: Network, weights: Weights, symmetry: Symmetry | None) -> Run:
    """A network with its weights as one function, in the fastest way that there is."""
    if JIT and isinstance(network, FastNetwork):
        return network.ready(weights, symmetry)
    return functools.partial(_ask, network, weights)


@dataclass(frozen=True)
class Mlp:
    """A multi-layer perceptron: hidden layers that policy and value share, and what comes between them.

    Where its weights are tied (see symmetry.py), `grouped` is the part of each layer's units that stand for one thing
    each. It changes nothing in what weights mean, only how they can be calculated.
    """

    kind: ClassVar[str] = "mlp"

    hidden: tuple[int, ...]
    activation: str
    grouped: float = GROUPED

    @classmethod
    def read(cls, described: Description) -> Mlp:
        """The perceptron that is described, if it is one."""
        hidden, activation = described.get("hidden"), described.get("activation")
        grouped = described.get("grouped", GROUPED)
        if not (
            described.keys() - {"grouped"} == {"kind", "hidden", "activation"}
            and isinstance(hidden, list | tuple)
            and len(hidden) <= MOST_LAYERS
            and all(type(size) is int and 0 < size <= LARGEST_LAYER for size in hidden)
            and isinstance(activation, str)
            and activation in ACTIVATIONS
            and isinstance(grouped, int | float)
            and not isinstance(grouped, bool)
            and 0 <= grouped <= 1
        ):
            raise CheckpointError(
                f"an mlp has the sizes of its hidden layers (up to {MOST_LAYERS} of up to {LARGEST_LAYER} units) and "
                f"an activation ({', '.join(ACTIVATIONS)}), and may say which part of its units is grouped (0 to 1), "
                f"not {str(dict(described))[:200]}"
            )
        return cls(tuple(hidden), activation, float(grouped))

    def describe(self) -> dict[str, object]:
        """As checkpoints keep it."""
        told = {} if self.grouped == GROUPED else {"grouped": self.grouped}
        return {"kind": self.kind, "hidden": list(self.hidden), "activation": self.activation, **told}

    def tensors(self, inputs: int, actions: int) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight, as torch would name them."""
        sizes = (inputs, *self.hidden)
        shapes: dict[str, tuple[int, ...]] = {}
        for layer, (before, after) in enumerate(pairwise(sizes)):
            shapes[f"body.{layer}.weight"] = (after, before)
            shapes[f"body.{layer}.bias"] = (after,)
        for head, outputs in (("policy", actions), ("value", 1)):
            shapes[f"{head}.weight"] = (outputs, sizes[-1])
            shapes[f"{head}.bias"] = (outputs,)
        return shapes

    def logits(self, weights: Weights, observation: Numbers) -> Numbers:
        """The policy's logits of all actions, legal or not."""
        return _linear(weights, "policy", self._body(weights, observation))

    def values(self, weights: Weights, observation: Numbers) -> Numbers:
        """The reward that the seat can expect."""
        return _linear(weights, "value", self._body(weights, observation))[..., 0]

    def ready(self, weights: Weights, symmetry: Symmetry | None) -> Perceptron:
        """Compiled, and in groups where the weights are tied."""
        row = np.concatenate([tensor.reshape(-1) for tensor in map(weights.__getitem__, self._names())])
        plan = None
        if symmetry is not None and row.size <= LARGEST_TIED and fits(row, symmetry, self.hidden, self.grouped):
            plan = tied_plan(symmetry, self.hidden, self.grouped)
        if plan is None:
            actions, last = weights["policy.weight"].shape
            inputs = weights["body.0.weight"].shape[1] if self.hidden else last
            plan = plain_plan(inputs, self.hidden, actions)
        return Perceptron(plan, self.activation, numbers_of(plan, row))

    def _names(self) -> list[str]:
        layers = [*(f"body.{layer}" for layer in range(len(self.hidden))), "policy", "value"]
        return [f"{layer}.{kind}" for layer in layers for kind in ("weight", "bias")]

    def _body(self, weights: Weights, observation: Numbers) -> Numbers:
        activate, values = ACTIVATIONS[self.activation], observation
        for layer in range(len(self.hidden)):
            values = activate(_linear(weights, f"body.{layer}", values))
        return values


def _linear(weights: Weights, name: str, values: Numbers) -> Numbers:
    result: Numbers = values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return result


@dataclass(frozen=True)
class Duelist:
    """Works out what it plays (see duel.py). If that is for tables of two alone, it may have another network elsewhere.

    The observation's number at `two` says by 1 that it is a table of two; None where there are no others.
    """

    kind: ClassVar[str] = "duel"
    ELSEWHERE: ClassVar[str] = "elsewhere."  # how the names of the other network's weights begin

    duel: Duel
    elsewhere: Mlp | Duelist | None = None
    two: int | None = None

    @classmethod
    def read(cls, described: Description) -> Duelist:
        """The network that is described, if it is one."""
        duel = {name: value for name, value in described.items() if name not in ("kind", "elsewhere", "two")}
        match described.get("elsewhere"), described.get("two"):
            case None, None:
                return cls(Duel.read(duel))
            case dict() as elsewhere, int() as two if 0 <= two < LARGEST_LAYER and not isinstance(two, bool):
                return cls(Duel.read(duel), cls._read_elsewhere(elsewhere), two)
        raise CheckpointError(f"a duel has another network for other tables, or none, not {shortened(described)}")

    @classmethod
    def _read_elsewhere(cls, described: Description) -> Mlp | Duelist:
        if described.get("kind") != cls.kind:
            return Mlp.read(described)
        if described.get("elsewhere") is not None:
            raise CheckpointError("the duel that it plays at other tables has another network for others again")
        return cls.read(described)

    def describe(self) -> dict[str, object]:
        """As checkpoints keep it."""
        elsewhere = None if self.elsewhere is None else self.elsewhere.describe()
        return {"kind": self.kind, **self.duel.describe(), "elsewhere": elsewhere, "two": self.two}

    def tensors(self, inputs: int, actions: int) -> dict[str, tuple[int, ...]]:
        """Name and shape of each weight of both networks."""
        if self.two is not None and self.two >= inputs:
            raise CheckpointError(f"its duel looks at number {self.two} of an observation that has {inputs}")
        others = {} if self.elsewhere is None else self.elsewhere.tensors(inputs, actions)
        return {**self.duel.tensors(inputs, actions), **self.named_elsewhere(others)}

    @classmethod
    def named_elsewhere(cls, weights: Mapping[str, Any]) -> dict[str, Any]:
        """What belongs to the other network's weights, under the names that these have here."""
        return {f"{cls.ELSEWHERE}{name}": one for name, one in weights.items()}

    def weights_elsewhere(self, weights: Weights) -> dict[str, Numbers]:
        """Of the other network alone, under its own names."""
        start = self.ELSEWHERE
        return {name.removeprefix(start): one for name, one in weights.items() if name.startswith(start)}

    def logits(self, weights: Weights, observation: Numbers) -> Numbers:
        """The policy's logits of all actions, legal or not."""
        return self._run(weights, observation)[0]

    def values(self, weights: Weights, observation: Numbers) -> Numbers:
        """The reward that the seat can expect."""
        return self._run(weights, observation)[1]

    def _run(self, weights: Weights, observation: Numbers) -> tuple[Numbers, Numbers]:
        rows = np.ascontiguousarray(observation.reshape(-1, observation.shape[-1]))
        others, ask_elsewhere = self.weights_elsewhere(weights), None
        if self.elsewhere is not None:
            ask_elsewhere = functools.partial(_ask, self.elsewhere, others)
        logits, values = self._answer(rows, lambda seen: self.duel.outputs(weights, seen), ask_elsewhere)
        return logits.reshape(*observation.shape[:-1], -1), values.reshape(observation.shape[:-1])

    def duel_weights(self, weights: Weights) -> dict[str, Numbers]:
        """Of the duel alone."""
        return {name: one for name, one in weights.items() if not name.startswith(self.ELSEWHERE)}

    def ready(self, weights: Weights, symmetry: Symmetry | None) -> Run:
        """Compiled, both of them."""
        others, duel = self.weights_elsewhere(weights), self.duel.perceptron(weights)
        elsewhere = None if self.elsewhere is None else self.elsewhere.ready(others, symmetry)
        return functools.partial(self._answer, duel=duel, elsewhere=elsewhere)

    def _answer(self, observation: Numbers, duel: Run, elsewhere: Run | None) -> tuple[Numbers, Numbers]:
        if elsewhere is None:
            outputs, values = duel(observation)
            return self.duel.logits(outputs, values, observation), self.duel.expected(values)
        logits = np.empty((len(observation), self.duel.actions), np.float32)
        values, duels = np.empty(len(observation), np.float32), observation[:, self.two] > 0
        for rows, run in ((np.flatnonzero(duels), duel), (np.flatnonzero(~duels), elsewhere)):
            if rows.size:
                seen = np.ascontiguousarray(observation[rows])
                found, own = run(seen)
                logits[rows] = self.duel.logits(found, own, seen) if run is duel else found
                values[rows] = self.duel.expected(own) if run is duel else own
        return logits, values


# Every kind of network that can play, by the name that checkpoints give it.
KINDS: dict[str, Callable[[Description], Network]] = {Mlp.kind: Mlp.read, Duelist.kind: Duelist.read}


def read_network(described: Description) -> Network:
    """The network that a checkpoint, or the settings of a training, describe."""
    kind = described.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise CheckpointError(f"there is no network of the kind {str(kind)[:80]!r}; there are {', '.join(KINDS)}")
    return KINDS[kind](described)


def finite(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Logits that can be reckoned with: infinite ones are the largest number there is, and what is no number is 0."""
    numbers = logits.astype(np.float64)
    return (
        numbers if np.isfinite(numbers).all() else np.nan_to_num(numbers, posinf=LARGEST_LOGIT, neginf=-LARGEST_LOGIT)
    )


def probabilities(logits: NDArray[np.floating[Any]], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
    """Softmax over the legal actions of each row; illegal ones get exactly nothing.

    Whatever the logits are, it is a choice among legal actions: of weights so large that the network overflows, those
    that are infinite count as the largest number there is, and those that are no number as 0.
    """
    masked = np.where(action_mask != 0, finite(logits), -np.inf)
    likely = np.exp(masked - masked.max(axis=-1, keepdims=True))
    result: NDArray[np.float64] = likely / likely.sum(axis=-1, keepdims=True)
    return result
