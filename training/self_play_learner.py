"""Our own PPO in a league of frozen players: everything that learns and plays in a run of self_play."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from card_envs.agents.bot import BotAgent
from card_envs.agents.checkpoint import Checkpoint, read_checkpoint
from card_envs.errors import OptionError
from training import ppo
from training.league import League
from training.learner import Arrays
from training.network_kinds import make_network
from training.run_folder import RunFolder
from training.self_play_games import GameGroup, SelfPlayGames
from training.settings import SelfPlaySettings


class SelfPlayLearner:
    """A network, its games and its league. Play and learning are shared by threads, each with lots of its own, so that
    the result does not hang on their timing.
    """

    def __init__(self, settings: SelfPlaySettings, folder: RunFolder) -> None:
        torch.set_num_threads(1)  # threads of ours share the work: see docs/training.md for what that is worth
        self.settings, self.folder, self.game = settings, folder, settings.rules
        self.decisions = 0
        self.parent = ""
        self.snapshot_every = settings.league.snapshot_every
        self.network = settings.network.form()
        self._start = self._read_start()  # first of all, so that a wrong path is refused at once
        self.actor_critic = make_network(self.game, self.network, settings.network.tied, settings.seed)
        self.optimizer = torch.optim.Adam(self.actor_critic.parameters(), eps=1e-5, fused=True)
        self.league = League(self.game, settings.numbers, folder.path, settings.league)
        self.rollout = ppo.Rollout.empty(
            settings.ppo.n_steps,
            settings.games,
            self.game.layout.size,
            len(self.game.actions),
            max(settings.numbers),
        )
        bounds = [settings.games * part // settings.threads for part in range(settings.threads + 1)]
        self._parts = [slice(*pair) for pair in pairwise(bounds)]
        seeds = np.random.SeedSequence(settings.seed).generate_state(2 * settings.threads + 1).tolist()
        self._games = [
            SelfPlayGames(
                self.game,
                settings.numbers,
                part.stop - part.start,
                seed=seed,
                pool=self.league if settings.league.share > 0 else None,
                reward=settings.reward,
                **settings.options,
            )
            for part, seed in zip(self._parts, seeds, strict=False)
        ]
        self._chances = [torch.Generator().manual_seed(seed) for seed in seeds[settings.threads :]]
        bots = settings.threads if settings.ppo.teacher_coef > 0 else 0
        self._teachers = [BotAgent(self.game, number) for number in range(bots)]
        self._threads = ThreadPoolExecutor(settings.threads)

    @property
    def progress(self) -> float:
        """The part of the run that is done."""
        return min(1.0, self.decisions / self.settings.decisions)

    def begin(self) -> None:
        """Scale the network's inputs by what the first games show, and go on from a checkpoint if one is named."""
        self._collect_rollouts()
        self.actor_critic.measure(self.rollout.observation)
        if self._start is not None:
            self.actor_critic.load(self._start.weights)
            self.parent = self._start.content_hash

    def _read_start(self) -> Checkpoint | None:
        if self.settings.start is None:
            return None
        checkpoint = read_checkpoint(self.settings.start, self.game)
        if checkpoint.network != self.network:
            raise OptionError(
                f"start: the network of {self.settings.start} is {checkpoint.network.describe()}, "
                f"and these settings ask for {self.network.describe()}"
            )
        return checkpoint

    def iterate(self) -> dict[str, float]:
        """Play and learn once. Returns figures for screen and log."""
        self.league.settle()
        self._collect_rollouts()
        figures = ppo.improve(
            self.actor_critic, self.optimizer, self.rollout, self.settings.ppo, self.progress, self._chances[-1],
            self._threads, self.settings.threads,
        )  # fmt: skip
        self.decisions += self.rollout.action.size
        return figures

    def _collect_rollouts(self) -> None:
        imitate = self.settings.ppo.at(self.progress).teacher_coef > 0
        teachers = self._teachers if imitate else [None] * len(self._games)
        jobs = [
            self._threads.submit(
                ppo.collect_rollouts,
                self.actor_critic,
                games,
                self.rollout.of(part),
                chance,
                teacher,
            )
            for games, part, chance, teacher in zip(self._games, self._parts, self._chances[:-1], teachers, strict=True)
        ]
        for job in jobs:
            job.result()
        for group in self._groups():
            for numbers, shares in group.take_scores():
                self.league.tell(numbers, shares)

    def _groups(self) -> list[GameGroup]:
        return [group for games in self._games for group in games.groups]

    def weights(self) -> Arrays:
        """The weights as they are now."""
        return self.actor_critic.weights()

    def introduction(self) -> str:
        """How large the network is."""
        numbers = sum(parameter.numel() for parameter in self.actor_critic.parameters())
        weights = sum(array.size for array in self.weights().values())
        return f"the network has {weights:,} weights, made of {numbers:,} numbers that are learned"

    def rivals(self) -> list[str]:
        """The hardest of the league, after a look at whether anybody in it has drifted."""
        self.league.check_frozen()
        return self.league.hardest(self.settings.evaluation.pool)

    def meet(self, snapshot: Path) -> None:
        """A checkpoint in the run's folder joins the league."""
        self.league.add_snapshot(str(snapshot.relative_to(self.folder.path)), self.decisions)

    def opponents(self) -> list[dict[str, Any]]:
        """Who is in the league, and how the learner does against them."""
        return self.league.saved()

    def state(self) -> dict[str, Any]:
        """Everything, the games under way included."""
        return {
            "decisions": self.decisions,
            "parent": self.parent,
            "network": self.actor_critic.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "chances": [chance.get_state() for chance in self._chances],
            "games": [_tensors(group.saved()) for group in self._groups()],
            "teachers": [int(teacher.stream) for teacher in self._teachers],
            "league": json.dumps(self.league.saved()),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        self.decisions, self.parent = state["decisions"], state["parent"]
        self.actor_critic.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        for chance, saved in zip(self._chances, state["chances"], strict=True):
            chance.set_state(saved)
        self.league.restore(json.loads(state["league"]))
        for group, saved in zip(self._groups(), state["games"], strict=True):
            group.restore(_arrays(saved))
        for teacher, stream in zip(self._teachers, state["teachers"], strict=True):
            teacher.stream = stream

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown()


def _tensors(values: dict[str, Any]) -> dict[str, Any]:
    """Arrays as tensors, which can be saved and read without running code; all else as it is."""
    return {name: torch.from_numpy(one) if isinstance(one, np.ndarray) else one for name, one in values.items()}


def _arrays(values: dict[str, Any]) -> dict[str, Any]:
    return {name: one.numpy() if isinstance(one, torch.Tensor) else one for name, one in values.items()}
