"""The ways of searching, by name, and which of them `search` stands for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.base import Thoughts
from card_envs.agents.positions import Positions
from card_envs.agents.search import ismcts, rollout
from card_envs.agents.search.models import Models
from card_envs.agents.search.options import SearchOptions
from card_envs.core.game import Game

Think = Callable[[Positions, NDArray[np.float64], Models, SearchOptions], Thoughts]

# Each has its options in options.OPTIONS.
METHODS: dict[str, Think] = {"rollout": rollout.think, "ismcts": ismcts.think}

USUAL = "rollout"
BETTER: dict[str, str] = {}  # by the game's name, where measuring has shown another to be stronger


def method_for(game: Game) -> str:
    """What a user gets who does not care."""
    return BETTER.get(game.name, USUAL)
