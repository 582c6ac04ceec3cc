"""Train a player with Stable-Baselines3's MaskablePPO: same opponents, same measurements, same checkpoints.

    python -m training.sb3_ppo --config configs/zum_kuhkuck/sb3.yaml
    python -m training.sb3_ppo --resume runs/sb3

The learner has one seat in each game. On the others sit fixed players and, if asked for, its own snapshots. What it has
learned is exported as a checkpoint, which plays in matches and tournaments like any other.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback

from card_envs.agents.checkpoint import save_checkpoint
from card_envs.agents.network import Mlp
from card_envs.core.errors import OptionError
from card_envs.core.game import Game
from card_envs.core.options import real_number, whole_number
from card_envs.envs.sb3 import CardVecEnv, make_sb3_vec_env
from card_envs.games import get_game
from training import evaluation
from training.evaluation import Judge, shares
from training.program import Stop, crosses, run_program
from training.run_folder import RunFolder
from training.screen import Screen
from training.settings import check_common

ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


@dataclass(frozen=True)
class MaskablePPOSettings:
    """Arguments of MaskablePPO, by its own names; everything else is left at its defaults."""

    n_steps: int = 64
    batch_size: int = 4096
    n_epochs: int = 2
    learning_rate: float = 1e-3
    ent_coef: float = 0.01
    gamma: float = 1.0
    gae_lambda: float = 0.95
    clip_range: float = 0.2

    def __post_init__(self) -> None:
        for name in ("n_steps", "batch_size", "n_epochs"):
            whole_number(getattr(self, name), f"ppo.{name}", 1, 2**20)
        for name in ("learning_rate", "ent_coef", "clip_range"):
            real_number(getattr(self, name), f"ppo.{name}", 0.0)
        for name in ("gamma", "gae_lambda"):
            real_number(getattr(self, name), f"ppo.{name}", 0.0, 1.0)


@dataclass(frozen=True)
class Sb3Settings:
    """MaskablePPO against fixed players and its own snapshots.

    Args:
        game: which game
        players: how many play; the game's default if null
        options: other options of the game, such as deck or score_table
        reward: what is learned: to win (outcome), or to have more points than the others (margin)
        run: the folder to make; runs/<game>-<date and time> if null
        seed: of networks and games
        decisions: how many decisions of the learner in all
        minutes: stop after so many minutes, if the decisions are not done by then; no limit if null
        games: how many games are played at once
        opponents: who sits opposite, with weights
        snapshots: weight of the learner's own snapshots among the opponents; 0 for none
        snapshot_every: decisions after which the learner, as it is, becomes an opponent
        hidden: units of each hidden layer
        activation: what comes between layers
        ppo: arguments of MaskablePPO
        evaluation: how it is measured
    """

    game: str
    players: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    reward: Literal["outcome", "margin"] = "outcome"
    run: str | None = None
    seed: int = 0
    decisions: int = 2_000_000
    minutes: float | None = None
    games: int = 256
    opponents: dict[str, float] = field(default_factory=lambda: {"bot": 1.0})
    snapshots: float = 1.0
    snapshot_every: int = 500_000
    hidden: tuple[int, ...] = (128, 128)
    activation: Literal["relu", "tanh"] = "relu"
    ppo: MaskablePPOSettings = field(default_factory=MaskablePPOSettings)
    evaluation: evaluation.Settings = field(default_factory=evaluation.Settings)

    def __post_init__(self) -> None:
        check_common(self)
        whole_number(self.games, "games", 1, 2**20)
        whole_number(self.snapshot_every, "snapshot_every", 1, 2**62)
        real_number(self.snapshots, "snapshots", 0.0)
        if not self.opponents:
            raise OptionError("opponents must name at least one player with its weight, such as {bot: 1}")

    @property
    def numbers(self) -> tuple[int, ...]:
        """The one number of players."""
        return (self.players if self.players is not None else get_game(self.game).options().players,)


class League(BaseCallback):
    """What happens between the learner's rollouts: measuring, snapshots, saving, showing, stopping."""

    def __init__(self, settings: Sb3Settings, folder: RunFolder, screen: Screen, stop: Stop) -> None:
        super().__init__()
        self.settings, self.folder, self.screen, self.stop = settings, folder, screen, stop
        self.game = get_game(settings.game)
        self.judge = Judge(settings.game, settings.numbers, settings.evaluation.deals, settings.seed, settings.options)
        self.own = sorted(str(path) for path in folder.checkpoints.glob("step-*.safetensors"))
        self.began, self.before, self.rollout_began = time.monotonic(), 0, time.perf_counter()

    def _on_training_start(self) -> None:
        self.before = self.num_timesteps
        self._invite()

    def _on_step(self) -> bool:
        minutes = self.settings.minutes
        out_of_time = minutes is not None and time.monotonic() - self.began > 60 * minutes
        return not (self.stop.asked or out_of_time)

    def _on_rollout_start(self) -> None:
        """MaskablePPO has learned from the last rollout, and plays the next one after this."""
        now, decisions = time.perf_counter(), self.num_timesteps
        if decisions > self.before:
            values = self.model.logger.name_to_value
            figures = {
                "decisions_per_second": (decisions - self.before) / (now - self.rollout_began),
                "entropy": -float(values.get("train/entropy_loss", np.nan)),
                "kl": float(values.get("train/approx_kl", np.nan)),
                "value_fit": float(values.get("train/explained_variance", np.nan)),
                "learning_rate": float(values.get("train/learning_rate", np.nan)),
            }
            self.screen.learned(decisions, figures)
            if crosses(self.before, decisions, self.settings.evaluation.every):
                figures |= self.measure()
            self.folder.report(decisions, figures)
            if self.settings.snapshots > 0 and crosses(self.before, decisions, self.settings.snapshot_every):
                self.own.append(str(self.export(f"step-{decisions:012d}")))
                self._invite()
            self.save()
        self.before, self.rollout_began = decisions, time.perf_counter()

    def _invite(self) -> None:
        """From their next game on, learners meet the newest snapshots too."""
        mixture = dict(self.settings.opponents)
        newest = self.own[-4:]
        mixture |= {path: self.settings.snapshots / len(newest) for path in newest if self.settings.snapshots > 0}
        assert isinstance(self.training_env, CardVecEnv)
        self.training_env.set_opponents(mixture)

    def measure(self) -> dict[str, float]:
        """Play against bot and random; the best is kept."""
        best = self.folder.checkpoints / "best.safetensors"
        latest = self.export("latest")
        results, better = self.judge.compare(latest, best if best.is_file() else None, ["bot", "random"])
        if better:
            self.export("best")
        measured = shares(results)
        self.screen.measured(measured, "a new best" if better else "not better than the best")
        return evaluation.figures(measured)

    def export(self, name: str) -> Path:
        """The policy as it is, as a checkpoint."""
        path = self.folder.checkpoints / f"{name}.safetensors"
        policy, settings = self.model.policy, self.settings
        assert isinstance(policy, MaskableActorCriticPolicy)
        export_policy(
            path, self.game, policy, settings.activation, settings.numbers, settings.options, self.num_timesteps
        )
        return path

    def save(self) -> None:
        """What is needed to go on: weights, optimiser, count."""
        policy = self.model.policy
        state = {"policy": policy.state_dict(), "optimizer": policy.optimizer.state_dict()}
        self.folder.save_state({**state, "decisions": self.num_timesteps})


def export_policy(
    path: Path,
    game: Game,
    policy: MaskableActorCriticPolicy,
    activation: str,
    players: tuple[int, ...],
    options: dict[str, Any],
    step: int,
) -> None:
    """Write a policy of Stable-Baselines3 as a checkpoint.

    It has one stack of layers for the policy and one for the value. Side by side they are one stack, in which no
    weight leads from one to the other.
    """
    towers = [
        [layer for layer in tower if isinstance(layer, torch.nn.Linear)]
        for tower in (policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net)
    ]
    weights: dict[str, NDArray[np.float32]] = {}
    for number, (one, other) in enumerate(zip(*towers, strict=True)):
        beside = torch.cat if number == 0 else torch.block_diag  # both towers read the observation
        matrices = ([one.weight, other.weight],) if number == 0 else (one.weight, other.weight)
        weights[f"body.{number}.weight"] = beside(*matrices).detach().numpy()
        weights[f"body.{number}.bias"] = torch.cat([one.bias, other.bias]).detach().numpy()
    action, value = policy.action_net, policy.value_net
    assert isinstance(action, torch.nn.Linear)
    nothing = torch.zeros_like
    weights["policy.weight"] = torch.cat([action.weight, nothing(action.weight)], 1).detach().numpy()
    weights["value.weight"] = torch.cat([nothing(value.weight), value.weight], 1).detach().numpy()
    weights["policy.bias"], weights["value.bias"] = action.bias.detach().numpy(), value.bias.detach().numpy()
    network = Mlp(tuple(2 * layer.out_features for layer in towers[0]), activation)
    save_checkpoint(path, game, weights, network, players=players, options=options, step=step)


def make_model(settings: Sb3Settings) -> MaskablePPO:
    """MaskablePPO on the batch engine."""
    env = make_sb3_vec_env(
        settings.game,
        settings.games,
        seed=settings.seed,
        players=settings.numbers[0],
        opponents=dict(settings.opponents),
        reward=settings.reward,
        **settings.options,
    )
    return MaskablePPO(
        "MlpPolicy",
        env,
        seed=settings.seed,
        device="cpu",
        policy_kwargs={"net_arch": list(settings.hidden), "activation_fn": ACTIVATIONS[settings.activation]},
        **vars(settings.ppo),
    )


def train(settings: Sb3Settings, folder: RunFolder) -> None:
    """The whole run. One that is resumed starts new games, but goes on with network and optimiser."""
    torch.set_num_threads(1)
    stop = Stop()
    model = make_model(settings)
    state = folder.load_state()
    if state is not None:
        model.policy.load_state_dict(state["policy"])
        model.policy.optimizer.load_state_dict(state["optimizer"])
        model.num_timesteps = state["decisions"]
    folder.forget_after(model.num_timesteps)
    with Screen(get_game(settings.game).title, settings.decisions, model.num_timesteps) as screen:
        screen.say(f"{'training' if state is None else 'going on'} in {folder.path}; Ctrl-C saves and stops")
        league = League(settings, folder, screen, stop)
        model.learn(settings.decisions - model.num_timesteps, callback=league, reset_num_timesteps=state is None)
        figures = league.measure()
        folder.report(model.num_timesteps, figures)
        league.save()
        if model.num_timesteps < settings.decisions:
            screen.say(f"stopped and saved; go on with: python -m training.sb3_ppo --resume {folder.path}")
        screen.say(f"players: {folder.checkpoints / 'best.safetensors'}, latest.safetensors and snapshots beside it")
    folder.close()


if __name__ == "__main__":
    run_program(Sb3Settings, "Train a player with Stable-Baselines3's MaskablePPO.", train)
