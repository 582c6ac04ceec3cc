"""How the training programs begin: with settings, or with a run to go on with."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from card_envs.errors import CardEnvsError, OptionError
from card_envs.files import shown
from card_envs.notices import show_notices
from training.command_line import Resumption, Tree, load, parse, to_yaml
from training.learner import Learner

if TYPE_CHECKING:
    from training.run_folder import RunFolder


def run_program(tree: type[Tree], description: str, make_learner: Callable[[Tree, RunFolder], Learner]) -> int:
    """Begin a run by settings from the command line, or go on with one by its own; the exit code. Errors are one
    sentence.
    """
    chosen = parse(tree, description)
    show_notices("stdout")
    print("loading torch, a few seconds", flush=True)
    from training.run import train
    from training.run_folder import RunFolder

    try:
        if isinstance(chosen, Resumption):
            folder = RunFolder.old(chosen.folder, tree.trainer)
            settings = extend(folder, load(tree, folder.path / "config.yaml"), chosen)
        else:
            folder, settings = RunFolder.new(chosen), chosen
        return train(settings, folder, make_learner)
    except CardEnvsError as error:
        sys.exit(str(error))


def extend(folder: RunFolder, kept: Tree, resumption: Resumption) -> Tree:
    """The settings of a run that goes on: its own, but for how long and where. How long is kept if it is new."""
    settings = dataclasses.replace(kept, **resumption.changes)
    if to_yaml(settings) != to_yaml(kept):
        state = folder.load_state()
        done = 0 if state is None else int(state["decisions"])
        if settings.decisions < done:
            raise OptionError(
                f"--decisions is how many there are in all, and {shown(folder.path)} has learned from {done} already; "
                f"give more than that, not {settings.decisions}"
            )
        folder.keep_extension(settings)
    return settings
