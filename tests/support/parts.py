"""Parts of a run by themselves: games against frozen players, and a network that plays them and learns."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from card_envs.agents.checkpoint import save_checkpoint
from card_envs.agents.network import Mlp
from card_envs.games import get_game
from training.adam import Adam
from training.league import League, LeagueSettings
from training.loss import Loss
from training.mlp import MlpActorCritic
from training.network import ActorCritic
from training.parts import Part
from training.ppo_settings import Manner, SelfPlayPPOSettings
from training.settings import SelfPlaySettings


def a_part(
    name: str,
    folder: Path,
    always: tuple[str, ...],
    snapshots: int,
    *,
    games: int = 61,
    n_steps: int = 24,
    hidden: tuple[int, ...] = (24, 16),
    players: int | None = None,
    all_actions_from: float | None = None,
) -> tuple[Part, Any]:
    """Games against frozen players, and a network that plays them."""
    game = get_game(name)
    form = Mlp(hidden, "relu")
    league = League(game, game.players, folder, LeagueSettings(share=0.7, always=always))
    (folder / "checkpoints").mkdir(exist_ok=True)
    for number in range(snapshots):
        snapshot = folder / f"checkpoints/step-{number:012d}.safetensors"
        weights = MlpActorCritic(game, form, tied=True, seed=number).weights()
        save_checkpoint(snapshot, game, weights, form, players=game.players)
        league.add_snapshot(f"checkpoints/{snapshot.name}", number)
    league.settle()
    teacher = 1.0 if game.bot is not None else 0.0
    ppo = SelfPlayPPOSettings(n_steps=n_steps, teacher_coef=teacher, all_actions_from=all_actions_from)
    settings = SelfPlaySettings(name, players, games=games, parts=1, ppo=ppo, league=league.settings)
    network = MlpActorCritic(game, form, tied=True, seed=9)
    return Part(settings, 0, league), network


def learned(activation: str, trying: bool = False) -> dict[str, np.ndarray[Any, Any]]:
    """A rollout with frozen players, its advantages, a gradient in both ways, and a step; maybe from all actions."""
    with tempfile.TemporaryDirectory() as name:
        since = 0.0 if trying else None
        snapshots = 0 if trying else 2  # plain Python asks them from outside, where nothing can be tried
        part, _ = a_part(
            "king_lui",
            Path(name),
            ("bot", "random"),
            snapshots,
            games=6,
            n_steps=5,
            hidden=(9, 9),
            all_actions_from=since,
        )
        network = MlpActorCritic(get_game("king_lui"), Mlp((9, 9), activation), tied=True, seed=5)
        part.play(network, Manner(imitate=True, all_actions=trying, explore=0.3 if trying else 0.0))
        sums = part.credit()
        part.normalise(0.1, 0.5)
        part.shuffle(1)
        loss = Loss.of(part.settings.ppo, part.settings.ppo.at(0.0))
        found = part.gradient(network.gradients(), 0, loss)
        by_torch = part.gradient(ActorCritic.gradients(network), 0, loss)
        Adam(network.parameters()).step([found], 0.01, 0.5)
        rollout = part.rollout
        return {
            "action": rollout.action,
            "seat": rollout.seat,
            "taught": rollout.taught,
            "rewards": rollout.rewards,
            "value": rollout.value,
            "log_probability": rollout.log_probability,
            "worth": rollout.worth,
            "sums": sums,
            "gradient": found.gradients[0].numpy(),
            "by_torch": by_torch.gradients[0].numpy(),
            "figures": found.figures,
            "numbers": network.numbers.detach().numpy(),
        }
