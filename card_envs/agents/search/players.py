"""Searchers in Python, spelt as their names are: `search(model="champion", playouts=256)`."""

from __future__ import annotations

from card_envs.agents.loading import Player
from card_envs.agents.naming import SEARCH
from card_envs.agents.search.options import IsmctsOptions, Recipe, SearchOptions, make_recipe


def search(
    *,
    model: Player | None = None,
    others: Player | None = None,
    playouts: int = SearchOptions.playouts,
    depth: int | None = None,
    seconds: float | None = None,
    method: str = "",
) -> Recipe:
    """A player that thinks ahead, by the method that suits the game or by `method`. Its options: docs/search.md."""
    options = {"model": model, "others": others, "playouts": playouts, "depth": depth, "seconds": seconds}
    return make_recipe(SEARCH, {**options, "method": method})


def rollout(
    *,
    model: Player | None = None,
    others: Player | None = None,
    playouts: int = SearchOptions.playouts,
    depth: int | None = None,
    seconds: float | None = None,
    actions: int | None = None,
    scale: float | None = None,
) -> Recipe:
    """A player that tries promising actions in imagined games, which are played on by a model."""
    options = {"model": model, "others": others, "playouts": playouts, "depth": depth, "seconds": seconds}
    return make_recipe("rollout", {**options, "actions": actions, "scale": scale})


def ismcts(
    *,
    model: Player | None = None,
    others: Player | None = None,
    playouts: int = SearchOptions.playouts,
    depth: int | None = None,
    seconds: float | None = None,
    others_think: bool = IsmctsOptions.others_think,
    exploration: float = IsmctsOptions.exploration,
    points: float = IsmctsOptions.points,
) -> Recipe:
    """A player that grows trees of what each seat has seen, in imagined games that are played on by a model."""
    options = {"model": model, "others": others, "playouts": playouts, "depth": depth, "seconds": seconds}
    own = {"others_think": others_think, "exploration": exploration, "points": points}
    return make_recipe("ismcts", {**options, **own})
