"""What the web server keeps to itself: secrets, keys, files; and whom it refuses."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

import card_envs
from card_envs.agents.checkpoint import save_checkpoint
from card_envs.web.agent_library import AgentLibrary
from card_envs.web.app import _state, make_app
from card_envs.web.guard import HEADERS
from card_envs.web.hosted_game import HostedGame
from card_envs.web.limits import Limits, Taps
from card_envs.web.record import Record, Seat
from tests.support.registered import GAMES
from tests.support.web_server import GENEROUS, LOCAL, look, move, opened, play_to_the_end, random_network, serving


@pytest.mark.parametrize(
    ("game", "players"), [(game, players) for game in GAMES for players in card_envs.get_game(game).players]
)
def test_what_a_seat_gets_does_not_depend_on_what_it_cannot_know(game: str, players: int) -> None:
    agents, rng = AgentLibrary(), np.random.default_rng(1)
    table = HostedGame(Record("12345678", game, 11, [Seat(key=f"hash{seat}") for seat in range(players)]), agents)
    while not table.over:
        for seat in range(players) if rng.random() < 0.4 else ():
            real = _state(table, seat, "en", "wide")
            batch = table.batch
            table.batch = batch.copy()
            table.batch.redraw_hidden(seat, seed=table.version)
            assert _state(table, seat, "en", "wide") == real
            table.batch = batch
        table.play(table.seat, int(rng.choice(np.flatnonzero(table.batch.action_mask[0]))), table.version)


@pytest.mark.parametrize("game", GAMES)
def test_what_is_told_of_others_does_not_depend_on_secrets_either(game: str) -> None:
    """In two worlds that a listener cannot tell apart, before and after, the same action is told alike."""
    from card_envs.presentation.phrases import tell_move

    rules, rng, compared = card_envs.get_game(game), np.random.default_rng(0), 0
    batch = card_envs.make_batch(game, 1, seed=3, auto_reset=False)
    while batch.seat[0] >= 0:
        listener, action = 1 - int(batch.seat[0] == 1), int(rng.choice(np.flatnonzero(batch.action_mask[0])))
        if batch.seat[0] != listener:
            worlds = [batch.copy(), batch.copy()]
            worlds[1].redraw_hidden(listener, seed=5)
            before = [rules.view(world.states[0], listener) for world in worlds]
            assert before[0] == before[1]
            if worlds[1].action_mask[0, action]:
                for world in worlds:
                    world.step_one(action)
                after = [rules.view(world.states[0], listener) for world in worlds]
                if after[0] == after[1]:
                    compared += 1
                    assert tell_move(rules, before[0], after[0], action, "en") == tell_move(
                        rules, before[1], after[1], action, "en"
                    )
        batch.step_one(action)
    assert compared


def test_the_seed_is_told_only_when_the_game_is_over(client: TestClient) -> None:
    table = opened(client, "king_lui", "me")
    state = look(client, table)
    assert state["seed"] is None
    assert state["moves"] is None
    assert play_to_the_end(client, table)["seed"].isdigit()


def test_a_key_opens_its_own_seat_of_its_own_game_only(client: TestClient) -> None:
    mine, other = opened(client, "king_lui", "me"), opened(client, "king_lui", "me")
    path = f"/api/games/{mine['id']}"
    assert client.get(path).status_code == 403
    assert client.get(path, headers=other["headers"]).status_code == 403
    assert client.get(path, headers={"X-Seat-Key": "x" * 32}).status_code == 403
    assert client.get(path, headers={"X-Seat-Key": "short"}).status_code == 403
    assert client.get("/api/games/nosuchgame", headers=mine["headers"]).status_code == 404
    assert client.get(f"{path}/film", headers=mine["headers"]).status_code == 409
    assert client.get(f"{path}/events", headers=other["headers"]).status_code == 403


def test_checkpoints_come_only_from_the_folders_that_were_named(tmp_path: Path) -> None:
    game, (network, weights) = card_envs.get_game("king_lui"), random_network("king_lui")
    inside, outside = tmp_path / "runs" / "deep", tmp_path / "outside"
    save_checkpoint(inside / "good.safetensors", game, weights, network, players=(3,))
    save_checkpoint(outside / "secret.safetensors", game, weights, network, players=(3,))
    (inside / "link.safetensors").symlink_to(outside / "secret.safetensors")
    (inside / "broken.safetensors").write_bytes(b"no")
    with TestClient(make_app(limits=GENEROUS, runs=[tmp_path / "runs"]), base_url=LOCAL) as client:
        agents = client.get("/api/agents/king_lui/3").json()
        found = [agent for agent in agents if agent["id"].startswith("file-")]
        assert [agent["name"] for agent in found] == ["deep/good"]
        assert str(tmp_path) not in json.dumps(agents)
        assert not [one for one in client.get("/api/agents/king_lui/4").json() if one["id"].startswith("file-")]
        table = opened(client, "king_lui", "me", found[0]["id"])
        assert play_to_the_end(client, table)["names"][1] == "deep/good"
        going = opened(client, "king_lui", "me", found[0]["id"])
    with TestClient(make_app(limits=GENEROUS), base_url=LOCAL) as client:
        assert (
            client.post("/api/games", json={"game": "king_lui", "seats": ["me", "bot", found[0]["id"]]}).status_code
            == 404
        )
        assert client.get(f"/api/games/{going['id']}", headers=going["headers"]).status_code == 404


def test_every_answer_has_security_headers_and_no_page_has_inline_script(client: TestClient) -> None:
    for path in ("/", "/palette.css", "/static/main.js", "/api/setup", "/nothing", "/static/nothing.js"):
        answer = client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
    page = client.get("/").text
    assert "unsafe" not in HEADERS["content-security-policy"]
    assert "<style" not in page
    assert "style=" not in page
    assert ">" + "</script>" in page
    table = opened(client, "ku_ka_king", "me")
    picture = look(client, table)["picture"]
    assert "<style" not in picture
    assert "style=" not in picture
    assert "<script" not in picture


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8317", 200), ("localhost", 200), ("[::1]:8317", 200), ("192.168.1.7:8317", 200),
        ("evil.example", 421), ("localhost.evil.example", 421), ("", 421), ("[::1", 421),
        ("127.0.0.1.evil.example:80", 421),
    ],
)  # fmt: skip
def test_a_name_that_somebody_else_points_at_us_is_refused(client: TestClient, host: str, status: int) -> None:
    assert client.get("/api/setup", headers={"Host": host}).status_code == status


def test_another_page_cannot_use_the_server(client: TestClient) -> None:
    body = {"game": "zum_kuhkuck", "seats": ["me", "bot"]}
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert client.post("/api/games", json=body, headers=headers).status_code == 403
    assert client.post("/api/games", json=body, headers={"Origin": LOCAL}).status_code == 201


def test_size_rate_and_number_of_games_are_limited() -> None:
    body = {"game": "zum_kuhkuck", "seats": ["me", "bot"]}
    with TestClient(make_app(limits=Limits(games=2)), base_url=LOCAL) as client:
        large = b'{"game": "' + b"x" * 20_000 + b'"}'
        for content in (large, (part for part in (large[:9000], large[9000:]))):
            assert (
                client.post("/api/games", content=content, headers={"Content-Type": "application/json"}).status_code
                == 413
            )
        assert client.post("/api/games", content=b"", headers={"Content-Length": "-1"}).status_code == 400
        assert [client.post("/api/games", json=body).status_code for _ in range(3)] == [201, 201, 429]
    with TestClient(make_app(limits=Limits(new_games_at_once=1, new_games_per_second=0.001)), base_url=LOCAL) as client:
        assert [client.post("/api/games", json=body).status_code for _ in range(2)] == [201, 429]
    with TestClient(make_app(limits=Limits(requests_at_once=5, requests_per_second=0.001)), base_url=LOCAL) as client:
        assert [client.get("/api/setup").status_code for _ in range(6)] == [200] * 5 + [429]
    taps = Taps(1000.0, 2)
    assert taps.take("a")
    assert taps.take("a")
    assert taps.take("b"), "everybody has a tap of one's own"
    for number in range(3):
        taps.take("x" * 16_000 + str(number))
    assert max(map(len, taps._buckets)) <= 64, "whatever somebody says to be called fills no memory"


def test_the_stream_says_that_the_game_has_moved_and_nothing_else() -> None:
    import httpx2 as httpx

    with serving() as address, httpx.Client(base_url=address, timeout=60) as client:
        table = opened(client, "zum_kuhkuck", "me")
        heard: list[str] = []
        listening = threading.Event()

        def listen() -> None:
            try:
                with httpx.stream(
                    "GET", f"{address}/api/games/{table['id']}/events", headers=table["headers"], timeout=60
                ) as stream:
                    for line in stream.iter_lines():
                        heard.append(line)
                        listening.set()
                        if line == "event: moved":
                            return
            finally:
                listening.set()

        thread = threading.Thread(target=listen)
        thread.start()
        listening.wait()
        state = look(client, table)
        assert move(client, table, state, state["actions"][0]["number"]).status_code == 200
        thread.join()  # a stream that says nothing ends by itself, by the client's own limit
        assert "event: moved" in heard
        assert set(heard) <= {"event: hello", "event: moved", "data: {}", ""}
