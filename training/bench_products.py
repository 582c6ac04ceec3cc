"""How much of what the machine can multiply we use: the gradient of a network beside plain products of matrices."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import torch

from card_envs.agents.network import Mlp
from card_envs.agents.symmetry import Plan, plain_plan, tied_plan
from card_envs.core.batch import Batch
from card_envs.games import get_game
from card_envs.presentation.languages import text_table
from training.loss import Decisions, Loss
from training.mlp import MlpActorCritic
from training.ppo_settings import SelfPlayPPOSettings

ROWS, HIDDEN, TRIES = 1024, (128, 128), 40


def shapes(plan: Plan) -> Iterator[tuple[int, int, int, bool]]:
    """Rows, inputs and outputs of each product forwards; and whether one backwards to the inputs follows."""
    for layer, (groups_in, whole_in, groups, whole) in enumerate(plan.sizes.tolist()):
        if groups and groups_in:
            yield ROWS * plan.things, groups_in, groups, layer > 0
        yield ROWS, groups_in + whole_in, groups + whole, layer > 0


def quickest(work: Callable[[], object], tries: int = TRIES) -> float:
    """Seconds, of the quickest of some tries: everything else is others' work."""
    found = []
    for _ in range(tries):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def by_torch(plan: Plan) -> float:
    """Seconds of all products of one gradient: forwards, of weights, and of what goes back, by torch on one thread."""
    torch.set_num_threads(1)
    total = 0.0
    for rows, inputs, outputs, back in shapes(plan):
        values, weights, slopes = torch.rand(rows, inputs), torch.rand(inputs, outputs), torch.rand(rows, outputs)
        total += quickest(lambda v=values, w=weights: v @ w)  # type: ignore[misc]
        total += quickest(lambda v=values, s=slopes: v.t() @ s)  # type: ignore[misc]
        if back:
            total += quickest(lambda s=slopes, w=weights: s @ w.t())  # type: ignore[misc]
    return total


def by_us(game: str, tied: bool) -> float:
    """Seconds of one gradient, with all that belongs to it: inputs, activations, PPO's loss."""
    rules, rng = get_game(game), np.random.default_rng(0)
    network = MlpActorCritic(rules, Mlp(HIDDEN, "relu"), tied, seed=0)
    batch = Batch(rules, ROWS, seed=0)
    for _ in range(20):
        batch.step((rng.random(batch.action_mask.shape) * batch.action_mask).argmax(axis=1))
    mask = batch.action_mask.copy()
    action = (rng.random(mask.shape) * mask).argmax(axis=1)
    log_p, value, advantage, target = (rng.normal(size=ROWS).astype(np.float32) for _ in range(4))
    none = np.zeros((0, mask.shape[1]), np.float32)  # no magnet, and nothing known of other actions
    decisions = Decisions(batch.observation.copy(), mask, action, action, log_p, value, advantage, target, none, none)
    settings = SelfPlayPPOSettings()
    loss, picked, gradient = Loss.of(settings, settings.at(0.0)), rng.permutation(ROWS), network.gradients()
    return quickest(lambda: gradient(decisions, picked, loss))


def products_table(game: str) -> str:
    """Products per second of both, for a tied and for an untied network."""
    rules = get_game(game)
    rows = []
    for name, tied in (("tied", True), ("untied", False)):
        plan = tied_plan(rules.symmetry, HIDDEN) if tied and rules.symmetry is not None else None
        plan = plan or plain_plan(rules.layout.size, HIDDEN, len(rules.actions))
        count = sum(rows * inputs * outputs * (3 if back else 2) for rows, inputs, outputs, back in shapes(plan))
        ours, theirs = count / by_us(game, tied) / 1e9, count / by_torch(plan) / 1e9
        rows.append([name, f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.0%}"])
    return text_table(["network", "our whole gradient", "plain products alone", "part"], rows)
