"""How a trained player gets from what it thinks to what it does: by lot, or always the likeliest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.naming import Value
from card_envs.agents.network import probabilities
from card_envs.errors import OptionError

COLDEST, HOTTEST = 0.01, 100.0


@dataclass(frozen=True)
class Choosing:
    """`greedy` takes the likeliest action. `temperature` flattens probabilities above 1, and sharpens them below."""

    greedy: bool = False
    temperature: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.greedy, bool):
            raise OptionError(f"greedy is true or false, not {self.greedy!r}")
        number = isinstance(self.temperature, int | float) and not isinstance(self.temperature, bool)
        if not number or not COLDEST <= self.temperature <= HOTTEST:
            raise OptionError(
                f"temperature must be a number from {COLDEST} to {HOTTEST:.0f}, not {self.temperature!r}; "
                f"greedy takes the likeliest action"
            )
        if self.greedy and self.temperature != 1:
            raise OptionError("a greedy player draws no lots, so it has no temperature; leave one of the two out")

    @property
    def options(self) -> dict[str, Value]:
        """What differs from drawing lots by the policy's own probabilities."""
        if self.greedy:
            return {"greedy": True}
        return {} if self.temperature == 1 else {"temperature": float(self.temperature)}

    def probabilities(self, logits: NDArray[np.floating[Any]], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """How likely each action is to be chosen."""
        if self.greedy:
            best = probabilities(logits, action_mask).argmax(axis=-1)
            certain: NDArray[np.float64] = (np.arange(action_mask.shape[-1]) == best[..., None]).astype(np.float64)
            return certain
        if self.temperature == 1:
            return probabilities(logits, action_mask)
        return probabilities(logits.astype(np.float64) / self.temperature, action_mask)


def draw_actions(likely: NDArray[np.float64], lots: NDArray[np.float64]) -> NDArray[np.int64]:
    """An action per row by these probabilities, with one number from 0 to below 1 for each."""
    summed = likely.cumsum(axis=-1)
    chosen: NDArray[np.int64] = (summed <= (lots * summed[..., -1])[..., None]).sum(axis=-1)
    return chosen
