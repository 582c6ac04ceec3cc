"""Zum Kuhkuck: what a seat remembers of a reshuffle is replaced at the next one, as the game's page says."""

from __future__ import annotations

import numpy as np

import card_envs
from card_envs.core.batch import Batch

THEN = ("held", "held_lost", "unknown_then", "hand_then")  # of the last reshuffle


def observations(batch: Batch) -> list[list[bytes]]:
    return [[batch.observe(game, seat)[0].tobytes() for seat in (0, 1)] for game in (0, 1)]


def until_the_last_card_but_two(batch: Batch) -> None:
    """Both games alike, with lots that announce now and then, to the moment before a second reshuffle."""
    rng = np.random.default_rng(3)
    reshuffles, pile = 0, 59
    while reshuffles < 1 or batch.states["pile"][0].sum() > 3:
        drawing = batch.action_mask[0, 0] == 1 and rng.random() < 0.9
        action = 0 if drawing else int(rng.choice(np.flatnonzero(batch.action_mask[0])))
        batch.step([action, action])
        now = int(batch.states["pile"][0].sum())
        reshuffles, pile = reshuffles + (now > pile), now
        assert batch.seat[0] >= 0, "the game ended too early; take other lots"


def test_the_second_reshuffle_ends_the_memory_of_the_first() -> None:
    batch = card_envs.make_batch("zum_kuhkuck", 2, seed=[5, 5], auto_reset=False)
    until_the_last_card_but_two(batch)
    one, other = observations(batch)
    assert one == other
    # In the second game other cards had been shown before the first reshuffle, and the other holds cards since then.
    batch.states["held"][:] = 1
    batch.states["shown_then"][1] = (batch.states["shown_then"][1] + 1) % 5
    one, other = observations(batch)
    assert one != other, "what was known at the first reshuffle is part of the observation"
    batch.step([0, 0])
    assert batch.states["pile"][0].sum() > 3, "this draw was to bring the second reshuffle"
    one, other = observations(batch)
    assert one == other


def test_what_is_remembered_is_named_in_the_layout() -> None:
    assert set(THEN) <= set(card_envs.get_game("zum_kuhkuck").layout)
