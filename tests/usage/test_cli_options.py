"""Options of games on the command line, `card-envs train`, and the shell's completion."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import card_envs
from card_envs.cli import app
from card_envs.cli.options import read_options
from card_envs.errors import CardEnvsError, OptionError
from card_envs.games.ku_ka_king.state import DEFAULT_DECK

ROOT = Path(__file__).parents[2]
FLAT = "score_table=" + str([3] * 16)


def run(*arguments: str, typed: str | None = None) -> str:
    result = CliRunner().invoke(app, list(arguments), input=typed, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_values_are_json_or_plain_words() -> None:
    read = read_options(["deck=[1, 2]", 'more={"a": 1}', "reward=margin", "n=3", " x = true"], players=None, seed=4)
    assert read == {"deck": [1, 2], "more": {"a": 1}, "reward": "margin", "n": 3, "x": True, "seed": 4}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["deck"], "--option takes name=value, such as reward=margin"),
        (["=3"], "--option takes name=value"),
        (["deck=[1,"], r"--option deck must have a value in JSON, not '\[1,'"),
        (["players=3"], "is said as --players 3"),
        (["a=1", "a=2"], "--option a is given twice"),
    ],
)
def test_wrong_options_are_one_sentence(given: list[str], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence) as refused:
        read_options(given, players=None)
    assert "\n" not in str(refused.value)


def test_show_play_picture_and_match_take_options_of_the_game(tmp_path: Path) -> None:
    assert "score_table=(3, 3, 3" in run("show", "zum_kuhkuck", "--option", FLAT)
    typed = run("play", "zum_kuhkuck", "--seat", "0", "--seed", "1", "--option", FLAT, typed="q\n")
    assert "Stopped" in typed
    for option, out in (("reward=outcome", "a.svg"), (f"deck={list(DEFAULT_DECK)}", "b.svg")):
        run("picture", "ku_ka_king", "--moves", "4", "--option", option, "--out", str(tmp_path / out))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    same, other = (
        run("match", "zum_kuhkuck", "bot", "bot", "--games", "50", *more) for more in ((), ("--option", FLAT))
    )
    assert same != other


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "king_lui", "--option", "deck=[1]"),
        ("match", "zum_kuhkuck", "bot", "bot", "--option", "score_table=[1]"),
        ("picture", "ku_ka_king", "--option", "deck=[1]"),
        ("play", "zum_kuhkuck", "--option", "nonsense=1"),
    ],
)
def test_impossible_options_are_refused(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, list(arguments))
    assert isinstance(result.exception, CardEnvsError)


def test_train_becomes_the_script_of_the_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []
    monkeypatch.setattr(os, "execve", lambda *arguments: called.append(arguments))
    run("train", "--config", "x.yaml", "--ppo.n_steps=3", "--help")
    ((program, command, environment),) = called
    assert program == sys.executable
    assert command[1:] == ["-m", "training.self_play", "--config", "x.yaml", "--ppo.n_steps=3", "--help"]
    assert environment["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT)


def test_train_outside_a_clone_says_where_the_scripts_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(card_envs, "__file__", str(tmp_path / "card_envs" / "__init__.py"))
    result = CliRunner().invoke(app, ["train", "--game", "king_lui"])
    assert isinstance(result.exception, OptionError)
    assert "a clone of the repository" in str(result.exception)
    assert "\n" not in str(result.exception)


def test_the_shell_completes_commands_and_games() -> None:
    assert "--install-completion" in run("--help")
    asked = {"_CARD_ENVS_COMPLETE": "complete_bash", "COMP_WORDS": "card-envs show ki", "COMP_CWORD": "2"}
    result = CliRunner(env=asked).invoke(app, [], prog_name="card-envs")
    assert result.output.split() == ["king_lui"]


def test_runs_of_a_folder_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["web", "--runs", str(tmp_path / "nowhere"), "--no-open"])
    assert isinstance(result.exception, OptionError)
    assert str(result.exception).startswith("there is no folder ")
