"""What a player is: a name, and actions for a batch of observations."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Agent(Protocol):
    """Whoever has these two can sit down at any table.

    An agent that draws lots may set `takes_chance = True` and accept a third argument, `chance`: one number from 0 to
    below 1 per row. It comes from each game's own stream, so that the agent plays a seeded game the same way whatever
    other games are played beside it.
    """

    name: str

    def act(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """One legal action per row of the mask."""
