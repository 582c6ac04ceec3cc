"""The AEC environment, as a PettingZoo user meets it."""

from __future__ import annotations

import copy
import importlib
import pickle
from typing import Any

import numpy as np
import pettingzoo
import pytest

import card_envs
from card_envs import king_lui_v0
from card_envs.envs.aec import CardGameEnv
from card_envs.errors import ActionTypeError, GameOverError, IllegalActionError, OptionError
from tests.support.registered import GAMES, WITH_MODULE, WITH_WORDS


def play_to_the_end(env: Any, seed: int = 0) -> dict[str, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    infos = {}
    for agent in env.agent_iter():
        observation, _, terminated, _, info = env.last()
        if terminated:
            infos[agent] = info
        env.step(None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return infos


@pytest.mark.parametrize("game", WITH_MODULE)
@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has ids from 1.27 on")
def test_the_module_and_the_id_make_the_same_environment(game: str) -> None:
    rules = card_envs.get_game(game)
    module = importlib.import_module(f"card_envs.{rules.key}")
    for players in rules.players:
        envs = [
            module.env(players=players),
            module.raw_env(players=players),
            pettingzoo.make("aec", rules.id, players=players),
        ]
        assert len({repr(env) for env in envs}) == 1
        assert {repr(play_to_the_end(env, seed=3)) for env in envs} == {repr(play_to_the_end(envs[0], seed=3))}


@pytest.mark.parametrize("game", GAMES)
def test_the_last_infos_say_points_and_rank_of_everyone(game: str) -> None:
    env = CardGameEnv(card_envs.get_game(game))
    infos = play_to_the_end(env)
    assert list(infos) == env.possible_agents
    points = {agent: info["points"] for agent, info in infos.items()}
    best = max(points.values())
    for agent, info in infos.items():
        if info["rank"] == 1:
            assert points[agent] == best


def test_king_luis_infos_break_the_points_down() -> None:
    for seed in range(20):
        for info in play_to_the_end(king_lui_v0.env(players=5), seed).values():
            assert info["points"] == sum(info["points_per_dish"].values())
            assert info["discarded"] >= 0


def test_layout_fields_are_slices_by_name() -> None:
    env = king_lui_v0.env(players=3)
    env.reset(seed=7)
    observation = env.last()[0]["observation"]
    table = env.unwrapped.layout["table"]
    assert (observation[table] * 15).round().astype(int).tolist() == list(env.view()["table"].values())
    with pytest.raises(KeyError, match="no field 'tabel'; it has players"):
        env.unwrapped.layout["tabel"]


def test_actions_have_names() -> None:
    env = king_lui_v0.env()
    assert [env.unwrapped.describe_action(action) for action in (0, 6, 7, 8, 12, 35, 36, 37)] == [
        "take bread", "take wine", "draw", "feed bread + bread", "feed bread + fruit", "feed wine + wine",
        "place emerald", "pass",
    ]  # fmt: skip
    with pytest.raises(OptionError, match="has the actions 0 to 37, not 38"):
        env.unwrapped.describe_action(38)


def test_refusals_are_sentences() -> None:
    env = king_lui_v0.env(players=4)
    with pytest.raises(GameOverError, match=r"no game has begun; call reset\(\) before step\(\)"):
        env.step(0)
    env.reset(seed=7)
    with pytest.raises(IllegalActionError, match=r"in King Lui player_\d cannot play 37 \(pass\) now; legal are \d"):
        env.step(37)
    with pytest.raises(
        ActionTypeError, match=r"an action of player_\d must be a whole number from 0 to 37, not 1\.5 of type float"
    ):
        env.step(1.5)
    with pytest.raises(OptionError, match="there is no 'player_4'; the players are player_0, "):
        env.observe("player_4")
    with pytest.raises(OptionError, match="seed must be a whole number"):
        env.reset(seed=-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"render_mode": "rgb"}, "render_mode must be one of None, 'ansi', 'rgb_array', 'human', not 'rgb'"),
        ({"language": "es"}, "language must be one of 'en', 'de', 'fr', 'it', not 'es'"),
        ({"colour": 1}, "King Lui has no option 'colour': it has players, reward, illegal_action"),
        ({"players": 6}, "players of King Lui must be a whole number from 3 to 5, not 6"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        king_lui_v0.env(**options)


def test_every_seat_can_look_but_only_the_one_to_act_has_a_mask() -> None:
    env = king_lui_v0.env(players=3)
    env.reset(seed=1)
    for agent in env.agents:
        assert env.observe(agent)["action_mask"].any() == (agent == env.agent_selection)


def test_the_same_seed_gives_the_same_game_and_resets_go_on_from_it() -> None:
    env, twin = king_lui_v0.env(), king_lui_v0.env()
    env.reset(seed=11)
    twin.reset(seed=11)
    env.reset()
    twin.reset()
    assert env.game_seed == twin.game_seed != 11
    assert env.to_text() == twin.to_text()


def test_an_observation_is_the_users_to_keep() -> None:
    env = king_lui_v0.env()
    env.reset(seed=0)
    kept = env.last()[0]
    copy = {key: value.copy() for key, value in kept.items()}
    env.step(int(np.flatnonzero(kept["action_mask"])[0]))
    assert all((kept[key] == copy[key]).all() for key in kept)
    kept["action_mask"][:] = 1
    assert not env.last()[0]["action_mask"].all()


@pytest.mark.parametrize("game", GAMES)
def test_the_state_for_central_training_is_everybodys_observation(game: str) -> None:
    env = CardGameEnv(card_envs.get_game(game))
    env.reset(seed=0)
    assert env.state() in env.state_space
    assert (env.state() == np.concatenate([env.observe(agent)["observation"] for agent in env.agents])).all()


@pytest.mark.parametrize("game", GAMES)
def test_text_shows_the_whole_table_or_what_one_seat_may_see(game: str) -> None:
    env = CardGameEnv(card_envs.get_game(game), render_mode="ansi")
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    differences = 0
    while not any(env.terminations.values()):
        assert env.render() == env.to_text()
        differences += sum(env.to_text(seat) != env.to_text() for seat in range(len(env.agents)))
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    assert differences, "no seat ever saw less than the whole table"
    texts = {env.to_text(language=language) for language in ("en", "de", "fr", "it")}
    assert len(texts) == 4 or game not in WITH_WORDS
    with pytest.raises(OptionError, match="seat must be a whole number from 0 to"):
        env.to_text(seat=9)


def test_rendering_needs_a_mode() -> None:
    env = king_lui_v0.env()
    env.reset(seed=0)
    with pytest.raises(OptionError, match='make it with render_mode="ansi"'):
        env.render()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
def test_an_environment_can_be_copied_and_pickled_in_mid_game(game: str, way: Any) -> None:
    env = CardGameEnv(card_envs.get_game(game))
    env.reset(seed=4)
    for _ in range(3):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    twin = way(env)
    assert twin.game is env.game
    for _ in range(3):
        assert twin.to_text() == env.to_text()
        mine, its = env.last()[0], twin.last()[0]
        assert all((mine[key] == its[key]).all() for key in mine)
        before = twin.to_text()
        env.step(int(mine["action_mask"].argmax()))
        assert twin.to_text() == before
        twin.step(int(its["action_mask"].argmax()))


def test_repr_shows_the_options() -> None:
    assert repr(king_lui_v0.env(players=5, reward="margin")) == "king_lui_v0.env(players=5, reward='margin')"
    assert str(king_lui_v0.env()) == "king_lui_v0"
