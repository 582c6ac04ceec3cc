"""The Stable-Baselines3 adapter: a real VecEnv, with everything that SB3 and sb3-contrib do with one."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import card_envs
from card_envs.errors import OptionError

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.random import RandomAgent
from card_envs.envs.sb3 import make_sb3_vec_env
from card_envs.games import get_game
from tests.support.registered import GAMES, opponent
from training.run import Run
from training.run_folder import RunFolder
from training.sb3_learner import Sb3Learner
from training.settings import LayerSettings, Sb3Settings


@pytest.mark.parametrize("game", GAMES)
def test_stable_baselines3s_own_check_passes(game: str) -> None:
    rules = card_envs.get_game(game)
    for players in rules.players:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(gym.make(rules.id, players=players, opponents=opponent(game)).unwrapped)


@pytest.mark.parametrize("game", GAMES)
def test_it_plays_like_the_vector_environment(game: str) -> None:
    ours, vector = make_sb3_vec_env(game, num_envs=6, opponents=opponent(game)), None
    vector = gym.make_vec(card_envs.get_game(game).id, num_envs=6, opponents=opponent(game))
    ours.seed(5)
    observation, (expected, _) = ours.reset(), vector.reset(seed=5)
    agent = RandomAgent(0)
    lengths, ended = np.zeros(6, int), 0
    while ended < 12:
        assert (observation == expected).all()
        assert (ours.action_masks() == vector.action_masks()).all()
        actions = agent.act(None, ours.action_masks())
        observation, rewards, done, infos = ours.step(actions)
        expected, other_rewards, other_done, _, other_infos = vector.step(actions)
        lengths += 1
        assert (rewards == other_rewards).all()
        assert (done == other_done).all()
        for number in np.flatnonzero(done):
            info = infos[number]
            assert (info["terminal_observation"] == other_infos["final_obs"][number]).all()
            assert info["points"] == other_infos["final_info"]["points"][number]
            assert info["episode"]["r"] == pytest.approx(rewards[number])
            assert info["episode"]["l"] == lengths[number]
            lengths[number] = 0
            ended += 1
        assert all(not infos[number] for number in np.flatnonzero(~done))


def test_masks_are_one_array() -> None:
    env = make_sb3_vec_env("king_lui", num_envs=7, seed=0)
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (7, 38)
    assert (env.env_method("action_masks", indices=[2, 4]) == masks[[2, 4]]).all()


def test_maskable_ppo_learns_saves_loads_and_is_evaluated(tmp_path: Path) -> None:
    env = make_sb3_vec_env("zum_kuhkuck", num_envs=32, opponents="random", seed=1)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=256, n_epochs=2, seed=1)
    model.learn(2 * 32 * 32)
    assert model.ep_info_buffer, "episode statistics reach the model"
    model.save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model", env=make_sb3_vec_env("zum_kuhkuck", num_envs=8, seed=2))
    mean, spread = evaluate_policy(loaded, loaded.get_env(), n_eval_episodes=20)
    assert -1 <= mean <= 1
    assert spread >= 0
    loaded.learn(8 * 32)


def test_vec_normalize_and_vec_monitor_wrap_it() -> None:
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):  # statistics are built in
        monitored = VecMonitor(make_sb3_vec_env("king_lui", num_envs=8, seed=3))
    env = VecNormalize(monitored, norm_obs=False)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=1)
    model.learn(8 * 64)
    assert get_action_masks(env).shape == (8, 38)
    assert model.ep_info_buffer


def test_seeds_repeat_a_run() -> None:
    def run() -> Any:
        env = make_sb3_vec_env("ku_ka_king", num_envs=4, opponents={"bot": 1, "random": 1}, seed=9)
        agent, total = RandomAgent(0), []
        env.reset()
        for _ in range(60):
            _, rewards, _, _ = env.step(agent.act(None, env.action_masks()))
            total.append(rewards)
        return np.array(total)

    assert (run() == run()).all()


def test_misuse_is_refused() -> None:
    env = make_sb3_vec_env("king_lui", num_envs=2, seed=0)
    env.reset()
    with pytest.raises(OptionError, match="call step_async"):
        env.step_wait()
    with pytest.raises(OptionError, match="share one engine"):
        env.set_attr("seat", 1)
    with pytest.raises(AttributeError):
        env.get_attr("nothing")


def test_opponents_change_from_the_next_game_on() -> None:
    env = make_sb3_vec_env("king_lui", 8, seed=0, players=3, opponents="random")
    env.reset()
    seating = env._games._seating
    before = seating.players.copy()
    env.set_opponents("bot")
    for _ in range(60):
        _, _, done, _ = env.step(env.action_masks().argmax(axis=1))
        changed = (seating.players != before).any(axis=1)
        assert not (changed & ~done).any()
        before = seating.players.copy()
    assert (before != 1).all()  # nobody plays at random any more


def test_a_policy_is_exported_exactly(tmp_path: Path) -> None:
    settings = Sb3Settings(
        game="king_lui", players=3, games=4, run=str(tmp_path), network=LayerSettings((12, 10), "tanh")
    )
    folder = RunFolder.new(settings)
    learner = Sb3Learner(settings, folder)
    agent = CheckpointAgent(Run(settings, folder, learner).save_player("exported"), get_game("king_lui"), 3)
    model, observation = learner.model, learner.env.reset()
    mask = learner.env.action_masks()
    with torch.no_grad():
        expected = model.policy.get_distribution(torch.from_numpy(observation), action_masks=mask).distribution.probs
        values = model.policy.predict_values(torch.from_numpy(observation))[:, 0]
    np.testing.assert_allclose(agent.probabilities(observation, mask), expected.numpy(), atol=1e-5)
    np.testing.assert_allclose(agent.values(observation), values.numpy(), atol=1e-5)
    folder.close()
