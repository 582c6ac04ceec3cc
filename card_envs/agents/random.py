"""The player that chooses among the legal actions by lot."""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from card_envs.core.compile import record_array
from card_envs.core.loops import SHARED
from card_envs.core.options import LARGEST_SEED, check_seed
from card_envs.core.playing import LOTS


class RandomAgent:
    """Every legal action is equally likely. The same seed gives the same choices."""

    name = "random"

    def __init__(self, seed: int | None = None) -> None:
        self._lots = record_array(1, LOTS)
        self._lots[0]["stream"] = secrets.randbelow(LARGEST_SEED) if seed is None else check_seed(seed)

    def act(self, observation: NDArray[np.float32] | None, action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """One legal action per row of the mask; -1 where there is none."""
        actions = np.empty(len(action_mask), np.int64)
        SHARED.choose_at_random(np.ascontiguousarray(action_mask, np.int8), self._lots, actions)
        return actions
