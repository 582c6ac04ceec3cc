"""What must hold for every registered game, every number of players and every option."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import card_envs
from card_envs.testing import PROPERTIES, check_golden, check_pettingzoo, check_referee, every_option
from tests.support.registered import GAMES

ROOT = Path(__file__).parents[2]
TABLES = [(game, options) for game in GAMES for options in every_option(game)]


def name(value: Any) -> str | None:
    if isinstance(value, dict):
        return "-".join(f"{option}={str(chosen)[:20]}" for option, chosen in value.items())
    return getattr(value, "__name__", None)


@pytest.mark.parametrize(("game", "options"), TABLES, ids=name)
@pytest.mark.parametrize("check", PROPERTIES, ids=name)
def test_property(check: Callable[..., None], game: str, options: dict[str, Any]) -> None:
    check(game, **options)


@pytest.mark.parametrize(("game", "options"), TABLES, ids=name)
def test_pettingzoo_conformance(game: str, options: dict[str, Any]) -> None:
    check_pettingzoo(game, **options)


@pytest.mark.parametrize(
    ("game", "options"),
    [(game, options) for game, options in TABLES if not {"reward", "illegal_action"} & options.keys()],
    ids=name,
)
def test_an_independent_referee_agrees_on_a_thousand_games(game: str, options: dict[str, Any]) -> None:
    referee = importlib.import_module(f"tests.referees.{game}").Referee
    assert check_referee(game, referee, range(1000), **options) > 1000


@pytest.mark.parametrize("game", GAMES)
def test_the_golden_playthrough_is_still_true(game: str) -> None:
    check_golden(game, ROOT / "tests" / "golden" / f"{game}.txt")


@pytest.mark.parametrize("game", GAMES)
def test_nothing_that_a_game_needs_is_missing(game: str) -> None:
    rules = card_envs.get_game(game)
    needed = [
        *(ROOT / f"card_envs/games/{game}/{part}.py" for part in ("state", "rules", "observation", "view")),
        ROOT / f"docs/games/{game}.md",
        ROOT / f"tests/golden/{game}.txt",
        ROOT / f"tests/referees/{game}.py",
    ]
    if rules.has_drawing:
        needed.append(ROOT / f"docs/pictures/{game}.svg")
    if rules.champion is not None:
        needed.append(rules.champion)
    missing = [str(path) for path in needed if not path.exists()]
    assert not missing, f"{rules.title} lacks {', '.join(missing)}; see docs/add-a-game.md"


def test_no_game_folder_is_left_unregistered() -> None:
    folders = {path.parent.name for path in (ROOT / "card_envs" / "games").glob("*/rules.py")}
    assert folders == set(GAMES)
