"""Making a run's best player the champion: its file, and the story beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from card_envs.agents.checkpoint import read_checkpoint
from card_envs.errors import CheckpointError
from card_envs.games import get_game
from tests.support.clusters import run
from tests.support.short_runs import self_play
from training import champion
from training.evaluation import EvaluationSettings
from training.league import LeagueSettings
from training.log import read_log


def test_a_champion_is_the_best_of_its_run_and_its_curve_has_every_self_that_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = self_play(
        tmp_path / "run",
        decisions=480,
        league=LeagueSettings(snapshot_every=120),
        evaluation=EvaluationSettings(every=240, deals=8, pool=0),
    )
    assert run(settings) == 0
    home = tmp_path / "package"
    home.mkdir()
    monkeypatch.setattr(champion, "champion_path", lambda game: home / "champion.safetensors")
    champion.crown(tmp_path / "run")
    best = tmp_path / "run" / "checkpoints" / "best.safetensors"
    assert (home / "champion.safetensors").read_bytes() == best.read_bytes()
    story = json.loads((home / "champion.json").read_text())
    assert story["player"] == "best"
    assert story["step"] == read_checkpoint(best, get_game(settings.game)).step
    assert [point["decisions"] for point in story["curve"]] == [120, 240, 360, 480]
    measured = {line["decisions"]: line for line in read_log(tmp_path / "run") if "against bot" in line}
    assert list(measured) == [240, 480]
    for point in story["curve"]:
        assert point.keys() == {"decisions", "against bot", "against bot error"}
        assert 0 <= point["against bot"] <= 1
        if point["decisions"] in measured:
            assert point["against bot"] == measured[point["decisions"]]["against bot"]
    champion.crown(tmp_path / "run", "latest")
    assert json.loads((home / "champion.json").read_text())["step"] == 480
    with pytest.raises(CheckpointError, match="nobody"):
        champion.crown(tmp_path / "run", "nobody")
    assert json.loads((home / "champion.json").read_text())["player"] == "latest"


def test_a_champion_that_went_on_from_another_run_tells_of_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = {
        "league": LeagueSettings(snapshot_every=120),
        "evaluation": EvaluationSettings(every=120, deals=8, pool=0),
    }
    assert run(self_play(tmp_path / "first", decisions=240, **how)) == 0
    first = tmp_path / "first" / "checkpoints" / "latest.safetensors"
    assert run(self_play(tmp_path / "second", decisions=120, start=str(first), **how)) == 0
    home = tmp_path / "package"
    home.mkdir()
    monkeypatch.setattr(champion, "champion_path", lambda game: home / "champion.safetensors")
    champion.crown(tmp_path / "second", "latest")
    story = json.loads((home / "champion.json").read_text())
    made = [json.loads((tmp_path / name / "made_by.json").read_text()) for name in ("first", "second")]
    assert story["commands"] == [one["command"] for one in made]
    assert story["commits"] == [one["git_commit"] for one in made]
    assert [point["decisions"] for point in story["curve"]] == [120, 240, 360]
