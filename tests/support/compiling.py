"""Compile every loop of every game: python -m tests.support.compiling GAME."""

from __future__ import annotations

import functools
import subprocess
import sys

from card_envs.games import get_game
from tests.support.registered import GAMES


def compile_all() -> None:
    """One process per game."""
    processes = [subprocess.Popen([sys.executable, "-m", __name__, game]) for game in GAMES]
    for process in processes:
        process.wait()


def compile_one(game: str) -> None:
    """Asking for a loop compiles it, or finds it in the cache."""
    loops = get_game(game).loops
    for name, attribute in vars(type(loops)).items():
        if isinstance(attribute, functools.cached_property):
            getattr(loops, name)


if __name__ == "__main__":
    compile_one(sys.argv[1])
