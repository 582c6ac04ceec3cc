"""What a user's type checker sees of this package, and what is public."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import card_envs

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


def test_what_is_public_is_listed_and_there() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name in card_envs.__all__:
        assert getattr(card_envs, name) is not None
        assert f"`card_envs.{name}`" in page, f"docs/api.md does not list {name}"
    for name in re.findall(r"`(card_envs(?:\.\w+)+)`", page):
        module, _, attribute = name.rpartition(".")
        try:
            importlib.import_module(name)
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
