"""The server behind the table in the browser: games, words, refusals, restarts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import card_envs
from card_envs.presentation.languages import LANGUAGES
from card_envs.web.agent_library import AgentLibrary
from card_envs.web.app import make_app
from card_envs.web.hosted_game import HostedGame
from card_envs.web.record import Record, Seat
from tests.support.registered import GAMES, WITH_WORDS
from tests.support.web_server import GENEROUS, LOCAL, look, move, opened, play_to_the_end


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
    for key in ("points", "ranks", "parts"):
        assert film["result"][key] == state["result"][key]


@pytest.mark.parametrize("game", WITH_WORDS)
def test_words_and_pictures_come_in_four_languages_and_two_shapes(client: TestClient, game: str) -> None:
    table = opened(client, game, "me")
    assert len({json.dumps(look(client, table, language=language)["actions"]) for language in LANGUAGES}) == 4
    assert look(client, table, shape="tall")["picture"] != look(client, table, shape="wide")["picture"]
    rules = [client.get(f"/api/rules/{game}", params={"language": language}).json() for language in LANGUAGES]
    assert all(len(sections) >= 3 and all(section["sentences"] for section in sections) for sections in rules)
    assert len({sections[0]["heading"] for sections in rules}) == 4


def test_the_coach_knows_what_the_seat_knows(client: TestClient) -> None:
    table = opened(client, "zum_kuhkuck", "me")
    advice = client.get(f"/api/games/{table['id']}/coach", headers=table["headers"]).json()
    assert advice["adviser"] == "champion"
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
    whole = HostedGame(Record("12345678", "king_lui", 5, seats), AgentLibrary())
    whole.play_on()
    while not whole.over:
        whole.play(0, int(whole.batch.action_mask[0].argmax()), whole.version)
    halves = HostedGame(Record("12345678", "king_lui", 5, seats), AgentLibrary())
    halves.play_on()
    while not halves.over:
        halves.play(0, int(halves.batch.action_mask[0].argmax()), halves.version)
        actions = [action for _, action in halves.moves]
        halves = HostedGame(Record("12345678", "king_lui", 5, seats, actions=actions), AgentLibrary())
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


@pytest.mark.parametrize("game", GAMES)
def test_whoever_is_offered_can_be_chosen(client: TestClient, game: str) -> None:
    players = card_envs.get_game(game).players[0]
    for agent in client.get(f"/api/agents/{game}/{players}").json():
        opened(client, game, "me", agent["id"])


def test_the_champion_plays_and_coaches(client: TestClient) -> None:
    assert client.get("/api/agents/king_lui/3").json()[0] == {"id": "champion", "name": "champion"}
    table = opened(client, "king_lui", "me", "champion")
    advice = client.get(f"/api/games/{table['id']}/coach", headers=table["headers"]).json()
    assert advice["adviser"] == "champion"
    shown = [bar["probability"] for bar in advice["bars"]]
    assert shown == sorted(shown, reverse=True)
    assert sum(shown) == pytest.approx(1)
    assert play_to_the_end(client, table)["names"] == ["", "champion", "bot"]


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
