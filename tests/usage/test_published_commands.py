"""What the front pages tell people to type can be typed, and what they name is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from card_envs.cli import app
from card_envs.cli.options import read_options
from training.command_line import Resumption, parse
from training.settings import SelfPlaySettings

ROOT = Path(__file__).parents[2]
NAMES = (
    "README.md",
    "docs/index.md",
    "docs/exploit.md",
    "docs/own-loop.md",
    "docs/speaking.md",
    "docs/training.md",
    "docs/web.md",
)
PAGES = [ROOT / name for name in NAMES]


def typed(program: str) -> list[str]:
    """Every line of the pages' code that calls a program."""
    blocks = [block for page in PAGES for block in re.findall(r"^```\n(.*?)^```", page.read_text(), re.M | re.S)]
    lines = [line for block in blocks for line in block.splitlines()]
    return sorted({line for line in lines if line.startswith(program)})


@pytest.mark.parametrize("line", typed("card-envs "))
def test_commands_of_card_envs(line: str) -> None:
    _, name, *arguments = shlex.split(line, comments=True)
    command: Any = typer.main.get_command(app)
    context = command.commands[name].make_context(name, arguments, resilient_parsing=False)
    read_options(context.params.get("option"))


@pytest.mark.parametrize("line", typed("python -m training.self_play "))
def test_commands_of_training(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert isinstance(parse(SelfPlaySettings, "", shlex.split(line, comments=True)[3:]), SelfPlaySettings | Resumption)


@pytest.mark.parametrize("line", typed("python examples/"))
def test_scripts_and_their_options(line: str) -> None:
    _, script, *arguments = shlex.split(line, comments=True)
    source = (ROOT / script).read_text()
    for option in arguments:
        assert not option.startswith("--") or f'"{option}"' in source


def test_tests_that_the_front_page_names_are_there() -> None:
    names = re.findall(r"`(test_\w+)`", (ROOT / "docs" / "index.md").read_text())
    sources = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(names) >= 2
    for name in names:
        assert f"def {name}(" in sources


def test_the_rule_that_the_front_page_changes_is_there() -> None:
    assert "\nBONUS = 10\n" in (ROOT / "card_envs/games/zum_kuhkuck/state.py").read_text()
