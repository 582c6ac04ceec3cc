"""Libraries that only parts of the package need: where one is missing, one sentence says what to install."""

from __future__ import annotations

import importlib.util

from card_envs.errors import MissingExtraError


def need(what: str, module: str, extra: str) -> None:
    """A MissingExtraError unless the module can be imported; `extra` is what of this package brings it."""
    if importlib.util.find_spec(module) is None:
        raise MissingExtraError(
            f"{what} needs {module}, which is not installed; install it with: pip install 'card-envs[{extra}]'"
        )
