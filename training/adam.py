"""Adam, with gradients that come in parts: added in their order, cut to the largest norm, and followed by one step.

It is one compiled loop over all parameters in a row, because a small network has learned from a minibatch before a
chain of tensor operations has begun. The formula is that of torch.optim.Adam.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numba import types
from numpy.typing import NDArray
from torch import Tensor

from card_envs.core.cache import compile_alone
from training.network import Gradient
from training.run_state import check_like
from training.state_checks import check_count, require

FIRST_DECAY, SECOND_DECAY, LEAST_SPREAD = 0.9, 0.999, 1e-5


class Adam:
    """The parameters of a network, and the means of their gradients and of the squares of these.

    A spread that is not far above the least one makes steps smaller, so losses with small gradients need a smaller one.
    """

    def __init__(self, parameters: Iterable[Tensor], least_spread: float = LEAST_SPREAD) -> None:
        self._parameters, self._least_spread = list(parameters), least_spread
        self._count = 0
        self._mean, self._square = (np.zeros(self._row().shape, np.float32) for _ in range(2))

    def _row(self) -> NDArray[np.float32]:
        row: NDArray[np.float32] = _in_a_row(self._parameters)
        return row

    def step(self, pieces: Sequence[Gradient], learning_rate: float, max_norm: float) -> None:
        """Learn from the mean of the parts' gradients, each of which weighs as much as it has decisions."""
        self._count += 1
        rows = np.array([piece.rows for piece in pieces], np.float64)
        gradients = np.stack([_in_a_row(piece.gradients) for piece in pieces])
        row = self._row()
        _compiled()(
            *(row, self._mean, self._square, gradients, rows / rows.sum()),
            *(float(max_norm), float(learning_rate), self._least_spread, self._count),
        )
        start = 0
        for parameter in self._parameters:
            own = parameter.detach().numpy().reshape(-1)
            own[:] = row[start : start + own.size]
            start += own.size

    def state_dict(self) -> dict[str, Any]:
        """All that going on needs."""
        arrays = {"mean": self._mean, "square": self._square}
        return {"count": self._count, **{name: torch.from_numpy(array.copy()) for name, array in arrays.items()}}

    def load_state_dict(self, saved: Any) -> None:
        """Go on from what `state_dict` gave; refuses what cannot be."""
        check_like(saved, self.state_dict(), "optimiser")
        check_count(saved["count"], "optimiser's steps")
        require(bool((saved["square"] >= 0).all()), "its optimiser has a negative square")
        self._count = saved["count"]
        self._mean[:], self._square[:] = saved["mean"].numpy(), saved["square"].numpy()


def _in_a_row(tensors: Sequence[Tensor]) -> NDArray[np.float32]:
    return np.concatenate([tensor.detach().numpy().reshape(-1) for tensor in tensors])


def take_step(
    row: Any,
    mean: Any,
    square: Any,
    gradients: Any,
    weights: Any,
    max_norm: Any,
    learning_rate: Any,
    least_spread: Any,
    count: Any,
) -> None:
    """Add up the gradients, part by part, and change the parameters in place."""
    gradient = np.zeros(row.size, np.float32)
    for part in range(weights.size):
        weight, own = np.float32(weights[part]), gradients[part]
        for place in range(row.size):
            gradient[place] += own[place] * weight
    total = 0.0
    for place in range(row.size):
        total += np.float64(gradient[place]) * gradient[place]
    cut = np.float32(min(1.0, max_norm / (math.sqrt(total) + 1e-6)))
    first, second = np.float32(FIRST_DECAY), np.float32(SECOND_DECAY)
    step = np.float32(learning_rate / (1.0 - FIRST_DECAY**count))
    spread = np.float32(1.0 / math.sqrt(1.0 - SECOND_DECAY**count))
    for place in range(row.size):
        slope = gradient[place] * cut
        mean[place] = first * mean[place] + (np.float32(1) - first) * slope
        square[place] = second * square[place] + (np.float32(1) - second) * slope * slope
        row[place] -= step * mean[place] / (np.sqrt(square[place]) * spread + np.float32(least_spread))


@functools.cache
def _compiled() -> Callable[..., None]:
    row = types.float32[::1]
    numbers = (types.float64, types.float64, types.float64, types.int64)
    signature = (row, row, row, types.float32[:, ::1], types.float64[::1], *numbers)
    return compile_alone(take_step, signature, "adam")  # type: ignore[no-any-return]
