"""The other sides of agents that speak, for tests: a small program, and a real server that answers as OpenAI's do."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).with_name("speaking_program.py")


def program(how: str = "") -> str:
    """The command of the small program, started without what it does not need."""
    return f"'{sys.executable}' -I -S '{PROGRAM}' '{how}'"


def spelt(how: str = "", **options: Any) -> str:
    """The same as an agent's name."""
    more = "".join(f", {name}={value}" for name, value in options.items())
    return f'command("{program(how)}"{more})'


def said(content: Any) -> bytes:
    """An answer as such servers give it."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()


class Handler(BaseHTTPRequestHandler):
    """Keeps what it was asked, and answers as the server was told."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))  # type: ignore[attr-defined]
        self.server.answer(self, body)  # type: ignore[attr-defined]

    def reply(self, content: bytes, status: int = 200, **headers: str) -> None:
        """A whole answer."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def endpoint(answer: Callable[[Handler, Any], None]) -> Iterator[tuple[str, list[Any]]]:
    """The address of a server, and what it is asked: path, headers and body of each request."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.answer, server.daemon_threads = [], answer, True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", server.asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
