"""What must hold for every registered game, every number of players and every option."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import card_envs
from card_envs.testing import (
    PROPERTIES,
    check_batch_plays_like_aec,
    check_clone,
    check_golden,
    check_parallel_plays_like_aec,
    check_pettingzoo,
    check_rendering,
    every_table,
)
from tests.support.registered import GAMES

ROOT = Path(__file__).parents[2]
# Rewards and illegal actions never reach the rules: they have checks of their own among the properties.
TABLES = [(game, options) for game in GAMES for options in every_table(game)]
UNUSUAL = {"reward": "margin", "illegal_action": "lose"}


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


@pytest.mark.parametrize("game", GAMES)
def test_rendering_of_the_largest_table(game: str) -> None:
    """Pictures of all others are in tests/unit/test_drawing.py."""
    check_rendering(game, players=card_envs.get_game(game).players[-1])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "check", [check_batch_plays_like_aec, check_parallel_plays_like_aec, check_clone, check_pettingzoo], ids=name
)
def test_adapters_hand_on_unusual_rewards_and_forgiveness(check: Callable[..., None], game: str) -> None:
    check(game, **UNUSUAL)


@pytest.mark.parametrize("game", GAMES)
def test_the_golden_playthrough_is_still_true(game: str) -> None:
    check_golden(game, ROOT / "tests" / "golden" / f"{game}.txt")


@pytest.mark.parametrize("game", GAMES)
def test_nothing_that_a_game_needs_is_missing(game: str) -> None:
    rules = card_envs.get_game(game)
    needed = [
        *(ROOT / f"card_envs/games/{game}/{part}.py" for part in ("state", "rules", "observation", "view", "bounds")),
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
