"""What several test files need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from card_envs import games

os.environ["SDL_VIDEODRIVER"] = "dummy"  # windows that nobody sees


@pytest.fixture
def tiny_game() -> Iterator[str]:
    """A game from outside the package, registered for one test only."""
    game = games.register_game("tests.support.tiny_game")
    yield game.name
    games.unregister_game(game)


@pytest.fixture
def small_games() -> Iterator[str]:
    """Games whose best policies are known, registered for one test only."""
    game = games.register_game("tests.support.small_games")
    yield game.name
    games.unregister_game(game)


@pytest.fixture
def client() -> Iterator[Any]:
    """The web application, asked without a network."""
    from starlette.testclient import TestClient

    from card_envs.web.app import make_app
    from tests.support.web_server import GENEROUS, LOCAL

    with TestClient(make_app(limits=GENEROUS), base_url=LOCAL) as client:
        yield client


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small tournament."""
    from card_envs.arena.tournament import Tournament

    folder = tmp_path_factory.mktemp("runs")
    with Tournament("zum_kuhkuck", agents=["bot", "random"], games=20, seed=3, out=folder / "cup") as cup:
        cup.run()
    return folder


@pytest.fixture(scope="module")
def address(runs: Path) -> Iterator[str]:
    """Where a real web server can be reached."""
    from tests.support.web_server import serving

    with serving(runs=[runs]) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium. Only for as long as a file's tests: other tests cannot start an event loop of their own meanwhile."""
    from playwright.sync_api import sync_playwright

    from tests.support.web_browser import CHROMIUM, FLAGS

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
