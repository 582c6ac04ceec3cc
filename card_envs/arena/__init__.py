"""Agents against agents."""

from card_envs.arena.match import MatchResult, play_match

__all__ = ["MatchResult", "play_match"]
