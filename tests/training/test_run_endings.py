"""How runs of training end and go on: finished, stopped, out of time, longer than planned, refused."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from card_envs.agents.checkpoint import read_checkpoint
from card_envs.errors import CardEnvsError, ClusterError, OptionError
from tests.support.short_runs import self_play
from training import run as run_module
from training import run_folder
from training.command_line import Resumption, load, parse
from training.league import LeagueSettings
from training.program import extend, run_program
from training.run import FINISHED, OUT_OF_TIME, train
from training.run_folder import RunFolder
from training.self_play_learner import SelfPlayLearner
from training.settings import Sb3Settings, SelfPlaySettings


def run(settings: SelfPlaySettings) -> int:
    return train(settings, RunFolder.new(settings), SelfPlayLearner)


def resume(path: Path, *arguments: str) -> int:
    """As the program does it."""
    chosen = parse(SelfPlaySettings, "", ["--resume", str(path), *arguments])
    assert isinstance(chosen, Resumption)
    folder = RunFolder.old(chosen.folder, "self_play")
    try:
        settings = extend(folder, load(SelfPlaySettings, path / "config.yaml"), chosen)
    except CardEnvsError:
        folder.close()
        raise
    return train(settings, folder, SelfPlayLearner)


def decisions_of(path: Path) -> list[int]:
    return [json.loads(line)["decisions"] for line in (path / "log.jsonl").read_text().splitlines()]


def test_a_finished_run_says_so_and_goes_on_with_more_decisions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    assert run(self_play(path)) == FINISHED == 0
    assert "finished: 480 of 480 decisions are done; go on with more" in capsys.readouterr().out
    assert resume(path) == FINISHED
    assert f"{path} is finished: all 480 decisions are done" in capsys.readouterr().out
    assert decisions_of(path)[-1] == 480
    assert resume(path, "--decisions", "720") == FINISHED
    assert decisions_of(path) == list(range(120, 721, 120))
    settings = load(SelfPlaySettings, path / "config.yaml")
    assert settings == self_play(path, decisions=720)
    assert len(json.loads((path / "made_by.json").read_text())["extended_by"]) == 1


def test_out_of_time_has_an_exit_code_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run"
    assert run(self_play(path, minutes=0.0)) == OUT_OF_TIME == 3
    assert "out of time: 0 minutes are over, 120 of 480 decisions are done; go on with" in capsys.readouterr().out
    assert resume(path, "--minutes", "null") == FINISHED
    assert load(SelfPlaySettings, path / "config.yaml").minutes is None


def test_a_run_goes_on_with_another_number_of_threads_to_the_same_weights(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert run(self_play(one, threads=1)) == FINISHED
    assert run(self_play(other, threads=3, minutes=0.0)) == OUT_OF_TIME
    assert resume(other, "--minutes", "null", "--threads", "2") == FINISHED
    weights = [read_checkpoint(path / "checkpoints/latest.safetensors", "king_lui").weights for path in (one, other)]
    assert all(array.tobytes() == weights[1][name].tobytes() for name, array in weights[0].items())


def test_where_a_run_works_is_said_by_each_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run"
    with pytest.raises(ClusterError, match=r"^there is no Ray cluster at nowhere:1; start one .* or --ray auto$"):
        run(self_play(path, ray="nowhere:1"))
    assert list(tmp_path.iterdir()) == []
    assert run(self_play(path, minutes=0.0)) == OUT_OF_TIME
    config, state = (path / "config.yaml").read_text(), (path / "state.pt").read_bytes()
    with pytest.raises(ClusterError) as refused:
        resume(path, "--ray", "nowhere:1", "--workers", "2")
    assert str(refused.value).startswith("there is no Ray cluster at nowhere:1; start one with: ray start --head")
    again = f"python -m training.self_play --resume {path} --ray nowhere:1 --workers 2"
    assert str(refused.value).endswith(f". What was saved is whole, and goes on with: {again}")
    assert (config, state) == ((path / "config.yaml").read_text(), (path / "state.pt").read_bytes())
    assert "ray" not in config
    assert resume(path, "--minutes", "null") == FINISHED


def test_another_trainer_knows_no_clusters() -> None:
    with pytest.raises(SystemExit, match=r"leave out --ray: --decisions, --minutes and --threads can be given with it"):
        parse(Sb3Settings, "", ["--resume", "x", "--ray", "auto"])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_whoever_stops_a_run_finds_that_in_the_exit_code(
    number: signal.Signals, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    learned = run_module.Run.iterate

    def stopped_meanwhile(self: run_module.Run) -> dict[str, float]:
        os.kill(os.getpid(), number)
        return learned(self)

    monkeypatch.setattr(run_module.Run, "iterate", stopped_meanwhile)
    try:
        assert run(self_play(tmp_path / "run")) == code
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    assert decisions_of(tmp_path / "run") == [120]


def test_whoever_insists_stops_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(self: run_module.Run) -> dict[str, float]:
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module.Run, "iterate", interrupted)
    assert run(self_play(tmp_path / "run")) == 130
    assert "stopped at once: what was saved is whole, and goes on with: python -m training" in capsys.readouterr().out
    monkeypatch.setattr(run_module.Run, "begin_or_resume", interrupted)
    assert run(self_play(tmp_path / "other")) == 130
    assert [one.name for one in tmp_path.iterdir()] == ["run"], "nothing was begun, and nothing is left"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--decisions", "100"], "has learned from 120 already; give more than that, not 100"),
        (["--minutes", "-1"], "minutes must be a number from 0 on, not -1"),
    ],
)
def test_a_wrong_extension_changes_nothing(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    run(self_play(path, minutes=0.0))
    before = (path / "config.yaml").read_text()
    with pytest.raises(OptionError, match=sentence):
        resume(path, *arguments)
    assert (path / "config.yaml").read_text() == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--resume", "x", "--seed", "1", "--ppo.n_steps=3"], "leave out --seed, --ppo.n_steps"),
        (["--decisions=many", "--resume", "x"], "decisions"),
        (["--resume", "x", "y"], "y"),
    ],
)
def test_other_settings_are_refused_by_name(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        parse(SelfPlaySettings, "", arguments)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"start": "nowhere.safetensors"},
        {"league": LeagueSettings(always=("nobody",))},
    ],
)
def test_a_refused_run_leaves_nothing_behind(changes: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(CardEnvsError):
        run(self_play(tmp_path / "runs" / "mine", **changes))
    assert list(tmp_path.iterdir()) == []


def test_a_refused_run_leaves_the_folders_of_others_alone(tmp_path: Path) -> None:
    (tmp_path / "runs" / "other").mkdir(parents=True)
    with pytest.raises(CardEnvsError):
        run(self_play(tmp_path / "runs" / "mine", start="nowhere.safetensors"))
    assert list((tmp_path / "runs").iterdir()) == [tmp_path / "runs" / "other"]


def test_a_run_that_has_learned_stays_when_something_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: run_module.Run) -> dict[str, float]:
        raise RuntimeError("broken")

    monkeypatch.setattr(run_module.Run, "iterate", broken)
    with pytest.raises(RuntimeError, match="broken"):
        run(self_play(tmp_path / "run"))
    assert (tmp_path / "run" / "state.pt").is_file()


def test_a_place_where_no_folder_can_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match=r"cannot write into the folder .*: Not a directory; name another one"):
        RunFolder.new(self_play(tmp_path / "file" / "run"))
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(run_folder, "write_whole", full)
        with pytest.raises(OptionError, match=r"cannot write into .*No space left on device"):
            RunFolder.new(self_play(tmp_path / "run"))
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(RunFolder, "report", full)
    with pytest.raises(OptionError, match=r"cannot write into .*No space left.*saved there before is whole"):
        run(self_play(tmp_path / "run"))
    assert (tmp_path / "run" / "state.pt").is_file()


def test_the_program_ends_with_the_runs_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    RunFolder.new(self_play(tmp_path / "other", minutes=0.0)).close()
    config.write_text((tmp_path / "other" / "config.yaml").read_text())
    monkeypatch.setattr(sys, "argv", ["self_play", "--config", str(config), "--run", str(tmp_path / "run")])
    assert run_program(SelfPlaySettings, "", SelfPlayLearner) == OUT_OF_TIME
    assert capsys.readouterr().out.startswith("loading torch")
