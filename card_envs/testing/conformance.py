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
from numpy.typing import NDArray

from card_envs.envs.aec import CardGameEnv
from card_envs.envs.parallel import ParallelGameEnv
from card_envs.games import get_game

# Dict observations with a mask are PettingZoo's own advice; its test warns of them unless it knows the environment.
_EXPECTED = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Action mask numpy array is all zeros",  # of players whose game is over
)


def check_pettingzoo(game: str, **options: Any) -> None:
    """`api_test`, `seed_test` and the Parallel tests, with the mask in either place.

    Their warnings count as failures. They consist of assert statements, so under `python -O` they find nothing, and
    a warning says so.
    """
    tests = _pettingzoos_tests()

    def make(**more: Any) -> CardGameEnv:
        return CardGameEnv(get_game(game), **options, **more)

    def make_parallel(**more: Any) -> ParallelGameEnv:
        return ParallelGameEnv(get_game(game), **{**options, **more})

    with _warnings_as_errors():
        tests.api_test(make(), num_cycles=200)
        tests.api_test(make(action_mask="info"), num_cycles=50)
        tests.seed_test(make, num_cycles=100)
        tests.parallel_api_test(make_parallel(), num_cycles=100)
        # These look at no mask, or for none in the infos, so illegal choices must be allowed for.
        tests.parallel_api_test(make_parallel(action_mask="info", illegal_action="lose"), num_cycles=50)
        tests.parallel_seed_test(lambda: make_parallel(illegal_action="lose"), num_cycles=50)
        if get_game(game).simultaneous:  # it counts steps of all, in which nobody waits for a turn
            tests.max_cycles_test(_peaceful(game, options))


def check_rendering(game: str, **options: Any) -> None:
    """PettingZoo's `render_test`: every way of rendering, which takes seconds because many pictures are made."""
    tests = _pettingzoos_tests()
    with _warnings_as_errors(), _windows_unseen():
        tests.render_test(lambda **more: CardGameEnv(get_game(game), **options, **more))


def _pettingzoos_tests() -> Any:
    if not __debug__:
        warnings.warn("python -O leaves out what PettingZoo's own tests assert; run them without -O", stacklevel=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's tests import PettingZoo the old way
        import pettingzoo.test
    return pettingzoo.test


@contextlib.contextmanager
def _warnings_as_errors() -> Iterator[None]:
    """All warnings but those that are expected; and nothing is printed."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("error")
        for message in _EXPECTED:
            warnings.filterwarnings("ignore", message)
        yield


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

    def __init__(self, seat: int, mask: NDArray[np.int8]) -> None:
        super().__init__(len(mask))
        self._seat, self._legal = seat, np.flatnonzero(mask)

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """What the test calls without a mask."""
        return np.int64(self._legal[self._seat % len(self._legal)])


def _peaceful(game: str, options: dict[str, Any]) -> SimpleNamespace:
    """The game's module with players who choose differently, as far as they can.

    `max_cycles_test` samples without a mask and counts turns, and choosing the same may give players an extra one.
    """

    class Turns(CardGameEnv):
        def action_space(self, agent: str) -> spaces.Discrete:
            return _Differing(self.possible_agents.index(agent), self.observe(agent)["action_mask"])

    class AtOnce(ParallelGameEnv):
        def action_space(self, agent: str) -> spaces.Discrete:
            return _Differing(self.possible_agents.index(agent), self.masks()[agent])

    rules = get_game(game)
    return SimpleNamespace(
        env=lambda **more: Turns(rules, **options, **more),
        parallel_env=lambda **more: AtOnce(rules, **options, **more),
    )
