"""What strangers do to a web server. Each attack returns all that it was told, and closes what it opened."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 20.0  # seconds after which a server that owes an answer is taken to be stuck
IDLE, STREAMS = 100, 24


@dataclass
class Prey:
    """What strangers know: where the server is, and the ids of tables that are not theirs."""

    port: int
    tables: list[str] = field(default_factory=list)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)


def request(method: str, path: str, body: bytes = b"", host: str = "localhost", **headers: str) -> bytes:
    """A whole request after whose answer the server closes."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def read_all(line: socket.socket) -> bytes:
    """All that comes until the server closes. It may close while we are still sending, so a reset is an end too."""
    told = b""
    with contextlib.suppress(ConnectionError):
        while part := line.recv(1 << 16):
            told += part
    return told


def ask(prey: Prey, *requests: bytes) -> bytes:
    """Each on a connection of its own, one after the other."""
    told = b""
    for one in requests:
        with prey.connect() as line:
            with contextlib.suppress(ConnectionError):
                line.sendall(one)
            told += read_all(line)
    return told


def reset(line: socket.socket) -> None:
    """Hang up as a crashed program does."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()


def send_and_leave(prey: Prey, rng: random.Random, *pieces: bytes) -> bytes:
    """Several at once; the server hears nothing more of them, and they of it, before they hang up in either way."""
    with contextlib.ExitStack() as lines:
        for piece in pieces:
            line = lines.enter_context(prey.connect())
            with contextlib.suppress(ConnectionError):
                line.sendall(piece)
            if rng.random() < 0.3:
                reset(line)
    return b""


def idle(prey: Prey, rng: random.Random) -> bytes:
    return send_and_leave(prey, rng, *[b""] * IDLE)


def half_sent(prey: Prey, rng: random.Random) -> bytes:
    whole = request("POST", "/api/games", json.dumps({"game": "king_lui", "seats": ["me", "bot", "bot"]}).encode())
    return send_and_leave(prey, rng, *[whole[: rng.randrange(1, len(whole))] for _ in range(40)])


def pipelined(prey: Prey, rng: random.Random) -> bytes:
    one = request("GET", rng.choice(["/", "/api/setup", "/static/play.js"])).replace(b"Connection: close\r\n", b"")
    return send_and_leave(prey, rng, *[one * rng.choice([3, 50])] * 10)


def random_bytes(prey: Prey, rng: random.Random) -> bytes:
    return send_and_leave(prey, rng, *[rng.randbytes(rng.randrange(1, 3000)) for _ in range(10)])


def changed_bytes(prey: Prey, rng: random.Random) -> bytes:
    pieces = []
    for _ in range(10):
        piece = bytearray(request("GET", f"/api/games/{rng.choice(prey.tables)}", X_Seat_Key="x" * 32))
        for _ in range(rng.randrange(1, 6)):
            piece[rng.randrange(len(piece))] = rng.randrange(256)
        pieces.append(bytes(piece))
    return send_and_leave(prey, rng, *pieces)


def huge(prey: Prey, rng: random.Random) -> bytes:
    size = rng.choice([20_000, 70_000, 1_000_000])
    endless = b"".join(b"%x\r\n%s\r\n" % (1000, b"x" * 1000) for _ in range(100))
    chunked = request("POST", "/api/games", Transfer_Encoding="chunked").replace(b"Content-Length: 0\r\n", b"")
    return ask(
        prey,
        request("GET", "/" + "a" * size),
        request("GET", "/api/setup", X_Long="b" * size),
        request("GET", "/api/setup", X_Many="\r\n".join(f"X: {number}" for number in range(size // 10))),
        request("POST", "/api/games", b"d" * size, Content_Type="application/json"),
        request("POST", "/api/games").replace(
            b"Content-Length: 0", b"Content-Length: 1" + b"0" * rng.choice([9, 5000])
        ),
        chunked + endless,
    )


def odd_http(prey: Prey, rng: random.Random) -> bytes:
    chunked = request("POST", "/api/games", Transfer_Encoding="chunked").replace(b"Content-Length: 0\r\n", b"")
    return ask(
        prey,
        request("GET", "/api/setup", Upgrade="websocket").replace(b"Connection: close", b"Connection: upgrade, close"),
        request("GET", "/api/setup", Upgrade="h2c").replace(b"Connection: close", b"Connection: upgrade, close"),
        request("POST", "/api/games", b"{}", Expect="100-continue", Content_Type="application/json"),
        request("GET", "/api/setup").replace(b"HTTP/1.1", b"HTTP/1.0"),
        request("GET", "/api/setup").replace(b"HTTP/1.1", b"HTTP/9.9"),
        b"GET /\r\n\r\n",
        b"\r\n\r\n\r\n\x00\r\n",
        request("GET", "/", Content_Length="7"),
        chunked + b"zz\r\nno number\r\n",
        chunked.replace(b"POST /api/games", b"GET /static/play.js") + b"5\r\nabcde\r\nzz\r\n",
        request("OPTIONS", "*"),
        request("CONNECT", "localhost:1"),
        request("GET", "http://evil.example/api/setup"),
    )


def wrong_methods(prey: Prey, rng: random.Random) -> bytes:
    paths = [
        "/",
        "/api/setup",
        "/api/games",
        f"/api/games/{rng.choice(prey.tables)}",
        "/static/main.js",
        "/api/openapi.json",
    ]
    methods = ["PUT", "DELETE", "PATCH", "TRACE", "HEAD", "OPTIONS", "BREW", "POST"]
    return ask(prey, *[request(rng.choice(methods), path) for path in paths])


def odd_paths(prey: Prey, rng: random.Random) -> bytes:
    return ask(
        prey,
        *[
            request("GET", path)
            for path in (
                "/static/%00", "/static/..%2f..%2f..%2fetc%2fpasswd", "/static/../../server.py", "/font/%ff%fe",
                f"/static/{'a' * 300}", "/static/a/b/c", "//", "/%2e%2e/%2e%2e/etc/passwd", "/api/rules/%00",
                "/api/rules/%ed%a0%80", f"/api/agents/king_lui/{'9' * 5000}", "/api/agents/king_lui/-1",
                "/api/rules/king_lui?language=%ff", "/api/rules/king_lui?language=en&language=de", "/api/agents/../3",
                f"/api/tournaments/{'0' * 20}", f"/api/tournaments/{'0' * 20}/games/1/film", "/api/tournaments/x",
                "/api/games/%00%00%00%00%00%00%00%00", f"/api/games/{'x' * 41}/film/99999999999999999999",
            )
        ],
    )  # fmt: skip


def odd_bodies(prey: Prey, rng: random.Random) -> bytes:
    text = {"Content_Type": "application/json"}
    bodies = [
        b"[" * 8000, b'{"game":' * 1500, b'"' + b"\xff" * 100 + b'"', b"\xff\xfe{}", b"NaN", b"1e999", b"-" * 5000,
        b"9" * 10_000, b'{"game": "\\ud800", "seats": ["me"]}', b'{"\\ud800": 1}',
        b'{"game": "king_lui", "seats": null}',
        b'{"game": "king_lui", "seats": ' + json.dumps([["me"]] * 16).encode() + b"}", b"null", b"{", b"",
        b'{"game": "\\u0000", "seats": ["\\n"]}', b'{"game": "king_lui", "game": "x", "seats": ["me", "me", "me"]}',
        json.dumps({"game": "king_lui", "seats": ["file-" + "0" * 20] * 3}).encode(),
    ]  # fmt: skip
    kinds = [
        "application/json",
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded",
        "\xff",
    ]
    whole = b'{"game": "king_lui", "seats": ["me", "bot", "bot", "bot", "bot", "bot"]}'
    return ask(
        prey,
        *[request("POST", "/api/games", body, **text) for body in bodies],
        *[request("POST", "/api/games", whole, Content_Type=kind) for kind in kinds],
        request("POST", "/api/games", whole, Content_Type="application/json", Content_Encoding="gzip"),
    )


def bad_hosts(prey: Prey, rng: random.Random) -> bytes:
    hosts = [
        "evil.example",
        "",
        "[::1",
        "localhost@evil.example",
        "\xff",
        "a" * 5000,
        "127.0.0.1.evil.example",
        "[",
        "//",
    ]
    told = ask(prey, *[request("GET", "/api/setup", host=host) for host in hosts])
    return told + ask(prey, request("GET", "/api/setup").replace(b"Host: localhost\r\n", b""))


def trespass(prey: Prey, rng: random.Random) -> bytes:
    """Ask for a table of others, and play at it, with every key but the right ones."""
    own = _open_table(prey)
    keys = [own.get("key", ""), "x" * 32, rng.randbytes(24).hex(), "", "short", "\xff" * 20, "' OR 1=1 --" + "x" * 10]
    table = f"/api/games/{rng.choice(prey.tables)}"
    wanted = []
    for key in keys:
        wanted += [request("GET", f"{table}{part}", X_Seat_Key=key) for part in ("", "/coach", "/events", "/film/0")]
        for action in rng.sample(range(40), 2):
            body = json.dumps({"action": action, "version": rng.randrange(40)}).encode()
            wanted.append(request("POST", f"{table}/moves", body, X_Seat_Key=key, Content_Type="application/json"))
    for seat in range(3):
        body = json.dumps({"seat": seat, "invitation": own.get("key") or "x" * 32}).encode()
        wanted.append(request("POST", f"{table}/claim", body, Content_Type="application/json"))
    return ask(prey, *[one.replace(b"X-Seat-Key: \r\n", b"") for one in wanted])


def streams(prey: Prey, rng: random.Random) -> bytes:
    """Listen to one's own game far more often than is allowed; some leave before they hear anything."""
    own, told = _open_table(prey), b""
    asked = request("GET", f"/api/games/{own.get('id', 'x' * 12)}/events", X_Seat_Key=own.get("key", "x" * 32))
    with contextlib.ExitStack() as lines:
        for _ in range(STREAMS):
            line = lines.enter_context(prey.connect())
            with contextlib.suppress(ConnectionError):
                line.sendall(asked)
                if rng.random() < 0.3:
                    reset(line)
                else:
                    told += line.recv(1 << 12)
    return told


def slow_readers(prey: Prey, rng: random.Random) -> bytes:
    """Ask for far more than fits on the way, and read nothing of it."""
    one = request("GET", "/static/play.js").replace(b"Connection: close\r\n", b"")
    return send_and_leave(prey, rng, *[one * 400] * 5)


def _open_table(prey: Prey) -> dict[str, Any]:
    body = json.dumps({"game": "king_lui", "seats": ["me", "bot", "bot"]}).encode()
    told = ask(prey, request("POST", "/api/games", body, Content_Type="application/json"))
    found: dict[str, Any] = json.loads(told.partition(b"\r\n\r\n")[2] or b"{}")
    return found  # a refusal has neither key nor id


ATTACKS: tuple[Callable[[Prey, random.Random], bytes], ...] = (
    idle, half_sent, pipelined, random_bytes, changed_bytes, huge, odd_http, wrong_methods, odd_paths, odd_bodies,
    bad_hosts, trespass, streams, slow_readers,
)  # fmt: skip


def rounds(count: int, first_seed: int) -> Iterator[tuple[Callable[[Prey, random.Random], bytes], random.Random]]:
    """Every attack in turn, each time with other lots."""
    for number in range(count):
        yield ATTACKS[(first_seed + number) % len(ATTACKS)], random.Random(first_seed + number)
