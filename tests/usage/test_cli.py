"""The command line, as a person types it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import card_envs
from tests.support.commands import run
from tests.support.registered import GAMES


def typed_in_a_terminal(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "card_envs", *arguments], capture_output=True, text=True, check=False)


def test_games_lists_every_game_with_its_sizes() -> None:
    text = run("games")
    for game in GAMES:
        rules = card_envs.get_game(game)
        line = next(line for line in text.splitlines() if line.split()[:1] == [game])
        for figure in (rules.id, str(len(rules.actions)), str(rules.layout.size)):
            assert figure in line


@pytest.mark.parametrize("game", GAMES)
def test_show_plays_a_game_to_its_end(game: str) -> None:
    text = run("show", game, "--seed", "7")
    assert text == run("show", game, "--seed", "7")
    assert text != run("show", game, "--seed", "8")
    assert "turn 1: player" in text
    assert "rank 1" in text


def test_show_takes_players_and_language() -> None:
    assert "player 4" in run("show", "king_lui", "--players", "5")
    assert "Schinken" in run("show", "king_lui", "--language", "de")
    assert "observes:" in run("show", "king_lui", "--detailed")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "poker"), "card-envs: there is no game 'poker': there are king_lui"),
        (
            ("show", "king_lui", "--players", "2"),
            "card-envs: players of King Lui must be a whole number from 3 to 5, not 2",
        ),
        (("show", "king_lui", "--seed", "-1"), "card-envs: seed must be a whole number"),
        (("show", "king_lui", "--language", "es"), "card-envs: language must be one of"),
        (("bench", "poker"), "card-envs: there is no game 'poker'"),
    ],
)
def test_errors_are_one_sentence(arguments: tuple[str, ...], message: str) -> None:
    error = run(*arguments, code=2)
    assert error.startswith(message)
    assert error.count("\n") == 1


def test_bench_prints_every_figure() -> None:
    text = typed_in_a_terminal("bench", "king_lui", "--seconds", "0.01", "--peers").stdout  # other libraries warn
    for figure in (
        "one AEC environment",
        "batch of 1,",
        "batch of 64,",
        "batch of 1024,",
        "batch of 16384,",
        "bytes of state",
    ):
        assert figure in text
    assert "OpenSpiel" in text
    assert "crazy_eights" in text
    assert "leduc_holdem_v4" in text


def test_match_prints_win_shares_with_error_bars() -> None:
    text = run("match", "king_lui", "bot", "random", "random", "--games", "200")
    assert "king_lui, 201 games, every deal in 3 seat rotations" in text
    assert text.count("win share") == 3
    assert "±" in text


def test_it_is_a_program() -> None:
    """Here in processes of their own; everywhere else the same function in that of the tests."""
    assert typed_in_a_terminal("--version").stdout.strip() == f"card-envs {card_envs.__version__}"
    refused = typed_in_a_terminal("show", "poker")
    assert refused.returncode == 2
    assert refused.stderr.startswith("card-envs: there is no game 'poker'")
    assert refused.stderr.count("\n") == 1


def test_whoever_reads_only_the_beginning_gets_no_traceback() -> None:
    """As `card-envs show king_lui | head -1` does; and nothing in the process is set to die of it."""
    command = [sys.executable, "-m", "card_envs", "show", "king_lui"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1, "as commands end that could not say everything, and not by a signal"
