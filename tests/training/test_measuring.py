"""Measurements that others make while the learner goes on: taken in order, kept while they are under way, made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from card_envs.errors import ClusterError, LostWorkersError, RunStateError
from tests.support.clusters import outcome, small
from training.attempts import MOST_LOSSES
from training.measuring import MOST_WAITING, Measuring, Self, Unmeasured
from training.run import FINISHED, Run, train
from training.run_folder import RunFolder
from training.run_state import read_state, write_state
from training.self_play_learner import SelfPlayLearner
from training.settings import SelfPlaySettings
from training.spare import Done


class Late:
    """Work that is done when it is waited for, or when so many questions about it have been answered with no."""

    def __init__(self, work: Callable[..., Any], arguments: tuple[Any, ...], patience: int) -> None:
        self._work, self._arguments, self._patience = work, arguments, patience

    def ready(self) -> bool:
        self._patience -= 1
        return self._patience < 0

    def result(self) -> Any:
        return self._work(*self._arguments)


class SlowSpare:
    """Somebody who takes long for the first pieces of work, and less and less for later ones."""

    threads = 1

    def __init__(self, patience: int) -> None:
        self.patience, self.begun = patience, 0

    def start(self, work: Callable[..., Any], *arguments: Any) -> Late:
        self.begun += 1
        self.patience = max(0, self.patience - 1)
        return Late(work, arguments, self.patience)


class Answers:
    """Work whose results are known beforehand, and that is done in the order in which a test says."""

    threads = 1

    def __init__(self) -> None:
        self.done: set[str] = set()

    def start(self, work: Callable[..., Any], player: str, *arguments: Any) -> Any:
        found, whole = Done(work(player, *arguments)), self.done

        class Piece:
            def ready(self) -> bool:
                return player in whole

            def result(self) -> Any:
                return found.result()

        return Piece()


def patient(spare: Any) -> Callable[[SelfPlaySettings, RunFolder], SelfPlayLearner]:
    class Learner(SelfPlayLearner):
        @property
        def spare(self) -> Any:
            return spare

    return Learner


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a run comes to whose measurements are made at once."""
    settings = small(tmp_path_factory.mktemp("undisturbed") / "run")
    assert train(settings, RunFolder.new(settings), SelfPlayLearner) == FINISHED
    return outcome(Path(str(settings.run)))


def test_results_are_taken_in_order_whoever_is_done_first(tmp_path: Path) -> None:
    spare, players = Answers(), {1: "random", 2: "bot", 3: "random(3)"}
    measuring = Measuring(small(tmp_path), spare, str, lambda one: players[one.step].partition("(")[0])
    for step in players:
        measuring.ask(Unmeasured(Self(step, {}), ("random",)))
    assert measuring.take() == []
    spare.done.add("bot")
    assert measuring.take() == [], "the first is not known yet"
    spare.done.add("random")
    assert [(one.step, one.is_best) for one in measuring.take()] == [(1, True), (2, True), (3, False)]


def test_a_learner_that_is_too_fast_waits_for_the_first(tmp_path: Path) -> None:
    measuring = Measuring(small(tmp_path), SlowSpare(10**6), str, lambda one: "random")
    for step in range(MOST_WAITING + 2):
        measuring.ask(Unmeasured(Self(step, {}), ("random",)))
        assert len(measuring.take()) == (step >= MOST_WAITING)
    assert len(measuring.unmeasured) == MOST_WAITING
    assert len(measuring.take(keep=0)) == MOST_WAITING


@pytest.mark.parametrize("patience", [3, 40, 10**6])
def test_a_run_does_not_depend_on_when_measurements_are_done(
    patience: int, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    settings, spare = small(tmp_path / "run"), SlowSpare(patience)
    assert train(settings, RunFolder.new(settings), patient(spare)) == FINISHED
    assert spare.begun > 10
    assert outcome(tmp_path / "run") == undisturbed


def half_way(tmp_path: Path, *, and_a_measurement: bool = False) -> SelfPlaySettings:
    """A run that ended like a light after a save, with measurements under way, or one more made after the save."""
    settings, made = small(tmp_path / "run"), patient(SlowSpare(10**6))
    saves = 0
    save = Run.save

    class Ended(BaseException):
        pass

    def end(self: Run) -> None:
        nonlocal saves
        save(self)
        saves += 1
        if saves == 6:
            if and_a_measurement:
                (measured,) = self.take_measurements(len(self.measuring.unmeasured) - 1)
                self.folder.report(measured.step, {"against random": 0.5})
            raise Ended

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "save", end)
        with pytest.raises(Ended):
            train(settings, RunFolder.new(settings), made)
    return settings


@pytest.mark.parametrize("and_a_measurement", [False, True])
def test_what_was_under_way_is_measured_after_a_kill(
    and_a_measurement: bool, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    settings = half_way(tmp_path, and_a_measurement=and_a_measurement)
    state = read_state(tmp_path / "run/state.pt")
    assert [step for step, _, _ in state["unmeasured"]] == [240, 480]
    assert state["best"] is None
    assert train(settings, RunFolder.old(tmp_path / "run", "self_play"), SelfPlayLearner) == FINISHED
    assert outcome(tmp_path / "run") == undisturbed


def test_a_run_is_not_finished_before_it_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = replace(half_way(tmp_path), decisions=600)
    for _ in range(2):
        assert train(settings, RunFolder.old(tmp_path / "run", "self_play"), SelfPlayLearner) == FINISHED
    assert "is finished: all 600 decisions are done" in capsys.readouterr().out
    state = read_state(tmp_path / "run/state.pt")
    assert state["unmeasured"] == []
    assert state["best"] is not None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda one: (one[0], one[1], ["nobody"]), "its players are measured against nobody"),
        (lambda one: (one[0], one[1], ["bot", "bot"]), "its players are measured against nobody"),
        (lambda one: (one[0], one[1], ["../../secret.safetensors"]), "its players are measured against nobody"),
        (lambda one: (one[0] + 240, *one[1:]), "its players are not measured in order"),
    ],
)
def test_what_cannot_be_measured_is_refused(change: Callable[[Any], Any], why: str, tmp_path: Path) -> None:
    settings = half_way(tmp_path)
    path = tmp_path / "run/state.pt"
    state = read_state(path)
    state["unmeasured"][0] = change(state["unmeasured"][0])
    write_state(path, state)
    with pytest.raises(RunStateError, match=why):
        train(settings, RunFolder.old(tmp_path / "run", "self_play"), SelfPlayLearner)


class Unlucky(SelfPlayLearner):
    """Loses workers every time that it has learned so often since they were there."""

    luck = 0

    def iterate(self) -> dict[str, float]:
        self.luck -= 1
        if self.luck == -1:
            raise LostWorkersError("a worker was lost (for a test)")
        return super().iterate()


def unlucky(luck: int) -> type[Unlucky]:
    return type("Unlucky", (Unlucky,), {"luck": luck})


def test_a_run_goes_back_to_its_last_save_as_often_as_it_gets_on(
    undisturbed: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = small(tmp_path / "run")
    assert train(settings, RunFolder.new(settings), unlucky(2)) == FINISHED
    said = capsys.readouterr().out
    assert said.count("a worker was lost (for a test): going back to the last save, at ") == 4
    assert "at 960 decisions, and on with other workers" in said
    assert outcome(tmp_path / "run") == undisturbed


def test_a_run_that_does_not_get_on_gives_up_with_the_command_that_resumes(tmp_path: Path) -> None:
    settings = small(tmp_path / "run")
    with pytest.raises(ClusterError) as given_up:
        train(settings, RunFolder.new(settings), unlucky(0))
    assert str(given_up.value) == (
        f"a worker was lost (for a test), {MOST_LOSSES} times in a row before anything more was saved: is there enough "
        f"memory? What was saved is whole, and goes on with: python -m training.self_play --resume {tmp_path / 'run'}"
    )


def test_minutes_are_those_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever goes back to a save does not get them anew: here, those of a clock that counts iterations."""
    settings = small(tmp_path / "run", minutes=5.5 / 60, decisions=10**6)
    learned = Run.iterate

    def count(self: Run) -> dict[str, float]:
        before = self.seconds
        figures = learned(self)
        self.seconds = before + 1.0
        return figures

    monkeypatch.setattr(Run, "iterate", count)
    train(settings, RunFolder.new(settings), unlucky(4))
    assert read_state(tmp_path / "run/state.pt")["decisions"] == 6 * 120
