"""Decisions per second of our own games."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from card_envs.agents.random import RandomAgent
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.envs.aec import CardGameEnv

BATCH_SIZES = (1, 64, 1024, 4096, 16384)


def per_second(work: Callable[[], int], seconds: float) -> float:
    """Decisions per second of work that returns how many it made: the best of three rounds after a warm-up."""
    work()
    best = 0.0
    for _ in range(3):
        decisions, start = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds / 3:
            decisions += work()
        best = max(best, decisions / elapsed)
    return best


def measure_aec(game: Game, seconds: float) -> float:
    """One AEC environment, random legal actions."""
    return per_second(aec_game(CardGameEnv(game)), seconds)


def aec_game(env: Any) -> Callable[[], int]:
    """A function that plays a game of any AEC environment with masks, `env.last()` at each turn."""
    env.reset(seed=0)
    dice = random.Random(0)

    def play() -> int:
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(any_legal(observation["action_mask"], dice))
            decisions += 1
        return decisions

    return play


def any_legal(mask: np.ndarray[Any, Any], dice: random.Random) -> int:
    """A legal action by lot, in less time than a step takes."""
    legal = mask.nonzero()[0]
    return int(legal[int(dice.random() * len(legal))])


def measure_batch(game: Game, num_games: int, threads: int | None, seconds: float) -> float:
    """A batch with random legal actions: observations and masks written, finished games restarted, actions drawn."""
    batch = Batch(game, num_games, seed=0, threads=threads)
    agent = RandomAgent(0)

    def steps() -> int:
        for _ in range(8):
            batch.step(agent.act(batch.observation, batch.action_mask))
        return 8 * num_games

    return per_second(steps, seconds)


def bytes_per_game(game: Game) -> int:
    """All that a batch keeps per game: state, observation, mask, rewards, results."""
    return Batch(game, 64, seed=0).bytes_per_game
