"""What the training programs have in common: how they begin, stop and resume."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from card_envs.errors import CardEnvsError
from training.run_folder import RunFolder
from training.settings import load, parse, to_yaml


def run_program(tree: type[Any], description: str, train: Callable[[Any, RunFolder], None]) -> None:
    """Begin a run by settings from the command line, or go on with one by its own. Errors are one sentence."""
    chosen = parse(tree, description)
    try:
        if isinstance(chosen, tree):
            folder = RunFolder.new(chosen.run, chosen.game, to_yaml(chosen))
        else:
            folder = RunFolder.old(chosen)
            chosen = load(tree, folder.path / "config.yaml")
        train(chosen, folder)
    except CardEnvsError as error:
        sys.exit(str(error))


class Stop:
    """Ctrl-C, or the signal with which clusters end a job: the first one asks to stop, the next one insists."""

    def __init__(self) -> None:
        self.asked = False
        for kind in (signal.SIGINT, signal.SIGTERM):
            signal.signal(kind, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def crosses(before: int, after: int, every: int) -> bool:
    """Whether a multiple of `every` lies between two numbers of decisions."""
    return before // every < after // every
