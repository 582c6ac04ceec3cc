"""What several test files need."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from card_envs import games

os.environ["SDL_VIDEODRIVER"] = "dummy"  # windows that nobody sees


@pytest.fixture
def tiny_game() -> Iterator[str]:
    """A game from outside the package, registered for one test only."""
    games.register_game("tiny_game", "tests.tiny_game")
    yield "tiny_game"
    del games._PACKAGES["tiny_game"]
