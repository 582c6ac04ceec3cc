"""The ids under which Gymnasium and PettingZoo find the games. Strings only: nothing is imported before it is used."""

from __future__ import annotations

from typing import Any

import gymnasium
import pettingzoo

from card_envs.games import Row, rows

_SINGLE, _VECTOR = "card_envs.envs.single_agent:SingleAgentEnv", "card_envs.envs.vector:CardVectorEnv"
_MAKERS = {"aec": "card_envs.api:make_env", "parallel": "card_envs.api:make_parallel_env"}


def register_ids(row: Row) -> None:
    """Tell both libraries the id of a game. Doing so twice, after a reload, changes nothing."""
    if row.id not in gymnasium.registry:
        gymnasium.register(row.id, entry_point=_SINGLE, vector_entry_point=_VECTOR, kwargs={"game": row.key})
    for kind, maker in _MAKERS.items():
        registry = _registry(kind)
        if registry is not None and row.id not in registry:
            pettingzoo.register(kind, row.id, maker, kwargs={"game": row.key})


def forget_ids(row: Row) -> None:
    """Take the ids of a game back."""
    gymnasium.registry.pop(row.id, None)
    for kind in _MAKERS:
        (_registry(kind) or {}).pop(row.id, None)


def _registry(kind: str) -> dict[str, Any] | None:
    """PettingZoo's own, which it has from 1.27 on; before that `card_envs.make_env` finds games by the same names."""
    registry: dict[str, Any] | None = getattr(pettingzoo, f"{kind}_registry", None)
    return registry


def register_all() -> None:
    """The ids of every registered game."""
    for row in rows().values():
        register_ids(row)
