"""The web server for tests: a real one on a port of its own, and what a client of it does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import card_envs
from card_envs.agents.loading import usual_opponent
from card_envs.agents.network import Mlp
from card_envs.web.app import make_app
from card_envs.web.limits import Limits
from card_envs.web.server import listen, make_server

LOCAL = "http://127.0.0.1"
GENEROUS = Limits(
    requests_per_second=10_000, requests_at_once=100_000, new_games_per_second=1000, new_games_at_once=10_000
)


@contextmanager
def serving(**options: Any) -> Iterator[str]:
    """The address of a server that lasts as long as the block."""
    listener = listen("127.0.0.1", 0)
    app = make_app(**{"limits": GENEROUS, "state": None, **options})
    server = make_server(app)
    ready, startup = threading.Event(), server.startup

    async def start(**given: Any) -> None:
        await startup(**given)
        ready.set()

    def run() -> None:
        try:
            server.run(sockets=[listener])
        finally:
            ready.set()  # one that cannot start is waited for no longer either

    server.startup = start
    thread = threading.Thread(target=run)
    thread.start()
    ready.wait()
    assert server.started
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def artefacts() -> Path:
    """Where screenshots are kept, for people to look at."""
    folder = Path(__file__).parents[2] / ".artefacts" / "web"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def opened(client: Any, game: str, *seats: str) -> dict[str, Any]:
    """A table whose seats are filled up with bots, or whoever else comes with the game."""
    players = card_envs.get_game(game).players[0]
    wanted = [*seats, *[usual_opponent(card_envs.get_game(game))] * (players - len(seats))]
    answer = client.post("/api/games", json={"game": game, "seats": wanted})
    assert answer.status_code == 201, answer.text
    return {**answer.json(), "headers": {"X-Seat-Key": answer.json()["key"]}}


def look(client: Any, table: dict[str, Any], **query: Any) -> dict[str, Any]:
    answer = client.get(f"/api/games/{table['id']}", headers=table["headers"], params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def move(client: Any, table: dict[str, Any], state: dict[str, Any], action: int) -> Any:
    body = {"action": action, "version": state["version"], "taken_back": state["taken_back"]}
    return client.post(f"/api/games/{table['id']}/moves", headers=table["headers"], json=body)


def play_to_the_end(client: Any, table: dict[str, Any], seed: int = 0) -> dict[str, Any]:
    rng, state = np.random.default_rng(seed), look(client, table)
    while not state["over"]:
        action = int(rng.choice([one["number"] for one in state["actions"]]))
        answer = move(client, table, state, action)
        assert answer.status_code == 200, answer.text
        state = answer.json()
    return state


def random_network(game: str) -> tuple[Mlp, dict[str, Any]]:
    rules, network, rng = card_envs.get_game(game), Mlp((8,), "tanh"), np.random.default_rng(0)
    sizes = network.tensors(rules.layout.size, len(rules.actions))
    return network, {name: rng.normal(size=size).astype(np.float32) for name, size in sizes.items()}
