"""PettingZoo's own tests, on one game with one set of options."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from gymnasium import spaces

from card_envs.envs.aec import CardGameEnv
from card_envs.envs.parallel import SimultaneousEnv
from card_envs.games import get_game

# Dict observations with a mask are PettingZoo's own advice; its test warns of them unless it knows the environment.
_EXPECTED = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Action mask numpy array is all zeros",  # of players whose game is over
)


def check_pettingzoo(game: str, **options: Any) -> None:
    """`api_test`, `seed_test` and `render_test`, and the Parallel tests where choices are simultaneous.

    Their warnings count as failures.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's tests import PettingZoo the old way
        from pettingzoo.test import (
            api_test,
            max_cycles_test,
            parallel_api_test,
            parallel_seed_test,
            render_test,
            seed_test,
        )

    def make(**more: Any) -> CardGameEnv:
        return CardGameEnv(get_game(game), **options, **more)

    def make_parallel(**more: Any) -> SimultaneousEnv:
        return SimultaneousEnv(get_game(game), **{**options, **more})

    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        for message in _EXPECTED:
            warnings.filterwarnings("ignore", message)
        api_test(make(), num_cycles=200)
        seed_test(make, num_cycles=100)
        with _windows_unseen():
            render_test(make)
        if get_game(game).simultaneous:
            parallel_api_test(make_parallel(), num_cycles=100)
            # It chooses without looking at the mask, so illegal choices must be allowed for.
            parallel_seed_test(lambda: make_parallel(illegal_action="lose"), num_cycles=50)
            max_cycles_test(_peaceful(game, options))


@contextlib.contextmanager
def _windows_unseen() -> Iterator[None]:
    """Let windows be drawn in memory, so that the tests of rendering run where there is no screen."""
    before = os.environ.get("SDL_VIDEODRIVER")
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    try:
        yield
    finally:
        os.environ.pop("SDL_VIDEODRIVER")
        if before is not None:
            os.environ["SDL_VIDEODRIVER"] = before


class _Differing(spaces.Discrete):
    """Samples a legal action that no other player chooses: the n-th of them on seat n."""

    def __init__(self, env: Any, agent: str) -> None:
        super().__init__(len(env.game.actions))
        self._env, self._agent = env, agent

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """What the test calls without a mask."""
        seat = self._env.possible_agents.index(self._agent)
        legal = np.flatnonzero(self._env.observe_seat(seat)["action_mask"])
        return np.int64(legal[seat % len(legal)])


def _peaceful(game: str, options: dict[str, Any]) -> SimpleNamespace:
    """The game's module with players who choose differently, as far as they can.

    `max_cycles_test` samples without a mask and counts turns, and choosing the same may give players an extra one.
    """

    class Turns(CardGameEnv):
        def action_space(self, agent: str) -> spaces.Discrete:
            return _Differing(self, agent)

    class AtOnce(SimultaneousEnv):
        def action_space(self, agent: str) -> spaces.Discrete:
            return _Differing(self, agent)

    rules = get_game(game)
    return SimpleNamespace(
        env=lambda **more: Turns(rules, **options, **more),
        parallel_env=lambda **more: AtOnce(rules, **options, **more),
    )
