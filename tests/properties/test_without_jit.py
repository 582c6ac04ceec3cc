"""The same source runs as plain Python, where NumPy's bounds checks bite, and plays the same games."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from typing import Any

import pytest

import card_envs
from card_envs.agents.bot import BotAgent
from card_envs.agents.random import RandomAgent
from card_envs.core.compile import JIT
from card_envs.games import register_game, unregister_game
from card_envs.testing import every_table
from tests.support.counting import counted
from tests.support.registered import GAMES


def fingerprint(game: str, options: dict[str, Any]) -> str:
    """A hash of everything that the engine writes in a few whole games, a redrawn and an observed position included."""
    digest = hashlib.sha256()
    batch, agent = card_envs.make_batch(game, 2, seed=21, auto_reset=False, **options), RandomAgent(21)
    first = batch.observation.copy(), batch.action_mask.copy()
    steps = 0
    while (under_way := (batch.seat >= 0).nonzero()[0]).size:
        batch.step(agent.act(None, batch.action_mask[under_way]), under_way)
        for array in (batch.states, batch.observation, batch.action_mask):
            digest.update(array.tobytes())
        if (steps := steps + 1) % 4 == 0:
            twin = batch.copy()
            twin.redraw_hidden(0, seed=5, games=under_way)
            for array in (twin.states, *batch.observe(0, 1)):
                digest.update(array.tobytes())
    for array in (batch.rewards, batch.points, batch.ranks, batch.score_sheet):
        digest.update(array.tobytes())
    line_up = [*["bot" if batch.game.bot else "random", "random"] * 3][: batch.players]
    match = card_envs.play_match(game, line_up, games=3, seed=1, **options)
    digest.update(match.points.tobytes() + match.ranks.tobytes())
    if batch.game.bot:
        digest.update(BotAgent(batch.game, 1).act(*first).tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("game", GAMES)
def test_plain_python_plays_the_same_games_as_compiled_code(game: str) -> None:
    compare(game)


def test_the_game_that_new_game_writes_does_so_too() -> None:
    game = register_game("card_envs.templates.my_game")
    try:
        compare(game.name, f"register_game({game.home!r});")
    finally:
        unregister_game(game)


def compare(game: str, first: str = "") -> None:
    assert JIT, "this comparison needs compiled code on this side"
    play = f"[print(fingerprint({game!r}, o)) for o in every_table({game!r})]"
    code = f"from {__name__} import *; {first} {play}"
    environment = {**counted(), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", code]
    plain = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout.split() == [fingerprint(game, options) for options in every_table(game)]
