"""Own decisions per second where one seat learns against opponents, and what a user has without our adapters."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np

from card_envs.agents.random import RandomAgent
from card_envs.bench.own import any_legal, per_second
from card_envs.core.game import Game
from card_envs.envs.aec import CardGameEnv

VECTOR, SB3, DUMMY = 1024, 256, 64
BASELINE = f"PettingZoo's AEC loop in SB3's DummyVecEnv, {DUMMY} games, random opponents"  # without our adapters


def measure_one_seat(game: Game, seconds: float) -> Iterator[tuple[str, float]]:
    """Each way to play one seat, with its own decisions per second."""
    yield "gym.make, random opponents", measure_single(game, seconds)
    for opponents in ("random", "bot") if game.bot else ("random",):
        yield f"make_vec of {VECTOR}, {opponents} opponents", measure_vector(game, opponents, seconds)
    if importlib.util.find_spec("stable_baselines3"):
        yield f"SB3 adapter, {SB3} games, random opponents", measure_sb3(game, seconds)
        yield BASELINE, measure_dummy(game, seconds)


def measure_single(game: Game, seconds: float) -> float:
    """One environment of gym.make, as wrapped as it comes."""
    env = gym.make(game.id, opponents="random")
    dice = random.Random(0)
    env.reset(seed=0)

    def play_one_game() -> int:
        decisions, over = 0, False
        _, info = env.reset()
        while not over:
            _, _, over, _, info = env.step(any_legal(info["action_mask"], dice))
            decisions += 1
        return decisions

    return per_second(play_one_game, seconds)


def measure_vector(game: Game, opponents: str, seconds: float) -> float:
    """The native vector environment."""
    env = gym.make_vec(game.id, num_envs=VECTOR, opponents=opponents)
    agent = RandomAgent(0)
    _, info = env.reset(seed=0)

    def steps() -> int:
        nonlocal info
        for _ in range(8):
            *_, info = env.step(agent.act(None, info["action_mask"]))
        return 8 * VECTOR

    return per_second(steps, seconds)


def measure_sb3(game: Game, seconds: float) -> float:
    """Our VecEnv, without a model."""
    from card_envs.envs.sb3 import make_sb3_vec_env

    return _measure_vec_env(make_sb3_vec_env(game.name, num_envs=SB3, opponents="random", seed=0), SB3, seconds)


def measure_dummy(game: Game, seconds: float) -> float:
    """What a user writes without our adapters: a Gymnasium environment around the AEC loop, in DummyVecEnv."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    return _measure_vec_env(DummyVecEnv([lambda: _AecSeat(game)] * DUMMY), DUMMY, seconds)


def _measure_vec_env(env: Any, games: int, seconds: float) -> float:
    agent = RandomAgent(0)
    env.reset()

    def steps() -> int:
        for _ in range(4):
            env.step(agent.act(None, np.stack(env.env_method("action_masks"))))
        return 4 * games

    return per_second(steps, seconds)


class _AecSeat(gym.Env[Any, Any]):
    """Seat 0 of an AEC environment against random players."""

    def __init__(self, game: Game) -> None:
        self._env = CardGameEnv(game)
        self._dice = random.Random(0)
        self.observation_space = gym.spaces.Box(0.0, 1.0, (game.layout.size,), np.float32)
        self.action_space = self._env.action_space("player_0")

    def action_masks(self) -> Any:
        """The legal actions of seat 0."""
        return self._seen["action_mask"]

    def _until_own_turn(self) -> tuple[Any, float, bool]:
        while True:
            seen, reward, over, _, _ = self._env.last()
            if over or self._env.agent_selection == "player_0":
                self._seen = self._env.observe("player_0")
                return self._seen["observation"], (self._env.rewards["player_0"] if over else reward), over
            assert seen is not None
            self._env.step(any_legal(seen["action_mask"], self._dice))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game."""
        self._env.reset(seed=seed)
        return self._until_own_turn()[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One own action, and the others' up to the next."""
        self._env.step(int(action))
        observation, reward, over = self._until_own_turn()
        return observation, reward, over, False, {}
