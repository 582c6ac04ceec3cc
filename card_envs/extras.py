"""Libraries that only parts of the package need: where one is missing, one sentence says what to install."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import card_envs
from card_envs.errors import MissingExtraError


def need(what: str, module: str, extra: str) -> None:
    """A MissingExtraError unless the module can be imported; `extra` is what of this package brings it."""
    if importlib.util.find_spec(module) is None:
        raise MissingExtraError(
            f"{what} needs {module}, which is not installed; install it with: pip install 'card-envs[{extra}]'"
        )


def clone_with(file: str) -> Path | None:
    """The clone of the repository that this package is run from, if it has this file; an installed package has none."""
    root = Path(card_envs.__file__).resolve().parent.parent
    return root if (root / file).is_file() else None
