"""Three real card games for training, studying and playing agents: King Lui, Zum Kuhkuck and Ku-Ka-King.

Importing this package registers the environments' ids and nothing more; a game and the compiler are loaded on first
use. What is public is listed in docs/api.md; everything else may change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from card_envs.games.ids import register_all

__version__ = "0.1.0"
__all__ = [
    "agent_names",
    "chat",
    "command",
    "exploit",
    "game_names",
    "get_game",
    "ismcts",
    "load_agent",
    "make_batch",
    "make_env",
    "make_parallel_env",
    "play_match",
    "register_game",
    "rollout",
    "search",
]

if TYPE_CHECKING:
    from card_envs.agents.loading import agent_names, load_agent
    from card_envs.agents.search.players import ismcts, rollout, search
    from card_envs.agents.speaking.options import chat, command
    from card_envs.api import make_batch, make_env, make_parallel_env
    from card_envs.arena.exploit import exploit
    from card_envs.arena.match import play_match
    from card_envs.games import game_names, get_game, register_game
else:  # hidden from type checkers, which would accept any name

    def __getattr__(name: str) -> object:
        import importlib

        homes = {
            "card_envs.agents.loading": ("agent_names", "load_agent"),
            "card_envs.agents.search.players": ("ismcts", "rollout", "search"),
            "card_envs.agents.speaking.options": ("chat", "command"),
            "card_envs.api": ("make_batch", "make_env", "make_parallel_env"),
            "card_envs.arena.exploit": ("exploit",),
            "card_envs.arena.match": ("play_match",),
            "card_envs.games": ("game_names", "get_game", "register_game"),
        }
        for home, names in homes.items():
            if name in names:
                return getattr(importlib.import_module(home), name)
        raise AttributeError(f"module 'card_envs' has no attribute {name!r}; it has {', '.join(__all__)}")

    def __dir__() -> list[str]:
        return [*globals(), *__all__]


register_all()
