"""What several test files need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from card_envs import games
from tests.support.compiling import compile_all
from tests.support.counting import count_only_here
from tests.support.web_browser_wanted import NO_BROWSER

os.environ["SDL_VIDEODRIVER"] = "dummy"  # windows that nobody sees
TESTS = Path(__file__).parent


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before workers start, fill an empty cache once, all games at a time, or each worker compiles for itself."""
    cache = os.environ.get("CARD_ENVS_CACHE")
    shared = getattr(session.config.option, "numprocesses", None)  # of the process that starts the workers
    if cache and shared and not any(Path(cache).glob("*")):
        compile_all()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """By now, whoever counts lines has begun to; first, because the loop of xdist's workers is the last to be asked."""
    count_only_here()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each folder is a layer, and a marker of its name; what takes long begins first."""
    for item in items:
        item.add_marker(item.path.relative_to(TESTS).parts[0])
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_unconfigure(config: pytest.Config) -> None:
    """The very last line: how many tests were left out for want of a browser, and why."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    reasons = [str(report.longrepr[2]) for report in reporter.stats.get("skipped", []) if len(report.longrepr) == 3]
    left_out = [reason for reason in reasons if NO_BROWSER in reason]
    if left_out:
        reporter.write_line(f"{len(left_out)} tests of the web page were skipped: {left_out[0].split(': ', 1)[1]}")


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


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """The web application, asked without a network; one for all tests of a file, which open tables of their own."""
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
def games_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server of `address` keeps its games."""
    return tmp_path_factory.mktemp("web") / "web.sqlite"


@pytest.fixture(scope="module")
def address(runs: Path, games_file: Path) -> Iterator[str]:
    """Where a real web server can be reached."""
    from tests.support.web_server import serving

    with serving(runs=[runs], state=games_file) as address:
        yield address


@pytest.fixture(scope="module")
def tables(address: str, games_file: Path) -> Iterator[Any]:
    """Tables of that server at which most of a game has been played."""
    from tests.support.web_tables import Tables

    tables = Tables(games_file)
    yield tables
    tables.records.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium. Only for as long as a file's tests: other tests cannot start an event loop of their own meanwhile."""
    from playwright.sync_api import sync_playwright

    from tests.support.web_browser import CHROMIUM, FLAGS

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
