"""Three real card games for training, studying and playing agents: King Lui, Zum Kuhkuck and Ku-Ka-King.

Importing this package registers the environments' ids and nothing more; a game and the compiler are loaded on first
use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from card_envs.registration import register_environments

if TYPE_CHECKING:
    from card_envs.agents.loading import agent_names as agent_names
    from card_envs.agents.loading import load_agent as load_agent
    from card_envs.api import make_batch as make_batch
    from card_envs.arena.match import play_match as play_match
    from card_envs.games import game_names as game_names
    from card_envs.games import get_game as get_game
    from card_envs.games import register_game as register_game

__version__ = "0.1.0"
__all__ = ["agent_names", "game_names", "get_game", "load_agent", "make_batch", "play_match", "register_game"]

_HOMES = {
    "agent_names": "card_envs.agents.loading",
    "load_agent": "card_envs.agents.loading",
    "play_match": "card_envs.arena.match",
    "make_batch": "card_envs.api",
    "game_names": "card_envs.games",
    "get_game": "card_envs.games",
    "register_game": "card_envs.games",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'card_envs' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]


register_environments()
