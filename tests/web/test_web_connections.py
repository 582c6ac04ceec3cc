"""Who keeps the server waiting is let go; who comes is let in, as long as anybody can be."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from card_envs.web.connections import FULL, NOT_HTTP, Door, Room
from card_envs.web.limits import OWN_FILES, Limits
from card_envs.web.server import listen
from tests.fuzz.web_attacks import read_all, request
from tests.support.web_server import GENEROUS, look, move, opened, serving

ASKED = request("GET", "/palette.css").replace(b"Connection: close\r\n", b"")
QUICK = replace(GENEROUS, request_seconds=0.3)


def connect(address: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), timeout=60)


def answer(line: socket.socket) -> bytes:
    """One answer on a connection that stays."""
    line.sendall(ASKED)
    told = line.recv(1 << 16)
    length = int(told.split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(told.partition(b"\r\n\r\n")[2]) < length:
        told += line.recv(1 << 16)
    return told


def wait_for(words: bytes, line: socket.socket) -> None:
    told = b""
    while words not in told:
        part = line.recv(1 << 12)
        assert part, told
        told += part


@contextlib.contextmanager
def stream(address: str) -> Iterator[socket.socket]:
    """Somebody who listens to a game."""
    with httpx.Client(base_url=address, timeout=60) as client:
        table = opened(client, "zum_kuhkuck", "me")
    with connect(address) as line:
        line.sendall(request("GET", f"/api/games/{table['id']}/events", X_Seat_Key=table["key"]))
        wait_for(b"event: hello", line)
        yield line


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /palette.css HTTP/1.1\r\nHost: localhost\r\nX-",
        b"POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{",
        ASKED,
        ASKED + b"GET /",
        b"POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n{",
    ],
    ids=["nothing", "half a header", "half a body", "a request", "a request and a half", "half a refused body"],
)
def test_who_does_not_send_a_whole_request_in_time_is_let_go(sent: bytes) -> None:
    with serving(limits=QUICK) as address, connect(address) as line:
        line.sendall(sent)
        told = read_all(line)
        assert told.count(b"HTTP/1.1") == (sent.startswith(ASKED) or b"99999" in sent)


def test_a_request_that_dribbles_in_is_not_waited_for() -> None:
    with serving(limits=QUICK) as address, connect(address) as line:
        line.sendall(b"GET /palette.css HTTP/1.1\r\nX-Long: ")
        line.settimeout(0.02)
        with contextlib.suppress(ConnectionError):
            while True:
                with contextlib.suppress(TimeoutError):
                    assert line.recv(1) == b""
                    break
                line.sendall(b"x")


def test_streams_go_on_while_others_are_let_go() -> None:
    with serving(limits=QUICK) as address, httpx.Client(base_url=address, timeout=60) as client:
        table = opened(client, "zum_kuhkuck", "me")
        with connect(address) as line:
            line.sendall(request("GET", f"/api/games/{table['id']}/events", X_Seat_Key=table["key"]))
            for _ in range(3):  # three times as long as anybody else may be silent
                with connect(address) as idle:
                    assert read_all(idle) == b""
            state = look(client, table)
            assert move(client, table, state, state["actions"][0]["number"]).status_code == 200
            wait_for(b"event: moved", line)


def test_who_does_not_read_is_let_go() -> None:
    asked = request("GET", "/static/play.js").replace(b"Connection: close\r\n", b"") * 2000
    with serving(limits=replace(GENEROUS, reading_seconds=0.1, request_seconds=0.5)) as address:
        with connect(address) as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sender = threading.Thread(target=_send_what_goes, args=(line, asked))
            sender.start()
            with connect(address) as idle:
                assert read_all(idle) == b""  # by now the other should have read
            told = read_all(line)
            sender.join()
        assert 0 < told.count(b"HTTP/1.1 200") < 2000


def _send_what_goes(line: socket.socket, asked: bytes) -> None:
    with contextlib.suppress(OSError):
        line.sendall(asked)


def test_when_there_is_no_room_those_go_who_never_asked_for_anything() -> None:
    with serving(limits=replace(GENEROUS, connections=4)) as address, contextlib.ExitStack() as lines:
        visitor, first, second, third = (lines.enter_context(connect(address)) for _ in range(4))
        assert answer(visitor)
        assert answer(third)
        comer = lines.enter_context(connect(address))
        assert answer(comer)
        assert read_all(first) == b""
        assert answer(visitor), "one who has asked before was sent away for one who had not"
        newest = lines.enter_context(connect(address))
        assert answer(newest)
        assert read_all(second) == b""
        last = lines.enter_context(connect(address))
        assert answer(last)
        assert read_all(third) == b"", "of those who have asked, the one that has been silent for longest goes"
        assert answer(visitor)


def test_when_everybody_is_being_answered_one_sentence_says_so() -> None:
    with serving(limits=replace(GENEROUS, connections=1)) as address:
        with stream(address), connect(address) as line:
            line.sendall(ASKED)
            told = read_all(line)
            assert told.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
            assert FULL.encode() in told
            assert b"content-security-policy" in told
        while not _ask(address).startswith(b"HTTP/1.1 200"):
            pass  # the server has not yet noticed that the listener left


def _ask(address: str) -> bytes:
    with connect(address) as line:
        line.sendall(request("GET", "/palette.css"))
        return read_all(line)


@pytest.mark.parametrize(
    "sent", [b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000, b"GET /\xff HTTP/1.1\r\n\r\n"]
)
def test_what_is_no_http_is_refused_in_the_form_of_all_refusals(sent: bytes) -> None:
    with serving() as address, connect(address) as line:
        line.sendall(sent)
        told = read_all(line)
        assert told.startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert NOT_HTTP.encode() in told
        assert b"x-content-type-options: nosniff" in told


def test_nonsense_in_the_middle_of_an_answer_ends_it_without_noise(caplog: pytest.LogCaptureFixture) -> None:
    with serving() as address, httpx.Client(base_url=address, timeout=60) as client:
        table = opened(client, "zum_kuhkuck", "me")
        with connect(address) as line:
            asked = request(
                "GET", f"/api/games/{table['id']}/events", X_Seat_Key=table["key"], Transfer_Encoding="chunked"
            )
            line.sendall(asked.replace(b"Content-Length: 0\r\n", b""))
            wait_for(b"event: hello", line)
            line.sendall(b"this is no chunk\r\n")
            assert b"HTTP/1.1" not in read_all(line)
        assert client.get("/api/setup").status_code == 200
    assert caplog.text == ""


def test_limits_fit_the_files_that_the_process_may_open() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        fitted = Limits().fitted()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert fitted.connections == 256 - OWN_FILES
    assert fitted.streams == fitted.connections // 2
    assert Limits(connections=10, streams=2).fitted() == Limits(connections=10, streams=2)


def test_the_page_tells_the_limits_as_they_are() -> None:
    page, limits = (Path(__file__).parents[2] / "docs" / "web.md").read_text(encoding="utf-8"), Limits()
    for told in (
        f"| connections | {limits.connections}, or {OWN_FILES} fewer than the files",
        f"| {limits.request_seconds:.0f} seconds after connecting",
        f"| time to read an answer | {limits.reading_seconds:.0f} seconds |",
        f"a request may have {limits.body_bytes} bytes at most",
        f"| {limits.requests_at_once} at once, {limits.requests_per_second:.0f} per second |",
        f"| {limits.new_games_at_once} at once, {limits.new_games_per_second:.0f} per second |",
        f"| games kept | {limits.games} |",
        f"| {limits.streams_per_game} per game, of which spectators get {limits.streams_per_game // 2}, "
        f"{limits.streams} in all, half of all connections |",
        f"After {limits.days_kept:.0f} days without a\n  move it is removed",
        f'503, "{FULL}"',
        f'400, "{NOT_HTTP}"',
    ):
        assert told in page


def test_without_any_descriptor_left_one_is_told_and_the_others_wait() -> None:
    """asyncio would log the same error thousands of times, and be deaf for a second."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as things:
        listener = things.enter_context(listen("127.0.0.1", 0))
        listener.setblocking(False)
        first, second = (things.enter_context(socket.create_connection(listener.getsockname())) for _ in range(2))
        door = things.enter_context(Door(listener, Room(Limits())))
        taken: list[int] = []
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (_lowest_free() + 8, hard))
            with contextlib.suppress(OSError):
                while True:
                    taken.append(os.open(os.devnull, os.O_RDONLY))
            with pytest.raises(BlockingIOError):
                door.accept()
        finally:
            for number in taken:
                os.close(number)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        first.settimeout(20)
        assert FULL.encode() in first.recv(1 << 12)
        made, _ = door.accept()
        with made:
            made.sendall(b"welcome")
            assert second.recv(10) == b"welcome"


def _lowest_free() -> int:
    number = os.open(os.devnull, os.O_RDONLY)
    os.close(number)
    return number
