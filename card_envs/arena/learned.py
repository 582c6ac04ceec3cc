"""Learned responses are made by training/, which is in a clone of the repository and not in the package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from card_envs.agents.checkpoint import Checkpoint, CheckpointAgent
from card_envs.agents.loading import Player, load_agent
from card_envs.agents.naming import SUFFIX
from card_envs.core.game import Game
from card_envs.errors import MissingExtraError
from card_envs.extras import clone_with

FOLDER = "learned"  # in that of the exploit, whatever learning needs
RESPONSE = f"response{SUFFIX}"
ONLY_SEARCH = "only the response by search is available here"


def check(game: Game, agent: Player, players: int) -> None:
    """A MissingExtraError in one sentence unless a response to this agent can be learned here."""
    training()
    trained = isinstance(load_agent(game, agent, players=players), CheckpointAgent)
    if not trained and not isinstance(agent, str):
        raise MissingExtraError(
            f"{ONLY_SEARCH}: a response is learned against agents that have a name or are checkpoints, and not against "
            f"an object of a program"
        )


def training() -> Any:
    """The module `training.response`; a MissingExtraError in one sentence where it cannot be used."""
    root = clone_with("training/response.py")
    if root is None:
        raise MissingExtraError(
            f"{ONLY_SEARCH}: a response is learned by scripts in a clone of the repository, which the installed "
            f"package does not have"
        )
    if str(root) not in sys.path:
        sys.path.append(str(root))
    try:
        return importlib.import_module("training.response")
    except MissingExtraError as error:
        raise MissingExtraError(f"{ONLY_SEARCH}: {error}") from None


def learn(
    game: Game,
    players: int,
    agent: Player,
    *,
    options: Mapping[str, Any],
    decisions: int,
    seed: int,
    threads: int,
    ray: str | None,
    folder: Path | None,
    shown: bool,
) -> Checkpoint:
    """A checkpoint that has learned to beat the agent; with a folder, from where it was left."""
    module = training()
    start = module.start_of(game, agent, players)
    task = module.ResponseTask(game.name, players, agent, start, decisions, seed, threads, options, ray=ray)
    with module.stopping() as stop:
        console = Console(stderr=True) if shown else None
        checkpoint: Checkpoint = module.learn_checkpoint(task, folder, console, stop)
    return checkpoint
