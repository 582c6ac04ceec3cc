"""How a searcher is set: the options that all of them have, and what each method adds.

A searcher is spelt alike everywhere: `search(model="champion", playouts=256)` is a name, and in Python
`card_envs.search(model="champion", playouts=256)` is the same player.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from os import PathLike, fspath
from typing import Any

from card_envs.agents.naming import SEARCH, Value, options_text
from card_envs.core.options import one_of, real_number, refuse_unknown, whole_number
from card_envs.errors import OptionError

MOST_PLAYOUTS = 10**9
MOST_DEPTH = 10**6
MOST_ACTIONS = 10**6
MODELS = ("model", "others")  # options that name players
LONGEST_THOUGHT = 3600.0  # seconds


@dataclass(frozen=True)
class SearchOptions:
    """What every searcher can be told. None stands for what suits the game, or for none.

    model       who plays in the imagined games: an agent's name, a checkpoint's path, or an agent
    others      who plays for the other seats there, if not the model
    playouts    how many games are imagined for one decision
    depth       after how many further decisions of its own an imagined game is cut, and valued by the model; 0: never
    seconds     how long to think about one call instead of a number of playouts, for play: it is not reproducible
    """

    model: Any = None
    others: Any = None
    playouts: int = 64
    depth: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        whole_number(self.playouts, "playouts", 0, MOST_PLAYOUTS)
        if self.depth is not None:
            whole_number(self.depth, "depth", 0, MOST_DEPTH)
        if self.seconds is not None:
            real_number(self.seconds, "seconds", 0.001, LONGEST_THOUGHT)
            if self.playouts != SearchOptions.playouts:
                raise OptionError(
                    "a searcher thinks for so many playouts or for so many seconds; leave one of them out"
                )

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) != field.default}


@dataclass(frozen=True)
class RolloutOptions(SearchOptions):
    """`actions` is how many actions are tried at most: the root of the number of playouts, if nothing is said. `scale`
    is how much a difference in value counts beside what the model prefers.
    """

    actions: int | None = None
    scale: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.actions is not None:
            whole_number(self.actions, "actions", 1, MOST_ACTIONS)
        if self.scale is not None:
            real_number(self.scale, "scale", 0.0)

    @property
    def tried(self) -> int:
        """How many actions are tried at most."""
        tried = max(2, math.isqrt(self.playouts)) if self.actions is None else self.actions
        return max(1, min(tried, self.playouts))


@dataclass(frozen=True)
class IsmctsOptions(SearchOptions):
    """`others_think` says whether other seats choose by trees of their own, or as their model does. `exploration` is
    how much it is worth to try what was tried less; `points` how much points count beside the reward.
    """

    others_think: bool = True
    exploration: float = 1.0
    points: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.others_think, "others_think", (True, False))
        real_number(self.exploration, "exploration", 0.0)
        real_number(self.points, "points", 0.0)


# The options of each method, by the name of the method, which is a searcher's name, too.
OPTIONS: dict[str, type[SearchOptions]] = {"rollout": RolloutOptions, "ismcts": IsmctsOptions}


@dataclass(frozen=True)
class Recipe:
    """A searcher before it is known what it plays: whoever loads it for a game gets the player.

    `method` is nothing where the better one for the game is to be taken.
    """

    method: str
    options: SearchOptions

    @property
    def name(self) -> str:
        """As it is spelt; a model that is an object is spelt by its name."""
        written = {name: _written(value) for name, value in self.options.chosen.items()}
        return f"{self.method or SEARCH}{options_text(written)}"

    @property
    def spelt(self) -> bool:
        """Does its name say all about it? It does not where an agent is an object."""
        return all(
            model is None or isinstance(model, str | PathLike) for model in (self.options.model, self.options.others)
        )


def _written(value: Any) -> Value:
    if isinstance(value, bool | int | float | str):
        return value
    return fspath(value) if isinstance(value, PathLike) else str(value.name)


def make_recipe(name: str, given: Mapping[str, Any]) -> Recipe:
    """The searcher of this name with these options, checked."""
    options = dict(given)
    method = name
    if name == SEARCH:
        method = one_of(options.pop("method", ""), "method", ("", *OPTIONS))
    kind = OPTIONS.get(method, SearchOptions)
    allowed = [field.name for field in fields(kind)]
    refuse_unknown(options, [*allowed, "method"] if name == SEARCH else allowed, name)
    return Recipe(method, kind(**options))
