"""Compile every loop of a game before it is needed: python -m tests.support.compiling king_lui."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

from card_envs.games import get_game, register_game
from tests.support.registered import GAMES

OURS = ("tests.support.small_games", "tests.support.tiny_game")


def without_coverage() -> dict[str, str]:
    """An environment in which lines are not counted: the compiler is Python, and takes several times as long then."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}


def compile_all() -> None:
    """One process per game, all at once."""
    processes = [
        subprocess.Popen([sys.executable, "-m", __name__, game], env=without_coverage()) for game in (*GAMES, *OURS)
    ]
    for process in processes:
        process.wait()


def compile_one(game: str) -> None:
    """Asking for a loop compiles it, or finds it in the cache."""
    loops = (register_game(game) if game in OURS else get_game(game)).loops
    for name, attribute in vars(type(loops)).items():
        if isinstance(attribute, functools.cached_property):
            getattr(loops, name)


if __name__ == "__main__":
    compile_one(sys.argv[1])
