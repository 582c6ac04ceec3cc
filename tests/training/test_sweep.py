"""A sweep: all combinations, one after the other, resumable, with one table at the end."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from training import sweep

ROOT = Path(__file__).parents[2]
CONFIG = {
    "game": "king_lui",
    "players": [3],
    "decisions": 240,
    "games": 12,
    "threads": 1,
    "network": {"hidden": [8]},
    "ppo": {"n_steps": 10, "batch_size": 60},
    "evaluation": {"every": 240, "deals": 2, "pool": 0},
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(CONFIG))
    return path


class FakeRuns:
    """Stands for the processes: writes what a run writes, and ends with the next of these codes."""

    def __init__(self, *codes: int) -> None:
        self.codes, self.commands = list(codes), list[list[str]]()

    def __call__(self, command: list[str]) -> FakeRuns:
        self.commands.append(command[2:])
        folder = Path(command[command.index("--resume" if "--resume" in command else "--run") + 1])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.yaml").write_text("")
        share = 0.1 * len(self.commands)
        lines = [{"decisions": 1, "against bot": 0.9}, {"decisions": 2, "against bot": share, "against bot error": 0.5}]
        (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [*lines, {"decisions": 3}]))
        return self

    def wait(self) -> int:
        return self.codes.pop(0) if self.codes else 0


def run(monkeypatch: pytest.MonkeyPatch, fake: FakeRuns, *arguments: Any) -> int:
    monkeypatch.setattr(subprocess, "Popen", fake)
    return sweep.main([str(one) for one in arguments])


def test_every_value_meets_every_seed_and_a_table_sums_it_up(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = FakeRuns(0, 3)
    values = ["--seeds", 0, 1, "--set", "ppo.learning_rate", "1e-3", "3e-3", "--decisions=120"]
    assert run(monkeypatch, fake, "--config", config, "--out", tmp_path / "out", *values) == 0
    assert [tuple(one for one in command if "rate" in one or "seed=" in one)[:2] for command in fake.commands] == [
        (f"--ppo.learning_rate={rate}", f"--seed={seed}") for rate in ("1e-3", "3e-3") for seed in (0, 1)
    ]
    assert all("--decisions=120" in command for command in fake.commands)
    rows = capsys.readouterr().out.splitlines()[-2:]
    assert rows[0].split() == ["ppo.learning_rate", "1e-3", "2", "0.150", "(sd", "0.071)"]
    assert rows[1].split() == ["ppo.learning_rate", "3e-3", "2", "0.350", "(sd", "0.071)"]


def test_a_stopped_sweep_goes_on_and_skips_what_is_done(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--config", config, "--out", tmp_path / "out", "--seeds", 0, 1, 2]
    assert run(monkeypatch, FakeRuns(0, 130), *arguments) == 130
    assert "exit code 130" in capsys.readouterr().out
    again = FakeRuns()
    assert run(monkeypatch, again, *arguments) == 0
    assert [command[1] for command in again.commands[:1]] == ["--resume"]
    assert len(again.commands) == 2
    assert "seed=0: done already" in capsys.readouterr().out
    assert run(monkeypatch, nothing := FakeRuns(), *arguments) == 0
    assert nothing.commands == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--set", "ppo.learning_rat", "1"], "did you mean ppo.learning_rate?"),
        (["--set", "ppo.learning_rate", "1e-3", "-1"], "ppo.learning_rate must be a number"),
        (["--set", "ppo.learning_rate"], "--set takes a setting and its values"),
        (["--seeds", "1", "1"], "--seeds must name each seed once"),
    ],
)
def test_wrong_settings_are_refused_before_anything_runs(
    arguments: list[str], sentence: str, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeRuns()
    with pytest.raises(SystemExit) as refused:
        run(monkeypatch, fake, "--config", config, "--out", tmp_path / "out", *arguments)
    assert sentence in str(refused.value)
    assert not fake.commands
    assert not (tmp_path / "out").exists()


def test_another_config_needs_another_folder(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["--config", config, "--out", tmp_path / "out", "--seeds", 0]
    run(monkeypatch, FakeRuns(), *arguments)
    config.write_text(json.dumps({**CONFIG, "decisions": 360}))
    with pytest.raises(SystemExit, match="sweep of another --config"):
        run(monkeypatch, FakeRuns(), *arguments)


def commands() -> list[str]:
    pages = [ROOT / "docs/training.md", ROOT / "training/sweep.py"]
    return sorted({line for page in pages for line in re.findall(r"python -m training\.sweep --.*", page.read_text())})


@pytest.mark.parametrize("command", commands())
def test_published_commands_can_be_typed(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    assert run(monkeypatch, fake := FakeRuns(), *shlex.split(command)[3:]) == 0
    assert len(fake.commands) > 1


@pytest.mark.slow
def test_a_sweep_of_real_runs(config: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert sweep.main(["--config", str(config), "--out", str(tmp_path / "out"), "--seeds", "0", "1"]) == 0
    assert "as configured" in capfd.readouterr().out.splitlines()[-1]
    assert (tmp_path / "out" / "seed=1" / "checkpoints" / "best.safetensors").is_file()
