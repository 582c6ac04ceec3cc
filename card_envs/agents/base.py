"""What a player is: a name, and actions for a batch of observations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.positions import Positions


@runtime_checkable
class Agent(Protocol):
    """Whoever has these two can sit down at any table."""

    name: str

    def act(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """One legal action per row of the mask."""


@runtime_checkable
class LotsAgent(Agent, Protocol):
    """An agent that draws lots, and takes them from the game.

    Each game has a stream of lots of its own, which follows from its seed. So the agent plays a seeded game the same
    way whatever other games are played beside it.
    """

    def act_with_lots(
        self, observation: NDArray[np.float32], action_mask: NDArray[np.int8], lots: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """One legal action per row of the mask; `lots` has one number from 0 to below 1 per row."""


@runtime_checkable
class Identified(Agent, Protocol):
    """An agent that says who it is. Tournaments take two agents with the same content hash for the same player, and
    others for different ones, whatever they are called.
    """

    @property
    def content_hash(self) -> str:
        """A text that is the same for the same player, in every process, and another one for any other player."""


@runtime_checkable
class Policy(Agent, Protocol):
    """An agent that can say what it thinks of a position, and not only what it does there."""

    def probabilities(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """How likely it is to choose each action: rows that sum up to 1, with nothing for what is illegal."""

    def values(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        """What reward it expects for the seat whose observation each row is."""


@dataclass(frozen=True, eq=False)
class Thoughts:
    """What an agent that searches thinks of some positions, one row for each.

    `probabilities` say how good each action looks after the search: rows that sum up to 1, with nothing for what is
    illegal. `values` is the reward that it expects for the seat to act, `action_values` that after each action, and
    `playouts` how often it tried each. What it did not try has a value that is not a number.
    """

    actions: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    values: NDArray[np.float64]
    action_values: NDArray[np.float64]
    playouts: NDArray[np.int64]


@runtime_checkable
class SearchAgent(Agent, Protocol):
    """An agent that thinks ahead. It is handed positions to imagine, never the games themselves."""

    def search(self, positions: Positions, lots: NDArray[np.float64]) -> NDArray[np.int64]:
        """One legal action per position; `lots` has one number from 0 to below 1 for each."""


@runtime_checkable
class SearchPolicy(SearchAgent, Protocol):
    """An agent that thinks ahead and can say what it thinks: what a `Policy` is to those who only look."""

    def think(self, positions: Positions, lots: NDArray[np.float64]) -> Thoughts:
        """All that comes of searching: `search` with the same positions and lots takes the actions from it."""
