"""Networks in NumPy: what a checkpoint's weights mean, without torch.

A checkpoint names the kind of its network and describes it. Another kind is one class here, which says how such
weights are run, one line in KINDS, and one class in training/, which learns them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.errors import CheckpointError

LARGEST_LAYER = 2**16
MOST_LAYERS = 64

Numbers = NDArray[np.float32]
Weights = Mapping[str, Numbers]
Description = Mapping[str, object]

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


@dataclass(frozen=True)
class Mlp:
    """A multi-layer perceptron: hidden layers that policy and value share, and what comes between them."""

    kind: ClassVar[str] = "mlp"

    hidden: tuple[int, ...]
    activation: str

    @classmethod
    def read(cls, described: Description) -> Mlp:
        """The perceptron that is described, if it is one."""
        hidden, activation = described.get("hidden"), described.get("activation")
        if not (
            described.keys() == {"kind", "hidden", "activation"}
            and isinstance(hidden, list | tuple)
            and len(hidden) <= MOST_LAYERS
            and all(type(size) is int and 0 < size <= LARGEST_LAYER for size in hidden)
            and isinstance(activation, str)
            and activation in ACTIVATIONS
        ):
            raise CheckpointError(
                f"an mlp has the sizes of its hidden layers (up to {MOST_LAYERS} of up to {LARGEST_LAYER} units) and "
                f"an activation ({', '.join(ACTIVATIONS)}), not {str(dict(described))[:200]}"
            )
        return cls(tuple(hidden), activation)

    def describe(self) -> dict[str, object]:
        """As checkpoints keep it."""
        return {"kind": self.kind, "hidden": list(self.hidden), "activation": self.activation}

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

    def _body(self, weights: Weights, observation: Numbers) -> Numbers:
        activate, values = ACTIVATIONS[self.activation], observation
        for layer in range(len(self.hidden)):
            values = activate(_linear(weights, f"body.{layer}", values))
        return values


def _linear(weights: Weights, name: str, values: Numbers) -> Numbers:
    result: Numbers = values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return result


# Every kind of network that can play, by the name that checkpoints give it.
KINDS: dict[str, Callable[[Description], Network]] = {Mlp.kind: Mlp.read}


def read_network(described: Description) -> Network:
    """The network that a checkpoint, or the settings of a training, describe."""
    kind = described.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise CheckpointError(f"there is no network of the kind {str(kind)[:80]!r}; there are {', '.join(KINDS)}")
    return KINDS[kind](described)


def probabilities(logits: NDArray[np.floating[Any]], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
    """Softmax over the legal actions of each row; illegal ones get exactly nothing."""
    masked = np.where(action_mask != 0, logits.astype(np.float64), -np.inf)
    likely = np.exp(masked - masked.max(axis=-1, keepdims=True))
    result: NDArray[np.float64] = likely / likely.sum(axis=-1, keepdims=True)
    return result
