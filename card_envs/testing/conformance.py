"""PettingZoo's own tests, on one game with one set of options."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

from card_envs.envs.aec import CardGameEnv
from card_envs.games import get_game

# Dict observations with a mask are PettingZoo's own advice; its test warns of them unless it knows the environment's
# name.
_EXPECTED = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Action mask numpy array is all zeros",  # of players whose game is over
)


def check_pettingzoo(game: str, **options: Any) -> None:
    """`api_test`, `seed_test` and `render_test`, whose warnings count as failures."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's tests import PettingZoo the old way
        from pettingzoo.test import api_test, render_test, seed_test

    def make(**more: Any) -> CardGameEnv:
        return CardGameEnv(get_game(game), **options, **more)

    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        for message in _EXPECTED:
            warnings.filterwarnings("ignore", message)
        api_test(make(), num_cycles=200)
        seed_test(make, num_cycles=100)
        render_test(make)
