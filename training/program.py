"""How the training programs begin: with settings, or with a run to go on with."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from card_envs.errors import CardEnvsError
from training.command_line import Tree, load, parse
from training.learner import Learner
from training.run import train
from training.run_folder import RunFolder


def run_program(tree: type[Tree], description: str, make_learner: Callable[[Tree, RunFolder], Learner]) -> None:
    """Begin a run by settings from the command line, or go on with one by its own. Errors are one sentence."""
    chosen = parse(tree, description)
    try:
        if isinstance(chosen, Path):
            folder = RunFolder.old(chosen, tree.trainer)
            settings = load(tree, folder.path / "config.yaml")
        else:
            folder, settings = RunFolder.new(chosen), chosen
        train(settings, folder, make_learner)
    except CardEnvsError as error:
        sys.exit(str(error))
