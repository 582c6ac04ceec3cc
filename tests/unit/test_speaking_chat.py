"""Models behind an address that speaks as OpenAI's does: what is sent there, and what misbehaviour costs."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.agents.positions import Positions
from card_envs.agents.speaking import endpoint as endpoints
from card_envs.agents.speaking.agent import SpokenAgent
from tests.support.speaking import Handler, endpoint, said

KEY = "sk-do-not-tell-anybody"


def choices(body: Any) -> list[tuple[str, str]]:
    """Numbers and names of what can be chosen, from the words alone."""
    return re.findall(
        r"^(\d+): (.+?)(?: \(.*\))?$",
        body["messages"][1]["content"].split("You can choose, by number or by exact name:")[1],
        re.M,
    )


def first(handler: Handler, body: Any) -> None:
    handler.reply(said(f"I look at the table.\n\naction: {choices(body)[0][0]}"))


def decide(url: str, batch: Any = None, **options: Any) -> tuple[int, list[str]]:
    """What comes of one decision."""
    agent = card_envs.load_agent("king_lui", card_envs.chat(url, model="tiny", **{"seconds": 60, **options}))
    assert isinstance(agent, SpokenAgent)
    batch = card_envs.make_batch("king_lui", 1, players=3, seed=1) if batch is None else batch
    actions, reasons = agent.answer(Positions(batch, np.array([0])))
    return int(actions[0]), reasons


def test_a_model_plays_a_whole_game_from_words_alone() -> None:
    with endpoint(first) as (url, asked):
        result = card_envs.play_match("ku_ka_king", [card_envs.chat(url, model="tiny", seconds=60), "bot"], games=1)
        assert result.forfeits == (0, 0)
        assert result.points.any()
    path, headers, body = asked[-1]
    assert path == "/v1/chat/completions"
    assert "Authorization" not in headers
    assert (body["model"], body["stream"], "temperature" in body) == ("tiny", False, False)
    system, user = body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert "action: 3" in system["content"]
    assert "What has happened since your last choice:" in user["content"]


def test_an_illegal_answer_is_asked_again_with_what_was_wrong() -> None:
    def learns(handler: Handler, body: Any) -> None:
        told = [one["content"] for one in body["messages"][2:] if one["role"] == "user"]
        wrong = ["action: 99", "Well, well."]
        handler.reply(said(wrong[len(told)] if len(told) < 2 else f"action: {choices(body)[0][1]}"))

    with endpoint(learns) as (url, asked):
        action, reasons = decide(url, temperature=0.5)
    assert (action >= 0, reasons) == (True, [])
    roles = [one["role"] for one in asked[-1][2]["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "'99' is none of the actions that you can choose now" in asked[1][2]["messages"][3]["content"]
    assert "'Well, well.', which names no action" in asked[2][2]["messages"][5]["content"]
    assert asked[0][2]["temperature"] == 0.5


def test_the_key_comes_from_the_environment_and_is_told_nobody_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level("INFO", "card_envs")
    with endpoint(first) as (url, asked):
        assert decide(url, key="MY_KEY")[1] == []
        assert asked[0][1]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in card_envs.chat(url, model="tiny", key="MY_KEY").name
    action, reasons = decide(url, key="MY_KEY")  # the server has gone
    assert action == -1
    assert reasons[0].startswith("error: ")
    monkeypatch.setenv("MY_KEY", f"{KEY}\nX-Other: yes")
    with endpoint(first) as (url, asked):
        assert decide(url, key="MY_KEY") == (-1, ["error: ValueError"])
        assert asked == []
    assert caplog.text
    assert KEY not in caplog.text + str(reasons)


def elsewhere(handler: Handler, body: Any) -> None:
    handler.reply(b"", 307, Location=f"http://127.0.0.1:{handler.server.server_address[1]}/other")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (elsewhere, "error: HTTP 307 Temporary Redirect"),
        (lambda handler, body: handler.reply(b"no", 401), "error: HTTP 401 Unauthorized"),
        (lambda handler, body: handler.reply(b"<html>"), "unreadable answer"),
        (lambda handler, body: handler.reply(b'{"choices": []}'), "unreadable answer"),
        (lambda handler, body: handler.reply(said("x" * endpoints.LONGEST_ANSWER)), "unreadable answer"),
        (lambda handler, body: handler.reply(said(None)), "unreadable answer"),
        (lambda handler, body: handler.reply(said("action: 99")), "illegal action"),
        (lambda handler, body: handler.wfile.write(b"SSH-2.0\r\n\r\n"), "error: BadStatusLine"),
        (lambda handler, body: handler.connection.shutdown(socket.SHUT_RDWR), "error: RemoteDisconnected"),
    ],
    ids=["elsewhere", "refused", "page", "empty", "endless", "nothing", "illegal", "other", "gone"],
)
def test_an_address_that_misbehaves_forfeits(answer: Callable[[Handler, Any], None], reason: str) -> None:
    with endpoint(answer) as (url, asked):
        assert decide(url, tries=2) == (-1, [reason])
        assert {path for path, _, _ in asked} == {"/v1/chat/completions"}, "nobody goes where it sends us"


@pytest.mark.parametrize("dribbles", [False, True])
def test_the_deadline_is_for_the_whole_answer(dribbles: bool) -> None:
    over = threading.Event()

    def slow(handler: Handler, body: Any) -> None:
        if dribbles:  # a byte now and then, so that no single wait is long
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            with contextlib.suppress(OSError):
                while not over.wait(0.02):
                    handler.wfile.write(b" ")
        over.wait()

    with endpoint(slow) as (url, _):
        try:
            assert decide(url, seconds=0.3) == (-1, ["too slow"])
        finally:
            over.set()


def test_an_address_that_is_not_there_is_given_up_after_some_games() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    agent = card_envs.load_agent("king_lui", card_envs.chat(url, model="tiny"))
    assert isinstance(agent, SpokenAgent)
    batch = card_envs.make_batch("king_lui", 5, players=3, seed=1)
    calls: list[int] = []
    side: Any = agent._other
    ask = side.ask
    side.ask = lambda *arguments: (calls.append(1), ask(*arguments))[1]
    actions, reasons = agent.answer(Positions(batch, np.arange(5)))
    assert (actions.tolist(), reasons) == ([-1] * 5, ["error: Connection refused"] * 5)
    assert len(calls) == endpoints.Endpoint.patience
