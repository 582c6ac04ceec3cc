"""Learners: both trainers run in one loop, go on only by themselves, and can be given networks of another kind."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.agents.checkpoint import read_checkpoint
from card_envs.agents.network import Mlp
from card_envs.errors import OptionError
from card_envs.games import get_game
from tests.support.short_runs import begun, sb3, self_play
from training.command_line import load
from training.evaluation import EvaluationSettings
from training.learner import Arrays, Learner
from training.program import run_program
from training.run import Run, crosses, train
from training.run_folder import RunFolder
from training.sb3_learner import Sb3Learner
from training.self_play_learner import SelfPlayLearner
from training.settings import RunSettings
from training.spare import AtOnce

TRAINERS: list[tuple[Callable[..., Any], Callable[[Any, RunFolder], Learner]]] = [
    (self_play, SelfPlayLearner),
    (sb3, Sb3Learner),
]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (path / "log.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(("settings_of", "make"), TRAINERS, ids=["self_play", "sb3_ppo"])
def test_a_run_leaves_the_same_things_whoever_learns(
    settings_of: Callable[..., RunSettings], make: Callable[[Any, RunFolder], Learner], tmp_path: Path
) -> None:
    settings = settings_of(tmp_path / "run")
    train(settings, RunFolder.new(settings), make)
    curve = lines(tmp_path / "run")
    assert [line["decisions"] for line in curve] == [120, 240, 360, 480]
    common = {"entropy", "approx_kl", "explained_variance", "learning_rate", "decisions_per_second", "seconds"}
    assert all(common <= line.keys() for line in curve)
    assert [("against bot" in line, "against random" in line) for line in curve] == [(False, False), (True, True)] * 2
    for name in ("latest", "best"):
        checkpoint = read_checkpoint(tmp_path / "run/checkpoints" / f"{name}.safetensors", "king_lui", 3)
        assert 0 < checkpoint.step <= 480
    assert json.loads((tmp_path / "run/made_by.json").read_text())["trainer"] == settings.trainer
    assert json.loads((tmp_path / "run/league.json").read_text())[0]["player"] == "bot"
    folder = RunFolder.old(tmp_path / "run", settings.trainer)
    state = folder.load_state()
    assert state is not None
    assert state["decisions"] == 480
    folder.close()


@pytest.mark.parametrize(("settings_of", "make"), TRAINERS, ids=["self_play", "sb3_ppo"])
def test_a_run_goes_on_where_it_was_saved(
    settings_of: Callable[..., RunSettings], make: Callable[[Any, RunFolder], Learner], tmp_path: Path
) -> None:
    settings = settings_of(tmp_path / "run")
    run = begun(settings, make)
    assert not run.begin_or_resume()
    for _ in range(2):
        run.iterate()
    run.ask_for_measurement()
    run.take_measurements(keep=0)
    run.snapshot()
    run.save()
    run.iterate()  # is lost
    best = run.measuring.best
    for one in (run.learner, run.folder):
        one.close()

    folder = RunFolder.old(tmp_path / "run", settings.trainer)
    again = Run(settings, folder, make(load(type(settings), tmp_path / "run/config.yaml"), folder))
    assert again.begin_or_resume()
    assert again.learner.decisions == 240
    assert best is not None
    assert again.measuring.best is not None
    assert again.measuring.best.step == best.step == 240
    assert again.learner.rivals() == ["checkpoints/step-000000000240.safetensors"]
    for name, array in read_checkpoint(tmp_path / "run/checkpoints/latest.safetensors", "king_lui").weights.items():
        np.testing.assert_array_equal(again.learner.weights()[name], array)
    again.learner.close()
    train(settings, folder, make)  # resumes once more, and ends
    assert lines(tmp_path / "run")[-1]["decisions"] == 480


def test_maskable_ppo_follows_the_schedules_of_the_whole_run(tmp_path: Path) -> None:
    run = begun(sb3(tmp_path / "run"), Sb3Learner)
    run.begin_or_resume()
    learner = run.learner
    assert isinstance(learner, Sb3Learner)
    for part in range(4):
        figures = run.iterate()
        assert figures["learning_rate"] == pytest.approx(1e-3 + (1e-4 - 1e-3) * part / 4)
        assert learner.model.ent_coef == pytest.approx(0.01 * (1 - part / 4))
    run.folder.close()


def test_maskable_ppo_meets_its_newest_snapshots(tmp_path: Path) -> None:
    run = begun(sb3(tmp_path / "run", snapshots=2.0), Sb3Learner)
    run.begin_or_resume()
    for _ in range(6):
        run.iterate()
        run.snapshot()
    weights = {Path(one["player"]).stem: one["weight"] for one in run.learner.opponents()}
    assert weights == {"bot": 1.0} | {f"step-{step:012d}": 0.5 for step in (360, 480, 600, 720)}
    run.iterate()
    run.folder.close()


class Counter:
    """A learner that only counts: whatever it is asked, the run decides when."""

    network = Mlp((), "tanh")
    parent = ""
    spare = AtOnce(1)

    def __init__(self, snapshot_every: int | None) -> None:
        self.decisions, self.snapshot_every = 0, snapshot_every
        self.asked: list[str] = []

    def begin(self) -> None:
        self.asked.append("begin")

    def iterate(self) -> dict[str, float]:
        self.decisions += 100
        return {"entropy": 0.0, "approx_kl": 0.0, "explained_variance": 0.0, "learning_rate": 0.0}

    def weights(self) -> Arrays:
        game = get_game("king_lui")
        shapes = self.network.tensors(game.layout.size, len(game.actions))
        return {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}

    def introduction(self) -> str:
        return "somebody who counts"

    def rivals(self) -> list[str]:
        self.asked.append(f"rivals {self.decisions}")
        return []

    def meet(self, snapshot: Path) -> None:
        self.asked.append(snapshot.stem)

    def opponents(self) -> list[dict[str, Any]]:
        return []

    def state(self) -> dict[str, Any]:
        return {"decisions": self.decisions}

    def restore(self, state: dict[str, Any]) -> None:
        self.decisions = state["decisions"]

    def close(self) -> None:
        self.asked.append("close")


def test_any_learner_can_be_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = self_play(tmp_path / "run", decisions=500, evaluation=EvaluationSettings(every=200, deals=2))
    learner = Counter(snapshot_every=300)
    train(settings, RunFolder.new(settings), lambda *_: learner)
    asked = ["begin", "rivals 200", "step-000000000300", "rivals 400", "rivals 500", "close"]
    assert learner.asked == asked
    assert "somebody who counts" in capsys.readouterr().out
    longer, again = replace(settings, decisions=600), Counter(snapshot_every=None)
    train(longer, RunFolder.old(tmp_path / "run", "self_play"), lambda *_: again)
    assert (again.decisions, again.asked) == (600, ["rivals 600", "close"])


def test_a_run_out_of_minutes_is_measured_and_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = sb3(tmp_path / "run", minutes=0.0)
    learner = Counter(None)
    train(settings, RunFolder.new(settings), lambda *_: learner)
    assert learner.asked == ["begin", "rivals 100", "close"]
    assert f"go on with: python -m training.sb3_ppo --resume {tmp_path / 'run'}" in " ".join(
        capsys.readouterr().out.split()
    )


@pytest.mark.parametrize(
    ("before", "after", "every", "expected"),
    [(0, 99, 100, False), (0, 100, 100, True), (100, 199, 100, False), (199, 401, 100, True), (0, 100, None, False)],
)
def test_what_is_due_every_so_often(before: int, after: int, every: int | None, expected: bool) -> None:
    assert crosses(before, after, every) is expected


@pytest.mark.parametrize(("settings_of", "other"), [(self_play, sb3), (sb3, self_play)], ids=["self_play", "sb3_ppo"])
def test_the_wrong_trainer_is_told_the_right_one(
    settings_of: Callable[..., RunSettings],
    other: Callable[..., RunSettings],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings, tree = settings_of(tmp_path / "run"), type(other(tmp_path))
    RunFolder.new(settings).close()
    monkeypatch.setattr(sys, "argv", [f"training.{tree.trainer}", "--resume", str(tmp_path / "run")])
    with pytest.raises(SystemExit) as refused:
        run_program(tree, "", lambda *_: Counter(None))
    right = settings.trainer
    assert str(refused.value) == (
        f"{tmp_path / 'run'} is a run of training.{right}, not of training.{tree.trainer}; "
        f"go on with it by: python -m training.{right} --resume {tmp_path / 'run'}"
    )


def test_a_run_that_does_not_say_who_made_it_is_not_guessed_at(tmp_path: Path) -> None:
    RunFolder.new(self_play(tmp_path / "run")).close()
    (tmp_path / "run/made_by.json").write_text("{")
    with pytest.raises(OptionError, match=r"made_by\.json does not say which trainer made it"):
        RunFolder.old(tmp_path / "run", "self_play")
