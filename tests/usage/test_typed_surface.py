"""What a user's type checker sees of this package, and what is public."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import card_envs
from card_envs.errors import MissingExtraError
from card_envs.games import game_names, get_game

ROOT = Path(__file__).parents[2]
TYPED = ROOT / "tests" / "typed"


@pytest.mark.slow
def test_mypy_finds_each_mistake_of_a_user_and_nothing_else() -> None:
    # With the project's own settings, so that it finds what `make types` has just found out.
    command = [sys.executable, "-m", "mypy", "--no-error-summary"]
    done = subprocess.run(
        [*command, *map(str, sorted(TYPED.glob("*.py")))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = set(re.findall(r"(\w+\.py):(\d+): error", done.stdout))
    lines = (TYPED / "wrong.py").read_text(encoding="utf-8").splitlines()
    expected = {("wrong.py", str(number)) for number, line in enumerate(lines, start=1) if line.endswith("# wrong")}
    assert found == expected, done.stdout + done.stderr


def test_a_users_script_runs() -> None:
    assert importlib.import_module("tests.typed.right").play() >= 0


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """What can be given by name, in order."""
    given = inspect.signature(function).parameters.items()
    return {name: one for name, one in given if one.kind is inspect.Parameter.KEYWORD_ONLY}


SPELT_OUT = [
    pytest.param(game, function, id=f"{game}-{function}")
    for game in game_names()
    for function in ("env", "raw_env", *(["parallel_env"] if get_game(game).simultaneous else []))
]


@pytest.mark.parametrize(("game", "function"), SPELT_OUT)
def test_options_that_are_spelt_out_are_the_same_everywhere(game: str, function: str) -> None:
    """The game's own come between the players and those of every game, as in its declaration, with its defaults."""
    module = importlib.import_module(f"card_envs.{get_game(game).key}")
    given, general = parameters(getattr(module, function)), parameters(card_envs.make_env)
    options = {one.name: one for one in dataclasses.fields(get_game(game).options)}
    own = [name for name in options if name not in general]
    shown = [name for name in general if name != "players" or "players" in given]
    assert [*given] == [*shown[: "players" in given], *own, *shown["players" in given :]]
    for name in general.keys() & given.keys() - {"players"}:
        assert (given[name].default, given[name].annotation) == (general[name].default, general[name].annotation), name
    for name in options.keys() & given.keys():
        assert given[name].default == options[name].default, name
    assert len(get_game(game).players) == 1 or "players" in given


def test_what_takes_any_game_takes_the_same_options() -> None:
    assert parameters(card_envs.make_parallel_env) == parameters(card_envs.make_env)
    many, one = parameters(card_envs.make_batch), parameters(card_envs.make_env)
    assert {name: many[name] for name in ("players", "reward", "illegal_action")} == {
        name: one[name] for name in one if name in many
    }


def test_what_is_public_is_listed_and_there() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name in card_envs.__all__:
        assert getattr(card_envs, name) is not None
        assert f"`card_envs.{name}`" in page, f"docs/api.md does not list {name}"
    for name in re.findall(r"`(card_envs(?:\.\w+)+)`", page):
        module, _, attribute = name.rpartition(".")
        try:
            importlib.import_module(name)
        except MissingExtraError:
            continue  # it is there; what it needs is not
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(module), attribute), f"docs/api.md lists {name}, which is not there"


def test_every_error_of_ours_has_its_home_in_one_module() -> None:
    errors = importlib.import_module("card_envs.errors")
    defined = set(re.findall(r"^class (\w+)\(", (ROOT / "card_envs" / "errors.py").read_text(encoding="utf-8"), re.M))
    assert all(issubclass(getattr(errors, name), errors.CardEnvsError) for name in defined - {"CardEnvsError"})
    elsewhere = [
        path
        for path in (ROOT / "card_envs").rglob("*.py")
        if path.name != "errors.py" and re.search(r"^class \w+Error\(", path.read_text(encoding="utf-8"), re.M)
    ]
    assert not elsewhere
