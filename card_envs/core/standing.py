"""What everybody would have if the game ended now, by the game's own rules for its end."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from card_envs.core.compile import uncompiled

Counting = Callable[[Any], list[int]]


def readable(state: Any) -> Any:
    """A state in which `state.field` works, as uncompiled rules need it. (NumPy's records are slow.)"""
    return SimpleNamespace(**{name: state[name] for name in state.dtype.names})


def counting(score: Callable[[Any, Any, Any], None], columns: int) -> Counting:
    """A function that tells each player's points in a position, made from the rule that scores a game that is over."""
    plain = uncompiled(score)

    def points_of(state: Any) -> list[int]:
        players = int(state["players"])
        points = np.zeros(players, np.int64)
        plain(readable(state), points, np.zeros((players, columns), np.int64))
        return [int(number) for number in points]

    return points_of
