"""Matches: seats that stay or rotate, and results for people, programs and notebooks."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import card_envs
from card_envs.arena import Tournament
from card_envs.cli.main import app
from tests.support.tournaments import First

LINE_UP = ["bot", "random", "random"]


def test_a_rotated_match_plays_every_deal_on_every_seat() -> None:
    """Row by row it is the match of the line-up moved on by one seat, with its columns back in the agents' order."""
    rotated = card_envs.play_match("king_lui", LINE_UP, games=90, seed=4, rotate=True)
    assert rotated.rotations == 3
    assert len(rotated.seeds) == 90
    for turn in range(3):
        seated = list(np.roll(LINE_UP, turn))
        plain = card_envs.play_match("king_lui", seated, games=30, seed=4)
        assert (rotated.seeds[turn::3] == plain.seeds).all()
        assert (rotated.points[turn::3] == np.roll(plain.points, -turn, axis=1)).all()
        assert (rotated.ranks[turn::3] == np.roll(plain.ranks, -turn, axis=1)).all()


def test_seats_stay_unless_asked() -> None:
    result = card_envs.play_match("king_lui", LINE_UP, games=40)
    assert result.rotations == 1
    assert str(result).startswith("king_lui, 40 games, seats as given\n  seat 0 bot: win share ")
    rotated = card_envs.play_match("king_lui", LINE_UP, games=40, rotate=True)
    assert str(rotated).startswith("king_lui, 39 games, every deal in 3 seat rotations\n  bot: win share ")


def test_error_bars_count_deals_and_not_their_rotations() -> None:
    """Copies share each deal equally when it is rotated, so that nothing is left to chance."""
    copies = card_envs.play_match("king_lui", ["bot"] * 3, games=300, rotate=True)
    assert copies.win_shares == pytest.approx([1 / 3] * 3)
    assert copies.standard_errors == pytest.approx([0] * 3)
    assert (card_envs.play_match("king_lui", ["bot"] * 3, games=300).standard_errors > 0.01).all()


def test_an_alias_is_what_an_agent_is_called() -> None:
    for agents in ({"a": "bot", "b": "bot", "c": First()}, [("a", "bot"), "b=bot", ("c", First())]):
        assert card_envs.play_match("king_lui", agents, games=5).agents == ("a", "b", "c")  # type: ignore[arg-type]


class Sly(First):
    name = "<script>alert('&')</script>"


def test_notebooks_show_small_tables_in_which_names_are_only_names() -> None:
    for rotate in (False, True):
        result = card_envs.play_match("zum_kuhkuck", [Sly(), "bot"], games=10, rotate=rotate)
        page = result._repr_html_()
        assert "&lt;script&gt;" in page
        assert "<script" not in page
        assert page.count("<tr>") == 3
        assert ("<th>seat</th>" in page) is not rotate
    with Tournament("zum_kuhkuck", agents=[Sly(), "bot"], games=20) as tournament:
        page = tournament.run()._repr_html_()
    assert page.startswith("<table><caption>Zum Kuhkuck, 2 players, 20 games.")
    assert "<script" not in page
    assert page.count("<tr>") == 3


def run(*arguments: str) -> Any:
    done = CliRunner().invoke(app, ["match", "king_lui", *LINE_UP, "--games", "60", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_command_rotates_and_says_so() -> None:
    assert run().startswith("king_lui, 60 games, every deal in 3 seat rotations\n  bot: ")
    assert run("--no-rotate").startswith("king_lui, 60 games, seats as given\n  seat 0 bot: ")


def test_the_command_speaks_json() -> None:
    told = json.loads(run("--json"))
    assert (told["game"], told["games"], told["rotations"]) == ("king_lui", 60, 3)
    assert [one["agent"] for one in told["agents"]] == LINE_UP
    assert sum(one["win_share"] for one in told["agents"]) == pytest.approx(1)
    assert told["agents"][0].keys() == {"agent", "seat", "win_share", "error", "points", "rank"}
    assert [one["seat"] for one in json.loads(run("--json", "--no-rotate"))["agents"]] == [0, 1, 2]
