"""Searchers in a tournament: what is written down of them, from which they come back.

A searcher is its method, its options and its models. Models that are trained players are kept by content, as other
checkpoints are; built-in ones and those of packages by name. In a tournament's file it is a table in JSON:

    {"search": {"method": "rollout", "options": {"playouts": 256}, "model": {"checkpoint": "<hash>"}, "others": "bot"}}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from card_envs.agents.checkpoint import Checkpoint, CheckpointAgent
from card_envs.agents.choosing import Choosing
from card_envs.agents.loading import Player, from_package
from card_envs.agents.naming import SEARCHERS, parse_agent, speaks
from card_envs.agents.search.models import Model
from card_envs.agents.search.options import MODELS, OPTIONS, Recipe, make_recipe
from card_envs.agents.search.searcher import Searcher
from card_envs.arena.seal import is_hash
from card_envs.core.game import Game
from card_envs.errors import OptionError

KEY = "search"
_PARTS = {"method", "options", *MODELS}


def searcher(player: object) -> Searcher | None:
    """The player, if it is a searcher of ours. A class made from it may do anything else."""
    return player if isinstance(player, Searcher) and type(player) is Searcher else None


@dataclass(frozen=True)
class Kept:
    """What a tournament keeps of a searcher: a table for its file, and the checkpoints that the table names."""

    options: dict[str, Any]
    checkpoints: dict[str, Checkpoint]


def describe(player: Searcher) -> Kept | None:
    """All of it, or None if a model is an object, which no file can bring back."""
    models = (player.models.own, player.models.others)
    described = [_describe(model) for model in models]
    if None in described:
        return None
    settings = {name: value for name, value in player.options.chosen.items() if name not in MODELS}
    parts = {"method": player.method, "options": settings, "model": described[0], "others": described[1]}
    agents = [model.agent for model in models if isinstance(model.agent, CheckpointAgent)]
    return Kept({KEY: parts}, {agent.checkpoint.content_hash: agent.checkpoint for agent in agents})


def _describe(model: Model) -> Any:
    agent = model.agent
    if type(agent) is CheckpointAgent:
        return {"checkpoint": agent.checkpoint.content_hash, **agent.choosing.options}
    return model.spelling


def checkpoints_of(options: str) -> list[str]:
    """The content hashes of all checkpoints that an entrant's options name."""
    parts = json.loads(options).get(KEY, {})
    models = [parts[name] for name in MODELS if isinstance(parts.get(name), dict)]
    return list(dict.fromkeys(model["checkpoint"] for model in models))


def check(table: Mapping[str, Any]) -> None:
    """An OptionError unless this is how a searcher is written down."""
    parts = table.get(KEY)
    if set(table) != {KEY} or not isinstance(parts, dict) or set(parts) != _PARTS:
        raise OptionError("it is no searcher")
    if not isinstance(parts["options"], dict):
        raise OptionError("it is no searcher")
    if parts["method"] not in OPTIONS or set(MODELS) & set(parts["options"]):
        raise OptionError("it searches by no method that there is")
    if make_recipe(parts["method"], parts["options"]).options.chosen != parts["options"]:
        raise OptionError("its options are no searcher's")
    for model in (parts["model"], parts["others"]):
        if isinstance(model, dict):
            choosing = {name: value for name, value in model.items() if name != "checkpoint"}
            if not is_hash(model.get("checkpoint")) or Choosing(**choosing).options != choosing:
                raise OptionError("its model is no trained player")
        elif not isinstance(model, str) or not model.isprintable() or parse_agent(model).is_path or speaks(model):
            raise OptionError("its model is no player")  # nothing is opened or started because a tournament names it


def rebuild(options: str, game: Game, players: int, kept: Callable[[str], Checkpoint]) -> Searcher:
    """The searcher once more. `kept` finds a checkpoint by its content hash."""
    parts = json.loads(options)[KEY]

    def model(described: Any) -> Player:
        if isinstance(described, str):
            return described
        choosing = {name: value for name, value in described.items() if name != "checkpoint"}
        return CheckpointAgent(kept(described["checkpoint"]), game, players, **choosing)

    own = model(parts["model"])
    others = own if parts["others"] == parts["model"] else model(parts["others"])
    recipe = make_recipe(parts["method"], {**parts["options"], "model": own, "others": others})
    return Searcher(recipe, game, players)


def refuse_clock(player: Searcher) -> None:
    """Whoever thinks by the clock plays otherwise each time."""
    if player.options.seconds is not None:
        raise OptionError(
            f"{player.name} thinks for a number of seconds, so that it plays otherwise on each computer and each time; "
            f"in a tournament give it a number of playouts"
        )


def refuse_package_models(player: Player) -> None:
    """Where agents of packages play in processes of their own, none may play in ours as the model of a searcher."""
    for model in _models_of(player):
        if from_package(model):
            raise OptionError(
                f"{model} comes from another package, and as the model of a searcher it would not play in a process of "
                f"its own; name another model, or play without isolate"
            )


def _models_of(player: Player) -> list[Player]:
    """The models that a searcher names, before anything is loaded."""
    if isinstance(player, str):
        name = parse_agent(player)
        return [str(name.options[one]) for one in MODELS if one in name.options] if name.agent in SEARCHERS else []
    options = player.options if isinstance(player, Recipe | Searcher) else None
    return [getattr(options, one) for one in MODELS] if options else []
