"""Zum Kuhkuck by the book: the rulebook's examples, every rule and every ruling."""

from __future__ import annotations

import numpy as np
import pytest

import card_envs
from card_envs.errors import IllegalActionError, OptionError
from card_envs.games.zum_kuhkuck.state import CARDS, COLOURS, DECK, DEFAULT_SCORE_TABLE, TYPES
from tests.support.positions import Position
from tests.support.zum_kuhkuck_positions import ALL_ELECTRICITY, NONE, announcements, cards, end, named, position


def test_nine_cards_with_three_bells_are_18_points_for_yellow() -> None:
    game = position(cards(boots=2, bell=3, stool=2, brush=2)).play("announce bell")
    assert game.view()["sheets"][0] == {**dict.fromkeys(TYPES), "bell": 18}
    assert game.to_act == 1


def test_a_hand_of_eight_and_the_electricity_card_itself_go_to_the_discards() -> None:
    game = position(cards(3, 2, 1, 1, 1), pile=ALL_ELECTRICITY, lost=[NONE, NONE]).play("draw")
    assert game.view()["discards"] == 9
    assert game.view()["electricity_discarded"] == 1
    assert game.view()["hands"][0]["size"] == 0
    assert game.view()["sheets"][0] == dict.fromkeys(TYPES)
    assert game.to_act == 1


def test_the_rulebooks_score_sheet_adds_up_to_89_and_80() -> None:
    tim, mia = cards(21, 18, 21, 12, 0), cards(31, 0, 11, 18, 0)
    tims, mias = end([tim, mia], cards(boots=5, brush=1), "brush").result
    assert tims["points_per_colour"] == named(cards(21, 18, 21, 12, 7))
    assert tims["bonus_per_colour"] == named(cards(stool=10))
    assert mias["points_per_colour"] == named(mia)
    assert mias["bonus_per_colour"] == named(cards(boots=10, churn=10))
    assert (tims["points"], mias["points"]) == (89, 80)
    assert (tims["rank"], mias["rank"]) == (1, 2)


def test_a_game_begins_with_59_cards_in_the_pile_and_empty_hands() -> None:
    view = Position("zum_kuhkuck", seed=4).view()
    assert view["pile_cards"] == {**named([11, 11, 11, 11, 10]), "electricity": 5}
    assert view["pile"] == CARDS == 59
    assert [hand["size"] for hand in view["hands"]] == [0, 0]
    assert view["discards"] == 0


def test_who_begins_is_drawn_by_lot() -> None:
    batch = card_envs.make_batch("zum_kuhkuck", 4000, seed=1)
    assert 0.46 < (batch.seat == 0).mean() < 0.54


def test_players_draw_one_card_each_in_turn() -> None:
    game = position(NONE, pile=[8, 8, 8, 8, 8, 0])
    for turn in range(8):
        assert game.to_act == turn % 2
        assert game.legal == {"draw"}
        game.play("draw")
    assert [hand["size"] for hand in game.view()["hands"]] == [4, 4]


@pytest.mark.parametrize("size", range(5))
def test_with_fewer_than_five_cards_a_player_can_only_draw(size: int) -> None:
    assert position(cards(boots=size)).legal == {"draw"}


def test_from_five_cards_on_a_player_draws_or_announces_a_colour_of_the_hand() -> None:
    assert position(cards(boots=4, brush=1)).legal == {"draw", "announce boots", "announce brush"}
    assert position(cards(4, 4, 4, 4, 3)).legal == {"draw", *(f"announce {name}" for name in TYPES)}


def test_drawing_and_announcing_in_one_turn_is_not_possible() -> None:
    game = position(cards(boots=5), pile=[3, 3, 3, 3, 3, 0]).play("draw")
    assert game.to_act == 1


def test_a_colour_without_a_card_cannot_be_announced() -> None:
    game = position(cards(bell=9))
    assert announcements(game) == {"announce bell"}
    with pytest.raises(IllegalActionError, match="announce boots"):
        game.play("announce boots")


def test_a_colour_is_announced_only_once() -> None:
    game = position(cards(boots=3, churn=3), points=[cards(churn=20), cards(boots=20)])
    assert announcements(game) == {"announce boots"}


def test_after_announcing_a_player_begins_to_collect_again() -> None:
    game = position(cards(boots=5), other=cards(bell=1)).play("announce boots", "draw")
    assert game.view()["hands"][0]["size"] == 0
    assert game.legal == {"draw"}


def test_a_full_hand_must_be_announced() -> None:
    assert "draw" in position(cards(boots=9, bell=10)).legal
    assert position(cards(boots=10, bell=10)).legal == {"announce boots", "announce bell"}
    assert position(cards(boots=10, bell=10), points=[cards(boots=9), NONE]).legal == {"announce bell"}


def test_a_full_hand_without_an_open_colour_is_shown_and_handed_in_for_nothing() -> None:
    hand, sheet = cards(boots=11, bell=9), cards(boots=20, bell=20)
    game = position(hand, points=[sheet, NONE])
    assert game.legal == {"hand in"}
    game.play("hand in")
    assert game.to_act == 1
    assert game.view()["sheets"][0] == {**dict.fromkeys(TYPES), "boots": 20, "bell": 20}
    assert game.view()["hands"][0]["size"] == 0
    assert game.view()["discards"] == 20
    assert game.view()["known_discards"] == [named(hand), named(hand)]


def test_a_hand_that_was_handed_in_is_known_whoever_imagines_the_rest() -> None:
    """It proves that it held no card of an open colour, which a search must never forget."""
    hand = cards(boots=11, bell=9)
    game = position(hand, points=[cards(boots=20, bell=20), NONE]).play("hand in")
    imagined = game.batch.imagine([0], copies=50, seed=1)
    assert (imagined.states["shown"] == hand).all()
    assert not imagined.states["lost"].any()


def test_nothing_but_a_full_hand_can_be_handed_in() -> None:
    assert position(cards(boots=10, bell=9), points=[cards(boots=20, bell=20), NONE]).legal == {"draw"}


@pytest.mark.parametrize(("size", "points"), [*zip(range(5, 21), DEFAULT_SCORE_TABLE, strict=True)])
def test_more_cards_bring_more_points(size: int, points: int) -> None:
    others = [min(10, max(0, size - 1 - 10 * kind)) for kind in range(4)]
    game = position([*others, 1]).play("announce brush")
    assert game.view()["sheets"][0]["brush"] == points + 2


def test_the_points_that_are_published_are_in_the_table_and_its_steps_never_shrink() -> None:
    table = dict(zip(range(5, 21), DEFAULT_SCORE_TABLE, strict=True))
    published = {5: 4, 9: 12, 10: 15, 12: 21, 13: 24, 15: 30, 20: 55}
    assert {size: table[size] for size in published} == published
    assert table[6] == 5, "a sheet of the rulebook holds 7 and 11 points, which need an odd number below 8"
    steps = np.diff(DEFAULT_SCORE_TABLE)
    assert (np.diff(steps) >= 0).all()


def test_another_table_can_be_agreed_on() -> None:
    game = position(cards(boots=5, bell=1), score_table=[0, 200, *[7] * 14]).play("announce boots")
    assert game.view()["sheets"][0]["boots"] == 210
    game = position(cards(boots=4, bell=1), score_table=[0, 200, *[7] * 14]).play("announce bell")
    assert game.view()["sheets"][0]["bell"] == 2


def test_with_two_cards_left_the_discards_are_shuffled_back_and_hands_stay() -> None:
    mine, others = cards(boots=4), cards(bell=11)
    shown, lost = cards(boots=4, stool=11), [cards(churn=11), cards(brush=10)]
    game = position(mine, others, shown=shown, lost=lost, pile=[3, 0, 0, 0, 0, 0]).play("draw")
    view = game.view()
    assert [hand["cards"] for hand in view["hands"]] == [named(cards(boots=5)), named(others)]
    assert view["discards"] == view["electricity_discarded"] == 0
    assert view["pile_cards"] == {**named(cards(boots=2 + 4, stool=11, churn=11, brush=10)), "electricity": 5}
    assert view["known_discards"] == [named(NONE), named(NONE)]


def test_with_three_cards_left_nothing_is_shuffled() -> None:
    game = position(NONE, pile=[4, 0, 0, 0, 0, 0], shown=cards(bell=6)).play("draw")
    assert game.view()["pile"] == 3
    assert game.view()["known_discards"] == [named(cards(bell=6))] * 2


def test_an_electricity_card_that_is_the_last_but_two_takes_effect_before_the_reshuffle() -> None:
    game = position(cards(brush=9), other=cards(boots=2), pile=[0, 0, 0, 0, 0, 3]).play("draw")
    view = game.view()
    assert [hand["size"] for hand in view["hands"]] == [0, 2]
    assert view["pile_cards"] == {**named(cards(brush=9)), "electricity": 5}
    assert view["discards"] == 0


def test_the_fifth_announcement_ends_the_game_at_once_and_the_other_hand_counts_for_nothing() -> None:
    points = [cards(9, 9, 9, 9, 0), cards(8, 8, 8, 8, 0)]
    game = position(cards(brush=5), other=cards(boots=11, stool=5), points=points).play("announce brush")
    assert game.to_act is None
    assert game.legal == set()
    assert [player["points"] for player in game.result] == [4 * 9 + 4 * 10 + 14, 4 * 8]


def test_four_announcements_do_not_end_the_game() -> None:
    game = position(cards(churn=5), points=[cards(9, 9, 9), cards(9, 9, 9, 9)]).play("announce milk churn")
    assert game.to_act == 1


def test_a_colour_that_one_player_alone_announced_brings_no_bonus() -> None:
    game = end([cards(9, 9, 9, 9, 0), NONE], cards(brush=5), "brush")
    assert game.result[0]["bonus_per_colour"] == named(NONE)
    assert game.result[0]["points"] == 4 * 9 + 14


def test_equal_points_in_a_colour_bring_no_bonus_to_either() -> None:
    game = end([cards(9, 9, 9, 9, 0), cards(9, 8, 0, 0, 14)], cards(brush=5), "brush")
    assert game.result[0]["bonus_per_colour"] == named(cards(bell=10))
    assert game.result[1]["bonus_per_colour"] == named(NONE)


def test_equal_totals_are_a_draw() -> None:
    game = end([cards(9, 9, 9, 9, 0), cards(30, 20, 0, 0, 0)], cards(brush=5), "brush")
    assert [player["points"] for player in game.result] == [50, 70]
    game = end([cards(9, 9, 9, 9, 0), cards(20, 10, 0, 0, 0)], cards(brush=5), "brush")
    assert [player["points"] for player in game.result] == [50, 50]
    assert [player["rank"] for player in game.result] == [1, 1]
    assert game.batch.rewards[0].tolist() == [0, 0]


def test_an_announced_hand_is_seen_by_both() -> None:
    hand = cards(boots=4, bell=2)
    game = position(hand).play("announce boots")
    assert [game.view(seat)["known_discards"][seat] for seat in (0, 1)] == [named(hand)] * 2


def test_of_a_hand_lost_to_electricity_the_other_learns_only_how_many_cards_it_had() -> None:
    hand = cards(boots=4, bell=2)
    game = position(hand, pile=ALL_ELECTRICITY).play("draw")
    assert game.view(seat=0)["known_discards"][0] == named(hand)
    seen = game.view(seat=1)
    assert seen["known_discards"] == [None, named(NONE)]
    assert (seen["discards"], seen["electricity_discarded"]) == (7, 1)
    assert seen["discard_cards"] is seen["pile_cards"] is None


def test_the_other_hand_is_secret_but_for_its_size() -> None:
    game = position(cards(boots=4), other=cards(bell=7))
    assert game.view(seat=0)["hands"] == [{"size": 4, "cards": named(cards(boots=4))}, {"size": 7, "cards": None}]


def test_a_colour_is_shown_beside_each_type_in_every_language() -> None:
    game = position(cards(boots=3), other=cards(bell=2))
    for language, boots in zip(
        ("en", "de", "fr", "it"), ("boots (red)", "Stiefel (Rot)", "bottes (rouge)", "stivali (rosso)"), strict=True
    ):
        text = game.game.to_text(game.view(seat=0), language)
        line = next(line for line in text.splitlines() if boots in line)
        assert line.split(boots)[1].split()[:4] == ["3", "·", "·", "?"]
    assert len(set(COLOURS)) == len(TYPES)


def test_an_observation_tells_what_an_announcement_would_bring() -> None:
    game = position(cards(boots=4, bell=2), points=[cards(bell=9), NONE])
    fields = game.game.layout.read(game.batch.observation[0])
    assert fields["would_score"].round().tolist() == cards(boots=5 + 8)
    assert fields["announced"].tolist() == [cards(bell=1), NONE]
    assert fields["unseen"].round().tolist() == (DECK - cards(boots=4, bell=2)).tolist()


@pytest.mark.parametrize("players", [1, 3, 2.0, "2", True])
def test_only_two_can_play(players: object) -> None:
    with pytest.raises(OptionError, match="players of Zum Kuhkuck must be 2, not"):
        card_envs.make_batch("zum_kuhkuck", 1, players=players)


@pytest.mark.parametrize("table", [(), [1] * 15, [1] * 17, None, 7, "4579", dict.fromkeys(range(5, 21), 1)], ids=repr)
def test_a_table_must_have_an_entry_for_5_to_20_cards(table: object) -> None:
    with pytest.raises(OptionError, match="score_table must be a list of 16 whole numbers"):
        card_envs.make_batch("zum_kuhkuck", 1, score_table=table)


@pytest.mark.parametrize("entry", [-1, 201, 1.5, "4", None, True])
def test_an_entry_of_the_table_must_be_a_whole_number_up_to_200(entry: object) -> None:
    with pytest.raises(OptionError, match="entry for 6 cards must be a whole number from 0 to 200, not"):
        card_envs.make_batch("zum_kuhkuck", 1, score_table=[4, entry, *range(14)])


def test_a_table_may_be_a_list_a_tuple_or_an_array() -> None:
    tables = list(range(16)), tuple(range(16)), np.arange(16)
    options = [card_envs.make_batch("zum_kuhkuck", 1, score_table=table).options for table in tables]
    assert options[0] == options[1] == options[2]
    assert len({repr(each) for each in options}) == 1
