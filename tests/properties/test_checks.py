"""The checks themselves: broken games are found, by whatever Python they are run; right ones are left alone."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from card_envs.testing import check_actions_are_refused, check_illegal_actions_lose, check_rewards
from tests.support import broken_games

ROOT = Path(__file__).parents[2]
# Plain Python, because compiling two games for a few moves would take longer.
FIND = f"""
import card_envs
from card_envs.testing import CheckFailed, check_cards, check_secrets, check_taking_back

assert not __debug__, "a statement that python -O leaves out"
for home, check in (("LOSSY", check_cards), ("CHATTY", check_secrets), ("HASTY", check_taking_back)):
    game = card_envs.register_game(f"{broken_games.__name__}:{{home}}")
    try:
        check(game.name)
    except CheckFailed as error:
        print(game.name, error)
"""


def test_broken_games_are_found_without_assert_statements() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-O", "-c", FIND], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stdout + done.stderr
    assert lines[0].startswith("lossy cards got lost or doubled: ")
    assert lines[1].startswith("chatty the view of seat ")
    assert lines[2].startswith("hasty after take_back, ")


def test_no_check_is_an_assert_statement() -> None:
    for path in (ROOT / "card_envs" / "testing").glob("*.py"):
        statements = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        assert not [one.lineno for one in statements if isinstance(one, ast.Assert)], path.name


@pytest.mark.parametrize("rule", ["matching", "luck"])
def test_a_game_in_which_everything_is_legal_passes(small_games: str, rule: str) -> None:
    for check in (check_actions_are_refused, check_illegal_actions_lose, check_rewards):
        check(small_games, rule=rule)
