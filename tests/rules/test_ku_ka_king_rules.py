"""Ku-Ka-King by the book: layout, reveals, refills and the last round, with the rulebook's example and every ruling."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs.games.ku_ka_king.state import ACTIONS, ANIMALS, CARD_TYPES, DEFAULT_DECK, WAIT
from tests.support.ku_ka_king_positions import LINUS, SARAH, TIM, has, position, second
from tests.support.positions import Position


@pytest.mark.parametrize(("players", "rows", "used"), [(2, 6, 80), (3, 7, 102), (4, 8, 112)])
def test_rows_of_three_and_the_pile_depend_on_the_number_of_players(players: int, rows: int, used: int) -> None:
    view = Position("ku_ka_king", seed=4, players=players).view()
    assert [len(row) for row in view["rows"]] == [3] * rows
    assert view["pile"] == used - 3 * rows
    assert sum(view["unseen"].values()) == 112 - 3 * rows, "the cards put away are as unseen as the pile"
    assert sum(view["box"].values()) == 0
    assert view["round"] == 1
    assert not view["last_round"]
    assert not view["scored"]
    assert view["waiting"] == list(range(players))


def test_the_deck_has_112_cards_as_counted_in_the_rulings() -> None:
    deck = has(dict(zip(CARD_TYPES, DEFAULT_DECK, strict=True)))
    assert sum(deck.values()) == 112
    assert (deck["king"], deck["farmer"]) == (10, 8)
    assert [deck[animal] for animal in ANIMALS] == [5] * 8
    game = Position("ku_ka_king")
    assert game.game.all_cards(game.state) == deck


# A reveal


def test_the_rulebooks_round_six_two_two_then_seven_and_two() -> None:
    rows = [["cow"] * 3, ["sheep", "horse", "church"], ["cow"] * 3, ["cow"] * 3, ["cow"] * 3]
    rows += [["king", "knight", "goat"], ["farmer", "farmhouse", "goose"]]
    game = position(rows=rows, unseen={"rabbit": 50}, pile=40).play("row 6", "row 2", "row 2")
    view = game.view()
    assert view["collections"][TIM] == has({"king": 1, "knight": 1, "goat": 1})
    assert view["rows"][1] == ["sheep", "horse"], "the outermost card is gone"
    assert view["box"] == has({"church": 1})
    assert view["waiting"] == [SARAH, LINUS]
    assert view["round"] == 1
    assert view["last_reveal"] == [6, 2, 2]
    assert game.legal == {f"row {row}" for row in (1, 2, 3, 4, 5, 7)}, "row 6 was taken"
    view = game.play("row 7", "row 2").view()
    assert view["collections"][SARAH] == has({"farmer": 1, "farmhouse": 1, "goose": 1})
    assert view["collections"][LINUS] == has({"sheep": 1, "horse": 1})
    assert view["last_reveal"] == [None, 7, 2]
    assert view["round"] == 2
    assert view["waiting"] == [TIM, SARAH, LINUS]
    assert view["row_taken"] == [False] * 7
    assert [view["rows"][row] for row in (1, 5, 6)] == [["rabbit"] * 3] * 3
    assert view["pile"] == 40 - 9


def test_nothing_happens_and_nobody_sees_a_choice_before_all_are_in() -> None:
    game = position(players=4)
    before = game.view(seat=3)
    seen = [game.batch.observe(0, seat)[0] for seat in range(4)]
    game.play("row 5", "row 5")
    assert game.view()["choices"] == [5, 5, None, None]
    assert game.view(seat=1)["choices"] == [None, 5, None, None]
    assert game.view(seat=3) == {**before, "to_act": 2}
    assert all(np.array_equal(game.batch.observe(0, seat)[0], seen[seat]) for seat in range(4))


def test_the_text_for_a_seat_does_not_tell_what_the_others_have_chosen() -> None:
    game = position(players=4).play("row 5", "row 7")
    for language, words in {"en": "chosen", "de": "gewählt", "fr": "choix", "it": "scelte"}.items():
        table = game.game.to_text(game.view(), language)
        own = game.game.to_text(game.view(seat=1), language)
        other = game.game.to_text(game.view(seat=3), language)
        assert [words in text for text in (table, own, other)] == [True, True, False]
        assert table.count(" 5") == own.count(" 5") + 1


def test_several_players_on_a_row_cost_it_one_card_only() -> None:
    view = position(players=4, rows=[["pig", "cow", "king"], *[["goat"] * 3] * 7]).play(*["row 1"] * 4).view()
    assert view["rows"][0] == ["pig", "cow"]
    assert view["box"] == has({"king": 1})
    assert view["waiting"] == [0, 1, 2, 3]


def test_two_rows_can_be_fought_over_at_once() -> None:
    view = position(players=4, rows=[["goat"] * 3] * 8).play("row 1", "row 8", "row 1", "row 8").view()
    assert [len(row) for row in view["rows"]] == [2, 3, 3, 3, 3, 3, 3, 2]
    assert view["waiting"] == [0, 1, 2, 3]


def test_only_those_who_clashed_choose_again_lowest_seat_first() -> None:
    game = position(players=4).play("row 3", "row 1", "row 2", "row 1")
    assert game.view()["waiting"] == [1, 3]
    assert game.to_act == 1
    assert game.play("row 1").to_act == 3


def test_a_row_without_cards_cannot_be_chosen() -> None:
    game = position(players=2, rows=[["pig"], ["pig"] * 2, ["pig"], [], [], []]).play("row 1", "row 1")
    assert game.view()["rows"][0] == []
    assert not game.view()["row_taken"][0]
    assert game.legal == {"row 2", "row 3"}


def test_whoever_has_a_row_or_has_chosen_can_only_wait_and_whoever_is_asked_cannot() -> None:
    game = position(players=4).play("row 3", "row 1", "row 2", "row 1", "row 4")
    masks = [game.batch.observe(0, seat)[1] for seat in range(4)]
    assert [mask[WAIT] for mask in masks] == [1, 1, 1, 0]
    assert [mask[:WAIT].sum() for mask in masks] == [0, 0, 0, 6]
    assert game.to_act == 3
    assert ACTIONS[WAIT] == "wait"


def test_the_last_reveal_is_remembered_across_rounds() -> None:
    game = position(players=2).play("row 4", "row 6")
    assert game.view()["round"] == 2
    assert game.view()["last_reveal"] == [4, 6]
    assert game.play("row 1").view()["last_reveal"] == [4, 6], "not before the next one is complete"


def test_with_one_row_left_those_who_wait_get_nothing_and_the_round_ends() -> None:
    rows = [["pig"], ["goat", "cow"], ["king"] * 3]
    game = position(rows=rows, unseen={"rabbit": 50}, pile=40).play("row 3", "row 1", "row 1")
    view = game.view()
    assert view["collections"] == [has({"king": 3}), has({}), has({})]
    assert view["round"] == 2
    assert view["waiting"] == [0, 1, 2]
    assert view["rows"][1] == ["goat", "cow", "rabbit"]


def test_with_no_row_left_those_who_wait_get_nothing_and_the_round_ends() -> None:
    game = position(players=4, rows=[["pig"], ["cow"]]).play("row 1", "row 2", "row 2", "row 1")
    view = game.view()
    assert view["collections"] == [has({})] * 4
    assert view["box"] == has({"pig": 1, "cow": 1})
    assert view["round"] == 2


def test_with_two_rows_left_those_who_wait_choose_again() -> None:
    game = position(players=2, rows=[["pig"], ["cow"], ["goat"]]).play("row 1", "row 1")
    assert game.view()["round"] == 1
    assert game.legal == {"row 2", "row 3"}


# Refilling


def test_cards_that_were_left_stay_inside_and_new_ones_lie_outside() -> None:
    rows = [["pig"] * 3, ["cow", "goat", "king"], *[["cow"] * 3] * 4]
    game = position(players=2, rows=rows, unseen={"rabbit": 50}, pile=30)
    view = game.play("row 2", "row 2", "row 1", "row 3").view()
    assert view["rows"][:3] == [["rabbit"] * 3, ["cow", "goat", "rabbit"], ["rabbit"] * 3]
    assert view["pile"] == 23


def test_rows_are_refilled_from_row_1_on_and_the_box_helps_out_in_the_last_round() -> None:
    rows = [["cow"] * 3] * 6
    game = position(players=2, rows=rows, unseen={"rabbit": 4}, box={"sheep": 9}, pile=4).play("row 5", "row 2")
    view = game.view()
    assert view["rows"][1] == ["rabbit"] * 3
    assert view["rows"][4] == ["rabbit", "sheep", "sheep"]
    assert view["last_round"]
    assert view["pile"] == 0
    assert view["box"] == has({"sheep": 7})


def test_cards_put_away_unseen_are_shuffled_into_the_box_before_it_helps_out() -> None:
    rows = [["cow"] * 3] * 6
    drawn = set()
    for seed in range(40):
        game = position(players=2, rows=rows, unseen={"rabbit": 5}, box={"sheep": 4}, pile=1, stream=seed)
        view = game.play("row 1", "row 2").view()
        assert view["unseen"] == has({}), "once shuffled, nobody can tell them from the others"
        assert view["rows"][0][0] == "rabbit", "the pile's last card"
        new = [*view["rows"][0][1:], *view["rows"][1]]
        drawn.add(new.count("sheep"))
        assert view["box"] == has({"rabbit": 4 - new.count("rabbit"), "sheep": 4 - new.count("sheep")})
    assert len(drawn) >= 3, "cards of both kinds come up"


def test_a_pile_that_just_suffices_makes_it_the_last_round_without_help_of_the_box() -> None:
    rows = [["cow"] * 3] * 6
    game = position(players=2, rows=rows, unseen={"rabbit": 10}, box={"sheep": 9}, pile=6).play("row 5", "row 2")
    view = game.view()
    assert view["last_round"]
    assert view["pile"] == 0
    assert view["rows"][1] == view["rows"][4] == ["rabbit"] * 3
    assert view["box"] == has({"sheep": 9})
    assert view["unseen"] == has({"rabbit": 4})


def test_one_card_left_in_the_pile_is_not_yet_the_last_round() -> None:
    game = position(players=2, rows=[["cow"] * 3] * 6, unseen={"rabbit": 7}, pile=7).play("row 5", "row 2")
    assert not game.view()["last_round"]
    assert game.view()["pile"] == 1


def test_rows_stay_short_if_the_box_is_empty_too() -> None:
    game = position(players=2, rows=[["cow"] * 3] * 6, unseen={"rabbit": 1}, box={"sheep": 3}, pile=1)
    view = game.play("row 2", "row 5").view()
    assert [len(row) for row in view["rows"]] == [3, 3, 3, 3, 1, 3]
    assert view["last_round"]
    assert view["box"] == has({})
    assert second(game.play("row 5", "row 1"), "animals") == [6 + 1, 21], "a row may be one card only"


def test_the_game_is_over_after_the_last_round_and_nothing_is_laid_out_any_more() -> None:
    game = position(players=2, rows=[["cow"] * 3] * 6, last_round=1, pile=0).play("row 1", "row 2")
    view = game.view()
    assert game.to_act is None
    assert view["waiting"] == []
    assert [len(row) for row in view["rows"]] == [0, 0, 3, 3, 3, 3]
    assert view["row_taken"] == [True, True, False, False, False, False]
    assert second(game, "animals") == [6, 6]
