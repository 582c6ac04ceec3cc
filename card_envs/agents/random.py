"""The player that chooses among the legal actions by lot."""

from __future__ import annotations

import functools
import secrets
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.core import playing
from card_envs.core.compile import cache_root, compile_loop, record_array, sources_hash
from card_envs.core.options import LARGEST_SEED, check_seed

# Not just a stream: Numba would take a record that begins like a game's state for a kind of state.
_LOTS = np.dtype([("lots", "u8"), ("stream", "u8")])


@functools.cache
def _choose() -> Any:
    return compile_loop(
        playing.choose_at_random, cache_root() / f"core-{sources_hash([Path(playing.__file__).parent])}"
    )


class RandomAgent:
    """Every legal action is equally likely. The same seed gives the same choices."""

    name = "random"

    def __init__(self, seed: int | None = None) -> None:
        self._stream = record_array(1, _LOTS)
        self._stream[0]["stream"] = secrets.randbelow(LARGEST_SEED) if seed is None else check_seed(seed)

    def act(self, observation: NDArray[np.float32] | None, action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """One legal action per row of the mask; -1 where there is none."""
        actions = np.empty(len(action_mask), np.int64)
        _choose()(action_mask, self._stream, actions)
        return actions
