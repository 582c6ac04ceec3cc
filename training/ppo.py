"""Masked PPO on the batch engine, in one file.

Every seat that the learner plays is a trajectory of its own: an advantage reaches from one decision of a seat to that
same seat's next one, and the final reward goes to the seat that earned it. So a game of four in which the learner
plays all seats gives four trajectories, and no decision is wasted.

Read it in this order: `Settings`, `collect` (play), `advantages` (credit), `improve` (learn). The network is in
network.py, the games are in tables.py.
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
from card_envs.core.options import real_number, whole_number
from training.network import Network

NEGLIGIBLE = -60.0  # log probabilities below this are not told apart; exp() takes ten times as long to make them 0


@dataclass(frozen=True)
class Settings:
    """How PPO learns. The defaults were measured on two cores: see docs/training.md.

    Args:
        steps: decisions per game and iteration
        epochs: how often each decision is learned from
        minibatch: decisions per gradient step
        learning_rate: of Adam, at the start
        learning_rate_end: what it falls to, in a straight line, by the end of the run
        entropy: bonus for keeping choices open, at the start
        entropy_end: what it falls to by the end of the run
        discount: weight of a reward one own decision later
        trace: lambda of generalised advantage estimation
        clip: how far the probability of an action may move before its gradient is cut
        value_clip: the same for the value, or null for no limit
        value_weight: weight of the value's error in the loss
        kl_stop: no further epoch once the policy has moved this far, or null for no limit
        gradient_clip: largest norm of a gradient
        teacher_weight: how much the game's bot is imitated at the start; 0 for learning from play alone
        teacher_until: the part of the run by which imitation has faded to nothing
    """

    steps: int = 64
    epochs: int = 2
    minibatch: int = 4096
    learning_rate: float = 3e-3
    learning_rate_end: float = 3e-4
    entropy: float = 0.01
    entropy_end: float = 0.001
    discount: float = 1.0
    trace: float = 0.9
    clip: float = 0.2
    value_clip: float | None = None
    value_weight: float = 0.5
    kl_stop: float | None = 0.03
    gradient_clip: float = 0.5
    teacher_weight: float = 0.0
    teacher_until: float = 0.1

    def __post_init__(self) -> None:
        whole_number(self.steps, "ppo.steps", 1, 2**20)
        whole_number(self.epochs, "ppo.epochs", 1, 1000)
        whole_number(self.minibatch, "ppo.minibatch", 1, 2**30)
        for name in ("learning_rate", "learning_rate_end", "entropy", "entropy_end", "value_weight", "teacher_weight"):
            real_number(getattr(self, name), f"ppo.{name}", 0.0)
        for name in ("discount", "trace", "teacher_until"):
            real_number(getattr(self, name), f"ppo.{name}", 0.0, 1.0)
        for name in ("clip", "value_clip", "kl_stop", "gradient_clip"):
            if getattr(self, name) is not None or name in ("clip", "gradient_clip"):
                real_number(getattr(self, name), f"ppo.{name}", 0.0)

    def at(self, progress: float) -> Weights:
        """What the schedules say when this part of the run, from 0 to 1, is over."""
        fading = 1.0 - progress / self.teacher_until if self.teacher_until > 0 else 0.0
        return Weights(
            learning_rate=self.learning_rate + (self.learning_rate_end - self.learning_rate) * progress,
            entropy=self.entropy + (self.entropy_end - self.entropy) * progress,
            teacher=self.teacher_weight * max(0.0, fading),
        )


@dataclass(frozen=True)
class Weights:
    """What moves along with the run."""

    learning_rate: float
    entropy: float
    teacher: float


class Games(Protocol):
    """What `collect` plays: many games, in each of which the learner is to act. See tables.py."""

    def show(self, observation: NDArray[np.float32], mask: NDArray[np.int8], seat: NDArray[np.int64]) -> None:
        """Write what the seats to act see."""

    def play(self, actions: NDArray[np.int64], ended: NDArray[np.bool_], rewards: NDArray[np.float32]) -> None:
        """Play one action in each game, and on until the learner is to act again; say what has ended, and how."""

    def look(self) -> Iterator[tuple[NDArray[np.int64], int, NDArray[np.float32]]]:
        """For each seat that the learner plays: games, seat, and what that seat sees there now."""


@dataclass
class Decisions:
    """What was played: arrays of (steps, games, ...)."""

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
    def room(cls, steps: int, games: int, inputs: int, actions: int, players: int) -> Decisions:
        """Arrays to be filled, the same ones in every iteration."""
        return cls(
            observation=np.zeros((steps, games, inputs), np.float32),
            mask=np.zeros((steps, games, actions), np.int8),
            seat=np.zeros((steps, games), np.int64),
            action=np.zeros((steps, games), np.int64),
            taught=np.zeros((steps, games), np.int64),
            log_probability=np.zeros((steps, games), np.float32),
            value=np.zeros((steps, games), np.float32),
            ended=np.zeros((steps, games), np.bool_),
            rewards=np.zeros((steps, games, players), np.float32),
            last_value=np.zeros((1, games, players), np.float32),
        )

    def of(self, games: slice) -> Decisions:
        """The same arrays, for some of the games."""
        return Decisions(**{name: array[:, games] for name, array in vars(self).items()})


def log_probabilities(preferences: Tensor, mask: Tensor) -> Tensor:
    """Log softmax over the legal actions; illegal ones get a number so low that their probability is exactly 0."""
    return torch.log_softmax(preferences.masked_fill(mask == 0, -1e9), dim=-1)


@torch.no_grad()
def collect(
    network: Network, games: Games, room: Decisions, chance: torch.Generator, teacher: Agent | None = None
) -> None:
    """Play `steps` decisions in every game, and write down everything that learning needs."""
    run = network.ready()
    for step in range(len(room.action)):
        games.show(room.observation[step], room.mask[step], room.seat[step])
        preferences, value = run(torch.from_numpy(room.observation[step]))
        mask = torch.from_numpy(room.mask[step])
        log_p = log_probabilities(preferences, mask)
        # The first of several exponential clocks to ring: each action with its probability, all rows at once.
        clocks = torch.empty_like(log_p).exponential_(generator=chance)
        action = (log_p.clamp(min=NEGLIGIBLE).exp().mul_(mask) / clocks).argmax(dim=-1)
        room.action[step] = action.numpy()
        room.log_probability[step] = log_p.gather(1, action[:, None])[:, 0].numpy()
        room.value[step] = value.numpy()
        if teacher is not None:
            room.taught[step] = teacher.act(room.observation[step], room.mask[step])
        games.play(room.action[step], room.ended[step], room.rewards[step])
    for rows, seat, observation in games.look():
        room.last_value[0, rows, seat] = run(torch.from_numpy(observation))[1].numpy()


def advantages(played: Decisions, discount: float, trace: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Generalised advantage estimation along each seat's own decisions; returns advantages and value targets.

    Backwards through time, three arrays hold for each game and seat what its next decision (or the end) gives:
    reward on the way, value, advantage. Only the seat that decided reads and renews its own entries.
    """
    rows = np.arange(played.action.shape[1])
    value = played.last_value[0].copy()
    reward, advantage = np.zeros_like(value), np.zeros_like(value)
    result = np.empty_like(played.value)
    for step in reversed(range(len(played.action))):
        ended = played.ended[step]
        reward[ended], value[ended], advantage[ended] = played.rewards[step, ended], 0.0, 0.0
        seat, here = played.seat[step], played.value[step]
        surprise = reward[rows, seat] + discount * value[rows, seat] - here
        result[step] = surprise + discount * trace * advantage[rows, seat]
        reward[rows, seat], value[rows, seat], advantage[rows, seat] = 0.0, here, result[step]
    return result, result + played.value


def improve(
    network: Network,
    optimizer: torch.optim.Optimizer,
    played: Decisions,
    settings: Settings,
    progress: float,
    chance: torch.Generator,
    threads: Executor,
    parts: int = 1,
) -> dict[str, float]:
    """Learn from what was played; `progress` from 0 to 1 moves the schedules. Returns figures for the log.

    Each minibatch is cut into as many parts as there are threads, and their gradients are added up.
    """
    gain, target = advantages(played, settings.discount, settings.trace)
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    arrays = (played.observation, played.mask, played.action, played.taught, played.log_probability, played.value)
    flat = [torch.from_numpy(array.reshape(gain.size, *array.shape[2:])) for array in (*arrays, gain, target)]
    weights = settings.at(progress)
    for group in optimizer.param_groups:
        group["lr"] = weights.learning_rate
    parameters = list(network.parameters())

    def learn(rows: Tensor) -> tuple[Sequence[Tensor], NDArray[np.float64]]:
        loss, figures = _loss(network, [array.index_select(0, rows) for array in flat], settings, weights)
        return torch.autograd.grad(loss, parameters), np.array(figures) * len(rows)

    sums, learned = np.zeros(4), 0
    epochs = 0
    while epochs < settings.epochs:
        epochs, moved = epochs + 1, 0.0
        for some in torch.split(torch.randperm(gain.size, generator=chance), settings.minibatch):
            pieces = [piece for piece in some.tensor_split(parts) if len(piece)]
            results = list(threads.map(learn, pieces)) if parts > 1 else [learn(some)]
            for parameter, *gradients in zip(parameters, *(gradient for gradient, _ in results), strict=True):
                parameter.grad = sum(
                    gradient * (len(piece) / len(some)) for gradient, piece in zip(gradients, pieces, strict=True)
                )
            nn.utils.clip_grad_norm_(parameters, settings.gradient_clip)
            optimizer.step()
            figures = np.sum([figures for _, figures in results], axis=0)
            sums, learned, moved = sums + figures, learned + len(some), moved + figures[3]
        if settings.kl_stop is not None and moved / gain.size > settings.kl_stop:
            break
    policy_loss, value_loss, entropy, kl = (sums / learned).tolist()
    return {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "kl": kl,
        "value_fit": 1.0 - float(np.var(target - played.value) / (np.var(target) + 1e-12)),
        "epochs": float(epochs),
        "learning_rate": weights.learning_rate,
    }


def _loss(
    network: Callable[[Tensor], tuple[Tensor, Tensor]], rows: list[Tensor], settings: Settings, weights: Weights
) -> tuple[Tensor, tuple[float, float, float, float]]:
    """PPO's loss of some decisions, and its parts: policy, value, entropy, and how far the policy has moved."""
    observation, mask, action, taught, old_log_p, old_value, gain, target = rows
    preferences, value = network(observation)
    log_p = log_probabilities(preferences, mask)
    change = log_p.gather(1, action[:, None])[:, 0] - old_log_p
    ratio = change.exp()
    bounded = ratio.clamp(1 - settings.clip, 1 + settings.clip)
    policy_loss = -torch.min(ratio * gain, bounded * gain).mean()
    error = (value - target) ** 2
    if settings.value_clip is not None:
        near = old_value + (value - old_value).clamp(-settings.value_clip, settings.value_clip)
        error = torch.max(error, (near - target) ** 2)
    value_loss = error.mean()
    entropy = -(log_p.clamp(min=NEGLIGIBLE).exp() * log_p).sum(dim=-1).mean()
    loss = policy_loss + settings.value_weight * value_loss - weights.entropy * entropy
    if weights.teacher > 0:
        loss = loss - weights.teacher * log_p.gather(1, taught[:, None]).mean()
    moved = (ratio - 1 - change).mean()
    return loss, (policy_loss.item(), value_loss.item(), entropy.item(), moved.item())
