"""A multi-layer perceptron in NumPy: what a checkpoint's weights mean, without torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "tanh": np.tanh,
    "relu": lambda values: np.maximum(values, np.float32(0)),
}
Weights = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Shape:
    """Hidden layers that policy and value share, and what comes between them."""

    hidden: tuple[int, ...]
    activation: str

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


def logits(shape: Shape, weights: Weights, observation: NDArray[np.float32]) -> NDArray[np.float32]:
    """The policy's preferences for a batch of observations, legal or not."""
    activate = ACTIVATIONS[shape.activation]
    values = observation
    for layer in range(len(shape.hidden)):
        values = activate(values @ weights[f"body.{layer}.weight"].T + weights[f"body.{layer}.bias"])
    result: NDArray[np.float32] = values @ weights["policy.weight"].T + weights["policy.bias"]
    return result


def probabilities(preferences: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
    """Softmax over the legal actions of each row; illegal ones get exactly nothing."""
    masked = np.where(action_mask != 0, preferences.astype(np.float64), -np.inf)
    weights = np.exp(masked - masked.max(axis=1, keepdims=True))
    result: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return result
