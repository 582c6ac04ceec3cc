"""The run of any learner, from beginning to end: iterations, and between them evaluations, snapshots and saves.

Ctrl-C saves and stops. `--resume` goes on from the last complete state, after a kill -9 too. A program ends with 0 when
the run is finished, 3 when its minutes are over, 130 after Ctrl-C (143 after a SIGTERM), and 1 or 2 after an error.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import torch

from card_envs.agents.checkpoint import save_checkpoint
from card_envs.agents.loading import SUFFIX, agent_names
from training import evaluation
from training.evaluation import Judge, Share
from training.learner import Arrays, Learner
from training.run_folder import RunFolder, cannot_write
from training.screen import Screen, tell
from training.settings import RunSettings

FINISHED, OUT_OF_TIME = 0, 3  # exit codes; after a signal it is 128 and the signal's number, as shells have it
Settings = TypeVar("Settings", bound=RunSettings)


@dataclass(frozen=True)
class Best:
    """The player that has done best so far."""

    step: int
    weights: Arrays


class Run:
    """A learner, and all that is kept of it in the run's folder."""

    def __init__(self, settings: RunSettings, folder: RunFolder, learner: Learner) -> None:
        self.settings, self.folder, self.learner = settings, folder, learner
        self.seconds = 0.0  # of playing and learning; measuring and saving are not counted
        self.best: Best | None = None
        options = {**settings.options, "threads": settings.threads}
        self.judge = Judge(settings.game, settings.numbers, settings.evaluation.deals, settings.seed, options)

    def begin_or_resume(self) -> bool:
        """Get ready; whether this run was begun before."""
        state = self.folder.load_state()
        if state is None:
            self.learner.begin()
            self.save()
        else:
            self.restore(state)
        self.folder.forget_after(self.learner.decisions)
        return state is not None

    def iterate(self) -> dict[str, float]:
        """Play and learn once. Returns figures for screen and log."""
        before, began = self.learner.decisions, time.perf_counter()
        figures = self.learner.iterate()
        took = time.perf_counter() - began
        self.seconds += took
        speed = (self.learner.decisions - before) / took
        return {**figures, "decisions_per_second": speed, "seconds": self.seconds}

    def evaluate(self) -> dict[str, Share]:
        """Measure the learner as it is now, and make it the best if it is."""
        known = agent_names(self.settings.rules)
        opponents = [*(name for name in ("bot", "random") if name in known), *self.learner.rivals()]
        best = None if self.best is None else self.player_path("best")
        measured, is_best = self.judge.compare(self.save_player("latest"), best, opponents)
        if is_best:
            self.best = Best(self.learner.decisions, self.learner.weights())
            self.save_player("best", self.best)
        return evaluation.shares(measured)

    def snapshot(self) -> None:
        """The learner, as it is now, becomes one of those that it plays against."""
        self.learner.meet(self.save_player(f"step-{self.learner.decisions:012d}"))

    def player_path(self, name: str) -> Path:
        """Where a checkpoint of this run is."""
        return self.folder.checkpoints / f"{name}{SUFFIX}"

    def save_player(self, name: str, player: Best | None = None) -> Path:
        """Write a checkpoint: of the learner, or of the best."""
        path = self.player_path(name)
        save_checkpoint(
            path,
            self.settings.rules,
            self.learner.weights() if player is None else player.weights,
            self.learner.network,
            players=self.settings.numbers,
            options=self.settings.options,
            step=self.learner.decisions if player is None else player.step,
            parent=self.learner.parent,
        )
        return path

    def save(self) -> None:
        """Write everything down. Whatever the state names is in the folder before the state is."""
        self.save_player("latest")
        best = self.best
        self.folder.save_state(
            {
                "decisions": self.learner.decisions,
                "seconds": self.seconds,
                "best": None if best is None else (best.step, _tensors(best.weights)),
                "learner": self.learner.state(),
            }
        )
        self.folder.write_json("league.json", self.learner.opponents())

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.seconds = state["seconds"]
        self.learner.restore(state["learner"])
        if state["best"] is not None:
            step, tensors = state["best"]
            self.best = Best(step, {name: tensor.numpy() for name, tensor in tensors.items()})
            self.save_player("best", self.best)  # the one in the folder may be of what was lost


def _tensors(arrays: Arrays) -> dict[str, torch.Tensor]:
    """Arrays as tensors, which can be saved and read without running code."""
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


class Stop:
    """Ctrl-C, or the signal with which clusters end a job: the first one asks to stop, the next one insists."""

    def __init__(self) -> None:
        self.number = 0  # of the signal that came
        for kind in (signal.SIGINT, signal.SIGTERM):
            signal.signal(kind, self._ask)

    @property
    def asked(self) -> bool:
        """Whether somebody wants to stop."""
        return self.number > 0

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def train(settings: Settings, folder: RunFolder, make_learner: Callable[[Settings, RunFolder], Learner]) -> int:
    """The whole run; returns the exit code. However it ends, threads and folder are let go."""
    stop = Stop()  # before anything is compiled, so that whoever stops early gets no traceback
    try:
        with closing(folder):
            return _train(settings, folder, make_learner, stop)
    except OSError as error:
        folder.discard()
        raise cannot_write(folder.path, error) from None
    except Exception:
        folder.discard()
        raise


def _train(
    settings: Settings, folder: RunFolder, make_learner: Callable[[Settings, RunFolder], Learner], stop: Stop
) -> int:
    again = f"python -m training.{settings.trainer} --resume {folder.path}"
    state = folder.load_state()
    if state is not None and state["decisions"] >= settings.decisions:
        tell(f"{folder.path} is finished: all {settings.decisions:,} decisions are done; go on with more of them: "
             f"{again} --decisions {2 * settings.decisions}")  # fmt: skip
        return FINISHED
    tell(f"{settings.rules.title}: playing the first games" if state is None else f"reading {folder.path}")
    with closing(make_learner(settings, folder)) as learner:
        run = Run(settings, folder, learner)
        resumed = run.begin_or_resume()
        with Screen(
            settings.rules.title, settings.decisions, learner.decisions, minutes=settings.minutes, seconds=run.seconds
        ) as screen:
            screen.say(f"{'going on' if resumed else 'training'} in {folder.path}; Ctrl-C saves and stops")
            screen.say(learner.introduction())
            learn(run, screen, stop)
            done = f"{learner.decisions:,} of {settings.decisions:,} decisions are done"
            if learner.decisions >= settings.decisions:
                code = FINISHED
                screen.say(f"finished: {done}; go on with more: {again} --decisions {2 * settings.decisions}")
            elif stop.asked:
                code = 128 + stop.number
                screen.say(f"stopped and saved: {done}; go on with: {again}")
            else:
                code = OUT_OF_TIME
                screen.say(f"out of time: {settings.minutes:g} minutes are over, {done}; go on with: {again}")
            screen.say(f"players: {', '.join(sorted(path.name for path in folder.checkpoints.iterdir()))}")
            screen.say(f"in {folder.checkpoints}")
    return code


def learn(run: Run, screen: Screen, stop: Stop) -> None:
    """Iterations until the decisions are done, the minutes are over, or somebody asks to stop."""
    settings, learner = run.settings, run.learner
    began, saved = run.seconds, time.monotonic()
    over = learner.decisions >= settings.decisions
    while not over and not stop.asked:
        before = learner.decisions
        figures = run.iterate()
        screen.learned(learner.decisions, figures)
        out_of_time = settings.minutes is not None and run.seconds - began > 60 * settings.minutes
        over = out_of_time or learner.decisions >= settings.decisions
        if over or crosses(before, learner.decisions, settings.evaluation.every):
            screen.now("measuring")
            measured = run.evaluate()
            screen.measured(measured, f"best is step {run.best.step if run.best else 0:,}")
            figures |= evaluation.figures(measured)
        run.folder.report(learner.decisions, figures)
        if crosses(before, learner.decisions, learner.snapshot_every):
            run.snapshot()
        if over or stop.asked or time.monotonic() - saved > settings.save_seconds:
            run.save()
            saved = time.monotonic()


def crosses(before: int, after: int, every: int | None) -> bool:
    """Whether a multiple of `every` lies between two numbers of decisions."""
    return every is not None and before // every < after // every
