"""The referees, who have not seen the engine, agree with it in every position of random games."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from card_envs.testing import CheckFailed, check_referee, every_table
from tests.support.registered import GAMES

# Referees are slow: a hundred games of each kind here, a million behind `make soak`. A rule that two understand
# differently is one that happens; of those of the rulebooks that seldom do, each has an example in tests/rules.
GAMES_EACH = 100
TABLES = [(game, options) for game in GAMES for options in every_table(game)]


def referee_of(game: str) -> Any:
    return importlib.import_module(f"tests.referees.{game}").Referee


@pytest.mark.parametrize(("game", "options"), TABLES, ids=lambda value: str(value)[:30])
def test_the_referee_agrees(game: str, options: dict[str, Any]) -> None:
    assert check_referee(game, referee_of(game), range(GAMES_EACH), **options) > GAMES_EACH


def test_a_referee_who_sees_it_otherwise_is_heard() -> None:
    class Generous(referee_of("king_lui")):  # type: ignore[misc]
        def results(self) -> dict[str, Any]:
            told = super().results()
            return {**told, "points": [points + 1 for points in told["points"]]}

    with pytest.raises(CheckFailed, match=r"King Lui, .*, seed 0: .* points, referee: "):
        check_referee("king_lui", Generous, [0], players=3)
