"""What a user writes, with types; mypy finds nothing wrong with it."""

from __future__ import annotations

import numpy as np

import card_envs
from card_envs import king_lui_v0, ku_ka_king_v0, zum_kuhkuck_v0
from card_envs.agents import Agent
from card_envs.errors import CardEnvsError, IllegalActionError


class First:
    """An agent of one's own."""

    name = "first"

    def act(
        self, observation: np.ndarray[tuple[int, ...], np.dtype[np.float32]], action_mask: np.typing.NDArray[np.int8]
    ) -> np.typing.NDArray[np.int64]:
        """The first legal action."""
        first: np.typing.NDArray[np.int64] = action_mask.argmax(axis=1)
        return first


def play() -> float:
    """One game, a batch, a match."""
    env = king_lui_v0.env(players=3, reward="margin", render_mode="ansi", language="de")
    env.reset(seed=7)
    for player in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if observation is None or terminated or truncated:
            env.step(None)
            continue
        env.step(env.action_space(player).sample(observation["action_mask"]))
    together = ku_ka_king_v0.parallel_env(players=2, deck={"knight": 40, "church": 32, "sheep": 40})
    together.reset(seed=1)
    king_lui_v0.parallel_env(players=3, action_mask="info").reset(seed=1)
    zum_kuhkuck_v0.env(score_table=range(16), max_cycles=100).reset()
    batch = card_envs.make_batch("king_lui", 64, seed=0, players=5, illegal_action="lose")
    rewards, done = batch.step(batch.action_mask.argmax(axis=1))
    agent: Agent = First()
    match = card_envs.play_match("zum_kuhkuck", [agent, "bot"], games=10, seed=1)
    card_envs.play_match("zum_kuhkuck", [card_envs.rollout(model=agent, playouts=2), "bot"], games=1)
    made = card_envs.make_env("zum_kuhkuck", render_mode=None)
    try:
        made.step(3)
    except IllegalActionError:
        pass
    except CardEnvsError as error:
        print(error)
    return float(match.win_shares[0] + rewards.sum() + done.sum())
