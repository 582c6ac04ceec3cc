"""The run of any learner, from beginning to end: iterations, and between them evaluations, snapshots and saves.

Ctrl-C saves and stops. `--resume` goes on from the last complete state, after a kill -9 too. A program ends with 0 when
the run is finished, 3 when its minutes are over, 130 after Ctrl-C (143 after a SIGTERM), and 1 or 2 after an error.
"""

from __future__ import annotations

import hashlib
import signal
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import numpy as np
import torch

from card_envs.agents.checkpoint import CheckpointAgent, checkpoint_bytes
from card_envs.agents.loading import SUFFIX, Player, agent_names
from card_envs.core.game import Game
from card_envs.errors import ClusterError, LostWorkersError, OptionError, RunStateError
from card_envs.files import shown, write_whole
from training import evaluation
from training.attempts import Attempts
from training.command_line import PLACE, fixed_settings
from training.learner import Learner, crosses
from training.measuring import MOST_WAITING, Measured, Measuring, Self, Unmeasured
from training.players import as_checkpoint
from training.run_folder import RunFolder, typed
from training.run_state import as_arrays, as_tensors, check_like
from training.screen import Screen, tell
from training.settings import RunSettings
from training.state_checks import find_snapshot, is_snapshot, require

FIXED_OPPONENTS = ("bot", "random")  # whom every learner is measured against, where a game has them
FINISHED, OUT_OF_TIME = 0, 3  # exit codes; after a signal it is 128 and the signal's number, as shells have it
Settings = TypeVar("Settings", bound=RunSettings)


class Run:
    """A learner, and all that is kept of it in the run's folder."""

    def __init__(self, settings: RunSettings, folder: RunFolder, learner: Learner) -> None:
        self.settings, self.folder, self.learner = settings, folder, learner
        self.seconds = 0.0  # of playing and learning; measuring and saving are not counted
        self.measuring = Measuring(settings, learner.spare, self._opponent, self._player)

    def begin_or_resume(self) -> bool:
        """Get ready; whether this run was begun before."""
        state = self.folder.load_state()
        if state is None:
            self.learner.begin()
            self.save()
        else:
            self.restore(state)
        unmeasured = [one.player.step for one in self.measuring.unmeasured]
        self.folder.forget_after(self.learner.decisions, unmeasured)
        return state is not None

    def iterate(self) -> dict[str, float]:
        """Play and learn once. Returns figures for screen and log."""
        before, began = self.learner.decisions, time.perf_counter()
        figures = self.learner.iterate()
        took = time.perf_counter() - began
        self.seconds += took
        if not all(np.isfinite(array).all() for array in self.learner.weights().values()):
            raise OptionError(
                f"learning went astray: after {self.learner.decisions} decisions the network has numbers that are not "
                f"finite; begin anew with a smaller ppo.learning_rate"
            )
        speed = (self.learner.decisions - before) / took
        return {**figures, "decisions_per_second": speed, "seconds": self.seconds}

    def ask_for_measurement(self) -> None:
        """The learner, as it is now, is to be measured."""
        known = agent_names(self.settings.rules)
        opponents = [*(name for name in FIXED_OPPONENTS if name in known), *self.learner.rivals()]
        if self.settings.evaluation.response_playouts > 0:
            opponents.append(evaluation.RESPONSE)
        self.measuring.ask(Unmeasured(self._now(), tuple(opponents)))

    def take_measurements(self, keep: int = MOST_WAITING) -> list[Measured]:
        """What has been found out, in order; the best is written down. At most so many are left to be found out."""
        taken = self.measuring.take(keep)
        if self.measuring.best is not None and any(one.is_best for one in taken):
            self.save_player("best", self.measuring.best)
        return taken

    def _opponent(self, name: str) -> Player:
        """Whom somebody is measured against: an agent by name, or a snapshot of this run."""
        if is_snapshot(name):
            return CheckpointAgent(find_snapshot(self.folder.path, name), self.settings.rules)
        return name

    def _player(self, one: Self) -> Player:
        """The learner as it was, ready to play."""
        checkpoint = as_checkpoint(self.settings, self.learner.network, one.weights, one.step, self.learner.parent)
        return CheckpointAgent(checkpoint, self.settings.rules)

    def _now(self) -> Self:
        return Self(self.learner.decisions, self.learner.weights())

    def snapshot(self) -> None:
        """The learner, as it is now, becomes one of those that it plays against."""
        self.learner.meet(self.save_player(f"step-{self.learner.decisions:012d}"))

    def player_path(self, name: str) -> Path:
        """Where a checkpoint of this run is."""
        return self.folder.checkpoints / f"{name}{SUFFIX}"

    def save_player(self, name: str, player: Self | None = None) -> Path:
        """Write a checkpoint: of the learner as it is now, or as it was."""
        path, one = self.player_path(name), player or self._now()
        checkpoint = as_checkpoint(self.settings, self.learner.network, one.weights, one.step, self.learner.parent)
        write_whole(path, checkpoint_bytes(checkpoint, self.settings.rules))
        return path

    def save(self) -> None:
        """Write everything down; the state last, because a run goes on from it or is finished by it."""
        self.save_player("latest")
        self.folder.write_json("league.json", self.learner.opponents())
        best, waiting = self.measuring.best, self.measuring.unmeasured
        self.folder.save_state(
            {
                "game": _fingerprint(self.settings.rules),
                "settings": fixed_settings(self.settings),
                "decisions": self.learner.decisions,
                "seconds": self.seconds,
                "best": None if best is None else (best.step, as_tensors(best.weights)),
                "unmeasured": [
                    (one.player.step, as_tensors(one.player.weights), list(one.opponents)) for one in waiting
                ],
                "learner": self.learner.state(),
            }
        )

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what was saved, once it is certain that it is of this run."""
        try:
            self._check(state)
            self.learner.restore(state["learner"])
            require(self.learner.decisions == state["decisions"], "its learner is of another moment")
        except RunStateError as error:
            raise self.folder.cannot_go_on(error) from None
        self.seconds = state["seconds"]
        if state["best"] is not None:
            self.measuring.best = _self(*state["best"])
            self.save_player("best", self.measuring.best)  # the one in the folder may be of what was lost
        if state["unmeasured"]:
            tell(
                f"still to be measured: the player of step {', '.join(f'{step:,}' for step, *_ in state['unmeasured'])}"
            )
        for step, tensors, opponents in state["unmeasured"]:
            self.measuring.ask(Unmeasured(_self(step, tensors), tuple(opponents)))

    def _check(self, state: dict[str, Any]) -> None:
        rules, mine, theirs = self.settings.rules, fixed_settings(self.settings), state["settings"]
        require(
            state["game"] == _fingerprint(rules), f"it was saved with another version of card_envs or of {rules.title}"
        )
        other = sorted(name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name))
        named = ", ".join(f"{name} {theirs.get(name)}, now {mine.get(name)}" for name in other[:3])
        require(not other, f"it was saved with other settings than config.yaml has now ({shown(named)}): put them back")
        own, last = as_tensors(self.learner.weights()), -1
        if state["best"] is not None:
            last, tensors = state["best"]
            require(0 <= last <= state["decisions"], "its best player is of a later step")
            check_like(tensors, own, "best player")
        for step, tensors, opponents in state["unmeasured"]:
            require(last < step <= state["decisions"], "its players are not measured in order")
            check_like(tensors, own, "player that is not measured yet")
            fixed = {*FIXED_OPPONENTS} & {*agent_names(rules)} | {evaluation.RESPONSE}
            known = all(one in fixed or is_snapshot(one) for one in opponents)
            require(known and len(set(opponents)) == len(opponents), "its players are measured against nobody")
            last = step


def _fingerprint(game: Game) -> dict[str, str]:
    """What a game's records must be like, or bytes that were saved would mean something else."""
    record = hashlib.sha256(str(game.record).encode()).hexdigest()
    return {"game": game.key, "layout": game.layout.hash, "record": record}


def _self(step: int, tensors: dict[str, torch.Tensor]) -> Self:
    return Self(step, as_arrays(tensors))


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
    """The whole run; returns the exit code. However it ends, threads, workers and folder are let go."""
    stop, attempts = Stop(), Attempts()  # before anything is compiled, so that whoever stops early gets no traceback
    try:
        with closing(folder):
            while True:
                try:
                    return _train(settings, folder, make_learner, stop, attempts)
                except LostWorkersError as error:
                    state = folder.load_state()
                    saved = 0 if state is None else int(state["decisions"])
                    if stop.asked:
                        tell(f"stopped: {error}, {saved:,} decisions are saved; go on with: {_again(settings, folder)}")
                        return 128 + stop.number
                    attempts.lose(saved, error)
                    tell(f"{error}: going back to the last save, at {saved:,} decisions, and on with other workers")
    except KeyboardInterrupt:  # somebody insists: no traceback of whatever was just going on
        folder.discard()
        if folder.begun:
            tell(f"stopped at once: what was saved is whole, and goes on with: {_again(settings, folder)}")
        return 128 + signal.SIGINT
    except OSError as error:
        raise folder.cannot_write(error) from None
    except ClusterError as error:
        folder.discard()
        if not folder.begun:
            raise
        again = _again(settings, folder)
        end = "" if str(error).endswith("?") else "."
        raise ClusterError(f"{error}{end} What was saved is whole, and goes on with: {again}") from None
    except Exception:
        folder.discard()
        raise


def _again(settings: RunSettings, folder: RunFolder) -> str:
    """The command that goes on with a run, here or on the same cluster."""
    place = {name: value for name, value in asdict(settings).items() if name in PLACE and value is not None}
    options = "".join(f" --{name} {value}" for name, value in place.items())
    return f"python -m training.{settings.trainer} --resume {typed(folder.path)}{options}"


def _train(
    settings: Settings,
    folder: RunFolder,
    make_learner: Callable[[Settings, RunFolder], Learner],
    stop: Stop,
    attempts: Attempts,
) -> int:
    again = _again(settings, folder)
    state = folder.load_state()
    if state is not None and state["decisions"] >= settings.decisions and not state["unmeasured"]:
        tell(
            f"{shown(folder.path)} is finished: all {settings.decisions:,} decisions are done; go on with more of "
            f"them: {again} --decisions {2 * settings.decisions}"
        )
        return FINISHED
    tell(f"{settings.rules.title}: playing the first games" if state is None else f"reading {shown(folder.path)}")
    with closing(make_learner(settings, folder)) as learner:
        run = Run(settings, folder, learner)
        resumed = run.begin_or_resume()
        began = attempts.begin(run.seconds)
        with Screen(
            settings.rules.title, settings.decisions, learner.decisions, minutes=settings.minutes, seconds=began
        ) as screen:
            screen.say(f"{'going on' if resumed else 'training'} in {shown(folder.path)}; Ctrl-C saves and stops")
            screen.say(learner.introduction())
            learn(run, screen, stop, began)
            screen.say(f"time: {screen.time_spent()}")
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
            screen.say(f"in {shown(folder.checkpoints)}")
    return code


def learn(run: Run, screen: Screen, stop: Stop, began: float) -> None:
    """Iterations until the decisions are done, the minutes since `began` are over, or somebody asks to stop."""
    settings, learner = run.settings, run.learner
    saved, saving = time.monotonic(), 0.0  # when it was saved last, and how long that took, for the next report
    over = learner.decisions >= settings.decisions
    if over:  # a run that was stopped after its last decision, before it was measured
        report_measurements(run, screen, 0)
        run.save()
    while not over and not stop.asked:
        before = learner.decisions
        figures = run.iterate()
        screen.learned(learner.decisions, figures)
        out_of_time = settings.minutes is not None and run.seconds - began > 60 * settings.minutes
        over = out_of_time or learner.decisions >= settings.decisions
        learned = time.monotonic()
        if over or crosses(before, learner.decisions, settings.evaluation.every):
            screen.now("measuring")
            run.ask_for_measurement()
        figures |= report_measurements(run, screen, 0 if over else MOST_WAITING)
        measured = time.monotonic()
        figures |= {"seconds_measuring": measured - learned, "seconds_saving": saving}
        screen.spent(figures)
        run.folder.report(learner.decisions, figures)  # before it is saved: what is saved has been reported
        if crosses(before, learner.decisions, learner.snapshot_every):
            run.snapshot()
        if over or stop.asked or time.monotonic() - saved > settings.save_seconds:
            run.save()
            saved = time.monotonic()
        saving = time.monotonic() - measured


def report_measurements(run: Run, screen: Screen, keep: int) -> dict[str, float]:
    """Tell what has been found out about the learner; figures for the log about the learner as it is now. What is known
    of how it was before has lines of its own.
    """
    now: dict[str, float] = {}
    for measured in run.take_measurements(keep):
        shares = evaluation.shares(measured.results)
        best = run.measuring.best
        screen.measured(shares, f"best is step {best.step if best else 0:,}")
        if measured.step == run.learner.decisions:
            now = evaluation.figures(shares)
        else:
            run.folder.report(measured.step, evaluation.figures(shares))
    return now
