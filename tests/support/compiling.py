"""Compile what several tests need before they need it: python -m tests.support.compiling king_lui."""

from __future__ import annotations

import functools
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from card_envs.arena.match import play_match
from card_envs.core.loops import SHARED
from card_envs.games import get_game, register_game
from tests.support.counting import uncounted
from tests.support.registered import GAMES, opponent

LEARNED = "tests.support.small_games"  # which learners learn, as they do those of the registry
OURS = (LEARNED, "tests.support.tiny_game", "tests.support.push_your_luck")


def compile_all() -> None:
    """One process per game, all at once. The compiler is Python: counting its lines takes half as long again."""
    processes = [subprocess.Popen([sys.executable, "-m", __name__, game], env=uncounted()) for game in (*GAMES, *OURS)]
    for process in processes:
        process.wait()


def compile_one(home: str) -> None:
    """All loops of a game; with the first one, whatever knows no game."""
    game = register_game(home) if home in OURS else get_game(home)
    _ask(game.loops)
    if home in (*GAMES, LEARNED):
        _learn(game.name)
    if home == GAMES[0]:
        _share(home)


def _ask(loops: Any) -> None:
    """Asking for a loop compiles it, or finds it in the cache."""
    for name, attribute in vars(type(loops)).items():
        if isinstance(attribute, functools.cached_property):
            getattr(loops, name)


def _learn(game: str) -> None:
    from tests.support.parts import a_part
    from training.ppo_settings import Manner

    with tempfile.TemporaryDirectory() as folder:
        usual = get_game(game).options().players
        part, network = a_part(game, Path(folder), (), 0, games=2, n_steps=2, players=usual)
        part.play(network, Manner(imitate=True))


def _share(game: str) -> None:
    from tests.support.parts import learned

    _ask(SHARED)
    learned("relu")
    play_match(game, [*["champion", opponent(game)] * 3][: get_game(game).options().players], games=2)


if __name__ == "__main__":
    compile_one(sys.argv[1])
