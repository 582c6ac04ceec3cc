"""Credit: generalised advantage estimation along each seat's own decisions, compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from card_envs.core.cache import compile_alone


def estimate(
    seat: Any,
    value: Any,
    ended: Any,
    rewards: Any,
    last_value: Any,
    expected: Any,
    gamma: Any,
    gae_lambda: Any,
    result: Any,
) -> None:
    """Advantages of all decisions, (steps, games).

    Backwards through time, three numbers for each seat of a game say what its next decision (or the end) gives: reward
    on the way, value, advantage. Only the seat that decided reads and renews its own. Where it is `expected` what the
    policy's actions lead to, that stands for what the one that was taken has led to.
    """
    steps, games = value.shape
    players, known = last_value.shape[1], expected.shape[0] > 0
    next_reward, next_value, next_advantage = np.empty(players), np.empty(players), np.empty(players)
    for game in range(games):
        next_reward[:], next_value[:], next_advantage[:] = 0.0, last_value[game], 0.0
        for step in range(steps - 1, -1, -1):
            if ended[step, game]:
                next_reward[:], next_value[:], next_advantage[:] = rewards[step, game], 0.0, 0.0
            own, here = seat[step, game], value[step, game]
            ahead = expected[step, game] if known else next_reward[own] + gamma * next_value[own]
            surprise = ahead - here
            advantage = surprise + gamma * gae_lambda * next_advantage[own]
            result[step, game] = advantage
            next_reward[own], next_value[own], next_advantage[own] = 0.0, here, advantage


@functools.cache
def compiled_advantages() -> Callable[..., None]:
    """`estimate`, compiled when it is first needed."""
    numbers = types.float32[:, ::1]
    signature = (
        types.int64[:, ::1],
        numbers,
        types.boolean[:, ::1],
        types.float32[:, :, ::1],
        numbers,
        numbers,
        types.float64,
        types.float64,
        numbers,
    )
    return compile_alone(estimate, signature, "advantages")  # type: ignore[no-any-return]
