"""Agents that are told games in words: what they are told, how strictly they are read, and what misbehaviour costs."""

from __future__ import annotations

import json
import os
import pickle
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.agents.naming import parse_agent, speaks
from card_envs.agents.positions import Positions
from card_envs.agents.random import RandomAgent
from card_envs.agents.seating import Seating
from card_envs.agents.speaking.agent import SpokenAgent
from card_envs.agents.speaking.answer import find_action, read_json, read_words
from card_envs.agents.speaking.options import make_speaker
from card_envs.agents.speaking.question import make_question
from card_envs.core.journal import Page
from card_envs.errors import OptionError, UnreadableError
from tests.support.registered import GAMES
from tests.support.speaking import program, spelt

LEGAL = [{"number": 0, "name": "take bread"}, {"number": 7, "name": "draw"}, {"number": 9, "name": "12"}]


def asked(batch: Any, game: int = 0) -> dict[str, Any]:
    return make_question(Positions(batch, np.array([game])), 0)


@pytest.mark.parametrize("game", GAMES)
def test_a_question_never_depends_on_what_its_seat_cannot_know(game: str) -> None:
    """What the seat cannot know is drawn anew in the position, and in each position of the history by itself."""
    batch = card_envs.make_batch(game, 4, seed=5, auto_reset=False)
    journal = batch.follow(np.arange(4))
    dice, changed, heard = RandomAgent(5), 0, 0
    while (going := np.flatnonzero(batch.seat >= 0)).size:
        batch.step(dice.act(None, batch.action_mask[going]), going)
        number = int(going[0])
        seat = int(batch.seat[number])
        if seat < 0 or len(journal.pages[number].moves) % 5:
            continue
        twin, page = batch.copy(), journal.pages[number]
        twin.redraw_hidden(batch.seat[[number]], seed=11, games=[number])
        redrawn = card_envs.make_batch(game, len(page.states), seed=0, auto_reset=False, **batch.chosen)
        redrawn.states[:] = np.concatenate(page.states)
        redrawn.redraw_hidden(np.full(len(page.states), seat), seed=12)
        changed += int((redrawn.states != np.concatenate(page.states)).sum())
        states = [redrawn.states[place : place + 1].copy() for place in range(len(page.states))]
        assert twin.journal
        twin.journal.pages[number] = Page(states, list(page.moves))
        question = asked(batch, number)
        heard += len(question["history"])
        assert json.dumps(asked(twin, number)) == json.dumps(question)
    assert changed, "nothing was ever hidden, so nothing was checked"
    assert heard


@pytest.mark.parametrize("game", GAMES)
def test_a_question_has_all_that_a_player_needs(game: str) -> None:
    rules = card_envs.get_game(game)
    batch = card_envs.make_batch(game, 1, seed=3, auto_reset=False)
    batch.follow([0])
    dice = RandomAgent(2)
    own: list[int] = []
    for _ in range(12):
        seat = int(batch.seat[0])
        own.append(seat)
        batch.step(dice.act(None, batch.action_mask))
    question = json.loads(json.dumps(asked(batch)))
    assert (question["game"], question["players"], question["seat"]) == (game, batch.players, int(batch.seat[0]))
    assert [one["number"] for one in question["legal"]] == np.flatnonzero(batch.action_mask[0]).tolist()
    assert all(one["name"] == rules.actions[one["number"]] for one in question["legal"])
    assert np.array_equal(np.array(question["observation"], np.float32), batch.observation[0])
    assert question["action_mask"] == batch.action_mask[0].tolist()
    assert 0 < question["new"] < len(question["history"])
    last = max(move for move, seat in enumerate(own) if seat == question["seat"])
    assert [one["move"] >= last for one in question["history"]].count(True) == question["new"]
    for text in (question["position"], "since your last choice", question["legal"][0]["name"], rules.title):
        assert text in question["prompt"]
    assert "names" not in question["view"]
    assert len(question["rules"]) > 200


def test_answers_are_read_strictly() -> None:
    assert read_json(' {"action": 7, "why": "it is late"} ') == 7
    assert read_words("I think.\n\n  Action:  take bread \n") == "take bread"
    assert read_words('so be it\n{"action": "draw"}') == "draw"
    for text in (
        "7",
        "[7]",
        '{"action": 7.0}',
        '{"action": true}',
        '{"action": 1, "action": 2}',
        "{",
        "[" * 9999,
        "{}",
    ):
        with pytest.raises(UnreadableError):
            read_json(text)
    for text in ("", "7", "action: 7\nor rather 8", "my action: 7", "action:"):
        with pytest.raises(UnreadableError):
            read_words(text)
    assert [find_action(one, LEGAL) for one in (7, "7", "draw", "take bread", "12")] == [7, 7, 7, 0, 9]
    assert [find_action(one, LEGAL) for one in (1, -1, "1", "Draw", "take", "", "-7", 12, "٧", 10**30)] == [None] * 10


def test_how_they_are_spelt() -> None:
    name = parse_agent('mine=command("python a.py --depth=3", seconds=5)')
    assert (name.agent, name.alias) == ("command", "mine")
    assert name.options == {"program": "python a.py --depth=3", "seconds": 5}
    made = card_envs.command("python -c 'print(1)'", tries=2)
    again = parse_agent(made.name)
    assert make_speaker(again.agent, again.options) == made, "its name says all about it"
    assert pickle.loads(pickle.dumps(card_envs.load_agent("king_lui", made))).name == made.name
    assert card_envs.chat("http://127.0.0.1:1/v1", model="llama3").title == "chat llama3"
    assert speaks("command(x)")
    assert speaks("chat:url=x")
    assert not any(speaks(one) for one in ("commander", "chatty(x=1)", "bot", None))
    assert not {"command", "chat"} & set(card_envs.agent_names()), "no page and no file may choose them by name"


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("command", 'command needs program, such as in command("python mine.py")'),
        ('chat("http://127.0.0.1/v1")', "chat needs model"),
        ('command("no-such-program-here x")', "there is no program 'no-such-program-here'"),
        ('command(program="python \'x")', "cannot be taken apart into words"),
        ('command("python", secs=3)', "command has no option 'secs': did you mean 'seconds'?"),
        ('command("python", seconds=0)', "seconds must be a number from 0.001 to 3600, not 0"),
        ('command("python", tries=0)', "tries must be a whole number from 1 to 100, not 0"),
        ('chat("ftp://127.0.0.1/v1", model=x)', "url must be an address such as http://127.0.0.1:11434/v1"),
        ('chat("http://me:secret@127.0.0.1/v1", model=x)', "without a user, a password"),
        ('chat("http://127.0.0.1/v1?key=secret", model=x)', "without a user, a password"),
        ('chat("http://127.0.0.1/v1", model=x, key="sk-secret")', "the name of an environment variable"),
        ('chat("http://example.org/v1", model=x, key=HOME)', "to this computer or over https only"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(agent: str, sentence: str) -> None:
    with pytest.raises(OptionError) as refused:
        card_envs.load_agent("king_lui", agent)
    assert sentence in str(refused.value)
    assert "secret" not in str(refused.value), "a key that was given by mistake is not told"


def one_game(agent: Any) -> Seating:
    batch = card_envs.make_batch("zum_kuhkuck", 2, seed=1, auto_reset=False)
    seating = Seating(batch)
    seating.sit_down([agent, "bot"])
    seating.start_lots(np.arange(2))
    seating.play_on(np.arange(2))
    return seating


def reasons(seating: Seating) -> list[str]:
    return [lost.reason for lost in seating.forfeits]


@pytest.mark.parametrize("how", ["", "name", "second try", "complaining"])
def test_a_program_plays_whole_games(how: str) -> None:
    seating = one_game(spelt(how, seconds=60))
    assert reasons(seating) == []
    assert (seating.batch.seat < 0).all()
    assert seating.batch.points.any()
    (agent,) = seating.agents
    assert isinstance(agent, SpokenAgent)
    agent.close()


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("illegal", ["illegal action"] * 2),
        ("garbage", ["unreadable answer"] * 2),
        ("long", ["unreadable answer"] * 2),
        ("twice", ["unreadable answer"] * 2),
        ("flood", ["unreadable answer"] * 2),
        ("mortal", ["process ended: ?[31m too little"] * 2),
        ("silent", ["process ended"] * 2),
    ],
)
def test_a_program_that_misbehaves_forfeits(how: str, expected: list[str]) -> None:
    seating = one_game(spelt(how, seconds=60))
    assert reasons(seating) == expected
    assert seating.batch.ranks.tolist() == [[2, 1]] * 2


@pytest.mark.parametrize("how", ["hang", "half", "deaf"])
def test_a_program_that_hangs_is_too_slow_and_is_ended(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("card_envs.agents.speaking.program.STARTING", 0.0)
    ended: list[int] = []
    kill = os.killpg
    monkeypatch.setattr(os, "killpg", lambda process, sign: (ended.append(process), kill(process, sign)))
    seating = one_game(spelt(how, seconds=0.4))
    assert reasons(seating) == ["too slow"] * 2, "of which the second is not even asked"
    assert len(ended) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(ended[0], 0)


def test_a_program_that_is_told_to_end_has_ended_and_can_be_begun_again() -> None:
    agent = card_envs.load_agent("zum_kuhkuck", spelt(seconds=60))
    assert isinstance(agent, SpokenAgent)
    batch = card_envs.make_batch("zum_kuhkuck", 1, seed=1)
    processes = []
    for _ in range(2):
        actions, _ = agent.answer(Positions(batch, np.array([0])))
        assert batch.action_mask[0, actions[0]]
        running: Any = agent._other
        processes.append(running._running.process)
        agent.close()
    assert all(one.returncode is not None for one in processes)
    assert processes[0].pid != processes[1].pid


def test_ctrl_c_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    from card_envs.agents.speaking import program as programs

    agent = card_envs.load_agent("zum_kuhkuck", spelt("hang", seconds=60))
    assert isinstance(agent, SpokenAgent)
    batch, started = card_envs.make_batch("zum_kuhkuck", 1, seed=1), []
    exchange = programs._Running.exchange

    def interrupted(self: Any, message: bytes, deadline: float) -> bytes:
        started.append(self.process)
        monkeypatch.setattr(programs, "_left", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        return exchange(self, message, deadline)

    monkeypatch.setattr(programs._Running, "exchange", interrupted)
    with pytest.raises(KeyboardInterrupt):
        agent.answer(Positions(batch, np.array([0])))
    assert started[0].returncode is not None


def test_each_seat_has_a_program_of_its_own() -> None:
    batch = card_envs.make_batch("king_lui", 1, players=3, seed=1)
    seating = Seating(batch)
    seating.sit_down([spelt(), spelt(), "bot"])
    assert len(seating.agents) == 2
    assert seating.agents[0] is not seating.agents[1]


def test_nobody_else_can_ask_them() -> None:
    agent = card_envs.load_agent("king_lui", spelt())
    batch = card_envs.make_batch("king_lui", 1, seed=1)
    with pytest.raises(OptionError, match="is told games in words"):
        agent.act(batch.observation, batch.action_mask)
    with pytest.raises(OptionError, match="is told games in words, which nobody does in imagined ones"):
        card_envs.load_agent("king_lui", card_envs.rollout(model=card_envs.command(program())))


def test_as_opponents_in_an_environment_and_in_a_match() -> None:
    import gymnasium as gym

    env = gym.make("card_envs/ZumKuhkuck-v0", opponents=card_envs.command(program(), seconds=60))
    _, info = env.reset(seed=4)
    done = False
    while not done:
        _, _, done, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    result = card_envs.play_match("zum_kuhkuck", [f"mine={spelt('illegal', tries=1)}", "bot"], games=2, rotate=True)
    assert "mine forfeited 2 of its 2 games" in str(result)
    assert json.loads(result.to_json())["forfeits"] == [2, 0]
