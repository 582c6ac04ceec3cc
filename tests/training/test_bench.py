"""What measures us measures the right thing: products are counted as they are made, and both learners are taught."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from card_envs.agents.bot import BotAgent
from card_envs.agents.symmetry import plain_plan, tied_plan
from card_envs.games import game_names, get_game
from training.bench_products import HIDDEN, ROWS, by_us, shapes
from training.bench_strength import teach
from training.ppo_settings import MaskablePPOSettings
from training.run_folder import RunFolder
from training.sb3_learner import Sb3Learner
from training.settings import Sb3Settings


@pytest.mark.parametrize("name", game_names())
def test_products_are_those_of_the_plan(name: str) -> None:
    game = get_game(name)
    plans = [plain_plan(game.layout.size, HIDDEN, len(game.actions))]
    if game.symmetry is not None and (tied := tied_plan(game.symmetry, HIDDEN)) is not None:
        plans.append(tied)
    for plan in plans:
        assert sum(rows * inputs * outputs for rows, inputs, outputs, _ in shapes(plan)) == ROWS * plan.products


def test_a_gradient_can_be_timed() -> None:
    assert by_us("king_lui", tied=True) > 0


def test_maskable_ppo_can_be_taught(tmp_path: Path) -> None:
    settings = Sb3Settings(
        game="zum_kuhkuck", run=str(tmp_path / "run"), games=64, ppo=MaskablePPOSettings(n_steps=32, batch_size=256)
    )
    learner = Sb3Learner(settings, RunFolder.new(settings))

    def agreement() -> float:
        """How often it does what the bot would do."""
        observation, legal = learner.env.reset(), learner.env.action_masks()
        bot, same = BotAgent(settings.rules, 1), list[bool]()
        for _ in range(40):
            with torch.no_grad():
                actions = learner.model.policy(torch.as_tensor(observation), action_masks=legal)[0].numpy()
            several = legal.sum(axis=1) > 1
            same += (actions == bot.act(observation, legal))[several].tolist()
            learner.env.step_async(actions)
            observation, legal = learner.env.step_wait()[0], learner.env.action_masks()
        return float(np.mean(same))

    before = agreement()
    teach(learner, decisions=64 * 32 * 6)
    assert agreement() > before + 0.15
