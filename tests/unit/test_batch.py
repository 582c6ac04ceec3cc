"""The batch: seeds, shapes, arrays that are reused, and everything that it refuses."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import card_envs
from card_envs.agents.random import RandomAgent
from card_envs.errors import (
    ActionTypeError,
    CardEnvsError,
    GameOverError,
    IllegalActionError,
    InUseError,
    OptionError,
    UnknownGameError,
)
from tests.support.registered import GAMES

PUBLIC = (
    "seeds", "seat", "observation", "action_mask", "rewards", "done", "illegal", "points", "ranks", "score_sheet",
)  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_shapes_and_types_are_as_documented(game: str) -> None:
    rules = card_envs.get_game(game)
    for players in rules.players:
        batch = card_envs.make_batch(game, num_games=5, players=players, seed=0)
        assert batch.observation.shape == (5, rules.layout.size)
        assert batch.observation.dtype == np.float32
        assert batch.action_mask.shape == (5, len(rules.actions))
        assert batch.action_mask.dtype == np.int8
        assert batch.seat.shape == (5,)
        rewards, done = batch.step(RandomAgent(0).act(batch.observation, batch.action_mask))
        assert rewards.shape == batch.points.shape == batch.ranks.shape == (5, players)
        assert done.shape == (5,)


@pytest.mark.parametrize("game", GAMES)
def test_finished_games_start_anew_and_leave_their_result(game: str) -> None:
    batch, agent, ended = card_envs.make_batch(game, 64, seed=0), RandomAgent(0), 0
    while ended < 64:
        seeds = batch.seeds.copy()
        rewards, done = batch.step(agent.act(batch.observation, batch.action_mask))
        assert (batch.seat >= 0).all()
        assert not rewards[~done].any()
        assert np.allclose(rewards.sum(axis=1), 0, atol=1e-6), "zero-sum"
        assert ((batch.ranks[done] == 1).any(axis=1)).all()
        assert (batch.seeds[done] != seeds[done]).all()
        assert (batch.seeds[~done] == seeds[~done]).all()
        ended += int(done.sum())


def test_a_step_reuses_the_arrays_and_allocates_nothing_that_grows_with_the_batch() -> None:
    batch, agent = card_envs.make_batch("king_lui", 4096, seed=0), RandomAgent(0)
    kept = {name: getattr(batch, name) for name in PUBLIC}
    batch.step(agent.act(batch.observation, batch.action_mask))  # loads or compiles the loops
    actions = agent.act(batch.observation, batch.action_mask)
    tracemalloc.start()
    try:
        batch.step(actions)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4096, f"a step of 4096 games took {peak} bytes"
    assert all(getattr(batch, name) is array for name, array in kept.items())


@pytest.mark.parametrize("name", PUBLIC)
def test_arrays_are_read_only_for_the_user(name: str) -> None:
    batch = card_envs.make_batch("king_lui", 2, seed=0)
    with pytest.raises(ValueError, match="read-only"):
        getattr(batch, name)[...] = 0


def test_the_first_game_plays_the_batchs_own_seed_and_the_others_unrelated_ones() -> None:
    batch = card_envs.make_batch("king_lui", 1000, seed=7)
    assert batch.seeds[0] == 7
    assert len(set(batch.seeds.tolist())) == 1000
    neighbour = card_envs.make_batch("king_lui", 1000, seed=8)
    assert not set(batch.seeds.tolist()) & set(neighbour.seeds.tolist())


def test_seeds_can_be_given_one_by_one_and_for_some_games() -> None:
    batch = card_envs.make_batch("king_lui", 3, seed=[5, 6, 7])
    assert batch.seeds.tolist() == [5, 6, 7]
    before = batch.states.copy()
    batch.reset([9], games=[1])
    assert batch.seeds.tolist() == [5, 9, 7]
    assert (batch.states[[0, 2]] == before[[0, 2]]).all()


def test_the_seeds_of_a_batch_are_all_different() -> None:
    for seed in range(100):
        assert len(set(card_envs.make_batch("king_lui", 50, seed=seed).seeds.tolist())) == 50


def test_a_batch_with_threads_goes_on_after_a_fork() -> None:
    batch = card_envs.make_batch("king_lui", 600, seed=0, threads=2)
    actions = RandomAgent(0).act(None, batch.action_mask)
    batch.step(actions)
    assert batch._pool is not None
    batch._pool_process = -1  # what a child of this process would find
    batch.step(RandomAgent(0).act(None, batch.action_mask))
    assert batch._pool_process == os.getpid()


def test_seats_and_games_that_are_not_there_are_refused() -> None:
    batch = card_envs.make_batch("king_lui", 3, players=3, seed=0)
    before = batch.states.copy()
    for seat in (3, -1, 1.5, None, "1"):
        with pytest.raises(OptionError, match="seats must be whole numbers from 0 to 2"):
            batch.observe(0, seat)
        with pytest.raises(OptionError, match="seats must be whole numbers from 0 to 2"):
            batch.redraw_hidden(seat, seed=1)
    for game in (3, -1):
        with pytest.raises(CardEnvsError, match="game must be a whole number"):
            batch.observe(game, 0)
        with pytest.raises(ActionTypeError, match="there is no game"):
            batch.step_one(0, game)
    with pytest.raises(ActionTypeError, match="an action must be a whole number"):
        batch.step_one(1.5)
    with pytest.raises(ActionTypeError, match="named twice"):
        batch.reset(games=[1, 1])
    assert (batch.states == before).all()


def test_without_a_seed_games_differ() -> None:
    first, second = (card_envs.make_batch("king_lui", 8) for _ in range(2))
    assert first.seeds.tolist() != second.seeds.tolist()


@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_rewards_follow_from_points_and_ranks(reward: str) -> None:
    batch, agent = card_envs.make_batch("king_lui", 256, players=4, seed=1, reward=reward), RandomAgent(1)
    for _ in range(200):
        rewards, done = batch.step(agent.act(batch.observation, batch.action_mask))
        for points, ranks, given_rewards in zip(batch.points[done], batch.ranks[done], rewards[done], strict=True):
            if reward == "outcome":
                winners = (ranks == 1).sum()
                expected = [(4 * (1 / winners if rank == 1 else 0) - 1) / 3 for rank in ranks]
            else:
                expected = [(own - (points.sum() - own) / 3) / batch.game.margin_scale for own in points]
            assert given_rewards == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    "actions",
    [[0.0, 1.0], [0], [0, 1, 2], [[0, 1]], "ab", None, [None, None], [True, False], np.zeros(2, np.float32)],
)
def test_what_is_no_array_of_actions_is_refused(actions: Any) -> None:
    batch = card_envs.make_batch("king_lui", 2, seed=0)
    before = batch.states.copy()
    with pytest.raises(ActionTypeError, match="step needs 2 whole numbers"):
        batch.step(actions)
    assert (batch.states == before).all()


def test_one_illegal_action_stops_the_whole_step_before_anything_moved() -> None:
    batch = card_envs.make_batch("king_lui", 100, players=4, seed=0)
    actions = RandomAgent(0).act(batch.observation, batch.action_mask)
    actions[57] = 37
    before = batch.states.copy()
    with pytest.raises(
        IllegalActionError, match=r"game 57 .*King Lui player_\d cannot play 37 \(pass\) now; legal are"
    ):
        batch.step(actions)
    assert (batch.states == before).all()
    with pytest.raises(IllegalActionError, match="99, which is no action of this game"):
        batch.step(np.full(100, 99))


def test_an_illegal_action_can_lose_the_game_instead() -> None:
    batch = card_envs.make_batch("king_lui", 3, players=3, seed=0, illegal_action="lose")
    actions = RandomAgent(0).act(batch.observation, batch.action_mask)
    actions[1] = -5
    offender = batch.seat[1]
    rewards, done = batch.step(actions)
    assert done.tolist() == batch.illegal.tolist() == [False, True, False]
    assert rewards[1, offender] == -1
    assert rewards[1].sum() == pytest.approx(0)
    assert batch.ranks[1, offender] == 3
    assert batch.seat[1] >= 0, "a new game has begun"


@pytest.mark.parametrize(
    ("games", "error"),
    [
        ([0, 0], "named twice"),
        ([0, 9], "no game 9"),
        ([0, -1], "no game -1"),
        ([[0]], "flat array"),
        ([0.5], "flat array"),
    ],
)
def test_lists_of_games_are_checked(games: Any, error: str) -> None:
    batch = card_envs.make_batch("king_lui", 3, seed=0)
    before = batch.states.copy()
    actions = RandomAgent(0).act(None, batch.action_mask[[0] * len(games)])
    with pytest.raises(ActionTypeError, match=error):
        batch.step(actions, games)
    assert (batch.states == before).all()


@pytest.mark.parametrize("illegal_action", ["raise", "lose"])
def test_a_finished_game_that_does_not_restart_refuses_to_go_on(illegal_action: str) -> None:
    batch = card_envs.make_batch("king_lui", 1, seed=0, auto_reset=False, illegal_action=illegal_action)
    agent = RandomAgent(0)
    while batch.seat[0] >= 0:
        batch.step(agent.act(batch.observation, batch.action_mask))
    with pytest.raises(GameOverError, match=r"is over; start it anew with reset\(games=\[0\]\)"):
        batch.step([0])
    batch.reset(games=[0])
    assert batch.seat[0] >= 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"player": 4}, "King Lui has no option 'player': did you mean 'players'"),
        ({"reward": "points"}, "reward must be one of 'outcome', 'margin', not 'points'"),
        ({"illegal_action": None}, "illegal_action must be one of 'raise', 'lose', not None"),
        ({"threads": 0}, "threads must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"seed": [1, 2]}, "seed must be one whole number, or 4 of them"),
        ({"seed": [1, 2, 3, -4]}, "none negative"),
        ({"seed": [1, 2, 3, 2**63]}, "none negative or above"),
        ({"thread": 2}, "did you mean 'threads'"),
    ],
)
def test_options_are_checked_by_name(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        card_envs.make_batch("king_lui", 4, **options)


@pytest.mark.parametrize("num_games", [0, -1, 2.0, "many", 10**12])
def test_the_number_of_games_is_checked(num_games: Any) -> None:
    with pytest.raises(OptionError, match="num_games must be a whole number from 1 to"):
        card_envs.make_batch("king_lui", num_games)


def test_an_unknown_game_is_named_with_those_that_exist() -> None:
    with pytest.raises(UnknownGameError, match="there is no game 'poker': there are king_lui"):
        card_envs.make_batch("poker", 1)
    assert issubclass(UnknownGameError, CardEnvsError)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**63 - 1), players=st.sampled_from([3, 4, 5]))
def test_any_seed_gives_a_whole_game_twice_the_same(seed: int, players: int) -> None:
    ends = []
    for _ in range(2):
        batch, agent = card_envs.make_batch("king_lui", 1, players=players, seed=seed, auto_reset=False), RandomAgent(0)
        while batch.seat[0] >= 0:
            batch.step(agent.act(batch.observation, batch.action_mask))
        ends.append(batch.states.tobytes())
    assert ends[0] == ends[1]


@pytest.mark.parametrize("game", GAMES)
def test_a_copy_is_independent(game: str) -> None:
    batch = card_envs.make_batch(game, 4, seed=0)
    twin = batch.copy()
    assert repr(twin) == repr(batch)
    assert twin.states.tobytes() == batch.states.tobytes()
    untouched = twin.states.copy()
    batch.step(RandomAgent(0).act(batch.observation, batch.action_mask))
    assert (twin.states == untouched).all()
    assert (twin.states != batch.states).any()


class Interrupted:
    """Loops during which another thread tries to use the batch too."""

    def __init__(self, loops: Any, other: Callable[[], object]) -> None:
        self.loops, self.other = loops, other
        self.said: list[str] = []

    def move_games(self, *arguments: Any) -> int:
        thread = threading.Thread(target=self.try_it)
        thread.start()
        thread.join()
        return int(self.loops.move_games(*arguments))

    def try_it(self) -> None:
        try:
            self.other()
        except InUseError as error:
            self.said.append(str(error))


@pytest.mark.parametrize(
    "other",
    [
        lambda batch, actions: batch.step(actions),
        lambda batch, actions: batch.step_one(int(actions[0])),
        lambda batch, actions: batch.reset(1),
        lambda batch, actions: batch.show(),
        lambda batch, actions: batch.forfeit(0, 0),
        lambda batch, actions: batch.redraw_hidden(0, 1),
    ],
)
def test_a_second_thread_is_refused_and_disturbs_nothing(other: Callable[[Any, Any], object]) -> None:
    batch = card_envs.make_batch("king_lui", 4, seed=0)
    undisturbed = batch.copy()
    actions = batch.action_mask.argmax(axis=1)
    batch._loops = loops = Interrupted(batch.game.loops, lambda: other(batch, actions))  # type: ignore[assignment]
    batch.step(actions)
    undisturbed.step(actions)
    assert loops.said == [loops.said[0]]
    assert "another thread" in loops.said[0]
    assert batch.states.tobytes() == undisturbed.states.tobytes()


def test_addresses_are_never_shared_between_a_batch_and_its_copies() -> None:
    batch = card_envs.make_batch("zum_kuhkuck", 8, seed=3)
    twins = [batch.copy(), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    assert len({twin._handle for twin in (batch, *twins)}) == 4
    before = batch.states.tobytes()
    for twin in twins:
        twin.step(twin.action_mask.argmax(axis=1))
        assert batch.states.tobytes() == before
    batch.step(batch.action_mask.argmax(axis=1))
    expected = batch.states.tobytes()
    states = batch.states
    del batch
    gc.collect()
    assert states.tobytes() == expected, "public arrays outlive their batch"
    for twin in twins:
        assert twin.states.tobytes() == expected


def test_a_seat_can_forfeit_whoever_is_to_act() -> None:
    batch = card_envs.make_batch("king_lui", 2, seed=0, auto_reset=False)
    loser = (int(batch.seat[1]) + 1) % 4
    batch.forfeit(1, loser)
    assert batch.done.tolist() == [False, True]
    assert batch.rewards[1, loser] == -1
    assert batch.rewards[1].sum() == pytest.approx(0, abs=1e-6)
    with pytest.raises(GameOverError):
        batch.forfeit(1, loser)
    with pytest.raises(OptionError):
        batch.forfeit(0, 4)


def test_room_for_observations_can_be_given_and_is_checked() -> None:
    batch = card_envs.make_batch("king_lui", 3, seed=0)
    room = np.empty((2, batch.game.layout.size), np.float32), np.empty((2, len(batch.game.actions)), np.int8)
    assert batch.observe_seats([2, 0], [1, 1], room)[0] is room[0]
    assert np.array_equal(room[0], batch.observe_seats([2, 0], 1)[0])
    with pytest.raises(OptionError, match="out must be writable arrays"):
        batch.observe_seats([0], [1], room)
