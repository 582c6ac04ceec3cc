"""Places among those who listen: as many as are allowed, each given back whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from card_envs.web.errors import TooMuchError
from card_envs.web.limits import Limits
from card_envs.web.streams import EventStream, Streams
from tests.fuzz.web_attacks import request
from tests.support.web_server import GENEROUS, opened, serving


@pytest.mark.parametrize(
    ("limits", "allowed"), [(replace(GENEROUS, streams_per_game=3), 3), (replace(GENEROUS, streams=2), 2)]
)
def test_exactly_as_many_listen_as_may_however_many_come_at_once(limits: Limits, allowed: int) -> None:
    with serving(limits=limits) as address, contextlib.ExitStack() as lines:
        with httpx.Client(base_url=address, timeout=60) as client:
            table = opened(client, "zum_kuhkuck", "me")
        asked = request("GET", f"/api/games/{table['id']}/events", X_Seat_Key=table["key"])
        place = ("127.0.0.1", urlsplit(address).port or 0)
        comers = [lines.enter_context(socket.create_connection(place, timeout=60)) for _ in range(40)]
        for one in comers:
            one.sendall(asked)
        answers = [one.recv(1 << 12) for one in comers]
        statuses = [int(told.split()[1]) for told in answers]
        assert sorted(statuses) == [200] * allowed + [429] * (40 - allowed)
        assert sum(b"too many pages listen already; close one" in told for told in answers) <= 40 - allowed


def listen(streams: Streams, receive: Any, send: Any) -> None:
    scope = {"type": "http", "asgi": {"spec_version": "2.3"}}
    asyncio.run(asyncio.wait_for(EventStream(streams, "game")(scope, receive, send), 20))


def test_who_leaves_before_the_first_byte_gives_the_place_back() -> None:
    streams, sent = Streams(Limits(streams=1)), []

    async def gone() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        assert streams.listening == 1
        sent.append(message)
        await asyncio.Event().wait()  # nobody reads

    for _ in range(3):
        listen(streams, gone, send)
        assert streams.listening == 0


def test_a_place_comes_back_when_sending_fails_and_when_there_is_none() -> None:
    streams = Streams(Limits(streams=1))

    async def stays() -> Any:
        await asyncio.Event().wait()

    async def fails(_: Any) -> None:
        with pytest.raises(TooMuchError, match="too many pages listen already"), streams.listener("other"):
            pass
        raise OSError("gone")

    for _ in range(2):
        with pytest.raises(OSError, match="gone"):
            listen(streams, stays, fails)
        assert streams.listening == 0


def test_spectators_leave_places_for_those_who_play() -> None:
    streams = Streams(Limits(streams_per_game=3))

    async def come() -> None:
        with streams.listener("game", spare=2):
            with pytest.raises(TooMuchError), streams.listener("game", spare=2):
                pass
            with streams.listener("game"), streams.listener("game"):
                assert streams.listening == 3

    asyncio.run(come())
