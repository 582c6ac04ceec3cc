"""Tournaments so small that nothing is certain, folders that cannot be written, and commands that are refused whole."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from card_envs.arena import Tournament
from card_envs.arena.report import write_reports
from card_envs.arena.store import FILE
from card_envs.cli.main import app
from card_envs.errors import ClusterError, OptionError, TournamentError


def stages(folder: Path) -> int:
    with sqlite3.connect(folder / FILE) as base:
        return int(base.execute("SELECT count(*) FROM stages").fetchone()[0])


def played(folder: Path, **more: Any) -> Path:
    with Tournament("zum_kuhkuck", agents=["bot", "random"], out=folder, **{"games": 8, **more}) as tournament:
        tournament.run()
    return folder


def test_one_deal_says_nothing_about_how_sure_it_is(tmp_path: Path) -> None:
    with Tournament.resume(played(tmp_path / "cup", games=1)) as tournament:
        standings = tournament.standings()
    assert "– .. –" in str(standings)
    assert [row.points.value > 0 for row in standings.rows] == [True, True]
    assert write_reports(tmp_path / "cup", json=True, csv=True)[0].is_file()


def test_a_tournament_of_one_agent_is_played_and_reported(tmp_path: Path) -> None:
    with Tournament("zum_kuhkuck", agents=["bot"], games=4, out=tmp_path / "cup") as tournament:
        standings = tournament.run()
    assert standings.rows[0].win_share.value == pytest.approx(0.5)
    assert write_reports(tmp_path / "cup")[0].is_file()


def test_a_refused_command_leaves_no_goal_and_no_folder(tmp_path: Path) -> None:
    folder = played(tmp_path / "cup")
    refused = pytest.raises(TournamentError, match="is being played by another process")
    with Tournament.resume(folder) as other, other.store.playing(), refused:
        Tournament.resume(folder, games=100)
    assert stages(folder) == 1
    nobody = ["--ray", "127.0.0.1:1"]
    for command in (["--resume", str(folder), "--games", "100"], ["zum_kuhkuck", "--agents", "bot", "--out"]):
        where = [] if "--resume" in command else [str(tmp_path / "new")]
        result = CliRunner().invoke(app, ["tournament", *command, *where, *nobody])
        assert isinstance(result.exception, ClusterError)
        assert "there is no Ray cluster at 127.0.0.1:1" in str(result.exception)
    assert stages(folder) == 1
    assert not (tmp_path / "new").exists()


def test_options_of_a_game_can_be_given_on_the_command_line(tmp_path: Path) -> None:
    table = "score_table=[0,0,2,4,6,8,10,12,14,16,18,20,22,24,26,200]"
    out = ["--out", str(tmp_path / "cup"), "--games", "4"]
    command = ["tournament", "zum_kuhkuck", *out, "--option", table, "--agents", "bot", "random"]
    assert CliRunner().invoke(app, command).exit_code == 0
    with Tournament.resume(tmp_path / "cup") as tournament:
        assert tournament.setting.options["score_table"][-1] == 200
    result = CliRunner().invoke(app, ["tournament", "--resume", str(tmp_path / "cup"), "--option", table])
    assert isinstance(result.exception, OptionError)
