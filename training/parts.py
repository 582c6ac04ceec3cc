"""A run cut into parts: each has its own games and lots, and its share of every gradient.

How many parts there are is a setting of the run. Who works on them is not: threads here or workers on a cluster
(ray_parts.py) share them out as they like, and the result is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from card_envs.errors import RunStateError
from training import ppo
from training.loss import Decisions, Loss
from training.network import ActorCritic, Gradient, Gradients
from training.ppo_settings import PLAIN, Manner
from training.run_state import as_arrays, as_tensors, check_like
from training.self_play_games import LeagueScores, Pool, SelfPlayGames
from training.settings import SelfPlaySettings
from training.state_checks import require

Result = TypeVar("Result")


class Part:
    """Some of the games of a run, what was played in them, and the lots for both."""

    def __init__(self, settings: SelfPlaySettings, number: int, pool: Pool | None) -> None:
        self.settings, game = settings, settings.rules
        games = settings.games * (number + 1) // settings.parts - settings.games * number // settings.parts
        seeds = np.random.SeedSequence([settings.seed, number]).generate_state(3).tolist()
        self.games = SelfPlayGames(
            game,
            settings.numbers,
            games,
            seed=seeds[0],
            pool=pool,
            taught=settings.ppo.teacher_coef > 0,
            reward=settings.reward,
            **settings.options,
        )
        self.rollout = ppo.Rollout.empty(
            settings.ppo.n_steps,
            games,
            game.layout.size,
            len(game.actions),
            max(settings.numbers),
            settings.ppo.all_actions_from is not None,
        )
        self.chance, self.order = (torch.Generator().manual_seed(seed) for seed in seeds[1:])
        self._advantage = self._target = np.zeros(0, np.float32)
        self._magnet = np.zeros((0, len(game.actions)), np.float32)
        self._manner = PLAIN
        self._decisions: Decisions
        self._pieces: Sequence[NDArray[np.int64]] = ()

    def play(
        self, network: ActorCritic, manner: Manner = PLAIN, magnet: ActorCritic | None = None
    ) -> list[LeagueScores]:
        """Play on, and tell how the learner did against frozen players. A magnet says what it would have done."""
        self._manner = manner
        ppo.collect_rollouts(network, self.games, self.rollout, self.chance, manner)
        if magnet is not None:
            observation = self.rollout.observation
            self._magnet = magnet.ready()(observation.reshape(-1, observation.shape[-1]))[0]
        return [group.take_scores() for group in self.games.groups]

    def take_frozen_seconds(self) -> float:
        """How long frozen players have played since this was asked last."""
        return sum(group.take_frozen_seconds() for group in self.games.groups)

    def credit(self) -> NDArray[np.float64]:
        """Work out advantages and value targets, and what `Parts.credit` tells of them."""
        how = self.settings.ppo
        self._advantage, self._target = ppo.advantages(
            self.rollout, how.gamma, how.gae_lambda, self._manner.all_actions
        )
        off, target = (array.astype(np.float64).reshape(-1) for array in (self._advantage, self._target))
        gain = (0.0, _variance(self.rollout)) if self._manner.all_actions else (off.sum(), off @ off)
        return np.array([off.size, *gain, off.sum(), off @ off, target.sum(), target @ target])

    def normalise(self, mean: float, spread: float) -> None:
        """Centre and scale the advantages; then everything is ready to be learned from."""
        advantage, played = (self._advantage - np.float32(mean)) / np.float32(spread), self.rollout
        names = ("observation", "mask", "action", "taught", "log_probability", "value")
        arrays = {name: getattr(played, name) for name in names} | {"advantage": advantage, "target": self._target}
        self._decisions = Decisions(
            **{name: array.reshape(advantage.size, *array.shape[2:]) for name, array in arrays.items()},
            magnet=self._magnet,
            worth=self._worth(spread),
        )

    def _worth(self, spread: float) -> NDArray[np.float32]:
        """By how much each action is better than the policy, in the unit of advantages; no rows where nobody tried."""
        flat = self.rollout.worth.reshape(-1, self._magnet.shape[1])
        return flat / np.float32(spread) if self._manner.all_actions else flat[:0]

    def shuffle(self, minibatches: int) -> None:
        """Cut all decisions into pieces by lot."""
        self._pieces = np.array_split(torch.randperm(self._advantage.size, generator=self.order).numpy(), minibatches)

    def gradient(self, gradients: Gradients, minibatch: int, loss: Loss) -> Gradient:
        """What the decisions of one piece ask of the network."""
        return gradients(self._decisions, self._pieces[minibatch], loss)

    def state(self) -> dict[str, Any]:
        """All that playing and learning on needs."""
        return {
            "chance": self.chance.get_state(),
            "order": self.order.get_state(),
            "games": [as_tensors(group.saved()) for group in self.games.groups],
        }

    def restore(self, saved: Any, members: int) -> None:
        """Go on from what `state` gave, in a league of so many members."""
        own = self.state()
        require(isinstance(saved, dict) and saved.keys() == own.keys(), "its parts are no parts")
        for name in ("chance", "order"):
            check_like(saved[name], own[name], name)
        require(isinstance(saved["games"], list) and len(saved["games"]) == len(own["games"]), "its games are too few")
        for generator, name in ((self.chance, "chance"), (self.order, "order")):
            try:
                generator.set_state(saved[name])
            except RuntimeError:
                raise RunStateError("its lots are no lots") from None
        for group, games in zip(self.games.groups, saved["games"], strict=True):
            require(isinstance(games, dict), "its games are no games")
            group.restore(as_arrays(games), members)


def _variance(rollout: ppo.Rollout) -> float:
    """How far apart legal actions are: the variance of what they are worth, each alike, added up over all decisions.

    It does not depend on the policy. So what is normalised by it keeps its weight beside the entropy bonus, however
    certain the policy becomes.
    """
    worth, mask, count = rollout.worth, rollout.mask, rollout.mask.sum(axis=-1)
    mean = worth.sum(axis=-1) / count
    apart = (np.square(worth - mean[..., None]) * mask).sum(axis=-1) / count
    return float(apart.sum(dtype=np.float64))


class RunParts(ppo.Parts, Protocol):
    """All parts of a run, whoever works on them. Lists are in the order of the parts."""

    def play(self, manner: Manner = PLAIN, magnet: ActorCritic | None = None) -> list[LeagueScores]:
        """Let all parts play on, with the network and the league as they are now; a magnet looks at what was played."""

    def observations(self) -> NDArray[np.float32]:
        """What was seen in the last games of all parts."""

    def states(self) -> list[dict[str, Any]]:
        """All that going on needs."""

    def restore(self, saved: Sequence[Any], members: int) -> None:
        """Go on from what `states` gave, in a league of so many members."""

    def figures(self) -> dict[str, float]:
        """Where the time went since this was asked last, as far as the parts know more of it than their user."""

    def introduction(self) -> str:
        """Who works on them."""

    def close(self) -> None:
        """Let whoever works on them go."""


class ThreadedParts:
    """All parts in this process, shared out to threads."""

    def __init__(self, settings: SelfPlaySettings, network: ActorCritic, pool: Pool | None) -> None:
        self.network = network
        self.parts = [Part(settings, number, pool) for number in range(settings.parts)]
        self._threads = ThreadPoolExecutor(settings.threads)
        self._hands = min(settings.threads, settings.parts)

    def _each(self, work: Callable[[Part], Result]) -> list[Result]:
        """Do something with every part; results in the order of the parts."""
        if self._hands == 1:
            return [work(part) for part in self.parts]
        first, *others = [self.parts[hand :: self._hands] for hand in range(self._hands)]
        waiting = [self._threads.submit(lambda share: [work(part) for part in share], share) for share in others]
        done = [[work(part) for part in first], *(one.result() for one in waiting)]
        return [done[number % self._hands][number // self._hands] for number in range(len(self.parts))]

    def play(self, manner: Manner = PLAIN, magnet: ActorCritic | None = None) -> list[LeagueScores]:
        """Let all parts play on."""
        return [scores for part in self._each(lambda part: part.play(self.network, manner, magnet)) for scores in part]

    def observations(self) -> NDArray[np.float32]:
        """What was seen in the last games of all parts."""
        return np.concatenate(
            [part.rollout.observation.reshape(-1, part.rollout.observation.shape[-1]) for part in self.parts]
        )

    def credit(self) -> list[NDArray[np.float64]]:
        """See ppo.Parts."""
        return self._each(Part.credit)

    def normalise(self, mean: float, spread: float) -> None:
        """See ppo.Parts."""
        self._each(lambda part: part.normalise(mean, spread))

    def shuffle(self, minibatches: int) -> None:
        """See ppo.Parts."""
        self._each(lambda part: part.shuffle(minibatches))

    def gradients(self, minibatch: int, loss: Loss) -> list[Gradient]:
        """See ppo.Parts."""
        gradients = self.network.gradients()
        return self._each(lambda part: part.gradient(gradients, minibatch, loss))

    def states(self) -> list[dict[str, Any]]:
        """All that going on needs."""
        return [part.state() for part in self.parts]

    def restore(self, saved: Sequence[Any], members: int) -> None:
        """Go on from what `states` gave, in a league of so many members."""
        for part, one in zip(self.parts, saved, strict=True):
            part.restore(one, members)

    def figures(self) -> dict[str, float]:
        """Of the seconds of playing those of frozen players, on each thread."""
        return {"seconds_frozen": sum(part.take_frozen_seconds() for part in self.parts) / self._hands}

    def introduction(self) -> str:
        """Who works on them."""
        return f"{self._hands} {'thread works' if self._hands == 1 else 'threads work'} on {len(self.parts)} parts"

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown()
