"""`card-envs train`: the training script of the clone that this package is run from."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from card_envs.errors import OptionError
from card_envs.extras import clone_with


def train(arguments: Sequence[str]) -> None:
    """Become `python -m training.self_play` with these arguments, signals and exit codes included."""
    root = clone_with("training/self_play.py")
    if root is None:
        raise OptionError(
            "card-envs train needs a clone of the repository: the training scripts are there, and not in the installed "
            "package; in the clone: python -m training.self_play --config configs/king_lui/quick.yaml"
        )
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "training.self_play", *arguments]
    os.execve(sys.executable, command, {**os.environ, "PYTHONPATH": path})
