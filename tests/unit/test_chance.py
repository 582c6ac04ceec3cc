"""Chance: the same on every machine, and fair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import card_envs
from card_envs.agents.random import RandomAgent
from card_envs.core import chance
from card_envs.core.compile import record_array
from card_envs.core.playing import LOTS
from tests.referees.randomness import Dice

STREAM = np.dtype([("dice", "u8"), ("stream", "u8")])  # does not begin like a game's state


def test_splitmix64_gives_its_published_numbers() -> None:
    """The first outputs from state 1234567, as published with the reference implementation."""
    state = record_array(1, STREAM)
    state[0]["stream"] = 1234567
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    for number in published:
        assert int(chance.below(state[0], 2**32)) == number >> 32


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**63 - 1), sizes=st.lists(st.integers(1, 120), min_size=1, max_size=20))
def test_streams_are_those_of_the_referees(seed: int, sizes: list[int]) -> None:
    state, dice = record_array(1, STREAM), Dice(seed)
    chance.start_stream(state[0], seed)
    assert [int(chance.below(state[0], size)) for size in sizes] == [dice.below(size) for size in sizes]


def test_a_draw_takes_each_card_equally_often() -> None:
    """King Lui's first card: 15 of 110 for each dish, 5 of 110 for an Emerald (chi-square, 7 degrees of freedom)."""
    batch = card_envs.make_batch("king_lui", 40_000, players=3, seed=5)
    laid_out = np.concatenate([batch.states["table"].sum(axis=0), [batch.states["table_emeralds"].sum()]])
    expected = laid_out.sum() * np.array([15] * 7 + [5]) / 110
    assert laid_out.sum() == 6 * 40_000
    assert ((laid_out - expected) ** 2 / expected).sum() < 24.3, "less likely than one in a thousand"


def test_random_players_choose_every_legal_action_equally_often() -> None:
    mask = np.zeros((60_000, 9), np.int8)
    mask[:, [1, 4, 8]] = 1
    counts = np.bincount(RandomAgent(3).act(None, mask), minlength=9)
    assert counts[[0, 2, 3, 5, 6, 7]].sum() == 0
    assert np.abs(counts[[1, 4, 8]] / 60_000 - 1 / 3).max() < 0.01


def test_a_row_without_a_legal_action_gets_none() -> None:
    assert RandomAgent(0).act(None, np.zeros((2, 5), np.int8)).tolist() == [-1, -1]


@pytest.mark.parametrize("game", card_envs.game_names())
def test_games_from_one_seed_start_alike_and_then_depend_on_how_they_are_played(game: str) -> None:
    first, second = (card_envs.make_batch(game, 64, seed=9) for _ in range(2))
    assert (first.states == second.states).all()
    one, other = RandomAgent(1), RandomAgent(2)
    for _ in range(20):
        first.step(one.act(None, first.action_mask))
        second.step(other.act(None, second.action_mask))
    assert (first.states != second.states).any()


def test_king_luis_supply_empties_in_the_same_order_however_it_is_played() -> None:
    """After k draws the supply holds the same cards, whatever was done with those that were drawn."""
    supplies: list[dict[int, bytes]] = []
    for player_seed in (1, 2):
        seen: dict[int, bytes] = {}
        batch, agent = card_envs.make_batch("king_lui", 1, seed=4, auto_reset=False), RandomAgent(player_seed)
        while batch.seat[0] >= 0:
            supply = batch.states[0]["supply"]
            seen[int(supply.sum())] = supply.tobytes()
            batch.step(agent.act(None, batch.action_mask))
        supplies.append(seen)
    common = supplies[0].keys() & supplies[1].keys()
    assert len(common) > 5
    assert all(supplies[0][size] == supplies[1][size] for size in common)


def unmix(number: int) -> int:
    """The number of which `mix` made this one: each of its steps can be undone."""

    def unshift(value: int, by: int) -> int:
        found = value
        for _ in range(64 // by + 1):
            found = value ^ (found >> by)
        return found

    number = unshift(number, 31) * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    number = unshift(number, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    return unshift(number, 30)


def test_whoever_knows_the_stream_of_lots_cannot_walk_back_to_the_games_own() -> None:
    """Agents see lots, from which the stream of lots follows; in the game's stream are all cards to come."""
    state, lots = record_array(1, STREAM), record_array(1, LOTS)
    chance.start_stream(state[0], 12345)
    chance.start_lots_stream(lots[0], 12345)
    cards, known = int(state[0]["stream"]), int(lots[0]["stream"])
    assert unmix(int(chance.mix(np.uint64(cards)))) == cards, "mixing alone can be undone"
    assert unmix(known) ^ int(chance._LOTS) != cards
    for constant in reversed(chance._ROUNDS):
        known = unmix(known) ^ int(constant)
    assert known ^ int(chance._LOTS) != cards
