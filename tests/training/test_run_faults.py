"""What can be wrong with a run's folder, and with what is learned: one sentence each, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from card_envs.errors import CardEnvsError, CheckpointError, OptionError
from tests.support.short_runs import begun, sb3, self_play
from training.command_line import load
from training.league import LeagueSettings
from training.learner import Learner
from training.log import read_log
from training.ppo_settings import SelfPlayPPOSettings
from training.run import Run, train
from training.run_folder import RunFolder
from training.sb3_learner import Sb3Learner
from training.self_play_learner import SelfPlayLearner
from training.settings import RunSettings, SelfPlaySettings
from training.sweep import Ledger, last_measurement

SNAPSHOT = "checkpoints/step-000000000120.safetensors"


def settings_of(path: Path) -> SelfPlaySettings:
    return self_play(path, league=LeagueSettings(share=0.5, snapshot_every=120))


def stop_half_way(settings: RunSettings, make: Callable[[Any, RunFolder], Learner] = SelfPlayLearner) -> Path:
    """A run that has learned, taken a snapshot, reported and saved."""
    run = begun(settings, make)
    run.begin_or_resume()
    run.folder.report(120, run.iterate())
    run.snapshot()
    run.iterate()
    run.save()
    run.learner.close()
    run.folder.close()
    return run.folder.path


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stop_half_way(settings_of(tmp_path_factory.mktemp("half") / "run"))


@pytest.fixture
def path(half: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(half, tmp_path / "run"))


def resume(path: Path) -> int:
    settings = load(SelfPlaySettings, path / "config.yaml")
    return train(settings, RunFolder.old(path, "self_play"), SelfPlayLearner)


def sentence(path: Path) -> str:
    with pytest.raises(CardEnvsError) as refused:
        resume(path)
    said = str(refused.value)
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    "cut_off",
    [b'{"decisions": 240, "entr', b'{"decisions": 24', b"\xff\xfe\n", b"[]\n", b'{"decisions": 1e999}\n', b'"x"\n',
     b'{"decisions": ' + b"9" * 400 + b"}\n", b'{"decisions": "240"}\n', b"[" * 100_000, b'{"seconds": 1}\n'],
)  # fmt: skip
def test_lines_of_the_log_that_are_no_reports_are_dropped(path: Path, cut_off: bytes) -> None:
    log = path / "log.jsonl"
    first = log.read_bytes()
    log.write_bytes(first + cut_off)
    assert resume(path) == 0
    assert log.read_bytes().startswith(first)
    assert [line["decisions"] for line in read_log(path)] == [120, 360, 480]
    assert all(json.loads(line) for line in log.read_text().splitlines())


def test_a_log_that_is_no_file_is_a_sentence(path: Path) -> None:
    (path / "log.jsonl").unlink()
    os.mkfifo(path / "log.jsonl")
    assert sentence(path) == f"cannot read log.jsonl of the run in {path}: it is not a regular file"


@pytest.mark.parametrize(
    "name", ["log.jsonl", "league.json", "checkpoints/latest.safetensors", "checkpoints/best.safetensors"]
)
def test_what_a_run_writes_anew_may_be_missing(path: Path, name: str) -> None:
    (path / name).unlink(missing_ok=True)
    assert resume(path) == 0
    assert (path / name).is_file()


def test_a_run_whose_state_is_gone_keeps_what_it_has(path: Path) -> None:
    (path / "state.pt").unlink()
    before = {one: one.read_bytes() for one in path.rglob("*") if one.is_file()}
    said = sentence(path)
    assert f"cannot go on from {path / 'state.pt'}: it is gone" in said
    assert "you can begin from its last player with: python -m training.self_play" in said
    assert {one: one.read_bytes() for one in path.rglob("*") if one.is_file()} == before


def test_a_trained_player_that_somebody_kept_is_not_replaced(path: Path, tmp_path: Path) -> None:
    latest = tmp_path / "kept" / "checkpoints" / "latest.safetensors"
    latest.parent.mkdir(parents=True)
    latest.write_bytes((path / "checkpoints" / "latest.safetensors").read_bytes())
    with pytest.raises(OptionError, match="is there already"):
        RunFolder.new(self_play(tmp_path / "kept"))


def test_a_snapshot_that_the_league_needs_is_missed(path: Path) -> None:
    (path / SNAPSHOT).unlink()
    assert sentence(path) == (
        f"step-000000000120.safetensors has gone from {path}/checkpoints, and the run still plays against it: put it "
        f"back, or begin a new run"
    )


def test_a_snapshot_that_maskable_ppo_needs_is_missed(tmp_path: Path) -> None:
    settings = sb3(tmp_path / "run")
    path = stop_half_way(settings, Sb3Learner)
    (path / SNAPSHOT).unlink()
    with pytest.raises(CheckpointError, match=r"has gone from .*put it back, or begin a new run"):
        train(settings, RunFolder.old(path, "sb3_ppo"), Sb3Learner)


def test_a_damaged_snapshot_is_named(path: Path) -> None:
    data = (path / SNAPSHOT).read_bytes()
    (path / SNAPSHOT).write_bytes(data[:-4] + b"\0\0\0\1")
    assert f"cannot use {path / SNAPSHOT} as a player: its checksum does not fit" in sentence(path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "config.yaml: it is empty"),
        (b"seed: 1\n", "game"),
        (b"\xff\xfe\x00", "it is no text"),
        (b"game: [", "while parsing"),
        (b"just a text", "just a text"),
        (b"game: king_lui\nnonsense: 1\n", "there is no setting nonsense"),
        (b"game: no_such_game\n", "no_such_game"),
    ],
)
def test_a_damaged_config_is_a_sentence(path: Path, content: bytes, why: str) -> None:
    (path / "config.yaml").write_bytes(content)
    assert why in sentence(path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"trainer": 1}', b"\xff", b"[" * 100_000])
def test_a_damaged_note_is_a_sentence(path: Path, content: bytes) -> None:
    (path / "made_by.json").write_bytes(content)
    assert sentence(path) == f"cannot go on with {path}: made_by.json does not say which trainer made it"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such files")
@pytest.mark.parametrize("name", ["config.yaml", "made_by.json"])
def test_what_only_looks_like_a_file_is_not_read(path: Path, name: str) -> None:
    (path / name).unlink()
    os.mkfifo(path / name)
    assert "it is not a regular file" in sentence(path)


def test_what_a_killed_program_left_is_cleared_away(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left = [path / ".state.pt.1.part", path / "checkpoints/.latest.safetensors.1.part"]
    for one in left:
        one.write_bytes(b"half a file")
    assert resume(path) == 0
    assert not any(one.exists() for one in left)
    assert ".part" not in capsys.readouterr().out


def test_a_folder_in_which_nothing_was_saved_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.mkdir()
    (path / ".config.yaml.1.part").write_text("game:")
    with pytest.raises(OptionError, match=f"nothing was saved in {path} yet: begin again with --run {path}"):
        RunFolder.old(path, "self_play")
    RunFolder.new(self_play(path)).close()
    assert sorted(one.name for one in path.iterdir()) == [".lock", "config.yaml", "made_by.json"]
    RunFolder.new(self_play(path)).close()


@pytest.mark.parametrize("name", ["log.jsonl", "state.pt", "thesis.txt", "checkpoints/mine.safetensors"])
def test_a_folder_that_holds_anything_else_is_not_begun_in(tmp_path: Path, name: str) -> None:
    path = tmp_path / "run" / name
    path.parent.mkdir(parents=True)
    path.write_text("")
    with pytest.raises(OptionError, match="is there already; go on with it by --resume"):
        RunFolder.new(self_play(tmp_path / "run"))
    assert [one for one in (tmp_path / "run").rglob("*") if one.is_file()] == [path]


def test_a_folder_whose_name_cannot_be_kept_as_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"a name that can be printed, not .*\\udcff"):
        RunFolder.new(self_play(Path(f"{tmp_path}/\udcff")))
    assert list(tmp_path.iterdir()) == []


def test_learning_that_goes_astray_is_a_sentence(tmp_path: Path) -> None:
    ppo = SelfPlayPPOSettings(n_steps=10, batch_size=60, learning_rate=1e38, learning_rate_end=None)
    settings = self_play(tmp_path / "run", ppo=ppo)
    with pytest.raises(OptionError, match=r"learning went astray.*begin anew with a smaller ppo\.learning_rate"):
        train(settings, RunFolder.new(settings), SelfPlayLearner)


def test_a_run_whose_disk_was_full_holds_what_it_held(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is let go of as well: the next command can have it."""
    before = (path / "state.pt").read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Run, "save", full)
        assert "cannot write into" in sentence(path)
    assert (path / "state.pt").read_bytes() == before
    assert resume(path) == 0


def test_a_damaged_sweep_is_a_sentence(tmp_path: Path, path: Path) -> None:
    for content in (b"", b"{", b"[]", b'{"made_of": 1, "codes": {}}', b'{"made_of": "x", "codes": {"a": "0"}}'):
        (tmp_path / "sweep.json").write_bytes(content)
        with pytest.raises(OptionError, match=r"cannot go on with the sweep in .*: sweep\.json: it is damaged"):
            Ledger(tmp_path, [])
    with (path / "log.jsonl").open("ab") as log:
        log.write(b'{"decisions": 360, "against bot": 0.5}\n{"decisions": 480, "aga')
    assert last_measurement(path) == {"against bot": 0.5}
    (path / "log.jsonl").unlink()
    with pytest.raises(OptionError, match=r"cannot read log\.jsonl of the run in .*there is no such file"):
        last_measurement(path)
