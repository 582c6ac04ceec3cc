"""A champion by one command: its runs one after the other, stopped and gone on with, and never somebody else's run."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from card_envs.agents.checkpoint import read_checkpoint
from card_envs.agents.loading import champion_path
from card_envs.errors import OptionError
from card_envs.games import game_names, get_game
from tests.support.short_runs import self_play
from training import champion
from training.command_line import fixed_settings, parse, to_yaml
from training.make_champion import make, stages
from training.trees import tree_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the champion is put, instead of the game's package; two runs make it."""
    monkeypatch.setattr(champion, "champion_path", lambda game: tmp_path / "package" / "champion.safetensors")
    (tmp_path / "package").mkdir()
    write_config(tmp_path, "champion", decisions=240)
    write_config(tmp_path, "champion_2", decisions=120)
    write_config(tmp_path, "champion_4", decisions=120)  # there is no third one, so this is none of them
    return tmp_path


def write_config(home: Path, name: str, **changes: Any) -> None:
    settings = yaml.safe_load(to_yaml(self_play(home, **changes)))
    del settings["run"], settings["start"]
    path = home / "configs" / "king_lui" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(settings))


def made(home: Path, *more: str) -> int:
    return make("king_lui", home / "runs", list(more), home / "configs")


def test_one_command_makes_all_runs_and_crowns_the_last_player_even_after_ctrl_c(home: Path) -> None:
    write_config(home, "champion", decisions=10**9)
    program = f"from pathlib import Path; from training.make_champion import make; h = Path({str(home)!r}); "
    program += "raise SystemExit(make('king_lui', h / 'runs', [], h / 'configs'))"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "decisions/s" in line:
                os.killpg(process.pid, signal.SIGINT)
                break
        rest = process.stdout.read()
    assert process.returncode == 128 + signal.SIGINT
    assert "--resume" in rest  # it says how to go on
    first, second = home / "runs" / "king_lui", home / "runs" / "king_lui_2"
    assert not second.exists()
    assert not any((home / "package").iterdir())

    step = read_checkpoint(first / "checkpoints" / "latest.safetensors", "king_lui").step
    assert made(home, "--decisions", str(step + 120)) == 0
    last = second / "checkpoints" / "latest.safetensors"
    assert (home / "package" / "champion.safetensors").read_bytes() == last.read_bytes()
    story = json.loads((home / "package" / "champion.json").read_text())
    assert story["curve"][-1]["decisions"] == 2 * (step + 120)  # what is said of decisions holds for each run
    assert len(story["commands"]) == 2
    assert f"--start {first}/checkpoints/latest.safetensors" in story["commands"][1]

    learned = (first / "log.jsonl").read_text()
    write_config(home, "champion_2", decisions=120, seed=7)
    with pytest.raises(OptionError, match=r"king_lui_2 has another run than .*champion_2\.yaml describes \(seed\)"):
        made(home)
    assert (first / "log.jsonl").read_text() == learned  # what is finished is not done again


@pytest.mark.parametrize("game", game_names())
def test_champions_were_made_by_the_runs_that_their_configs_describe(game: str) -> None:
    story = json.loads(champion_path(get_game(game)).with_suffix(".json").read_text())
    configs = stages(game, ROOT / "configs")
    assert len(configs) == len(story["commands"])
    for config, command in zip(configs, story["commands"], strict=True):
        tree = tree_of(config)
        ran: Any = parse(tree, "", shlex.split(command)[3:])
        assert shlex.split(command)[:3] == ["python", "-m", f"training.{tree.trainer}"]
        start = [] if ran.start is None else ["--start", ran.start]
        described: Any = parse(tree, "", ["--config", str(config), *start])
        assert fixed_settings(described) == fixed_settings(ran)
        assert described.decisions == ran.decisions
