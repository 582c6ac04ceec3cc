"""A searcher at a table: a method, its options, and its models of the players."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.base import Thoughts
from card_envs.agents.positions import Positions
from card_envs.agents.search.methods import METHODS, method_for
from card_envs.agents.search.models import load_models
from card_envs.agents.search.options import MODELS, OPTIONS, Recipe
from card_envs.core.game import Game
from card_envs.errors import OptionError


class Searcher:
    """An agent that imagines how games go on. It knows what its seat knows, and nothing else.

    The same positions with the same lots are answered alike, unless it thinks for a number of seconds.
    """

    def __init__(self, recipe: Recipe, game: Game, players: int | None = None) -> None:
        self.recipe, self.game, self.name = recipe, game, recipe.name
        self.method = recipe.method or method_for(game)
        self.options = OPTIONS[self.method](**recipe.options.chosen)
        self.models = load_models(game, self.options.model, self.options.others, players)
        if self.options.depth and not self.models.own.has_values:
            raise OptionError(
                f"{self.name} cannot cut imagined games, for {self.models.own.agent.name} does not say what a position "
                f"is worth; leave out depth, or name a trained player as the model"
            )

    def __repr__(self) -> str:
        return f"<{self.name} of {self.game.title}>"

    @property
    def content_hash(self) -> str:
        """Who it is: how it searches, and who its models are."""
        settings = {name: value for name, value in self.options.chosen.items() if name not in MODELS}
        parts = [self.method, settings, *self.models.identity]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    @property
    def remembers_nothing(self) -> bool:
        """Are its models such that it plays alike whatever it played before?"""
        return self.models.remember_nothing

    def act(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """It cannot: an observation is not enough to imagine how a game goes on."""
        raise OptionError(
            f"{self.name} searches positions, and an observation is none; let it play in a match, a tournament or as "
            f"an environment's opponent, or call search(positions, lots) with Positions(batch, games)"
        )

    def search(self, positions: Positions, lots: NDArray[np.float64]) -> NDArray[np.int64]:
        """One legal action per position."""
        return self.think(positions, lots).actions

    def think(self, positions: Positions, lots: NDArray[np.float64]) -> Thoughts:
        """All that comes of searching."""
        return METHODS[self.method](positions, lots, self.models, self.options)
