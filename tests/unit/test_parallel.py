"""The Parallel environment: everyone acts in every step, if only by waiting."""

from __future__ import annotations

import importlib
from typing import Any, Literal

import numpy as np
import pettingzoo
import pytest

import card_envs
from card_envs import ku_ka_king_v0
from card_envs.envs.aec import CardGameEnv
from card_envs.envs.parallel import ParallelGameEnv
from card_envs.errors import ActionTypeError, GameOverError, IllegalActionError, OptionError
from tests.support.registered import GAMES, WITH_MODULE

TURN_BASED = [game for game in GAMES if not card_envs.get_game(game).simultaneous]
ROW_1, ROW_2, ROW_3, ROW_4, WAIT = 0, 1, 2, 3, 8


def choices(*rows: int) -> dict[str, int]:
    return {f"player_{seat}": row for seat, row in enumerate(rows)}


@pytest.mark.parametrize("game", TURN_BASED)
def test_in_a_game_of_turns_all_but_one_can_only_wait(game: str) -> None:
    env = ParallelGameEnv(card_envs.get_game(game))
    observations, _ = env.reset(seed=2)
    wait = len(env.game.actions)
    assert env.action_space("player_0").n == wait + 1
    assert env.describe_action(wait) == "wait"
    (to_act,) = [agent for agent, seen in observations.items() if not seen["action_mask"][wait]]
    for agent, seen in observations.items():
        assert agent == to_act or np.flatnonzero(seen["action_mask"]).tolist() == [wait]
    legal = int(observations[to_act]["action_mask"].argmax())
    other = next(agent for agent in env.agents if agent != to_act)
    waiting = dict.fromkeys(env.agents, wait)
    before = env.to_text()
    with pytest.raises(IllegalActionError, match=rf"{other} cannot play {legal} .* legal are {wait} \(wait\)"):
        env.step({**waiting, to_act: legal, other: legal})
    with pytest.raises(IllegalActionError, match=rf"{to_act} cannot play {wait} \(wait\) now"):
        env.step(waiting)
    assert env.to_text() == before
    env.step({**waiting, to_act: legal})


@pytest.mark.parametrize("game", TURN_BASED)
def test_whoever_acts_out_of_turn_can_lose_by_it(game: str) -> None:
    env = ParallelGameEnv(card_envs.get_game(game), illegal_action="lose")
    env.reset(seed=2)
    observations, rewards, terminations, _, infos = env.step(dict.fromkeys(env.agents, 0))
    offenders = [agent for agent, reward in rewards.items() if reward < 0]
    assert len(offenders) >= len(rewards) - 1
    assert all(terminations.values())
    assert all(agent in infos["player_0"]["illegal_action"] for agent in offenders)
    assert all(np.flatnonzero(seen["action_mask"]).tolist() == [env.wait] for seen in observations.values())


@pytest.mark.parametrize("game", GAMES)
def test_masks_can_be_in_the_infos_beside_flat_observations(game: str) -> None:
    rules = card_envs.get_game(game)
    usual, flat = ParallelGameEnv(rules), ParallelGameEnv(rules, action_mask="info")
    assert "action_mask='info'" in repr(flat)
    seen, _ = usual.reset(seed=4)
    observations, infos = flat.reset(seed=4)
    rng = np.random.default_rng(0)
    while flat.agents:
        for agent, observation in observations.items():
            assert flat.observation_space(agent).contains(observation)
            assert np.array_equal(observation, seen[agent]["observation"])
            assert np.array_equal(infos[agent]["action_mask"], seen[agent]["action_mask"])
        choice = {agent: int(rng.choice(np.flatnonzero(info["action_mask"]))) for agent, info in infos.items()}
        seen, *_ = usual.step(choice)
        observations, _, _, _, infos = flat.step(choice)
    assert all(info["action_mask"][flat.wait] and "points" in info for info in infos.values())


@pytest.mark.parametrize("game", GAMES)
def test_aec_has_masks_in_the_infos_too(game: str) -> None:
    rules = card_envs.get_game(game)
    usual, flat = CardGameEnv(rules), CardGameEnv(rules, action_mask="info")
    rng = np.random.default_rng(0)
    usual.reset(seed=5)
    flat.reset(seed=5)
    for agent in flat.agent_iter():
        seen, *_ = usual.last()
        observation, _, terminated, _, info = flat.last()
        assert agent == usual.agent_selection
        assert flat.observation_space(agent).contains(observation)
        assert np.array_equal(observation, seen["observation"])
        assert np.array_equal(info["action_mask"], seen["action_mask"])
        if terminated:
            assert info["action_mask"].all(), "a mask of zeros has no logarithm"
        action = None if terminated else int(rng.choice(np.flatnonzero(info["action_mask"])))
        usual.step(action)
        flat.step(action)


def test_masks_are_in_one_of_two_places() -> None:
    with pytest.raises(OptionError, match="action_mask must be one of 'observation', 'info', not 'nowhere'"):
        card_envs.make_env("king_lui", action_mask="nowhere")  # type: ignore[arg-type]


@pytest.mark.parametrize("game", WITH_MODULE)
@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has ids from 1.27 on")
def test_the_module_and_the_id_make_the_same_environment(game: str) -> None:
    rules = card_envs.get_game(game)
    module = importlib.import_module(f"card_envs.{rules.key}")
    for players in rules.players:
        one, other = module.parallel_env(players=players), pettingzoo.make("parallel", rules.id, players=players)
        assert repr(one) == repr(other)
        first, second = one.reset(seed=3)[0], other.reset(seed=3)[0]
        assert all((first[agent]["observation"] == second[agent]["observation"]).all() for agent in first)


def test_a_player_who_has_a_row_can_only_wait() -> None:
    env = ku_ka_king_v0.parallel_env(players=3)
    env.reset(seed=1)
    observations, *_ = env.step(choices(ROW_1, ROW_2, ROW_2))
    assert np.flatnonzero(observations["player_0"]["action_mask"]).tolist() == [WAIT]
    assert not observations["player_1"]["action_mask"][[ROW_1, WAIT]].any()
    with pytest.raises(IllegalActionError, match=r"player_0 cannot play 2 \(row 3\) now; legal are 8 \(wait\)"):
        env.step(choices(ROW_3, ROW_3, ROW_4))
    observations, *_ = env.step(choices(WAIT, ROW_3, ROW_4))
    assert all(not seen["action_mask"][WAIT] for seen in observations.values()), "a new round"


def test_one_illegal_choice_stops_the_step_before_anything_moved() -> None:
    env = ku_ka_king_v0.parallel_env(players=4)
    env.reset(seed=1)
    before = env.to_text()
    with pytest.raises(IllegalActionError, match=r"player_3 cannot play 8 \(wait\)"):
        env.step(choices(ROW_1, ROW_2, ROW_3, WAIT))
    assert env.to_text() == before
    env.step(choices(ROW_1, ROW_2, ROW_3, ROW_4))


def test_an_illegal_choice_can_lose_the_game() -> None:
    env = ku_ka_king_v0.parallel_env(players=3, illegal_action="lose")
    env.reset(seed=1)
    _, rewards, terminations, truncations, infos = env.step(choices(ROW_1, WAIT, 99))
    assert rewards == choices(2, -1, -1), "what two have lost, the third one gets"
    assert all(terminations.values())
    assert not any(truncations.values())
    told = "player_1 lost by an illegal action: wait; player_2 lost by an illegal action: 99"
    assert infos["player_0"]["illegal_action"] == told
    assert env.agents == []


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1], "step needs a dict of one action per player"),
        ({"player_0": 0}, "step needs one action for each of player_0, player_1; it was given player_0"),
        ({"player_0": 0, "player_1": 1, "player_2": 2}, "it was given player_0, player_1, player_2"),
        ({"player_0": 0, "player_1": 1.0}, "an action of player_1 must be a whole number from 0 to 8"),
        ({"player_0": 0, "player_1": None}, "not None of type NoneType"),
    ],
)
def test_what_are_no_choices_is_refused(actions: Any, message: str) -> None:
    env = ku_ka_king_v0.parallel_env(players=2)
    env.reset(seed=1)
    with pytest.raises(ActionTypeError, match=message):
        env.step(actions)


def test_steps_before_the_beginning_and_after_the_end_are_refused() -> None:
    env = ku_ka_king_v0.parallel_env(players=2, max_cycles=1)
    with pytest.raises(GameOverError, match=r"call reset\(\) before step\(\)"):
        env.step(choices(ROW_1, ROW_2))
    env.reset(seed=0)
    *_, truncations, _ = env.step(choices(ROW_1, ROW_2))
    assert all(truncations.values())
    with pytest.raises(GameOverError, match=r"is over; call reset\(\)"):
        env.step(choices(ROW_1, ROW_2))


def test_no_choice_shows_before_all_are_in_wherever_one_looks() -> None:
    """The first player chooses row 1 in one game and row 2 in the other: nothing that anyone else gets may differ."""
    envs = [ku_ka_king_v0.env(players=3, render_mode="ansi") for _ in range(2)]
    for env, row in zip(envs, (ROW_1, ROW_2), strict=True):
        env.reset(seed=5)
        env.step(row)
    one, other = envs
    for agent in ("player_1", "player_2"):
        assert all((one.observe(agent)[key] == other.observe(agent)[key]).all() for key in one.observe(agent))
        seat = int(agent[-1])
        assert one.to_text(seat) == other.to_text(seat)
        assert one.view(seat) == other.view(seat)
    assert one.infos == other.infos
    assert one.render() == other.render()
    assert one.to_text(seat=0) != other.to_text(seat=0), "the first player knows its own choice"


def test_a_clone_goes_on_alike() -> None:
    env = ku_ka_king_v0.parallel_env(players=2)
    env.reset(seed=4)
    twin = env.clone()
    assert repr(twin) == repr(env)
    untouched = twin.to_text()
    env.step(choices(ROW_1, ROW_2))
    assert twin.to_text() == untouched
    twin.step(choices(ROW_1, ROW_2))
    assert twin.to_text() == env.to_text()


def test_options_are_part_of_the_identity() -> None:
    deck = (112, *[0] * 16)
    env = ku_ka_king_v0.parallel_env(players=3, deck={"king": 112}, reward="margin")
    assert repr(env) == f"ku_ka_king_v0.parallel_env(players=3, deck={deck}, reward='margin')"
    assert env.clone().options == env.options


@pytest.mark.parametrize("reward", ["outcome", "margin"])
@pytest.mark.parametrize("offenders", [(0,), (0, 2), (0, 1, 2)])
def test_nobody_is_paid_for_an_illegal_choice_beside_another_one(
    reward: Literal["outcome", "margin"], offenders: tuple[int, ...]
) -> None:
    env = ku_ka_king_v0.parallel_env(players=3, reward=reward, illegal_action="lose")
    env.reset(seed=1)
    wait = env.game.wait
    assert wait is not None
    choices = {agent: wait if seat in offenders else 0 for seat, agent in enumerate(env.agents)}
    _, rewards, _, _, infos = env.step(choices)
    paid = list(rewards.values())
    loss = min(paid)
    assert loss == -1 if reward == "outcome" else loss < -10
    for seat, one in enumerate(paid):
        assert one == pytest.approx(loss if seat in offenders else -loss * len(offenders) / (3 - len(offenders)))
    for seat in offenders:
        assert f"player_{seat}" in infos["player_0"]["illegal_action"]
    ranks = [info["rank"] for info in infos.values()]
    assert ranks == ([1] * 3 if len(offenders) == 3 else [3 if seat in offenders else 1 for seat in range(3)])
