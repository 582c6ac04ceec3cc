"""What several test files need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from card_envs import games


@pytest.fixture
def tiny_game() -> Iterator[str]:
    """A game from outside the package, registered for one test only."""
    games.register_game("tiny_game", "tests.tiny_game")
    yield "tiny_game"
    del games._PACKAGES["tiny_game"]


@pytest.fixture
def small_games() -> Iterator[str]:
    """Games whose best policies are known, registered for one test only."""
    games.register_game("small_games", "tests.small_games")
    yield "small_games"
    del games._PACKAGES["small_games"]
