"""Learned responses: they come near the exact value, are kept and gone on with, and can be played by anybody."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.agents.checkpoint import CheckpointAgent, read_checkpoint
from card_envs.arena.exact import best_response
from card_envs.errors import OptionError
from card_envs.games import get_game
from tests.support.checkpoint_files import random_weights, write
from tests.support.tournaments import First
from training import response
from training.ppo_settings import SelfPlayPPOSettings
from training.response import PPO, ResponseTask, learn_checkpoint, learn_response, start_of
from training.run import Stop
from training.strength import Expense, strength

QUICK = SelfPlayPPOSettings(n_steps=16, batch_size=2048, learning_rate=1e-2, learning_rate_end=1e-3)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response, "GAMES", 128)
    monkeypatch.setattr(response, "CHOICE_DEALS", 100)
    monkeypatch.setattr(response, "MEASUREMENTS", 3)


def learned(game: str, agent: Any, decisions: int, **options: Any) -> Any:
    task = ResponseTask(game, 2, agent, None, decisions, options=options, ppo=QUICK)
    return response.measured(task, learn_checkpoint(task), deals=2000)


def test_a_learned_response_comes_near_the_exact_one(small_games: str) -> None:
    for rule, agent in (("matching", "bot"), ("luck", "bot"), ("luck", "random")):
        exact = best_response(small_games, agent, rule=rule)
        found = learned(small_games, agent, 40_000, rule=rule)
        assert found.share.mean - 4 * found.share.error <= exact.win_share  # no response is better than the best
        assert found.share.mean > exact.win_share - 0.05
        assert found.above_fair == pytest.approx(found.share.mean - 0.5)


def test_nothing_is_won_from_a_policy_in_equilibrium(small_games: str) -> None:
    assert best_response(small_games, "random", rule="matching").exploitability == pytest.approx(0.0)
    found = learned(small_games, "random", 10_000, rule="matching")
    assert abs(found.above_fair) < 5 * found.share.error


def test_a_response_begins_from_the_agent_itself_where_that_can_be_learned(tmp_path: Path) -> None:
    game = get_game("zum_kuhkuck")
    path = write(tmp_path / "mine.safetensors", game.name)
    start = start_of(game, f"{path}:greedy", 2)
    assert start is not None
    assert start.content_hash == read_checkpoint(path, game).content_hash
    assert start_of(game, "bot", 2) is None
    task = ResponseTask(game.name, 2, str(path), start, 1, ppo=SelfPlayPPOSettings(n_steps=2, learning_rate=1e-6))
    found = learn_checkpoint(task)
    assert (found.parent, found.players, found.step) == (start.content_hash, (2,), 256)
    assert found.content_hash != start.content_hash
    for name, weights in start.weights.items():  # not tied, and so they stay
        assert np.allclose(found.weights[name], weights, atol=1e-3)


def test_a_new_network_imitates_the_bot_first_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever begins from nothing hardly wins a game; whoever knows how to play already is not taught."""
    known = read_checkpoint(write(tmp_path / "mine.safetensors", "king_lui"), "king_lui")
    tasks = [ResponseTask("king_lui", 3, "champion", start) for start in (None, known)]
    taught = [task.settings(tmp_path / f"{number}").ppo for number, task in enumerate(tasks)]
    assert [one.at(0.0).teacher_coef for one in taught] == [1.0, 0.0]
    assert taught[0].at(0.5).teacher_coef == 0.0
    monkeypatch.setattr(response, "get_game", lambda name: replace(get_game(name), bot=None))
    assert ResponseTask("king_lui", 3, "champion").settings(tmp_path / "none").ppo == PPO


def test_what_was_stopped_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    weights = random_weights("zum_kuhkuck")
    agent = CheckpointAgent(write(tmp_path / "a.safetensors", "zum_kuhkuck", weights), "zum_kuhkuck", 2)
    task = ResponseTask("zum_kuhkuck", 2, agent, agent.checkpoint, 6 * 128 * 8, ppo=SelfPlayPPOSettings(n_steps=8))
    whole = learn_checkpoint(task, tmp_path / "whole")

    class Soon(Stop):
        """Asks to stop after some looks."""

        def __init__(self) -> None:
            self.number, self.looks = 0, 0

        @property
        def asked(self) -> bool:
            self.looks += 1
            return self.looks > 4

    with pytest.raises(KeyboardInterrupt):
        learn_checkpoint(task, tmp_path / "half", stop=Soon())
    assert not (tmp_path / "half" / "response.safetensors").exists()
    (tmp_path / "a.safetensors").unlink()  # a copy of the agent is kept
    assert learn_checkpoint(task, tmp_path / "half").content_hash == whole.content_hash


def test_an_agent_that_is_an_object_cannot_be_learned_against(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="an object of a program"):
        learn_response("king_lui", 3, First(), decisions=100, folder=tmp_path)
    found = card_envs.exploit("king_lui", First(), players=3, games=6, playouts=1)  # the search is done
    assert [one.method for one in found.responses] == ["search"]


def test_exploit_learns_keeps_and_plays_the_response(tmp_path: Path) -> None:
    given: dict[str, Any] = {"games": 20, "decisions": 2048, "playouts": 1, "out": tmp_path / "found"}
    found = card_envs.exploit("zum_kuhkuck", "random", method="learned", **given)
    assert [one.method for one in found.responses] == ["learned"]
    assert found.budget == "2,048 decisions"
    player = Path(found.best.player)
    assert player == tmp_path / "found" / "response.safetensors"
    assert card_envs.play_match("zum_kuhkuck", [player, "random"], games=10).agents[1] == "random"
    before = player.read_bytes()
    both = card_envs.exploit("zum_kuhkuck", "random", **given)  # adds the other method, learns nothing again
    assert [one.method for one in both.responses] == ["search", "learned"]
    assert both.responses[1].win_share == found.responses[0].win_share
    assert player.read_bytes() == before


def test_the_table_of_champions_has_both_responses(tmp_path: Path) -> None:
    little = Expense(games=20, response_games=8, playouts=1, decisions=2048, folder=tmp_path)
    head, line, row = strength(["king_lui", "zum_kuhkuck"], little, tables=[2]).splitlines()
    assert "best response by search, 1 playouts | learned response, 2,048 decisions" in head
    assert [one.count("|") for one in (head, line, row)] == [9, 9, 9]
    assert 0 < float(row.split("|")[-2]) < 1000, "milliseconds per move"
    assert len(re.findall(r"[01]\.\d{3} \([01]\.\d{3} to [01]\.\d{3}\)", row)) == 2
    assert (tmp_path / "zum_kuhkuck-2" / "response.safetensors").is_file()
