"""A person at the terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.support.registered import GAMES, opponent


def play(*arguments: str, typed: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "card_envs", "play", *arguments],
        input=typed,
        env={**os.environ, "COLUMNS": "160"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_can_be_played_by_number(game: str) -> None:
    text = play(game, "--seed", "3", typed="1\n" * 500)
    assert "You can play:" in text
    assert "you: " in text
    assert "rank 1" in text
    points = [int(found) for found in re.findall(rf"player \d \({opponent(game)}\): (\d+) points", text)]
    assert points
    assert min(points) > 0, "a bot that always repeats its first lot never gets a row"


def test_hints_names_mistakes_and_quitting() -> None:
    text = play("zum_kuhkuck", "--seat", "0", "--seed", "3", typed="h\ndr\nabc\n99\nDRAW\nq\n")
    assert "bot would play: draw" in text
    assert text.count("you: draw") == 2
    assert "'abc' is none of these" in text
    assert "'99' is none of these" in text
    assert "Stopped. --seed 3 --seat 0 deals the same cards again." in text


def test_the_end_of_input_stops_the_game() -> None:
    assert "Stopped." in play("king_lui", typed="")


def test_simultaneous_choices_are_not_told_before_all_are_in() -> None:
    text = play("ku_ka_king", "--players", "3", "--seat", "2", "--against", "random", "--seed", "1", typed="1\nq\n")
    assert "player 0 (random): has chosen" in text
    assert "player 1 (random): row" not in text


def test_others_drawn_cards_stay_hidden() -> None:
    text = play("king_lui", "--seat", "1", "--against", "random", "--seed", "1", typed="1\nq\n")
    assert "unseen)" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("king_lui", "--against", "bott"), "card-envs: there is no agent 'bott': did you mean 'bot'?"),
        (
            ("king_lui", "--against", "bot", "--against", "bot", "--players", "5"),
            "card-envs: 5 players need 4 opponents",
        ),
        (("king_lui", "--seat", "9"), "card-envs: seat must be a whole number from 0 to 3, not 9"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments: tuple[str, ...], message: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "card_envs", "play", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(message)
