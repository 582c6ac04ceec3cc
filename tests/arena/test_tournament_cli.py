"""`card-envs tournament`, `report` and `replay`, as a person types them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from card_envs.arena import Tournament
from card_envs.cli.main import app, main
from card_envs.cli.tournament import find_agents
from card_envs.errors import OptionError
from tests.support.checkpoint_files import random_weights, write


@pytest.fixture
def checkpoints(tmp_path: Path) -> Path:
    for number in (900, 1000):
        write(tmp_path / "runs" / f"step-{number}.safetensors", weights=random_weights("king_lui", seed=number))
    return tmp_path / "runs"


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_cup_from_start_to_report_and_replay(checkpoints: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "cup")
    pattern = str(checkpoints / "*.safetensors")
    begun = run("tournament", "king_lui", "--players", "4", "--agents", "random", "bot", pattern, "--games", "400",
                "--out", out)  # fmt: skip
    assert "King Lui, 4 players, 400 games. Ratings: random = 0." in begun.stdout
    assert "step-900" in begun.stdout
    assert f"Games: {out}/tournament.sqlite\nReport: {out}/report.html" in begun.stdout
    assert "step-900" in (tmp_path / "cup" / "report.html").read_text(encoding="utf-8")
    assert f"4 agents, 400 games, kept in {out}" in begun.stderr
    more = run("tournament", "--resume", out, "--games", "800", "--agents", "bot", pattern)
    assert "King Lui, 4 players, 800 games" in more.stdout
    assert run("tournament", "--resume", out).stdout == more.stdout
    assert run("report", out, "--csv", "--json").stdout.split() == [
        f"{out}/report.html",
        f"{out}/standings.csv",
        f"{out}/standings.json",
    ]
    shown = run("replay", out, "123", "--language", "de").stdout
    assert shown.startswith(f"game 123 of {out}\nKing Lui (players=4, seed=")
    assert "turn 1: player" in shown
    assert "(step-1000 (step 12)): " in shown
    assert "observes:" in run("replay", out, "123", "--detailed").stdout


def test_open_opens_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(typer, "launch", opened.append)
    with Tournament("king_lui", agents=["random"], games=40, out=tmp_path) as tournament:
        tournament.run()
    run("report", str(tmp_path), "--open")
    assert opened == [str(tmp_path / "report.html")]


def test_agents_may_follow_one_option_or_have_one_each(tmp_path: Path) -> None:
    spellings = [
        ("--agents", "random", "bot"),
        ("--agents", "random", "--agents", "bot"),
        ("--agents=random", "--agents=bot"),
    ]
    tables = set()
    for number, agents in enumerate(spellings):
        done = run("tournament", "king_lui", *agents, "--games", "40", "--out", str(tmp_path / str(number)))
        tables.add(done.stdout.split("\n\n")[0])
    assert len(tables) == 1


def test_patterns_become_files_in_the_order_of_their_numbers(checkpoints: Path) -> None:
    files = [str(checkpoints / f"step-{number}.safetensors") for number in (900, 1000)]
    pattern = str(checkpoints / "*.safetensors")
    assert find_agents(["random", pattern]) == ["random", *files]
    assert find_agents([files[1], pattern]) == [files[1], files[0]], "a file that is named already comes once"
    assert find_agents(["bot", "bot"]) == ["bot", "bot"], "an agent that is named twice is meant twice"
    with pytest.raises(OptionError, match=r"no file matches 'nothing\*'"):
        find_agents(["nothing*"])


def test_without_a_folder_one_in_runs_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("tournament", "zum_kuhkuck", "--agents", "random", "--games", "20")
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("tournament-zum_kuhkuck-")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--agents", "random"), "name a game before --agents, or a folder with --resume"),
        (("king_lui",), "name the agents that take part"),
        (("king_lui", "--agents", "rnadom"), "there is no agent 'rnadom'"),
        (("poker", "--agents", "random"), "there is no game 'poker'"),
        (("king_lui", "--resume", "cup"), "--resume goes on with what was begun in cup; leave out a game"),
        (("--resume", "cup", "--seed", "1"), "leave out --seed"),
        (("--resume", "nowhere"), "there is no tournament in nowhere"),
    ],
)
def test_errors_are_one_sentence(
    arguments: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["card-envs", "tournament", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("card-envs: ")
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_the_command_line_starts_without_loading_the_arena() -> None:
    code = "import sys, card_envs.cli; print([m for m in sys.modules if m in ('numba', 'choix', 'ray')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
