"""Stable-Baselines3's MaskablePPO as a learner: what learns and plays in a run of sb3_ppo.

The learner has one seat in each game. On the others sit fixed players and, if asked for, its own snapshots. What it has
learned is exported as a checkpoint, which plays in matches and tournaments like any other. A run that is resumed starts
new games, but goes on with network and optimiser.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger

from card_envs.agents.network import Mlp
from card_envs.envs.sb3 import make_sb3_vec_env
from card_envs.exchange.sb3 import towers_of
from card_envs.exchange.towers import join
from training.learner import Arrays
from training.run_folder import RunFolder
from training.run_state import check_adam, check_like
from training.settings import Sb3Settings
from training.spare import AtOnce
from training.state_checks import check_count, find_snapshot, is_snapshot, require

ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}
LARGEST_SEED = 2**32  # that Stable-Baselines3 can take
MOST_SNAPSHOTS = 4  # how many of its newest snapshots the learner meets
FIGURES = {
    "policy_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "approx_kl": "train/approx_kl",
    "explained_variance": "train/explained_variance",
    "learning_rate": "train/learning_rate",
}  # our names of what MaskablePPO writes down


class Sb3Learner:
    """MaskablePPO, one rollout after the other."""

    parent = ""

    def __init__(self, settings: Sb3Settings, folder: RunFolder) -> None:
        torch.set_num_threads(settings.threads)
        self.settings, self.folder = settings, folder
        self.decisions = 0
        self.spare = AtOnce(settings.threads)
        self.snapshot_every = settings.snapshot_every if settings.snapshots > 0 else None
        self.network = Mlp(tuple(2 * size for size in settings.network.layers), settings.network.activation)
        self.snapshots: list[str] = []  # paths within the run's folder, the newest last
        self.env = make_sb3_vec_env(
            settings.game,
            settings.games,
            players=settings.numbers[0],
            opponents=dict(settings.weighed_opponents),
            reward=settings.reward,
            **settings.options,
        )
        ppo = settings.ppo
        self.model = MaskablePPO(
            "MlpPolicy",
            self.env,
            seed=settings.seed % LARGEST_SEED,
            device="cpu",
            policy_kwargs={
                "net_arch": list(settings.network.layers),
                "activation_fn": ACTIVATIONS[settings.network.activation],
            },
            n_steps=ppo.n_steps,
            n_epochs=ppo.n_epochs,
            batch_size=ppo.batch_size,
            learning_rate=lambda _: ppo.at(self.progress).learning_rate,  # of the run: MaskablePPO knows one rollout
            ent_coef=ppo.ent_coef,
            gamma=ppo.gamma,
            gae_lambda=ppo.gae_lambda,
            clip_range=ppo.clip_range,
            clip_range_vf=ppo.clip_range_vf,
            vf_coef=ppo.vf_coef,
            target_kl=ppo.target_kl,
            max_grad_norm=ppo.max_grad_norm,
        )
        self.model.set_logger(Logger(folder=None, output_formats=[]))

    @property
    def progress(self) -> float:
        """The part of the run that is done."""
        return min(1.0, self.decisions / self.settings.decisions)

    def begin(self) -> None:
        """Nothing is known before the first rollout."""

    def iterate(self) -> dict[str, float]:
        """Play and learn once. Returns figures for screen and log."""
        self.model.ent_coef = self.settings.ppo.at(self.progress).ent_coef
        one_rollout = self.settings.games * self.settings.ppo.n_steps
        self.model.learn(one_rollout, reset_num_timesteps=False)
        self.decisions = self.model.num_timesteps
        written = self.model.logger.name_to_value
        return {
            "entropy": -float(written["train/entropy_loss"]),
            **{ours: float(written[theirs]) for ours, theirs in FIGURES.items()},
        }

    def weights(self) -> Arrays:
        """The weights as they are now."""
        return export_policy(self.model.policy, self.settings.network.activation)

    def introduction(self) -> str:
        """How large the network is, and whom it meets."""
        numbers = sum(parameter.numel() for parameter in self.model.policy.parameters())
        return f"MaskablePPO learns {numbers:,} numbers against {', '.join(self.settings.weighed_opponents)}"

    def rivals(self) -> list[str]:
        """Its newest snapshots."""
        return self.snapshots[-self.settings.evaluation.pool :] if self.settings.evaluation.pool else []

    def meet(self, snapshot: Path) -> None:
        """From their next game on, learners meet this snapshot too, and the oldest of many no more."""
        self.snapshots = [*self.snapshots, str(snapshot.relative_to(self.folder.path))][-MOST_SNAPSHOTS:]
        self._invite()

    def _invite(self) -> None:
        own = self._weigh([str(find_snapshot(self.folder.path, one)) for one in self.snapshots])
        self.env.set_opponents({**self.settings.weighed_opponents, **own})

    def _weigh(self, snapshots: list[str]) -> dict[str, float]:
        return {one: self.settings.snapshots / len(snapshots) for one in snapshots}

    def opponents(self) -> list[dict[str, Any]]:
        """Who sits opposite, with weights."""
        weights = {**self.settings.weighed_opponents, **self._weigh(self.snapshots)}
        return [{"player": player, "weight": weight} for player, weight in weights.items()]

    def state(self) -> dict[str, Any]:
        """Weights, optimiser, count and snapshots; not the games, which MaskablePPO starts anew."""
        policy = self.model.policy
        return {
            "decisions": self.decisions,
            "policy": policy.state_dict(),
            "optimizer": policy.optimizer.state_dict(),
            "snapshots": self.snapshots,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        policy, snapshots = self.model.policy, state.get("snapshots")
        require(state.keys() == self.state().keys(), "it is of another learner")
        check_count(state["decisions"], "decisions")
        check_like(state["policy"], policy.state_dict(), "policy")
        check_adam(state["optimizer"], policy.optimizer, "optimiser")
        require(
            isinstance(snapshots, list) and len(snapshots) <= MOST_SNAPSHOTS and all(map(is_snapshot, snapshots)),
            "its snapshots are no names of checkpoints",
        )
        self.model.policy.load_state_dict(state["policy"])
        self.model.policy.optimizer.load_state_dict(state["optimizer"])
        self.decisions = self.model.num_timesteps = state["decisions"]
        self.model.set_random_seed((self.settings.seed + self.decisions) % LARGEST_SEED)  # other games than at first
        self.snapshots = state["snapshots"]
        self._invite()

    def close(self) -> None:
        """End the games."""
        self.env.close()


def export_policy(policy: MaskableActorCriticPolicy, activation: str) -> Arrays:
    """The weights of a policy of Stable-Baselines3, as those of one perceptron."""
    towers = towers_of({name: tensor.detach().numpy() for name, tensor in policy.state_dict().items()})
    return join(*towers, activation)[1]
