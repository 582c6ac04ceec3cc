"""How a trained player gets from what it thinks to what it does: by lot, or always the likeliest."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from card_envs.agents.naming import Value
from card_envs.agents.network import LARGEST_LOGIT, probabilities
from card_envs.core.cache import compile_alone
from card_envs.core.compile import inner
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

    def choose(
        self,
        logits: NDArray[np.float32],
        action_mask: NDArray[np.int8],
        lots: NDArray[np.float64],
        actions: NDArray[np.int64],
    ) -> None:
        """Write an action per row, with one number from 0 to below 1 for each."""
        temperature = 0.0 if self.greedy else float(self.temperature)
        compiled_choose()(logits, action_mask, lots, temperature, actions, np.empty(len(actions), np.float32))


def draw_actions(likely: NDArray[np.float64], lots: NDArray[np.float64]) -> NDArray[np.int64]:
    """An action per row by these probabilities, with one number from 0 to below 1 for each."""
    summed = likely.cumsum(axis=-1)
    chosen: NDArray[np.int64] = (summed <= (lots * summed[..., -1])[..., None]).sum(axis=-1)
    return chosen


@inner
def certain(logit: Any) -> Any:
    """A logit that can be calculated with, whatever it was; see network.probabilities."""
    return 0.0 if math.isnan(logit) else min(max(logit, -LARGEST_LOGIT), LARGEST_LOGIT)


@inner
def choose_row(logits: Any, mask: Any, lot: Any, temperature: Any, likely: Any) -> Any:
    """A legal action by the softmax of the logits, with a lot from 0 to below 1, and how likely it was, as a logarithm.

    At a temperature of 0 it is the likeliest one, the first of several. `likely` is there to be written in.
    """
    highest, best = -np.inf, -1
    for action in range(mask.size):
        if mask[action] and certain(logits[action]) > highest:
            highest, best = certain(logits[action]), action
    if temperature == 0 or best < 0:
        return best, 0.0
    total = 0.0
    for action in range(mask.size):
        likely[action] = 0.0
        if mask[action]:
            likely[action] = math.exp((certain(logits[action]) - highest) / temperature)
            total += likely[action]
    # The first action at which the probabilities add up to more than the lot: never one that has none.
    wanted, reached, chosen = lot * total, 0.0, best
    for action in range(mask.size):
        reached += likely[action]
        if reached > wanted:
            chosen = action
            break
    return chosen, (certain(logits[chosen]) - highest) / temperature - math.log(total)


def choose_by_logits(logits: Any, masks: Any, lots: Any, temperature: Any, actions: Any, log_probability: Any) -> None:
    """`choose_row` for many rows."""
    likely = np.empty(masks.shape[1])
    for row in range(masks.shape[0]):
        actions[row], log_probability[row] = choose_row(logits[row], masks[row], lots[row], temperature, likely)


@functools.cache
def compiled_choose() -> Callable[..., None]:
    """`choose_by_logits`, compiled when it is first needed."""
    masks = types.Array(types.int8, 2, "C", readonly=True)
    lots = types.Array(types.float64, 1, "C", readonly=True)
    signature = (types.float32[:, ::1], masks, lots, types.float64, types.int64[::1], types.float32[::1])
    return compile_alone(choose_by_logits, signature, "choosing")  # type: ignore[no-any-return]
