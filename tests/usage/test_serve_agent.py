"""Our agents as programs: asked in lines of JSON, on the command line and by each other."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_envs.agents.positions import Positions
from card_envs.agents.speaking.question import make_question
from card_envs.agents.speaking.serve import ServedAgent
from card_envs.errors import OptionError
from tests.support.commands import run
from tests.support.registered import GAMES
from tests.support.speaking import spelt


@pytest.mark.parametrize("game", GAMES)
def test_a_served_agent_plays_as_it_does_here(game: str) -> None:
    batch = card_envs.make_batch(game, 3, seed=2)
    agent = card_envs.load_agent(game, "champion(greedy)", players=batch.players)
    questions = [json.dumps(make_question(Positions(batch, np.arange(3)), row)) for row in range(3)]
    text = run("serve-agent", game, "champion(greedy)", typed="\n".join([*questions, ""]))
    answers = [json.loads(line) for line in text.splitlines()]
    expected = agent.act(batch.observation, batch.action_mask).tolist()
    assert [one["action"] for one in answers] == expected
    assert [one["name"] for one in answers] == [batch.game.actions[action] for action in expected]


def test_the_same_seed_draws_the_same_lots() -> None:
    batch = card_envs.make_batch("king_lui", 1, seed=2, players=3)
    question = json.dumps(make_question(Positions(batch, np.array([0])), 0))
    for agent in ("champion(temperature=5)", "random", "bot"):
        several = [[*ServedAgent("king_lui", agent, 7).serve([question] * 8)] for _ in range(2)]
        assert several[0] == several[1]


def test_what_is_no_question_gets_a_sentence_and_the_next_one_an_answer() -> None:
    batch = card_envs.make_batch("king_lui", 1, seed=2, players=3)
    question = make_question(Positions(batch, np.array([0])), 0)
    wrong = [
        "nonsense", "[]", "{}", json.dumps({**question, "game": "zum_kuhkuck"}), json.dumps({**question, "players": 9}),
        json.dumps({**question, "observation": [1, 2]}), json.dumps({**question, "action_mask": "x"}),
    ]  # fmt: skip
    *errors, answer = ServedAgent("king_lui", "bot").serve([*wrong, "", json.dumps(question)])
    assert len(errors) == len(wrong)
    assert all(json.loads(one)["error"] for one in errors)
    assert "King Lui is for 3-5 players, not 9" in errors[4]
    assert "action" in json.loads(answer)


def test_who_cannot_be_served_is_refused() -> None:
    for agent in ("rollout(model=random, playouts=2)", spelt()):
        with pytest.raises(OptionError):
            ServedAgent("king_lui", agent)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="programs can be agents on Linux and macOS only")
def test_two_programs_meet() -> None:
    served = f"'{sys.executable}' -m card_envs serve-agent zum_kuhkuck champion"
    result = card_envs.play_match("zum_kuhkuck", [card_envs.command(served, seconds=60), spelt(seconds=60)], games=1)
    assert result.forfeits == (0, 0)


@pytest.mark.skipif(os.name != "posix", reason="programs can be agents on Linux and macOS only")
def test_in_the_terminal_against_a_program() -> None:
    typed = "1\n" * 200
    text = run("play", "zum_kuhkuck", "--against", spelt(seconds=60), "--seed", "3", "--seat", "0", typed=typed)
    assert "points" in text
    text = run("play", "zum_kuhkuck", "--against", spelt("garbage"), "--seed", "3", "--seat", "0", typed=typed)
    assert "the game is forfeited (unreadable answer)" in text


@pytest.mark.skipif(os.name != "posix", reason="programs can be agents on Linux and macOS only")
def test_the_program_of_the_docs_plays(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "speaking.md"
    (code,) = re.findall(r"^```py\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(code.splitlines()) <= 20
    (tmp_path / "mine.py").write_text(code)
    mine = card_envs.command(f"'{sys.executable}' -I -S '{tmp_path}/mine.py'", seconds=60)
    assert card_envs.play_match("ku_ka_king", [mine, "bot"], games=2).forfeits == (0, 0)


def test_the_docs_tell_all_parts_of_a_question() -> None:
    page = (Path(__file__).parents[2] / "docs" / "speaking.md").read_text(encoding="utf-8")
    rows = page.split("| in the question |")[1].split("\n\n")[0].splitlines()[2:]
    told = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    batch = card_envs.make_batch("king_lui", 1, seed=2)
    asked = make_question(Positions(batch, np.array([0])), 0)
    assert sorted(told) == sorted([*asked, "try", "tries", "seconds", "error"])
