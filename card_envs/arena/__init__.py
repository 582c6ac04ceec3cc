"""Agents against agents."""

from card_envs.arena.match import MatchResult, play_match
from card_envs.arena.standings import Standings
from card_envs.arena.tournament import Tournament

__all__ = ["MatchResult", "Standings", "Tournament", "play_match"]
