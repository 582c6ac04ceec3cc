"""Agents against agents."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from card_envs.arena.match import MatchResult as MatchResult
    from card_envs.arena.match import play_match as play_match
    from card_envs.arena.standings import Standings as Standings
    from card_envs.arena.tournament import Tournament as Tournament

__all__ = ["MatchResult", "Standings", "Tournament", "play_match"]

# Loaded on first use: a match needs nothing of what a tournament brings along.
_HOMES = {"MatchResult": "match", "play_match": "match", "Standings": "standings", "Tournament": "tournament"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"card_envs.arena.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'card_envs.arena' has no attribute {name!r}; it has {', '.join(__all__)}")
