"""A real server for tests: uvicorn in a thread, on a port of its own, with the application at hand."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from card_envs.web.app import make_app
from card_envs.web.limits import Limits
from card_envs.web.server import listen, make_server

GENEROUS = Limits(
    requests_per_second=10_000, requests_at_once=100_000, new_games_per_second=1000, new_games_at_once=10_000
)


@contextmanager
def serving(**options: Any) -> Iterator[str]:
    """The address of a server that lasts as long as the block."""
    listener = listen("127.0.0.1", 0)
    app = make_app(**{"limits": GENEROUS, "state": None, **options})
    server = make_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def artefacts() -> Path:
    """Where screenshots are kept, for people to look at."""
    folder = Path(__file__).parent.parent / ".artefacts" / "web"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
