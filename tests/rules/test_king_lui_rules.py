"""King Lui by the book: the rulebook's example, every rule and every ruling."""

from __future__ import annotations

import pytest

import card_envs
from card_envs.errors import OptionError
from card_envs.games.king_lui.state import CARDS, DISHES
from tests.support.positions import Position


def dishes(**counts: int) -> list[int]:
    return [counts.get(dish, 0) for dish in DISHES]


def position(players: int = 3, **fields: object) -> Position:
    """An otherwise empty table at which player 0 is chef and to act."""
    empty = {
        "chef": 0,
        "seat": 0,
        "acted": 0,
        "supply": [0] * 8,
        "table": dishes(),
        "table_emeralds": 0,
        "king": dishes(),
    }
    return Position("king_lui", players=players).set(**{**empty, **fields})


def end(players: int = 3, **fields: object) -> Position:
    """The last turn of a game: the last player may only pass, then there are no cards for another course."""
    return position(players, seat=players - 1, acted=players - 1, **fields).play("pass")


def feeds(position: Position) -> set[str]:
    return {action for action in position.legal if action.startswith("feed")}


def test_three_cheese_with_four_at_the_kings_make_twelve_points() -> None:
    result = end(king=dishes(cheese=4), taken=[dishes(cheese=3), *[dishes()] * 4]).result
    assert result[0]["points"] == 12
    assert result[0]["points_per_dish"]["cheese"] == 12
    assert result[0]["discarded"] == 0


def test_as_many_as_the_king_still_score_one_more_is_discarded() -> None:
    hands = [dishes(cheese=4), dishes(cheese=5, ham=1), *[dishes()] * 3]
    result = end(king=dishes(cheese=4, ham=2), taken=hands).result
    assert [player["points"] for player in result] == [16, 2, 0]
    assert [player["discarded"] for player in result] == [0, 5, 0]


def test_portions_taken_and_drawn_count_together() -> None:
    taken, drawn = [dishes(wine=2), *[dishes()] * 4], [dishes(wine=1), *[dishes()] * 4]
    assert end(king=dishes(wine=3), taken=taken, drawn=drawn).result[0]["points"] == 9
    assert end(king=dishes(wine=2), taken=taken, drawn=drawn).result[0]["discarded"] == 3


def test_a_tie_goes_to_whoever_discarded_fewer_cards() -> None:
    hands = [dishes(ham=2, wine=1), dishes(ham=2), dishes(), dishes(), dishes()]
    result = end(king=dishes(ham=2), taken=hands).result
    assert [player["points"] for player in result] == [4, 4, 0]
    assert [player["rank"] for player in result] == [2, 1, 3]


def test_a_tie_that_discards_do_not_break_is_shared() -> None:
    game = end(king=dishes(ham=2), taken=[dishes(ham=2), dishes(ham=2), *[dishes()] * 3])
    assert [player["rank"] for player in game.result] == [1, 1, 3]
    assert game.batch.rewards[0].tolist() == [0.25, 0.25, -0.5]


def test_the_first_chef_is_drawn_by_lot() -> None:
    batch = card_envs.make_batch("king_lui", 4000, players=4, seed=1)
    shares = [(batch.states["chef"] == seat).mean() for seat in range(4)]
    assert all(0.22 < share < 0.28 for share in shares)
    assert (batch.seat == batch.states["chef"]).all()


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_chef_lays_out_two_cards_per_player(players: int) -> None:
    for seed in range(50):
        view = Position("king_lui", seed=seed, players=players).view()
        assert sum(view["table"].values()) + view["table_emeralds"] == 2 * players
        assert view["supply"] == CARDS - 2 * players


def test_taking_a_dish_takes_all_of_it_openly() -> None:
    game = position(table=dishes(wine=3, ham=1), supply=[5] * 8).play("take wine")
    assert game.view()["table"] == dict(zip(DISHES, dishes(ham=1), strict=True))
    assert game.view(seat=1)["hands"][0]["taken"]["wine"] == 3
    assert game.to_act == 1


def test_a_drawn_portion_is_secret() -> None:
    game = position(table=dishes(ham=1), supply=[0, 0, 0, 4, 0, 0, 0, 0]).play("draw")
    assert game.view(seat=0)["hands"][0]["drawn"]["chicken"] == 1
    assert game.view(seat=1)["hands"][0]["drawn"] is None
    assert game.view(seat=1)["hands"][0]["drawn_count"] == 1


def test_a_drawn_emerald_is_fed_or_placed_at_once_by_the_same_player() -> None:
    game = position(table=dishes(ham=1), king=dishes(ham=1, wine=2), supply=[0] * 7 + [2]).play("draw")
    assert game.to_act == 0
    assert game.view()["emerald_drawn"]
    assert game.legal == {"feed ham + wine", "feed wine + wine", "place emerald"}


def test_a_placed_emerald_lies_on_the_table_for_the_next_player() -> None:
    game = position(table=dishes(ham=1), king=dishes(wine=2), supply=[0] * 7 + [2]).play("draw", "place emerald")
    assert game.to_act == 1
    assert game.view()["table_emeralds"] == 1
    assert feeds(game) == {"feed wine + wine"}


def test_a_drawn_emerald_is_used_itself_not_one_of_the_table() -> None:
    game = position(table=dishes(ham=1), table_emeralds=1, king=dishes(wine=2), supply=[0] * 7 + [2])
    view = game.play("draw", "feed wine + wine").view()
    assert view["table_emeralds"] == 1
    assert view["fed_emeralds"] == 1


def test_a_drawn_emerald_that_cannot_be_fed_is_placed_without_asking() -> None:
    game = position(table=dishes(ham=1), king=dishes(wine=1), supply=[0] * 7 + [2]).play("draw")
    assert game.to_act == 1
    assert game.view()["table_emeralds"] == 1
    assert not game.view()["emerald_drawn"]


def test_feeding_takes_an_emerald_and_two_portions_of_the_king_out_of_the_game() -> None:
    game = position(table=dishes(ham=1), table_emeralds=2, king=dishes(ham=1, wine=2), supply=[5] * 8)
    view = game.play("feed ham + wine").view()
    assert view["king"]["ham"] == 0
    assert view["king"]["wine"] == 1
    assert (view["fed"]["ham"], view["fed"]["wine"]) == (1, 1)
    assert (view["table_emeralds"], view["fed_emeralds"]) == (1, 1)


def test_feeding_needs_an_emerald_on_the_table_and_two_portions_at_the_kings() -> None:
    base = {"table": dishes(ham=1), "supply": [5] * 8}
    assert not feeds(position(**base, table_emeralds=0, king=dishes(ham=2)))
    assert not feeds(position(**base, table_emeralds=1, king=dishes(ham=1)))
    assert feeds(position(**base, table_emeralds=1, king=dishes(ham=2))) == {"feed ham + ham"}
    assert feeds(position(**base, table_emeralds=1, king=dishes(ham=1, cake=1))) == {"feed cake + ham"}


def test_all_28_pairs_can_be_fed_from_a_king_with_two_of_everything() -> None:
    assert len(feeds(position(table=dishes(ham=1), table_emeralds=1, king=[2] * 7, supply=[5] * 8))) == 28


def test_without_a_dish_on_the_table_a_player_must_draw_even_beside_an_emerald() -> None:
    game = position(table_emeralds=1, king=[2] * 7, supply=[5] * 8)
    assert game.legal == {"draw"}


def test_with_an_empty_supply_drawing_is_illegal() -> None:
    assert position(table=dishes(ham=1)).legal == {"take ham"}


def test_with_an_empty_supply_and_no_dish_an_emerald_may_be_fed() -> None:
    assert position(table_emeralds=1, king=dishes(ham=2)).legal == {"feed ham + ham"}


def test_passing_is_legal_only_when_nothing_else_is() -> None:
    assert position().legal == {"pass"}
    assert position(table_emeralds=1, king=dishes(ham=1)).legal == {"pass"}
    assert "pass" not in position(table=dishes(ham=1)).legal


def test_with_five_players_the_supply_often_runs_out_in_mid_course() -> None:
    batch = card_envs.make_batch("king_lui", 200, players=5, seed=3, auto_reset=False)
    batch.states["supply"] = [0, 0, 0, 0, 0, 0, 1, 0]
    batch.states["table"] = 0
    batch.states["table_emeralds"] = 0
    batch.show()
    batch.step([7] * 200)
    assert (batch.action_mask.argmax(axis=1) == 37).all(), "the next player can only pass"


def test_what_is_left_on_the_table_goes_to_the_king_and_emeralds_stay() -> None:
    game = position(
        seat=2, acted=2, table=dishes(ham=3, wine=2), table_emeralds=2, king=dishes(ham=1), supply=[9] * 7 + [0]
    ).play("take wine")
    view = game.view()
    assert view["king"]["ham"] == 4
    assert view["king"]["wine"] == 0
    assert view["table_emeralds"] == 2
    assert sum(view["table"].values()) == 6, "two new cards per player, whatever Emeralds lie there"


def test_a_course_of_which_nothing_is_left_gives_the_king_nothing() -> None:
    game = position(seat=2, acted=2, table=dishes(ham=3), supply=[9] * 7 + [0]).play("take ham")
    assert sum(game.view()["king"].values()) == 0


def test_each_player_acts_once_per_course_then_the_next_player_is_chef() -> None:
    game = Position("king_lui", seed=5, players=4)
    first = game.view()["chef"]
    order = []
    while game.view()["course"] == 1:
        seat = game.to_act
        order.append(seat)
        game.play(next(action for action in sorted(game.legal) if action.startswith("take") or action == "draw"))
        if game.view()["emerald_drawn"]:
            game.play("place emerald")
    assert order == [(first + turn) % 4 for turn in range(4)]
    assert game.view()["chef"] == game.to_act == (first + 1) % 4


def test_the_game_ends_when_a_course_cannot_be_laid_out_in_full() -> None:
    last_turn = {"seat": 2, "acted": 2, "table": dishes(ham=3)}
    over = position(**last_turn, supply=[5, 0, 0, 0, 0, 0, 0, 0]).play("take ham")
    assert over.to_act is None
    assert over.view()["supply"] == 5, "the rest of the supply is out of the game"
    goes_on = position(**last_turn, supply=[5, 0, 0, 0, 0, 0, 0, 1]).play("take ham")
    assert goes_on.to_act is not None


@pytest.mark.parametrize("players", [2, 6, 0, -1, 3.0, "4", True])
def test_only_three_to_five_can_play(players: object) -> None:
    with pytest.raises(OptionError, match="players of King Lui must be a whole number from 3 to 5"):
        card_envs.make_batch("king_lui", 1, players=players)


def test_the_observation_tells_what_dishes_would_bring_now() -> None:
    taken = [dishes(cheese=3, ham=1), dishes(cheese=5), dishes(wine=2), *[dishes()] * 2]
    drawn = [dishes(ham=1), dishes(wine=2), *[dishes()] * 3]
    game = position(
        king=dishes(cheese=4, ham=3, wine=2), taken=taken, drawn=drawn, table=dishes(cheese=2, ham=1, bread=2)
    )
    seen = game.game.layout.read(game.batch.observation[0])
    standing = seen["standing"].round().astype(int).tolist()
    assert standing[0] == dishes(cheese=12, ham=6), "what was drawn unseen counts in the own hand"
    assert standing[1] == dishes(), "five are more than the king has, and what others drew is not known"
    assert standing[2] == dishes(wine=4)
    assert seen["with_table"].round().astype(int).tolist() == dishes(ham=9), "with two cheese more, all are discarded"
