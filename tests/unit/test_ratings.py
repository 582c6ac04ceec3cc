"""Ratings: right where the answer is known, and honest about how sure they are."""

from __future__ import annotations

from itertools import combinations

import choix
import numpy as np
import pytest

from card_envs.arena import Tournament, tally
from card_envs.arena.ratings import ELO, rate, rate_many
from tests.support.tournaments import play_by_strength

STRENGTHS = np.array([0.0, 0.3, 0.6, 1.0, 1.6])  # natural logarithms of odds; the first is `random`
AGENTS = ["random", "bot", "bot", "bot", "bot"]


def test_ten_times_the_odds_are_400_points() -> None:
    one, other = rate(np.array([[0, 100_000.0], [10_000.0, 0]]))
    assert one - other == pytest.approx(400, abs=0.1)


def test_comparisons_as_the_model_expects_them_give_back_the_strengths() -> None:
    odds = np.exp(STRENGTHS)
    expected = 1e6 * odds[:, None] / (odds[:, None] + odds)
    np.fill_diagonal(expected, 0)
    assert rate(expected) == pytest.approx((STRENGTHS - STRENGTHS.mean()) * ELO, abs=0.01)


def test_whole_rankings_of_the_library_itself_give_the_same_ratings() -> None:
    """Plackett-Luce by choix, from the rankings; ours, from who was ahead of whom."""
    rng = np.random.default_rng(1)
    rankings = (-STRENGTHS - rng.gumbel(size=(4000, 5))).argsort(axis=1)
    whole = choix.ilsr_rankings(5, rankings.tolist())
    ahead = np.zeros((5, 5))
    for better, worse in combinations(range(5), 2):
        np.add.at(ahead, (rankings[:, better], rankings[:, worse]), 1)
    assert rate(ahead) == pytest.approx((whole - whole.mean()) * ELO, abs=6)


def test_an_agent_that_never_loses_has_a_finite_rating() -> None:
    ratings = rate(np.array([[0, 1000.0], [0, 0]]))
    assert 800 < ratings[0] - ratings[1] < 2000


def test_ratings_of_draws_are_as_exact_as_their_intervals_need() -> None:
    ahead = np.random.default_rng(0).random((20, 6, 6)) * 500
    start = rate(ahead.mean(axis=0))
    assert rate_many(ahead, start) == pytest.approx(np.array([rate(one) for one in ahead]), abs=0.1)


@pytest.mark.slow
def test_intervals_cover_the_truth_in_about_95_of_100_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "MOST_DRAWS", 200)
    tournaments = 40
    share = np.zeros(5)
    for line_up in combinations(range(5), 3):
        odds = np.exp(STRENGTHS[list(line_up)])
        share[list(line_up)] += odds / odds.sum() / 6
    covered = np.zeros((2, 5))
    for seed in range(tournaments):
        with Tournament("king_lui", players=3, agents=AGENTS, games=1500, seed=seed) as tournament:
            play_by_strength(tournament, STRENGTHS, seed)
            for row in tournament.standings().rows:
                truth = (STRENGTHS[row.number] - STRENGTHS[0]) * ELO
                covered[0, row.number] += row.rating.low <= truth <= row.rating.high
                covered[1, row.number] += row.win_share.low <= share[row.number] <= row.win_share.high
    assert covered[0, 0] == tournaments, "random is 0 by definition"
    ratings, shares = covered[0, 1:].mean() / tournaments, covered[1].mean() / tournaments
    assert 0.91 <= ratings <= 0.985
    assert 0.91 <= shares <= 0.985


def test_rotations_of_a_deal_do_not_count_as_if_they_were_independent() -> None:
    """With luck that belongs to the seat, four rotations tell less (or more) than four deals; a bootstrap over games
    would not notice. Here every deal is decided by its seat alone: each agent wins one rotation, and nothing varies.
    """
    with Tournament("king_lui", players=4, agents=["random"] * 4, games=400, seed=1) as tournament:
        standings = tournament.run()
    for row in standings.rows:
        assert row.win_share == pytest.approx((0.25, 0.25, 0.25))
        assert row.rating == pytest.approx((0, 0, 0), abs=1e-6)
        assert row.points.high - row.points.low > 0.5, "how many points a deal has does vary"
