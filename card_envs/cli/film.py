"""`card-envs replay ... --svg` and `--gif`: a game of a tournament in pictures."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import track

from card_envs.arena.game_file import GameFile
from card_envs.arena.replay import Replay
from card_envs.cli.picture import write_picture
from card_envs.drawing.gif import to_gif
from card_envs.presentation.film import Film


def write_pictures(
    replay: Replay | GameFile,
    *,
    svg: Path | None,
    gif: Path | None,
    move: int | None,
    seat: int | None,
    language: str,
    per_second: float,
) -> None:
    """One position as SVG (the last one if none is named), the whole game as GIF."""
    film = Film(replay.batch, replay.moves, replay.agents)

    def draw(position: int, theme: str = "light") -> str:
        return film.picture(position, seat, language, "wide", theme)

    if svg is not None:
        write_picture(svg, draw(len(film.moves) if move is None else move, "auto").encode())
    if gif is not None:
        positions = track(range(len(film.moves) + 1), "drawing", console=Console(stderr=True), transient=True)
        write_picture(gif, to_gif((draw(position) for position in positions), per_second))
