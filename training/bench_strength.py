"""Seconds of learning to a win share against three bots, for our PPO and for MaskablePPO: from nothing, and taught."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from card_envs.agents.bot import BotAgent
from card_envs.presentation.languages import text_table
from training.evaluation import play_seats
from training.run import Run
from training.sb3_learner import Sb3Learner
from training.self_play_learner import SelfPlayLearner

LEVELS = (0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40)  # win share against three bots; 0.25 is a bot's own
DEALS = 500


def time_to_levels(run: Run, minutes: float, seconds: float = 0.0) -> tuple[dict[float, float], float]:
    """Seconds of learning until each level was reached, `seconds` of teaching included, and the last win share.
    Measuring is not counted.
    """
    reached: dict[float, float] = {}
    share, next_look = 0.0, 2.0
    players = run.settings.numbers[0]
    while run.seconds + seconds < 60 * minutes and len(reached) < len(LEVELS):
        run.iterate()
        if run.seconds + seconds >= next_look:
            next_look = (run.seconds + seconds) * 1.15
            latest = run.save_player("latest")
            share = float(play_seats(run.settings.game, latest, "bot", players, DEALS, seed=2**40).mean())
            for level in LEVELS:
                if share >= level:
                    reached.setdefault(level, run.seconds + seconds)
            print(f"  {run.seconds + seconds:6.0f} s, {run.learner.decisions:,} decisions: {share:.3f}", flush=True)
    run.learner.close()
    return reached, share


def teach(learner: Sb3Learner, decisions: int) -> float:
    """What our learner is taught in so many decisions, for MaskablePPO: it plays, and what the bot would have done in
    its positions is made likelier, by the same optimiser, steps and epochs. Returns seconds.
    """
    began = time.perf_counter()
    settings, policy, env = learner.settings, learner.model.policy, learner.env
    bot, rng = BotAgent(settings.rules, 0), np.random.default_rng(0)
    steps = settings.ppo.n_steps
    observation: NDArray[np.float32] = env.reset()
    for _ in range(max(1, decisions // (settings.games * steps))):
        seen, masks, wanted = [], [], []
        for _ in range(steps):
            legal = env.action_masks()
            seen.append(observation.copy())
            masks.append(legal)
            wanted.append(bot.act(observation, legal))
            with torch.no_grad():
                actions, _, _ = policy(torch.as_tensor(observation), action_masks=legal)
            env.step_async(actions.numpy())
            observation = env.step_wait()[0]
        rows = [np.concatenate(one) for one in (seen, masks, wanted)]
        for _ in range(settings.ppo.n_epochs):
            order = rng.permutation(len(rows[0]))
            for start in range(0, len(order), settings.ppo.batch_size):
                picked = order[start : start + settings.ppo.batch_size]
                some = [torch.as_tensor(one[picked]) for one in rows]
                _, log_p, _ = policy.evaluate_actions(some[0], some[2], action_masks=some[1])
                policy.optimizer.zero_grad()
                torch.autograd.backward(-log_p.mean())
                policy.optimizer.step()
    return time.perf_counter() - began


def print_strength(pairs: Mapping[str, tuple[Run, Run]], minutes: float) -> None:
    """A table for each pair: ours, and MaskablePPO, which is taught as ours is where ours is."""
    for how, (own, theirs) in pairs.items():
        print(f"\nseconds of learning to a win share against three bots, {how}, at most {minutes:g} minutes; ours:")
        one, _ = time_to_levels(own, minutes)
        print("MaskablePPO:")
        seconds = 0.0
        if isinstance(own.learner, SelfPlayLearner) and isinstance(theirs.learner, Sb3Learner):
            how_ours = own.learner.settings
            if how_ours.ppo.teacher_coef > 0:
                seconds = teach(theirs.learner, int(how_ours.decisions * how_ours.ppo.teacher_until))
                print(f"  taught for {seconds:.0f} s")
        other, last = time_to_levels(theirs, minutes, seconds)
        rows = []
        for level in LEVELS:
            cells = [f"{found[level]:.0f}" if level in found else "not reached" for found in (one, other)]
            least = other.get(level, 60 * minutes)
            ratio = f"{'' if level in other else '> '}{least / one[level]:.1f}" if level in one else ""
            rows.append([f"{level:.2f}", *cells, ratio])
        print(text_table(["win share", "ours", "MaskablePPO", "ratio"], rows))
        print(f"MaskablePPO's last win share: {last:.3f}")
