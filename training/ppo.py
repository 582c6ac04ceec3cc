"""Masked PPO on the batch engine, in one file.

Every seat that the learner plays is a trajectory of its own: an advantage reaches from one decision of a seat to that
same seat's next one, and the final reward goes to the seat that earned it. So a game of four in which the learner
plays all seats gives four trajectories, and no decision is wasted.

Read it in this order: `collect_rollouts` (play), `advantages` (credit), `improve` (learn). Settings are in
ppo_settings.py, the network is in network.py, the games are in self_play_games.py, who shares the work in parts.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from card_envs.agents.choosing import compiled_choose
from card_envs.errors import OptionError
from training.adam import Adam
from training.advantages import compiled_advantages
from training.loss import FIGURES, MOVED, Loss
from training.network import ActorCritic, Gradient
from training.ppo_settings import Manner, SelfPlayPPOSettings


class RolloutGames(Protocol):
    """What `collect_rollouts` plays: many games, in each of which the learner is to act. See self_play_games.py."""

    def show(self, observation: NDArray[np.float32], mask: NDArray[np.int8], seat: NDArray[np.int64]) -> None:
        """Write what the seats to act see."""

    def play_rollout(self, learner: object, rollout: Rollout, lots: NDArray[np.float64], manner: Manner) -> bool:
        """Do all that follows by compiled code, if nobody has to be asked from outside; whether it was done."""

    def teach(self, observation: NDArray[np.float32], mask: NDArray[np.int8], taught: NDArray[np.int64]) -> None:
        """Write what the bot would do."""

    def play(self, actions: NDArray[np.int64], ended: NDArray[np.bool_], rewards: NDArray[np.float32]) -> None:
        """Play one action in each game, and on until the learner is to act again; say what has ended, and how."""

    def look(self) -> Iterator[tuple[NDArray[np.int64], int, NDArray[np.float32]]]:
        """For each seat that the learner plays: games, seat, and what that seat sees there now."""


class Parts(Protocol):
    """What `improve` learns from: the parts of a run, wherever they are. Lists are in the order of the parts."""

    def credit(self) -> Sequence[NDArray[np.float64]]:
        """Work out advantages. Of each part: count, and sums and sums of squares of advantages, of what values were
        off, and of value targets.
        """

    def normalise(self, mean: float, spread: float) -> None:
        """Centre and scale all advantages."""

    def shuffle(self, minibatches: int) -> None:
        """Cut each part into so many pieces by lot."""

    def gradients(self, minibatch: int, loss: Loss) -> Sequence[Gradient]:
        """The gradient of each part's piece of a minibatch, with the network as it is now."""


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
    worth: NDArray[np.float32]  # (n_steps, games, actions): by how much each action is better than the policy; or empty
    expected: NDArray[np.float32]  # what the policy's actions are worth in the mean; or empty
    last_value: NDArray[np.float32]  # (games, seats): what each seat can expect where the games were cut

    @classmethod
    def empty(
        cls, n_steps: int, games: int, inputs: int, actions: int, players: int, all_actions: bool = False
    ) -> Rollout:
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
            worth=np.zeros((n_steps, games, actions) if all_actions else (0, 0, 0), np.float32),
            expected=np.zeros((n_steps, games) if all_actions else (0, 0), np.float32),
            last_value=np.zeros((games, players), np.float32),
        )


def collect_rollouts(
    network: ActorCritic,
    games: RolloutGames,
    rollout: Rollout,
    chance: torch.Generator,
    manner: Manner,
) -> None:
    """Play `n_steps` decisions in every game, and write down everything that learning needs."""
    run, choose = network.ready(), compiled_choose()
    lots = torch.rand(rollout.action.shape, generator=chance, dtype=torch.float64).numpy()
    if not games.play_rollout(run, rollout, lots, manner):
        if rollout.worth.size:  # of a run that will try actions sooner or later: better now than after hours
            raise OptionError(
                "ppo.all_actions_from tries actions in compiled copies of games, where all players must be built in or "
                "perceptrons of the learner's own form; leave it out, or whoever else is in league.always"
            )
        for step, action in enumerate(rollout.action):
            observation, mask = rollout.observation[step], rollout.mask[step]
            games.show(observation, mask, rollout.seat[step])
            logits, rollout.value[step] = run(observation)
            choose(logits, mask, lots[step], 1.0, action, rollout.log_probability[step])
            if manner.imitate:
                games.teach(observation, mask, rollout.taught[step])
            games.play(action, rollout.ended[step], rollout.rewards[step])
    for rows, seat, observation in games.look():
        rollout.last_value[rows, seat] = run(observation)[1]


def advantages(
    rollout: Rollout, gamma: float, gae_lambda: float, all_actions: bool = False
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Generalised advantage estimation along each seat's own decisions; returns advantages and value targets.

    Where all actions were tried, each step is what the policy expects of them, and not what one of them came to.
    """
    result = np.empty_like(rollout.value)
    compiled_advantages()(
        rollout.seat,
        rollout.value,
        rollout.ended,
        rollout.rewards,
        rollout.last_value,
        rollout.expected if all_actions else rollout.expected[:0],
        float(gamma),
        float(gae_lambda),
        result,
    )
    return result, result + rollout.value


def improve(optimizer: Adam, parts: Parts, settings: SelfPlayPPOSettings, progress: float) -> dict[str, float]:
    """Learn from what the parts have played; `progress` from 0 to 1 moves the schedules. Returns figures for the log.

    Each minibatch of `batch_size` takes its share of every part. Gradients are added in the order of the parts, so that
    the result does not depend on who has calculated which of them.
    """
    count, *sums_and_squares = np.sum(parts.credit(), axis=0)
    means, squares = (np.array(sums_and_squares[first::2]) / count for first in (0, 1))
    variance, unexplained, spread = squares - means**2
    parts.normalise(float(means[0]), float(np.sqrt(max(variance, 0.0)) + 1e-8))
    coefficients = settings.at(progress)
    loss = Loss.of(settings, coefficients)
    minibatches = math.ceil(count / settings.batch_size)
    sums, learned = np.zeros(FIGURES), 0
    epochs = 0
    while epochs < settings.n_epochs:
        epochs, moved = epochs + 1, 0.0
        parts.shuffle(minibatches)
        for number in range(minibatches):
            pieces = parts.gradients(number, loss)
            optimizer.step(pieces, coefficients.learning_rate, settings.max_grad_norm)
            figures = np.add.reduce([piece.figures for piece in pieces])
            learned += sum(piece.rows for piece in pieces)
            sums, moved = sums + figures, moved + figures[MOVED]
        if settings.target_kl is not None and moved / count > settings.target_kl:
            break
    policy_loss, value_loss, entropy, approx_kl, magnet_kl = (sums / learned).tolist()
    return {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "approx_kl": approx_kl,
        **({"magnet_kl": magnet_kl} if settings.magnet_coef > 0 else {}),
        "explained_variance": 1.0 - float(unexplained / (spread + 1e-12)),
        "n_epochs": float(epochs),
        "learning_rate": coefficients.learning_rate,
    }
