"""Agents of other packages in processes of their own: what they get, and what becomes of those that misbehave."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.agents.isolated import agent as isolated
from card_envs.agents.isolated.agent import IsolatedAgent, IsolatedHost
from card_envs.agents.loading import from_package
from card_envs.core.batch import Batch
from card_envs.errors import IllegalActionError, NoAnswerError, OptionError
from card_envs.games import get_game
from tests.support.strangers import install_strangers

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="agents can be isolated on Linux and macOS only")
GAME = get_game("king_lui")
Begin = Callable[..., IsolatedAgent]


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Begin]:
    site = tmp_path_factory.mktemp("site")
    install_strangers(site)
    hosts: dict[str, IsolatedHost] = {}

    def begin(name: str, seed: int = 0, seconds: float = 60.0) -> IsolatedAgent:
        if name not in hosts:
            hosts[name] = IsolatedHost(GAME, name, 3, seconds)
        return hosts[name].begin(seed)

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        yield begin
    for host in hosts.values():
        host.close()


def answers(agent: IsolatedAgent, games: int = 6) -> tuple[list[int], str]:
    batch = Batch(GAME, games, seed=1, players=3)
    actions, reason = agent.answer(batch.observation, batch.action_mask, np.zeros(games))
    return actions.tolist(), reason


def test_who_is_of_another_package() -> None:
    assert from_package("first")
    assert from_package("first(option=3)")
    assert not any(from_package(name) for name in ("bot", "random", "champion:greedy", "a/b.safetensors"))


def test_an_agent_plays_in_its_own_process_as_it_would_here(begin: Begin) -> None:
    batch = Batch(GAME, 500, seed=1, players=3)
    first = batch.action_mask.argmax(axis=1).tolist()
    agent = begin("first")
    assert answers(agent, 500) == (first, "")
    assert agent.act(batch.observation, batch.action_mask).tolist() == first
    assert (agent.name, agent.kind, agent.content_hash) == ("first", "strangers.First", None)
    assert "strangers" not in sys.modules, "its package is imported there and not here"


def test_lots_reach_agents_that_draw_lots(begin: Begin) -> None:
    agent, mask = begin("bylot"), np.array([[0, 1, 1, 1, 1]] * 3, np.int8)
    actions, reason = agent.answer(np.zeros((3, GAME.layout.size), np.float32), mask, np.array([0.0, 0.3, 0.99]))
    assert (actions.tolist(), reason) == ([1, 2, 4], "")


def test_what_an_agent_prints_disturbs_nobody(begin: Begin) -> None:
    assert answers(begin("talkative")) == answers(begin("first"))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("mortal", "process ended"),
        ("clumsy", "error: RuntimeError: I do not know ?[31m what to do"),
        (
            "liar",
            "error: IllegalActionError: the agent first must give 6 whole numbers, one action per row, not an array "
            "of shape (3, 5) and type float64",
        ),
        (
            "fractions",
            "error: IllegalActionError: the agent first must give 6 whole numbers, one action per row, not an "
            "array of shape (6,) and type float64",
        ),
    ],
)
def test_an_agent_that_fails_gives_no_action_and_a_reason(begin: Begin, name: str, reason: str) -> None:
    agent = begin(name)
    assert answers(agent) == ([-1] * 6, reason)
    assert answers(agent) == ([-1] * 6, reason), "also when it is asked again"
    with pytest.raises(IllegalActionError, match="gave no legal action in its own process"):
        agent.act(np.zeros((1, 5), np.float32), np.ones((1, 5), np.int8))


def test_an_agent_that_hangs_is_too_slow_and_its_life_is_ended(begin: Begin) -> None:
    agent = begin("sleeper", seconds=0.05)
    assert answers(agent) == ([-1] * 6, "too slow")
    agent.close()
    assert answers(agent) == ([-1] * 6, "too slow")
    assert answers(begin("sleeper")) == ([-1] * 6, "too slow"), "the next life is asked anew"


def test_an_illegal_action_costs_its_own_row_only(begin: Begin) -> None:
    actions, reason = answers(begin("cheat"))
    assert [action >= 0 for action in actions] == [False, True] * 3
    assert reason == "illegal action"


def test_each_life_knows_nothing_of_another_nor_of_the_games(begin: Begin) -> None:
    for seed in range(3):
        agent = begin("remembering", seed)
        assert answers(agent)[1] == ""
        agent.close()


def test_an_agent_that_cannot_be_made_is_refused(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"could not be made in a process of its own: .*not today"):
        begin("unborn")
    with pytest.raises(OptionError, match="there is no agent 'nobody'"):
        begin("nobody")
    with pytest.raises(OptionError, match="SystemExit: I am off"):
        begin("leave")
    with pytest.raises(OptionError, match="thinks ahead in positions that are handed to it"):
        begin("thinker")
    monkeypatch.setattr(isolated, "START_SECONDS", 0.001)
    with pytest.raises(NoAnswerError, match="too slow"):
        begin("also_nobody")


def test_the_process_ends_with_whoever_started_it(begin: Begin) -> None:
    host = IsolatedHost(GAME, "first", 3, 60.0)
    life = host.begin(1)
    process = host._process
    host.close()
    assert process.returncode is not None
    assert answers(life) == ([-1] * 6, "process ended")


def test_what_a_life_has_started_ends_with_it(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "left"
    os.mkfifo(pipe)
    monkeypatch.setenv("LEFT", str(pipe))
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    began = time.monotonic()
    begin("leaving").close()
    os.set_blocking(reader, True)
    assert os.read(reader, 1) == b"", "nobody writes"
    os.close(reader)
    assert time.monotonic() - began < 50, "and it was not just over by itself"


def test_a_life_that_has_left_its_group_is_ended_too(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = begin("deserter", seconds=0.5)
    assert answers(agent) == ([-1] * 6, "too slow")
    life = agent._life
    assert life
    monkeypatch.setattr(isolated, "START_SECONDS", 20.0)  # after which the host is given up
    agent.close()
    assert life.host.alive, "its host has not waited for it"


def test_several_threads_may_begin_lives_at_once(begin: Begin) -> None:
    begin("first")
    with ThreadPoolExecutor(4) as threads:
        lives = list(threads.map(lambda seed: begin("first", seed), range(12)))
        told = list(threads.map(answers, lives))
    assert all(one == told[0] and not one[1] for one in told)


def test_ctrl_c_in_the_middle_of_a_word_ends_the_host(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    host = IsolatedHost(GAME, "first", 3, 60.0)

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(isolated, "receive_note", interrupted)
    with pytest.raises(KeyboardInterrupt):
        host.begin(1)
    assert not host.alive
