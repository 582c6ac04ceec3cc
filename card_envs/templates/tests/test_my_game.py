"""Every check that a card game must pass, and a second opinion about its rules."""

from __future__ import annotations

from typing import Any

import pytest

from card_envs.testing import check_game, check_referee

from .referee import Referee


def test_every_check_passes() -> None:
    """Cards, observations, secrets, clones, batches, threads, illegal actions, PettingZoo; with all options."""
    check_game("my_game")


@pytest.mark.parametrize("options", [{"players": 2}, {"players": 3}, {"players": 4}, {"throws": 0}, {"throws": 7}])
def test_the_referee_agrees(options: dict[str, Any]) -> None:
    """Random games come out alike, position by position."""
    assert check_referee("my_game", Referee, range(200), **options) > 200
