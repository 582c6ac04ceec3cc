"""What a game looks like, for somebody who does not know it yet."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from card_envs.agents.loading import usual_opponent
from card_envs.agents.seating import Seating
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.games import get_game
from card_envs.presentation.film import Film

SEED = 7


@functools.lru_cache(64)
def _film(key: str) -> Film:
    """A game between bots, or whoever else the game has."""
    game = get_game(key)
    batch = Batch(game, 1, seed=SEED, auto_reset=False)
    start, moves = batch.copy(), []
    seating = Seating(batch)
    seating.sit_down([usual_opponent(game)] * batch.players)
    seating.start_lots(np.array([0]))
    while batch.seat[0] >= 0:
        moves.append((int(batch.seat[0]), int(seating.choose_for(0))))
        batch.step_one(moves[-1][1])
    return Film(start, moves, [""] * batch.players)


def preview_of(game: Game, language: str) -> dict[str, Any]:
    """A picture from the second half of such a game, and how many turns each player had in it."""
    film = _film(game.key)
    picture = film.picture(len(film.moves) * 3 // 5, None, language, "wide")
    return {"picture": picture, "turns": round(len(film.moves) / film.players)}
