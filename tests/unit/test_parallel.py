"""The Parallel environment: everyone chooses at the same time."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pettingzoo
import pytest

import card_envs
from card_envs import ku_ka_king_v0
from card_envs.envs.parallel import SimultaneousEnv
from card_envs.errors import ActionTypeError, GameOverError, IllegalActionError, OptionError
from tests.support.registered import GAMES, WITH_MODULE

TURN_BASED = [game for game in GAMES if not card_envs.get_game(game).simultaneous]
SIMULTANEOUS = [game for game in GAMES if card_envs.get_game(game).simultaneous]
ROW_1, ROW_2, ROW_3, ROW_4, WAIT = 0, 1, 2, 3, 8


def choices(*rows: int) -> dict[str, int]:
    return {f"player_{seat}": row for seat, row in enumerate(rows)}


@pytest.mark.parametrize("game", TURN_BASED)
def test_games_in_turns_have_no_parallel_environment_and_say_so(game: str) -> None:
    rules = card_envs.get_game(game)
    if game in WITH_MODULE:
        module = importlib.import_module(f"card_envs.{rules.key}")
        with pytest.raises(AttributeError, match=f"{rules.title} is played in turns, so it has no parallel_env"):
            module.parallel_env  # noqa: B018  # the access itself is refused
    with pytest.raises(OptionError, match="is played in turns"):
        SimultaneousEnv(rules)


@pytest.mark.parametrize("game", [game for game in SIMULTANEOUS if game in WITH_MODULE])
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
    assert rewards == choices(0.5, -1, 0.5)
    assert all(terminations.values())
    assert not any(truncations.values())
    assert infos["player_0"]["illegal_action"] == "player_1 lost by an illegal action: wait"
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
