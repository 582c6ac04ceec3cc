"""A hand-written player of My Game: it keeps what is good, and throws away the rest while it may."""

from __future__ import annotations

from typing import Any

from card_envs.core.compile import compiled

from .observation import DRAWN
from .state import KEEP, THROW, VALUES

GOOD = 7  # the lowest value that is worth keeping


@compiled
def choose(lots: Any, observation: Any, mask: Any) -> Any:
    """A legal action from observation and mask alone. `lots` is there for players who decide by lot."""
    if not mask[THROW]:
        return KEEP
    for value in range(GOOD, VALUES + 1):
        if observation[DRAWN + value - 1] > 0:
            return KEEP
    return THROW
