"""Everything that a run of self-play consists of, and how all of it is kept."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_envs.agents.bot import BotAgent
from card_envs.agents.checkpoint import read_checkpoint, save_checkpoint
from card_envs.core.errors import OptionError
from training import ppo
from training.evaluation import Judge, Results
from training.league import League
from training.network import Network
from training.run_folder import RunFolder
from training.settings import SelfPlaySettings
from training.tables import Table, Tables

Arrays = dict[str, NDArray[np.float32]]


class Trainer:
    """A learner, its games and its league. Play and learning are shared by threads, each with lots of its own, so that
    the result does not hang on their timing.
    """

    def __init__(self, settings: SelfPlaySettings, folder: RunFolder) -> None:
        torch.set_num_threads(1)  # threads of ours share the work: see docs/training.md for what that is worth
        self.settings, self.folder, self.game = settings, folder, settings.rules
        self.numbers = settings.numbers
        self.decisions = 0
        self.seconds = 0.0
        self.parent = ""
        self.best: tuple[int, Arrays] | None = None  # step and weights
        self.network = Network(self.game, settings.network.shape, tied=settings.network.tied, seed=settings.seed)
        self.optimizer = torch.optim.Adam(self.network.parameters(), eps=1e-5, fused=True)
        self.league = League(self.game, self.numbers, folder.path, settings.league)
        self.judge = Judge(
            self.game.name,
            self.numbers,
            settings.evaluation.deals,
            settings.seed,
            {**settings.options, "threads": settings.threads},
        )
        self.room = ppo.Decisions.room(
            settings.ppo.steps, settings.games, self.game.layout.size, len(self.game.actions), max(self.numbers)
        )
        bounds = [settings.games * part // settings.threads for part in range(settings.threads + 1)]
        self._parts = [slice(*pair) for pair in pairwise(bounds)]
        seeds = np.random.SeedSequence(settings.seed).generate_state(2 * settings.threads + 1).tolist()
        self._tables = [
            Tables(
                self.game,
                self.numbers,
                part.stop - part.start,
                seed=seed,
                pool=self.league if settings.league.share > 0 else None,
                reward=settings.reward,
                **settings.options,
            )
            for part, seed in zip(self._parts, seeds, strict=False)
        ]
        self._chances = [torch.Generator().manual_seed(seed) for seed in seeds[settings.threads :]]
        self._teachers = [BotAgent(self.game, number) for number in range(settings.threads)]
        self._threads = ThreadPoolExecutor(settings.threads)

    @property
    def progress(self) -> float:
        """The part of the run that is done."""
        return min(1.0, self.decisions / self.settings.decisions)

    def begin(self) -> None:
        """Scale the network's inputs by what the first games show, and go on from a checkpoint if one is named."""
        self._collect()
        self.network.measure(self.room.observation)
        if self.settings.start is not None:
            checkpoint = read_checkpoint(self.settings.start, self.game)
            if checkpoint.network != self.settings.network.shape:
                raise OptionError(
                    f"start: the network of {self.settings.start} is {checkpoint.network.describe()}, and these "
                    f"settings ask for {self.settings.network.shape.describe()}"
                )
            self.network.load(checkpoint.weights)
            self.parent = checkpoint.content_hash

    def iterate(self) -> dict[str, float]:
        """Play and learn once. Returns figures for screen and log."""
        began = time.perf_counter()
        self.league.settle()
        self._collect()
        figures = ppo.improve(
            self.network, self.optimizer, self.room, self.settings.ppo, self.progress, self._chances[-1],
            self._threads, self.settings.threads,
        )  # fmt: skip
        self.decisions += self.room.action.size
        took = time.perf_counter() - began
        self.seconds += took
        return {**figures, "decisions_per_second": self.room.action.size / took, "seconds": self.seconds}

    def _collect(self) -> None:
        imitate = self.settings.ppo.at(self.progress).teacher > 0
        jobs = [
            self._threads.submit(
                ppo.collect, self.network, tables, self.room.of(part), chance, teacher if imitate else None
            )
            for tables, part, chance, teacher in zip(
                self._tables, self._parts, self._chances[:-1], self._teachers, strict=True
            )
        ]
        for job in jobs:
            job.result()
        for table in self._all_tables():
            for numbers, shares in table.take_results():
                self.league.tell(numbers, shares)

    def _all_tables(self) -> list[Table]:
        return [table for tables in self._tables for table in tables.tables]

    def evaluate(self) -> Results:
        """Measure the learner as it is now, and make it the best if it is."""
        self.league.check_frozen()
        opponents = ["bot", "random", *self.league.hardest(self.settings.evaluation.pool)]
        best = None if self.best is None else self.player_path("best")
        results, is_best = self.judge.compare(self.save_player("latest"), best, opponents)
        if is_best:
            self.best = self.decisions, self.network.weights()
            self.save_player("best", *self.best)
        return results

    def snapshot(self) -> None:
        """The learner, as it is now, joins the league."""
        path = self.save_player(f"step-{self.decisions:012d}")
        self.league.add_snapshot(str(path.relative_to(self.folder.path)), self.decisions)

    def player_path(self, name: str) -> Path:
        """Where a checkpoint of this run is."""
        return self.folder.checkpoints / f"{name}.safetensors"

    def save_player(self, name: str, step: int | None = None, weights: Arrays | None = None) -> Path:
        """Write a checkpoint, of the learner if no weights are given."""
        path = self.player_path(name)
        save_checkpoint(
            path,
            self.game,
            self.network.weights() if weights is None else weights,
            self.settings.network.shape,
            players=self.numbers,
            options=self.settings.options,
            step=self.decisions if step is None else step,
            parent=self.parent,
        )
        return path

    def save(self) -> None:
        """Write everything down. Whatever the state names is in the folder before the state is."""
        self.save_player("latest")
        self.folder.save_state(
            {
                "decisions": self.decisions,
                "seconds": self.seconds,
                "parent": self.parent,
                "network": self.network.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "chances": [chance.get_state() for chance in self._chances],
                "tables": [_tensors(table.saved()) for table in self._all_tables()],
                "teachers": [int(teacher.stream) for teacher in self._teachers],
                "best": None if self.best is None else (self.best[0], _tensors(self.best[1])),
                "league": json.dumps(self.league.saved()),
            }
        )
        self.folder.write_json("league.json", self.league.saved())

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.decisions, self.seconds, self.parent = state["decisions"], state["seconds"], state["parent"]
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        for chance, saved in zip(self._chances, state["chances"], strict=True):
            chance.set_state(saved)
        self.league.restore(json.loads(state["league"]))
        for table, saved in zip(self._all_tables(), state["tables"], strict=True):
            table.restore(_arrays(saved))
        for teacher, stream in zip(self._teachers, state["teachers"], strict=True):
            teacher.stream = stream
        if state["best"] is not None:
            self.best = state["best"][0], _arrays(state["best"][1])
            self.save_player("best", *self.best)  # the one in the folder may be of what was lost

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown()


def _tensors(arrays: dict[str, Any]) -> dict[str, Any]:
    """Arrays as tensors, which can be saved and read without running code."""
    return {name: torch.from_numpy(one) if isinstance(one, np.ndarray) else one for name, one in arrays.items()}


def _arrays(tensors: dict[str, Any]) -> dict[str, Any]:
    return {name: one.numpy() if isinstance(one, torch.Tensor) else one for name, one in tensors.items()}
