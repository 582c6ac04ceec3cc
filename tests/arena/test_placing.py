"""Where a person stands on a tournament's scale: near the truth, with intervals that hold what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from card_envs.arena.placing import Comparison, place, share_interval


def games(rng: np.random.Generator, true: float, opponents: list[float], number: int) -> list[Comparison]:
    """Games of somebody of a known strength: Plackett-Luce, as ratings understand it."""
    played = []
    for _ in range(number):
        luck = rng.gumbel(size=len(opponents) + 1)
        own = true * math.log(10) / 400 + luck[0]
        for rating, theirs in zip(opponents, luck[1:], strict=True):
            ahead = own > rating * math.log(10) / 400 + theirs
            played.append(Comparison(rating, float(ahead), len(opponents)))
    return played


@pytest.mark.parametrize(("opponents", "number"), [([500.0], 12), ([300.0, 700.0], 20), ([0.0, 400.0, 900.0], 8)])
def test_the_truth_lies_in_the_interval_as_often_as_promised(opponents: list[float], number: int) -> None:
    rng, inside = np.random.default_rng(4), []
    for _ in range(80):
        figure = place(games(rng, 550.0, opponents, number))
        assert figure.low <= figure.value <= figure.high
        inside.append(figure.low <= 550 <= figure.high)
    assert np.mean(inside) >= 0.92


def test_more_games_tell_more_and_the_value_comes_near() -> None:
    rng = np.random.default_rng(1)
    few, many = place(games(rng, 600.0, [500.0], 10)), place(games(rng, 600.0, [500.0], 1000))
    assert many.high - many.low < (few.high - few.low) / 4
    assert many.value == pytest.approx(600, abs=40)


def test_who_wins_always_is_rated_above_and_finite() -> None:
    figure = place([Comparison(500.0, 1.0, 1)] * 5)
    assert 500 < figure.value < figure.high < 3000
    assert figure.low > 400
    assert all(map(math.isnan, place([])))
    assert place([Comparison(500.0, 0.5, 1)] * 4).value == pytest.approx(500, abs=1e-6)


def test_a_share_of_few_games_has_a_wide_interval() -> None:
    assert share_interval(0, 3).high > 0.5
    low, high = share_interval(50, 100)[1:]
    assert (low, high) == (pytest.approx(0.404, abs=0.001), pytest.approx(0.596, abs=0.001))
    assert all(map(math.isnan, share_interval(0, 0)))
