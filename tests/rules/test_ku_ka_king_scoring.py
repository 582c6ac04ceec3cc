"""Ku-Ka-King by the book: when and how it is scored, decks, and what a seat observes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.errors import OptionError
from card_envs.games.ku_ka_king.state import ANIMALS, CARD_TYPES, CATEGORIES
from tests.support.ku_ka_king_positions import RED_CROSS, Cards, counts, end, has, lay_out, position, second
from tests.support.positions import Position


@pytest.mark.parametrize(("before", "scored"), [(9, False), (10, True)])
def test_the_first_scoring_comes_when_someone_has_13_cards(before: int, scored: bool) -> None:
    game = position(players=2, collections=[{}, {"knight": before}], rows=[["pig"] * 3] * 6)
    view = game.play("row 1", "row 2").view()
    assert view["scored"] is scored
    assert view["first_scoring"][1]["knights"] == (2 * before if scored else 0)


def test_the_first_scoring_waits_until_the_round_is_complete() -> None:
    game = position(collections=[{"knight": 12}, {}, {}]).play("row 1", "row 2", "row 2")
    assert sum(game.view()["collections"][0].values()) == 15
    assert not game.view()["scored"]
    assert game.play("row 3", "row 4").view()["scored"]


def test_a_round_in_which_some_get_nothing_counts_as_complete() -> None:
    game = position(rows=[["king"] * 3, ["pig"]], collections=[{"knight": 10}, {}, {}])
    view = game.play("row 1", "row 2", "row 2").view()
    assert view["scored"]
    assert view["first_scoring"][0] == {**dict.fromkeys(CATEGORIES, 0), "kings": 4, "knights": 20}


def test_scoring_comes_before_the_refill_so_that_its_cards_are_in_the_box() -> None:
    rows = [["pig"] * 3] * 6
    game = position(players=2, rows=rows, collections=[{"church": 10}, {}], unseen={"cow": 1}, box={}, pile=1)
    view = game.play("row 1", "row 2").view()
    assert view["rows"][0] == ["cow", "church", "church"]
    assert view["rows"][1] == ["church"] * 3
    assert view["box"] == has({"church": 5})


def test_after_the_first_scoring_cards_with_a_red_cross_go_to_the_box_and_the_others_stay() -> None:
    one_of_each = dict.fromkeys(CARD_TYPES, 1)
    game = position(players=2, rows=[["king"] * 3] * 6, collections=[one_of_each, {"church": 1, "horse": 2}], box={})
    view = game.play("row 1", "row 2").view()
    kept = {kind: 1 for kind in CARD_TYPES if kind not in RED_CROSS}
    assert view["collections"] == [has({**kept, "king": 4}), has({"king": 3, "horse": 2})]
    assert view["box"] == has({**dict.fromkeys(RED_CROSS, 1), "church": 2})


def test_cards_that_were_kept_score_again_and_both_scorings_count() -> None:
    game = position(players=2, rows=[["cow"] * 3] * 6, collections=[{"king": 4, "victory 4": 6}, {}])
    game.play("row 1", "row 2").set(**lay_out([["pig"], ["pig"]]), last_round=1).play("row 1", "row 1")
    result = game.result[0]
    assert result["first_scoring"] == {**dict.fromkeys(CATEGORIES, 0), "kings": 9, "victory points": 24, "animals": 6}
    assert result["second_scoring"] == {**dict.fromkeys(CATEGORIES, 0), "kings": 9, "animals": 6}
    assert [player["points"] for player in game.result] == [54, 12]


def test_the_first_scoring_comes_only_once() -> None:
    game = position(players=2, rows=[["cow"] * 3] * 6, collections=[{"knight": 12}, {"church": 9}], scored=1)
    view = game.play("row 1", "row 2").view()
    assert view["first_scoring"] == [dict.fromkeys(CATEGORIES, 0)] * 2
    assert view["collections"][1]["church"] == 9


def test_if_the_pile_runs_out_before_anybody_has_13_cards_there_is_one_scoring_only() -> None:
    game = position(players=2, rows=[["cow"] * 3] * 6, collections=[{"church": 12}, {}], last_round=1, pile=0)
    result = game.play("row 1", "row 2").result
    assert not game.view()["scored"]
    assert result[0]["first_scoring"] == dict.fromkeys(CATEGORIES, 0)
    assert (result[0]["second_scoring"]["churches"], result[0]["points"]) == (10, 16)


# How it is scored


@pytest.mark.parametrize(
    ("kings", "points"), [(0, 0), (1, 0), (2, 1), (3, 4), (4, 9), (5, 16), (6, 25), (7, 36), (8, 36), (10, 36)]
)
def test_kings_score_more_and_more_up_to_36(kings: int, points: int) -> None:
    assert second(end({"king": kings}), "kings") == [points, 0]


def test_tim_and_sarah_with_two_churches_each_both_get_10_and_linus_with_one_nothing() -> None:
    assert second(end({"church": 2}, {"church": 2}, {"church": 1}), "churches") == [10, 10, 0]


def test_nobody_scores_for_churches_if_nobody_has_one() -> None:
    assert second(end({"king": 1}, {}, {}, {}), "churches") == [0, 0, 0, 0]


def test_two_fours_and_a_three_are_11_victory_points() -> None:
    assert second(end({"victory 4": 2, "victory 3": 1}, {"victory 2": 3}), "victory points") == [11, 6]


def test_three_two_and_five_knights_score_three_two_and_ten() -> None:
    assert second(end({"knight": 3}, {"knight": 2}, {"knight": 5}), "knights") == [3, 2, 10]


def test_all_who_share_the_most_knights_get_two_for_each() -> None:
    assert second(end({"knight": 3}, {"knight": 1}, {"knight": 3}), "knights") == [6, 1, 6]


def test_four_sheep_two_horses_and_a_pig_score_14() -> None:
    assert second(end({"sheep": 4, "horse": 2, "pig": 1}), "animals") == [14, 0]


@pytest.mark.parametrize("animal", ANIMALS)
def test_each_kind_of_animal_scores_by_itself(animal: str) -> None:
    assert [second(end({animal: animals}), "animals")[0] for animals in range(6)] == [0, 1, 3, 6, 10, 15]


def test_two_pairs_with_one_house_and_a_single_farmer_score_21() -> None:
    assert second(end({"farmer": 3, "farmer's wife": 2, "farmhouse": 1}), "farm") == [21, 0]


@pytest.mark.parametrize(
    ("farmers", "wives", "houses", "points"), [(3, 0, 3, 0), (0, 2, 1, 0), (1, 1, 0, 7), (1, 1, 3, 14), (2, 2, 2, 28)]
)
def test_a_farm_needs_farmer_and_wife(farmers: int, wives: int, houses: int, points: int) -> None:
    assert second(end({"farmer": farmers, "farmer's wife": wives, "farmhouse": houses}), "farm") == [points, 0]


def test_most_points_over_both_scorings_win() -> None:
    first = [[0, 0, 0, 0, 0, 8], [0] * 6, [0] * 6, [0] * 6]
    game = end({"king": 3}, {"king": 4}, {}, first_scoring=first, scored=1)
    assert [player["points"] for player in game.result] == [12, 9, 0]
    assert [player["rank"] for player in game.result] == [1, 2, 3]
    assert game.batch.rewards[0].tolist() == [1, -0.5, -0.5]


def test_equal_points_share_the_win() -> None:
    game = end({"king": 2}, {"sheep": 1}, {}, {})
    assert [player["points"] for player in game.result] == [1, 1, 0, 0]
    assert [player["rank"] for player in game.result] == [1, 1, 3, 3]
    assert game.batch.rewards[0] == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])


# What a seat knows


def test_the_observation_shows_the_outermost_card_first() -> None:
    game = position(players=2, rows=[["pig", "cow", "king"], ["goat"], [], [], [], ["sheep", "horse"]])
    rows = game.game.layout.read(game.batch.observation[0])["rows"]
    shown = [[CARD_TYPES[slot.argmax()] if slot.any() else None for slot in row] for row in rows]
    assert shown[0] == ["king", "cow", "pig"]
    assert shown[1] == ["goat", None, None]
    assert shown[5] == ["horse", "sheep", None]
    assert rows.sum() == 6


def test_the_observation_tells_what_the_cards_would_score_now_own_cards_first() -> None:
    game = position(players=3, collections=[{"king": 4}, {"knight": 2}, {"knight": 1, "sheep": 3}]).set(seat=1)
    seen = game.game.layout.read(game.batch.observation[0])
    points = [dict(zip(CATEGORIES, seat.round().astype(int), strict=True)) for seat in seen["standing"]]
    nothing = dict.fromkeys(CATEGORIES, 0)
    assert points[0] == {**nothing, "knights": 4}
    assert points[1] == {**nothing, "knights": 1, "animals": 6}
    assert points[2] == {**nothing, "kings": 9}
    assert points[3] == nothing, "there is no fourth player"
    assert seen["cards"].round().tolist() == [2, 4, 4, 0]


WORTHS = ("worth", "lasting", "after_clash", "costs_others")


def worths(game: Position) -> dict[str, Any]:
    """What the observation of the seat to act says of rows, by seat and row."""
    seen = game.game.layout.read(game.batch.observation[0])
    return {name: seen[name].round().astype(int).tolist() for name in WORTHS}


def test_the_observation_tells_what_each_row_would_bring_each_seat() -> None:
    mine: Cards = {"king": 3, "farmer": 1, "farmhouse": 1, "sheep": 2, "church": 1}
    rows = [["king", "sheep"], ["farmer's wife", "church", "knight"], ["victory 4"], [], ["farmer"], ["pig", "pig"]]
    told = worths(position(players=2, rows=rows, collections=[mine, {"church": 1, "knight": 2}]))
    assert told["worth"][0] == [(9 - 4) + 3, 14 + 0 + 1, 4, 0, 0, 3, 0, 0], "a second church brings one nothing more"
    assert told["worth"][1] == [0 + 1, 0 + 0 + 2, 4, 0, 0, 3, 0, 0], "another knight brings two to who has the most"
    assert told["lasting"][0] == [(9 - 4) + 3, 1, 0, 0, 0, 3, 0, 0], "farms, churches and victory points go"
    assert told["after_clash"][0] == [9 - 4, 14 + 0, 0, 0, 0, 1, 0, 0], "the outermost card is the last one"
    assert told["costs_others"][0] == [0, 10, 0, 0, 0, 0, 0, 0], "the other has as many churches as oneself, until then"
    assert told["costs_others"][1] == [0, 10, 0, 0, 0, 0, 0, 0]
    for name, seats in told.items():
        assert not np.any(seats[2:]), f"{name}: nobody else is there"


def test_cards_of_one_row_count_together() -> None:
    """Couples, houses and what is alike within the row; and what a row takes from several others."""
    rows = [["farmer", "farmer's wife", "farmhouse"], ["king", "king", "king"], ["church", "church", "knight"]]
    told = worths(position(players=3, rows=rows, collections=[{}, {"church": 1, "knight": 1}, {"church": 1}]))
    assert told["worth"][0][:3] == [14, 4, 10 + 2]
    assert told["after_clash"][0][:3] == [7, 1, 10]
    assert told["costs_others"][0][:3] == [0, 0, 10 + 10], "a knight as well as the other's costs nobody anything"
    assert told["costs_others"][1][:3] == [0, 0, 10]


@pytest.mark.parametrize("seed", range(40))
def test_a_row_is_worth_what_scoring_makes_of_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    hands = [dict(zip(CARD_TYPES, map(int, rng.integers(0, 3, len(CARD_TYPES))), strict=True)) for _ in range(3)]
    row = [CARD_TYPES[kind] for kind in rng.integers(0, len(CARD_TYPES), 3)]
    row[rng.integers(3)] = ["church", "knight", "farmer", "king"][seed % 4]
    told = worths(position(players=3, rows=[row], collections=hands))

    def scored(more: list[str]) -> Any:
        richest = {kind: hands[0][kind] + more.count(kind) for kind in CARD_TYPES}
        game = position(players=3, collections=[richest, *hands[1:]])
        return game.game.layout.read(game.batch.observation[0])["standing"].round().astype(int)

    change = scored(row) - scored([])
    assert told["worth"][0][0] == change[0].sum()
    assert told["costs_others"][0][0] == -change[1:].sum()
    assert told["after_clash"][0][0] == (scored(row[:2]) - scored([]))[0].sum()
    lasting = [CATEGORIES.index(name) for name in ("kings", "knights", "animals")]
    assert told["lasting"][0][0] == change[0, lasting].sum()


def test_redrawing_what_is_hidden_gives_the_others_any_row_that_can_be_chosen() -> None:
    batch = card_envs.make_batch("ku_ka_king", 3000, players=4, seed=1)
    batch.states["lengths"][:, 2] = 0
    for row in (4, 0, 7):
        batch.step(np.full(3000, row))
    before = batch.observation.copy()
    batch.redraw_hidden(1, seed=5)
    choices = batch.states["choices"]
    assert (choices[:, 1] == 1).all(), "a seat knows its own choice"
    assert (choices[:, 3] == 0).all(), "who has not chosen yet has not chosen yet"
    for seat in (0, 2):
        shares = np.bincount(choices[:, seat], minlength=9) / 3000
        assert shares[[0, 3]].tolist() == [0, 0]
        assert all(0.11 < shares[row] < 0.18 for row in (1, 2, 4, 5, 6, 7, 8))
    assert abs((choices[:, 0] == choices[:, 2]).mean() - 1 / 7) < 0.03, "each seat for itself"
    assert np.array_equal(batch.observation, before)


# Options


def test_a_deck_can_be_given_by_name_or_in_order_and_is_the_same_either_way() -> None:
    deck = {"king": 100, "rabbit": 12}
    games = [Position("ku_ka_king", seed=3, deck=given) for given in (deck, counts(deck), tuple(counts(deck)))]
    assert len({game.batch.options for game in games}) == 1
    assert all(game.game.all_cards(game.state) == has(deck) for game in games)
    assert eval(repr(games[0].batch), {"make_batch": card_envs.make_batch}).options == games[0].batch.options


def test_a_game_without_clashes_shows_that_12_rounds_and_36_cards_are_the_most() -> None:
    game = Position("ku_ka_king", players=2, deck={"king": 112})
    rounds = {}
    while game.to_act is not None:
        rounds[game.view()["round"]] = game.view()["scored"]
        assert game.batch.observation.max() <= 1
        last = game.play("row 1").batch.observation[0].copy()
        game.play("row 2")
    assert list(rounds) == list(range(1, 13))
    assert list(rounds.values()) == [False] * 5 + [True] * 7, "first scoring after the fifth round"
    assert [sum(cards.values()) for cards in game.view()["collections"]] == [36, 36]
    seen = game.game.layout.read(last)
    assert seen["round"] == 12
    assert seen["last_round"] == 1
    assert seen["collections"][0, 0] == 12, "more cards of a type look like 12"


@pytest.mark.parametrize(
    "deck", [{"sheep": 112}, {"victory 4": 112}, {"farmer": 38, "farmer's wife": 37, "farmhouse": 37}]
)
def test_observations_stay_within_bounds_whatever_the_deck(deck: Cards) -> None:
    game = Position("ku_ka_king", players=2, deck=deck)
    while game.to_act is not None:
        assert game.batch.observation.min() >= 0
        assert game.batch.observation.max() <= 1
        game.play("row 1" if game.to_act == 0 else "row 2")
    assert max(player["points"] for player in game.result) > 120


@pytest.mark.parametrize("players", [1, 5, 0, -1, 2.0, "4", True])
def test_only_two_to_four_can_play(players: object) -> None:
    with pytest.raises(OptionError, match="players of Ku-Ka-King must be a whole number from 2 to 4"):
        card_envs.make_batch("ku_ka_king", 1, players=players)


@pytest.mark.parametrize(
    ("deck", "complaint"),
    [
        ({"king": 111}, "must have 112 cards in all, not 111"),
        ({"king": 60, "knight": 60}, "must have 112 cards in all, not 120"),
        ({}, "must have 112 cards in all, not 0"),
        ({"kings": 112}, "has no cards 'kings': it has king, knight"),
        ({1: 112}, "has no cards 1: it has king, knight"),
        ({"king": 113}, "number of cards 'king' must be a whole number from 0 to 112, not 113"),
        ({"king": 113, "church": -1}, "must be a whole number from 0 to 112, not"),
        ({"king": 112.0}, "number of cards 'king' must be a whole number from 0 to 112, not 112.0"),
        ([112], "must be numbers of cards by name, or 17 numbers in the order king, knight"),
        ([7] * 16, "must be numbers of cards by name, or 17 numbers"),
        ("seventeen letters", "must be numbers of cards by name, or 17 numbers"),
        (112, "must be numbers of cards by name, or 17 numbers"),
        (None, "must be numbers of cards by name, or 17 numbers"),
    ],
)
def test_an_impossible_deck_is_refused(deck: object, complaint: str) -> None:
    with pytest.raises(OptionError, match=f"^deck of Ku-Ka-King.*{complaint}"):
        card_envs.make_batch("ku_ka_king", 1, deck=deck)
