"""The rules of My Game, one example each. Add those of your rulebook."""

from __future__ import annotations

from typing import Any

import card_envs
from card_envs.core.batch import Batch

KEEP, THROW = 0, 1


def start(**options: Any) -> Batch:
    """A game, and whoever begins is to act."""
    return card_envs.make_batch("my_game", 1, seed=1, auto_reset=False, **options)


def hold(game: Batch, player: int, *values: int) -> None:
    """Let a player have kept these cards, and no others."""
    game.states[0]["kept"][player] = 0
    for value in values:
        game.states[0]["kept"][player, value - 1] += 1


def test_the_turn_goes_round() -> None:
    """Clockwise, whatever was played."""
    game = start(players=3)
    first = int(game.seat[0])
    game.step_one(THROW)
    assert game.seat[0] == (first + 1) % 3
    game.step_one(KEEP)
    assert game.seat[0] == (first + 2) % 3


def test_nobody_throws_away_more_than_allowed() -> None:
    """After that a card must be kept."""
    game = start(players=2, throws=1)
    first = int(game.seat[0])
    game.step_one(THROW)
    game.step_one(KEEP)
    assert game.seat[0] == first
    assert game.action_mask[0].tolist() == [1, 0]


def test_whoever_has_three_cards_is_passed_over() -> None:
    """The others go on."""
    game = start(players=3)
    first = int(game.seat[0])
    hold(game, (first + 1) % 3, 1, 1, 1)
    game.step_one(KEEP)
    assert game.seat[0] == (first + 2) % 3


def play_last_card(game: Batch, value: int) -> None:
    """The seat to act keeps a card of this value, and the game is over."""
    game.states[0]["drawn"] = value - 1
    game.step_one(KEEP)
    assert game.seat[0] == -1


def test_the_highest_total_wins() -> None:
    """24 beat 23."""
    game = start(players=2)
    own = int(game.seat[0])
    hold(game, own, 10, 9)
    hold(game, 1 - own, 9, 9, 5)
    play_last_card(game, 5)
    assert game.points[0, own] == 24
    assert game.ranks[0, own] == 1
    assert game.ranks[0, 1 - own] == 2


def test_between_equals_whoever_threw_away_fewer_wins() -> None:
    """The score sheet's column says how many."""
    game = start(players=2)
    own = int(game.seat[0])
    hold(game, own, 10, 9)
    hold(game, 1 - own, 8, 8, 8)
    game.states[0]["thrown"][own, 0] = 1
    play_last_card(game, 5)
    assert game.points[0].tolist() == [24, 24]
    assert game.ranks[0, own] == 2
    assert game.ranks[0, 1 - own] == 1
