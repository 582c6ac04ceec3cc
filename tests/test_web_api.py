"""The server behind the table in the browser: keys, secrets, refusals, limits, restarts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import card_envs
from card_envs.agents import loading
from card_envs.agents.checkpoint import CheckpointAgent, save_checkpoint
from card_envs.agents.network import Shape
from card_envs.text import LANGUAGES
from card_envs.web.app import _state, make_app
from card_envs.web.guard import HEADERS
from card_envs.web.limits import Limits, Taps
from card_envs.web.record import Record, Seat
from card_envs.web.shelf import Shelf
from card_envs.web.table import Table
from tests.web_server import GENEROUS, serving

GAMES = card_envs.game_names()
LOCAL = "http://127.0.0.1"


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(make_app(limits=GENEROUS), base_url=LOCAL) as client:
        yield client


def opened(client: TestClient, game: str, *seats: str) -> dict[str, Any]:
    """A table whose seats are filled up with bots."""
    players = card_envs.get_game(game).players[0]
    wanted = [*seats, *["bot"] * (players - len(seats))]
    answer = client.post("/api/games", json={"game": game, "seats": wanted})
    assert answer.status_code == 201, answer.text
    return {**answer.json(), "headers": {"X-Seat-Key": answer.json()["key"]}}


def look(client: TestClient, table: dict[str, Any], **query: Any) -> dict[str, Any]:
    answer = client.get(f"/api/games/{table['id']}", headers=table["headers"], params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def move(client: TestClient, table: dict[str, Any], state: dict[str, Any], action: int) -> Any:
    body = {"action": action, "version": state["version"]}
    return client.post(f"/api/games/{table['id']}/moves", headers=table["headers"], json=body)


def play_to_the_end(client: TestClient, table: dict[str, Any], seed: int = 0) -> dict[str, Any]:
    rng, state = np.random.default_rng(seed), look(client, table)
    while not state["over"]:
        action = int(rng.choice([one["number"] for one in state["actions"]]))
        answer = move(client, table, state, action)
        assert answer.status_code == 200, answer.text
        state = answer.json()
    return state


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_ends_with_the_engines_points_broken_down(client: TestClient, game: str) -> None:
    table = opened(client, game, "me")
    state = play_to_the_end(client, table)
    batch = card_envs.make_batch(game, 1, players=len(state["names"]), seed=int(state["seed"]), auto_reset=False)
    for action in state["moves"]:
        batch.step_one(action)
    assert batch.done[0]
    assert state["result"]["points"] == batch.points[0].tolist()
    assert state["result"]["ranks"] == batch.ranks[0].tolist()
    parts = [row["values"] for part in state["result"]["parts"] for row in part["rows"]]
    assert all(len(values) == batch.players for values in parts)
    assert any(any(values) for values in parts)
    film = client.get(f"/api/games/{table['id']}/film", headers=table["headers"]).json()
    assert film["positions"] == len(state["moves"]) + 1
    assert film["result"] == state["result"]


@pytest.mark.parametrize(
    ("game", "players"), [(game, players) for game in GAMES for players in card_envs.get_game(game).players]
)
def test_what_a_seat_gets_does_not_depend_on_what_it_cannot_know(game: str, players: int) -> None:
    shelf, rng = Shelf(), np.random.default_rng(1)
    table = Table(Record("12345678", game, 11, [Seat(key=f"hash{seat}") for seat in range(players)]), shelf)
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
    from card_envs.phrases import tell_move

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


@pytest.mark.parametrize("game", GAMES)
def test_words_and_pictures_come_in_four_languages_and_two_shapes(client: TestClient, game: str) -> None:
    table = opened(client, game, "me")
    assert len({json.dumps(look(client, table, language=language)["actions"]) for language in LANGUAGES}) == 4
    assert look(client, table, shape="tall")["picture"] != look(client, table, shape="wide")["picture"]
    rules = [client.get(f"/api/rules/{game}", params={"language": language}).json() for language in LANGUAGES]
    assert all(len(sections) == 3 and all(section["sentences"] for section in sections) for sections in rules)
    assert len({sections[0]["heading"] for sections in rules}) == 4


def test_the_coach_knows_what_the_seat_knows(client: TestClient) -> None:
    table = opened(client, "zum_kuhkuck", "me")
    advice = client.get(f"/api/games/{table['id']}/coach", headers=table["headers"]).json()
    assert advice["adviser"] == "bot"
    assert sum(bar["probability"] for bar in advice["bars"]) == pytest.approx(1)
    assert advice["bars"][0]["text"] == "draw a card"
    play_to_the_end(client, table)
    assert client.get(f"/api/games/{table['id']}/coach", headers=table["headers"]).status_code == 409


def test_an_illegal_a_late_and_a_strange_move_are_refused_and_change_nothing(client: TestClient) -> None:
    table = opened(client, "king_lui", "me")
    state = look(client, table)
    illegal = next(number for number in range(38) if number not in {one["number"] for one in state["actions"]})
    for action, version, status, sentence in (
        (illegal, state["version"], 400, "cannot play"),
        (9999, state["version"], 400, "which is no action of this game"),
        (state["actions"][0]["number"], state["version"] + 1, 409, "gone on since"),
        (-1, state["version"], 422, "action: Input should be greater than or equal to 0"),
        ("1", state["version"], 422, "action: Input should be a valid integer"),
        (True, state["version"], 422, "action: Input should be a valid integer"),
        (1.0, state["version"], 422, "action: Input should be a valid integer"),
    ):
        body = {"action": action, "version": version}
        answer = client.post(f"/api/games/{table['id']}/moves", headers=table["headers"], json=body)
        assert answer.status_code == status, answer.text
        assert sentence in answer.json()["error"]
    for body in ({"action": 0}, {"action": 0, "version": 0, "seat": 1}, [], None, "x"):
        answer = client.post(f"/api/games/{table['id']}/moves", headers=table["headers"], json=body)
        assert answer.status_code == 422
    assert look(client, table) == state


@pytest.mark.parametrize(
    ("seats", "sentence"),
    [
        (["me", "bot"], "King Lui is for 3-5 players, not 2"),
        (["me", "me", "bot"], "one seat only"),
        (["person", "bot", "bot"], "in which you play yourself"),
        (["me", "bot", "../../etc/passwd"], "seats.2: String should match pattern"),
        (["me", "bot", "wizard"], "there is no agent 'wizard' here"),
        (["me", "bot", "file-0123456789abcdef0123"], "there is no agent 'file-"),
    ],
)
def test_tables_that_cannot_be_are_refused(client: TestClient, seats: list[str], sentence: str) -> None:
    answer = client.post("/api/games", json={"game": "king_lui", "seats": seats})
    assert 400 <= answer.status_code < 500
    assert sentence in answer.json()["error"]


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


def test_an_invitation_gives_the_seat_to_whoever_comes_first(client: TestClient) -> None:
    table = opened(client, "zum_kuhkuck", "me", "person")
    (invited,) = table["invitations"]
    state = look(client, table)
    assert state["open_seats"] == [1]
    assert state["actions"] == []
    assert move(client, table, state, 0).status_code == 409
    path = f"/api/games/{table['id']}/claim"
    assert client.post(path, json={"seat": 1, "invitation": "x" * 32}).status_code == 403
    assert client.post(path, json={"seat": 0, "invitation": invited["invitation"]}).status_code == 403
    assert client.post(path, json={"seat": 9, "invitation": invited["invitation"]}).status_code == 403
    claimed = client.post(path, json=invited)
    assert claimed.status_code == 200
    assert client.post(path, json=invited).status_code == 403
    guest = {**table, "headers": {"X-Seat-Key": claimed.json()["key"]}}
    assert look(client, guest)["seat"] == 1
    states = [look(client, table), look(client, guest)]
    assert [state["your_turn"] for state in states].count(True) == 1
    waiting = next(place for place, state in enumerate(states) if not state["your_turn"])
    assert move(client, (table, guest)[waiting], states[waiting], 0).status_code == 409


def test_a_restart_keeps_running_games(tmp_path: Path) -> None:
    state_file = tmp_path / "web.sqlite"
    with TestClient(make_app(limits=GENEROUS, state=state_file), base_url=LOCAL) as client:
        table = opened(client, "ku_ka_king", "me")
        state = look(client, table)
        for _ in range(3):
            state = move(client, table, state, state["actions"][0]["number"]).json()
    assert state_file.stat().st_mode & 0o077 == 0, "others can read the games"
    assert table["key"] not in state_file.read_bytes().decode("latin-1"), "the file holds a key"
    with TestClient(make_app(limits=GENEROUS, state=state_file), base_url=LOCAL) as client:
        assert look(client, table) == state
        after = play_to_the_end(client, table)
    with TestClient(make_app(limits=GENEROUS, state=state_file), base_url=LOCAL) as client:
        assert look(client, table) == after


def test_agents_choose_alike_whether_or_not_the_server_was_restarted_in_between() -> None:
    seats = [Seat(key="k"), Seat(agent="random", name="random"), Seat(agent="bot", name="bot")]
    whole = Table(Record("12345678", "king_lui", 5, seats), Shelf())
    whole.play_on()
    while not whole.over:
        whole.play(0, int(whole.batch.action_mask[0].argmax()), whole.version)
    halves = Table(Record("12345678", "king_lui", 5, seats), Shelf())
    halves.play_on()
    while not halves.over:
        halves.play(0, int(halves.batch.action_mask[0].argmax()), halves.version)
        actions = [action for _, action in halves.moves]
        halves = Table(Record("12345678", "king_lui", 5, seats, actions=actions), Shelf())
    assert halves.moves == whole.moves


def test_two_servers_on_one_file_do_not_overwrite_each_other(tmp_path: Path) -> None:
    file = tmp_path / "web.sqlite"
    with (
        TestClient(make_app(limits=GENEROUS, state=file), base_url=LOCAL) as one,
        TestClient(make_app(limits=GENEROUS, state=file), base_url=LOCAL) as other,
    ):
        table = opened(one, "zum_kuhkuck", "me")
        state, there = look(one, table), look(other, table)
        assert state == there
        assert move(one, table, state, 0).status_code == 200
        assert move(other, table, there, 0).status_code == 409
        assert look(other, table) == look(one, table)


def test_watching_agents_is_a_film_of_their_game(client: TestClient) -> None:
    answer = client.post("/api/games", json={"game": "king_lui", "seats": ["bot", "random", "bot"]}).json()
    assert answer["seat"] is None
    headers = {"X-Seat-Key": answer["key"]}
    assert client.get(f"/api/games/{answer['id']}", headers=headers).status_code == 409
    path = f"/api/games/{answer['id']}/film"
    film = client.get(path, headers=headers).json()
    assert film["names"] == ["bot", "random", "bot"]
    last = film["positions"] - 1
    frames = [client.get(f"{path}/{last}", headers=headers, params=query).json() for query in ({}, {"viewer": 1})]
    assert frames[0]["picture"] != frames[1]["picture"]
    assert "unseen" not in frames[0]["picture"]
    assert frames[0]["log"]
    assert client.get(f"{path}/{last + 1}", headers=headers).status_code == 404
    assert client.get(f"{path}/0", headers=headers, params={"viewer": 3}).status_code == 404


def random_network(game: str) -> tuple[Shape, dict[str, Any]]:
    rules, shape, rng = card_envs.get_game(game), Shape((8,), "tanh"), np.random.default_rng(0)
    sizes = shape.tensors(rules.layout.size, len(rules.actions))
    return shape, {name: rng.normal(size=size).astype(np.float32) for name, size in sizes.items()}


def test_the_coach_is_the_champion_where_there_is_one(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, (shape, weights) = card_envs.get_game("king_lui"), random_network("king_lui")
    save_checkpoint(tmp_path / "champion.safetensors", rules, weights, shape, players=(3,))
    champion = CheckpointAgent(tmp_path / "champion.safetensors", rules)
    monkeypatch.setitem(loading.BUILT_IN, "champion", lambda game, seed: champion)
    assert client.get("/api/agents/king_lui/3").json()[0] == {"id": "champion", "name": "champion"}
    table = opened(client, "king_lui", "me", "champion")
    advice = client.get(f"/api/games/{table['id']}/coach", headers=table["headers"]).json()
    assert advice["adviser"] == "champion"
    shown = [bar["probability"] for bar in advice["bars"]]
    assert shown == sorted(shown, reverse=True)
    assert sum(shown) == pytest.approx(1)
    assert 0 < shown[0] < 1, "bars of a policy, not of one answer"
    assert play_to_the_end(client, table)["names"] == ["", "champion", "bot"]


def test_checkpoints_come_only_from_the_folders_that_were_named(tmp_path: Path) -> None:
    game, (shape, weights) = card_envs.get_game("king_lui"), random_network("king_lui")
    inside, outside = tmp_path / "runs" / "deep", tmp_path / "outside"
    save_checkpoint(inside / "good.safetensors", game, weights, shape, players=(3,))
    save_checkpoint(outside / "secret.safetensors", game, weights, shape, players=(3,))
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


def test_the_stream_says_that_the_game_has_moved_and_nothing_else() -> None:
    import httpx2 as httpx

    with serving() as address, httpx.Client(base_url=address, timeout=20) as client:
        table = opened(client, "zum_kuhkuck", "me")  # type: ignore[arg-type]  # both speak HTTP
        heard: list[str] = []
        listening, moved = threading.Event(), threading.Event()

        def listen() -> None:
            with httpx.stream(
                "GET", f"{address}/api/games/{table['id']}/events", headers=table["headers"], timeout=20
            ) as stream:
                for line in stream.iter_lines():
                    heard.append(line)
                    listening.set()
                    if line == "event: moved":
                        moved.set()
                        return

        thread = threading.Thread(target=listen)
        thread.start()
        assert listening.wait(10)
        state = look(client, table)  # type: ignore[arg-type]
        assert move(client, table, state, state["actions"][0]["number"]).status_code == 200  # type: ignore[arg-type]
        assert moved.wait(10)
        thread.join()
        assert set(heard) <= {"event: hello", "event: moved", "data: {}", ""}


def test_a_failing_agent_leaves_the_game_as_it_was(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    table = opened(client, "zum_kuhkuck", "me")
    state = look(client, table)

    def fail(*_: Any) -> int:
        raise ValueError("out of luck")

    with monkeypatch.context() as patched:
        patched.setattr("card_envs.agents.seating.Seating.choose_for", fail)
        answer = move(client, table, state, state["actions"][0]["number"])
        assert answer.status_code == 503
        assert "your move was not played: out of luck" in answer.json()["error"]
    assert look(client, table) == state
    assert move(client, table, state, state["actions"][0]["number"]).status_code == 200


def test_games_of_another_package_are_told_by_their_action_names(client: TestClient, tiny_game: str) -> None:
    table = opened(client, tiny_game, "me")
    state = look(client, table)
    assert [one["text"] for one in state["actions"]] == ["keep", "give"]
    after = play_to_the_end(client, table)
    assert {line["text"] for line in after["log"]} <= {"keep", "give"}
    assert client.get(f"/api/rules/{tiny_game}").json() == []
