"""Masked PPO on the batch engine, in one file.

Every seat that the learner plays is a trajectory of its own: an advantage reaches from one decision of a seat to that
same seat's next one, and the final reward goes to the seat that earned it. So a game of four in which the learner
plays all seats gives four trajectories, and no decision is wasted.

Read it in this order: `collect_rollouts` (play), `advantages` (credit), `improve` (learn). Settings are in
ppo_settings.py, the network is in network.py, the games are in self_play_games.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from card_envs.agents.base import Agent
from training.network import ActorCritic, Answer
from training.ppo_settings import Coefficients, SelfPlayPPOSettings

NEGLIGIBLE = -60.0  # log probabilities below this are not told apart; exp() takes ten times as long to make them 0


class RolloutGames(Protocol):
    """What `collect_rollouts` plays: many games, in each of which the learner is to act. See self_play_games.py."""

    def show(self, observation: NDArray[np.float32], mask: NDArray[np.int8], seat: NDArray[np.int64]) -> None:
        """Write what the seats to act see."""

    def play(self, actions: NDArray[np.int64], ended: NDArray[np.bool_], rewards: NDArray[np.float32]) -> None:
        """Play one action in each game, and on until the learner is to act again; say what has ended, and how."""

    def look(self) -> Iterator[tuple[NDArray[np.int64], int, NDArray[np.float32]]]:
        """For each seat that the learner plays: games, seat, and what that seat sees there now."""


@dataclass
class Rollout:
    """What was played: arrays of (n_steps, games, ...)."""

    observation: NDArray[np.float32]
    mask: NDArray[np.int8]
    seat: NDArray[np.int64]
    action: NDArray[np.int64]
    taught: NDArray[np.int64]  # what the teacher would have done
    log_probability: NDArray[np.float32]
    value: NDArray[np.float32]
    ended: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    last_value: NDArray[np.float32]  # (1, games, seats): what each seat can expect where the games were cut

    @classmethod
    def empty(cls, n_steps: int, games: int, inputs: int, actions: int, players: int) -> Rollout:
        """Arrays to be filled, the same ones in every iteration."""
        return cls(
            observation=np.zeros((n_steps, games, inputs), np.float32),
            mask=np.zeros((n_steps, games, actions), np.int8),
            seat=np.zeros((n_steps, games), np.int64),
            action=np.zeros((n_steps, games), np.int64),
            taught=np.zeros((n_steps, games), np.int64),
            log_probability=np.zeros((n_steps, games), np.float32),
            value=np.zeros((n_steps, games), np.float32),
            ended=np.zeros((n_steps, games), np.bool_),
            rewards=np.zeros((n_steps, games, players), np.float32),
            last_value=np.zeros((1, games, players), np.float32),
        )

    def of(self, games: slice) -> Rollout:
        """The same arrays, for some of the games."""
        return Rollout(**{name: array[:, games] for name, array in vars(self).items()})


def log_probabilities(logits: Tensor, mask: Tensor) -> Tensor:
    """Log softmax over the legal actions; illegal ones get a number so low that their probability is exactly 0."""
    return torch.log_softmax(logits.masked_fill(mask == 0, -1e9), dim=-1)


@torch.no_grad()
def collect_rollouts(
    network: ActorCritic,
    games: RolloutGames,
    rollout: Rollout,
    chance: torch.Generator,
    teacher: Agent | None = None,
) -> None:
    """Play `n_steps` decisions in every game, and write down everything that learning needs."""
    run = network.ready()
    for step in range(len(rollout.action)):
        games.show(rollout.observation[step], rollout.mask[step], rollout.seat[step])
        logits, value = run(torch.from_numpy(rollout.observation[step]))
        mask = torch.from_numpy(rollout.mask[step])
        log_p = log_probabilities(logits, mask)
        # The first of several exponential clocks to ring: each action with its probability, all rows at once.
        clocks = torch.empty_like(log_p).exponential_(generator=chance)
        action = (log_p.clamp(min=NEGLIGIBLE).exp().mul_(mask) / clocks).argmax(dim=-1)
        rollout.action[step] = action.numpy()
        rollout.log_probability[step] = log_p.gather(1, action[:, None])[:, 0].numpy()
        rollout.value[step] = value.numpy()
        if teacher is not None:
            rollout.taught[step] = teacher.act(rollout.observation[step], rollout.mask[step])
        games.play(rollout.action[step], rollout.ended[step], rollout.rewards[step])
    for rows, seat, observation in games.look():
        rollout.last_value[0, rows, seat] = run(torch.from_numpy(observation))[1].numpy()


def advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Generalised advantage estimation along each seat's own decisions; returns advantages and value targets.

    Backwards through time, three arrays hold for each game and seat what its next decision (or the end) gives:
    reward on the way, value, advantage. Only the seat that decided reads and renews its own entries.
    """
    rows = np.arange(rollout.action.shape[1])
    value = rollout.last_value[0].copy()
    reward, advantage = np.zeros_like(value), np.zeros_like(value)
    result = np.empty_like(rollout.value)
    for step in reversed(range(len(rollout.action))):
        ended = rollout.ended[step]
        reward[ended], value[ended], advantage[ended] = rollout.rewards[step, ended], 0.0, 0.0
        seat, here = rollout.seat[step], rollout.value[step]
        surprise = reward[rows, seat] + gamma * value[rows, seat] - here
        result[step] = surprise + gamma * gae_lambda * advantage[rows, seat]
        reward[rows, seat], value[rows, seat], advantage[rows, seat] = 0.0, here, result[step]
    return result, result + rollout.value


def improve(
    network: ActorCritic,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    settings: SelfPlayPPOSettings,
    progress: float,
    chance: torch.Generator,
    threads: Executor,
    parts: int = 1,
) -> dict[str, float]:
    """Learn from a rollout; `progress` from 0 to 1 moves the schedules. Returns figures for the log.

    Each minibatch of `batch_size` is cut into as many parts as there are threads, and their gradients are added up.
    """
    gain, target = advantages(rollout, settings.gamma, settings.gae_lambda)
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    arrays = (rollout.observation, rollout.mask, rollout.action, rollout.taught, rollout.log_probability, rollout.value)
    flat = [torch.from_numpy(array.reshape(gain.size, *array.shape[2:])) for array in (*arrays, gain, target)]
    coefficients = settings.at(progress)
    for group in optimizer.param_groups:
        group["lr"] = coefficients.learning_rate
    parameters = list(network.parameters())

    def learn(rows: Tensor) -> tuple[Sequence[Tensor], NDArray[np.float64]]:
        loss, figures = _loss(network, [array.index_select(0, rows) for array in flat], settings, coefficients)
        return torch.autograd.grad(loss, parameters), np.array(figures) * len(rows)

    sums, learned = np.zeros(4), 0
    epochs = 0
    while epochs < settings.n_epochs:
        epochs, moved = epochs + 1, 0.0
        for some in torch.split(torch.randperm(gain.size, generator=chance), settings.batch_size):
            pieces = [piece for piece in some.tensor_split(parts) if len(piece)]
            results = list(threads.map(learn, pieces)) if parts > 1 else [learn(some)]
            for parameter, *gradients in zip(parameters, *(gradient for gradient, _ in results), strict=True):
                parameter.grad = sum(
                    gradient * (len(piece) / len(some)) for gradient, piece in zip(gradients, pieces, strict=True)
                )
            nn.utils.clip_grad_norm_(parameters, settings.max_grad_norm)
            optimizer.step()
            figures = np.sum([figures for _, figures in results], axis=0)
            sums, learned, moved = sums + figures, learned + len(some), moved + figures[3]
        if settings.target_kl is not None and moved / gain.size > settings.target_kl:
            break
    policy_loss, value_loss, entropy, approx_kl = (sums / learned).tolist()
    return {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "approx_kl": approx_kl,
        "explained_variance": 1.0 - float(np.var(target - rollout.value) / (np.var(target) + 1e-12)),
        "n_epochs": float(epochs),
        "learning_rate": coefficients.learning_rate,
    }


def _loss(
    network: Callable[[Tensor], Answer],
    rows: list[Tensor],
    settings: SelfPlayPPOSettings,
    coefficients: Coefficients,
) -> tuple[Tensor, tuple[float, float, float, float]]:
    """PPO's loss of some decisions, and its parts: policy, value, entropy, and how far the policy has moved."""
    observation, mask, action, taught, old_log_p, old_value, gain, target = rows
    logits, value = network(observation)
    log_p = log_probabilities(logits, mask)
    change = log_p.gather(1, action[:, None])[:, 0] - old_log_p
    ratio = change.exp()
    bounded = ratio.clamp(1 - settings.clip_range, 1 + settings.clip_range)
    policy_loss = -torch.min(ratio * gain, bounded * gain).mean()
    error = (value - target) ** 2
    if settings.clip_range_vf is not None:
        near = old_value + (value - old_value).clamp(-settings.clip_range_vf, settings.clip_range_vf)
        error = torch.max(error, (near - target) ** 2)
    value_loss = error.mean()
    entropy = -(log_p.clamp(min=NEGLIGIBLE).exp() * log_p).sum(dim=-1).mean()
    loss = policy_loss + settings.vf_coef * value_loss - coefficients.ent_coef * entropy
    if coefficients.teacher_coef > 0:
        loss = loss - coefficients.teacher_coef * log_p.gather(1, taught[:, None]).mean()
    approx_kl = (ratio - 1 - change).mean()
    return loss, (policy_loss.item(), value_loss.item(), entropy.item(), approx_kl.item())
