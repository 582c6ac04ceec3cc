"""`card-envs picture`: a position of a game as a picture in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from card_envs.agents.loading import usual_opponent
from card_envs.agents.seating import Seating
from card_envs.core.batch import Batch
from card_envs.core.options import whole_number
from card_envs.drawing.look import Look
from card_envs.drawing.pixels import to_png
from card_envs.errors import OptionError
from card_envs.files import write_whole
from card_envs.games import get_game
from card_envs.presentation.film import Film


def write_picture(path: Path, data: bytes) -> None:
    """Write a file and say so."""
    try:
        print(f"wrote {write_whole(path, data)}")
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror}") from None


def draw_position(game: str, *, seed: int, moves: int, look: Look, **options: Any) -> str:
    """The picture after so many moves of a game in which the bot, or whoever else the game has, plays all seats.

    Below it stands what was played last, and after the last move who has won.
    """
    rules = get_game(game)
    batch = Batch(rules, 1, seed=seed, auto_reset=False, **options)
    if look.seat is not None:
        whole_number(look.seat, "seat", 0, batch.players - 1)
    start, played = batch.copy(), list[tuple[int, int]]()
    seating = Seating(batch)
    seating.sit_down([usual_opponent(rules)] * batch.players)
    seating.start_lots(np.array([0]))
    while len(played) < moves and batch.seat[0] >= 0:
        played.append((int(batch.seat[0]), int(seating.choose_for(0))))
        batch.step_one(played[-1][1])
    film = Film(start, played, look.names or [usual_opponent(rules)] * batch.players, over=bool(batch.seat[0] < 0))
    return film.picture(len(played), look.seat, look.language, look.shape, look.theme)


def picture(game: str, out: Path, *, seed: int, moves: int, look: Look, **options: Any) -> None:
    """Draw a position and write it, as SVG or PNG by the file's name."""
    if out.suffix not in (".svg", ".png"):
        raise OptionError(f"a picture is written as .svg or .png, not as {out.name!r}")
    svg = draw_position(game, seed=seed, moves=moves, look=look, **options)
    write_picture(out, svg.encode() if out.suffix == ".svg" else to_png(svg, None))
