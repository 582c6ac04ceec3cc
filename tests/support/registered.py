"""The games of this repository, by what they bring. Whatever is optional is asked only of games that declare it."""

from __future__ import annotations

import importlib.util

from card_envs.agents.loading import usual_opponent
from card_envs.games import get_game, rows

# Without those of other packages that happen to be installed here.
GAMES = tuple(dict.fromkeys(row.name for row in rows().values() if row.home.startswith("card_envs.games.")))
WITH_BOT = [game for game in GAMES if get_game(game).bot]
WITH_CHAMPION = [game for game in GAMES if get_game(game).champion]
WITH_WORDS = [game for game in GAMES if get_game(game).words]
WITH_MODULE = [game for game in GAMES if importlib.util.find_spec(f"card_envs.{get_game(game).key}")]
WITH_DRAWING = [game for game in GAMES if get_game(game).has_drawing]


def opponent(game: str) -> str:
    """Who plays against a tested seat: the bot, or whoever else comes with the game."""
    return usual_opponent(get_game(game))
