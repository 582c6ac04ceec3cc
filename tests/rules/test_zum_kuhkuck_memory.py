"""Zum Kuhkuck: what a seat remembers across a reshuffle, and how what it cannot know is drawn anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.core.batch import Batch
from card_envs.core.compile import JIT
from card_envs.games.zum_kuhkuck.state import DECK
from tests.support.zum_kuhkuck_positions import cards

# A seat remembers what it knew just before the last reshuffle: no card that it knew to be in the discards is among
# those that the other player has held since. Here seat 1 has held four of ten UNKNOWN cards and had lost three.
UNKNOWN = cards(boots=6, bell=1, stool=1, churn=2)
HELD = 4


many_games = pytest.mark.skipif(not JIT, reason="thousands of games take minutes without the compiler")


def after_a_reshuffle(*actions: str, games: int = 24000) -> Batch:
    """True games in which seat 0 draws the last card but two, and then these actions are played."""
    batch = card_envs.make_batch("zum_kuhkuck", games, seed=1, auto_reset=False)
    mine, shown = np.array(cards(boots=5, bell=2)), np.array(cards(bell=8, stool=10, churn=9))
    dealt = np.random.default_rng(1).permuted(np.tile(np.repeat(range(5), UNKNOWN), (games, 1)), axis=1)
    hand, lost, pile = (
        np.stack([(part == kind).sum(axis=1) for kind in range(5)], axis=1)
        for part in np.split(dealt, [HELD, HELD + 3], axis=1)
    )
    batch.states["seat"] = 0
    batch.states["hand"][:, 0], batch.states["hand"][:, 1] = mine, hand
    batch.states["lost"][:, 0], batch.states["lost"][:, 1] = DECK - mine - shown - UNKNOWN, lost
    batch.states["shown"] = shown
    batch.states["pile"][:, :5], batch.states["pile"][:, 5] = pile, 0
    batch.show()
    for action in ("draw", *actions):
        batch.step([batch.game.actions.index(action)] * games)
    return batch


def sizes(batch: Batch) -> list[tuple[int, int]]:
    return [tuple(hands) for hands in batch.states["hand"].sum(axis=2).tolist()]


def seen_by_seat_0(batch: Batch, game: int) -> bytes:
    return batch.observe(game, 0)[0].tobytes()


def check_redrawn(batch: Batch, games: list[int], secret: Callable[[Any], bytes], seen: list[bytes]) -> None:
    """Redraw what seat 0 cannot know: given what it has seen, every secret must be as frequent as in the true games."""
    true = Counter(zip(seen, (secret(batch.states[game]) for game in games), strict=True))
    batch.redraw_hidden(0, seed=2, games=games)
    redrawn = Counter(zip(seen, (secret(batch.states[game]) for game in games), strict=True))
    often = [case for case in true | redrawn if true[case] + redrawn[case] >= 25]
    distance = sum((true[case] - redrawn[case]) ** 2 / (true[case] + redrawn[case]) for case in often)
    assert len(often) > 10
    assert distance < len(often) + 4 * (2 * len(often)) ** 0.5, "chi-squared, at most four deviations above its mean"


@many_games
def test_redrawn_hands_right_after_a_reshuffle_are_as_likely_as_in_true_games() -> None:
    batch = after_a_reshuffle()
    games = list(range(batch.num_games))
    seen = [seen_by_seat_0(batch, game) for game in games]
    check_redrawn(batch, games, lambda state: state["hand"][1].tobytes() + state["lost_then"][1].tobytes(), seen)


@many_games
def test_redrawn_hands_agree_with_what_has_come_out_of_the_pile_since() -> None:
    batch = after_a_reshuffle(*["draw"] * 8)
    games = [game for game, hands in enumerate(sizes(batch)) if hands == (12, HELD + 4)]
    drawn_since = batch.states["hand"][games, 0] - batch.states["hand_then"][games, 0]
    check_redrawn(
        batch, games, lambda state: state["hand"][1, :1].tobytes(), [drawn[:1].tobytes() for drawn in drawn_since]
    )


@many_games
def test_a_hand_lost_after_a_reshuffle_is_redrawn_from_what_it_can_have_been() -> None:
    batch = after_a_reshuffle("draw", "draw")
    games = [game for game, hands in enumerate(sizes(batch)) if hands == (9, 0)]
    seen = [seen_by_seat_0(batch, game) for game in games]
    check_redrawn(batch, games, lambda state: state["lost"][1, :2].tobytes(), seen)


@many_games
def test_what_the_other_remembers_of_a_hand_that_was_shown_since_is_redrawn_within_that_hand() -> None:
    batch = after_a_reshuffle("draw", "draw")
    games = [game for game, hands in enumerate(sizes(batch)) if hands == (9, HELD + 1)]
    shown = batch.states["hand"][games, 1]
    batch.step(1 + (shown > 0).argmax(axis=1), games)
    check_redrawn(batch, games, lambda state: state["hand_then"][1].tobytes(), [hand.tobytes() for hand in shown])
    assert (batch.states["hand_then"][games, 1] <= shown).all()


def test_what_was_known_before_a_reshuffle_is_remembered_until_all_held_cards_are_seen() -> None:
    batch = after_a_reshuffle("draw", "draw", games=200)
    game = sizes(batch).index((9, HELD + 1))
    read = batch.game.layout.read
    memory = read(batch.observe(game, 0)[0])
    drawn_then = batch.states["hand_then"][game, 0] - cards(boots=5, bell=2)
    assert memory["held"].round() == HELD
    assert memory["unknown_then"].round().tolist() == (UNKNOWN - drawn_then).tolist()
    assert memory["hand_then"].round().tolist() == batch.states["hand_then"][game, 0].tolist()
    batch.step([1 + int(batch.states["hand"][game, 1].argmax())], [game])
    memory = read(batch.observe(game, 0)[0])
    assert not any(memory[name].any() for name in ("held", "held_lost", "unknown_then", "hand_then"))


def test_held_cards_that_are_lost_stay_unseen() -> None:
    batch = after_a_reshuffle("draw", "draw", games=200)
    memory = batch.game.layout.read(batch.observe(sizes(batch).index((9, 0)), 0)[0])
    assert memory["held"] == 0
    assert memory["held_lost"].round() == HELD
