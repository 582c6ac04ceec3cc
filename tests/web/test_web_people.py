"""People at the table: what they see of each move, moves taken back, another game with the same people, names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import card_envs
from card_envs.web.agent_library import AgentLibrary
from card_envs.web.app import _state, make_app
from card_envs.web.hosted_game import HostedGame
from card_envs.web.record import Record, Seat
from tests.support.registered import GAMES
from tests.support.web_server import GENEROUS, LOCAL, look, move, opened, play_to_the_end


@pytest.mark.parametrize("game", GAMES)
def test_what_a_seat_is_shown_of_each_move_does_not_depend_on_what_it_could_not_know(game: str) -> None:
    players = card_envs.get_game(game).players[-1]
    table = HostedGame(
        Record("12345678", game, 5, [Seat(key=f"hash{seat}") for seat in range(players)]), AgentLibrary()
    )
    rng, compared = np.random.default_rng(1), 0
    while not table.over:
        table.play(table.seat, int(rng.choice(np.flatnonzero(table.batch.action_mask[0]))), table.version)
        if rng.random() < 0.2 and not table.over:
            seat, since = int(rng.integers(players)), max(table.version - 6, 0)
            real = _state(table, seat, "en", "wide", since)
            kept, batch = table.states, table.batch
            table.states = []
            for number, state in enumerate(kept):
                other = batch.copy()
                other.states[...] = state
                other.redraw_hidden(seat, seed=number)
                table.states.append(other.states.copy())
            assert _state(table, seat, "en", "wide", since) == real
            compared += len(real.steps)
            table.states = kept
    assert compared > 5


@pytest.mark.parametrize("game", GAMES)
def test_every_move_that_is_heard_of_is_shown_after_the_other(client: TestClient, game: str) -> None:
    table, shown = opened(client, game, "me"), 0
    state = look(client, table)
    while not state["over"]:
        body = {"action": state["actions"][0]["number"], "version": state["version"]}
        path = f"/api/games/{table['id']}/moves?since={state['version']}"
        answer = client.post(path, headers=table["headers"], json=body).json()
        moves = [step["move"] for step in answer["steps"]]
        assert moves == sorted(moves)
        told = {line["move"] for line in answer["log"]}
        assert set(moves) <= told
        assert not moves or min(moves) >= state["version"]
        assert all("data-actions" not in step["picture"] for step in answer["steps"])
        shown += len(moves)
        state = answer
    assert shown > 3
    assert look(client, table)["steps"] == []


@pytest.mark.parametrize("game", GAMES)
def test_a_move_taken_back_leads_to_the_same_position_and_the_same_future(client: TestClient, game: str) -> None:
    table = opened(client, game, "me")
    first = look(client, table)
    assert not first["can_take_back"]
    path = f"/api/games/{table['id']}/back"
    assert client.post(path, headers=table["headers"], json={"version": first["version"]}).status_code == 409
    action = first["actions"][0]["number"]
    second = move(client, table, first, action).json()
    assert second["can_take_back"]
    assert client.post(path, headers=table["headers"], json={"version": first["version"]}).status_code == 409
    back = client.post(path, headers=table["headers"], json={"version": second["version"]}).json()
    assert back["taken_back"] == 1
    for key in ("version", "picture", "actions", "log", "your_turn"):
        assert back[key] == first[key], key
    again = move(client, table, back, action).json()
    assert {**again, "taken_back": 0} == {**second, "taken_back": 0}
    over = play_to_the_end(client, table)
    assert not over["can_take_back"]
    assert client.post(path, headers=table["headers"], json={"version": over["version"]}).status_code == 409


def test_a_move_is_for_one_position_however_many_were_taken_back(client: TestClient) -> None:
    """Two pages on one game: one takes a move back and plays another, the other still shows what was before."""
    table = opened(client, "zum_kuhkuck", "me")
    path, first = f"/api/games/{table['id']}", look(client, table)
    stale = move(client, table, first, 0).json()
    seen = {"version": stale["version"], "taken_back": stale["taken_back"]}
    assert client.post(f"{path}/back", headers=table["headers"], json=seen).status_code == 200
    now = move(client, table, look(client, table), 0).json()
    assert (now["version"], now["actions"]) == (stale["version"], stale["actions"]), "legal, and of the same number"
    for inside, body in (("moves", {"action": stale["actions"][0]["number"], **seen}), ("back", seen)):
        answer = client.post(f"{path}/{inside}", headers=table["headers"], json=body)
        assert (answer.status_code, answer.json()["error"]) == (409, "the game has gone on since; look at it again")
    assert look(client, table) == {**now, "steps": []}
    assert move(client, table, now, now["actions"][0]["number"]).status_code == 200


def test_a_server_that_shares_the_file_notices_moves_taken_back(tmp_path: Path) -> None:
    apps = [make_app(limits=GENEROUS, state=tmp_path / "web.sqlite") for _ in range(2)]
    with TestClient(apps[0], base_url=LOCAL) as one, TestClient(apps[1], base_url=LOCAL) as other:
        table = opened(one, "zum_kuhkuck", "me")
        state = look(one, table)
        while len(state["actions"]) == 1:
            state = move(one, table, state, 0).json()
        drawn = move(one, table, state, 0).json()
        stale = look(other, table)
        assert stale["version"] == drawn["version"]
        seen = {"version": drawn["version"], "taken_back": 0}
        back = one.post(f"/api/games/{table['id']}/back", headers=table["headers"], json=seen).json()
        now = move(one, table, back, back["actions"][-1]["number"]).json()
        assert now["version"] == stale["version"], "as many moves, and others"
        answer = move(other, table, stale, 0)
        assert (answer.status_code, "gone on elsewhere" in answer.text) == (409, True)
        assert look(other, table) == now


def test_nobody_takes_a_move_back_from_another_person(client: TestClient) -> None:
    host = opened(client, "zum_kuhkuck", "me", "person")
    claim = {"seat": 1, "invitation": host["invitations"][0]["invitation"], "name": "Anna"}
    guest = client.post(f"/api/games/{host['id']}/claim", json=claim).json()
    tables = {0: host, 1: {"id": host["id"], "headers": {"X-Seat-Key": guest["key"]}}}
    state = look(client, host)
    assert state["called"] == ["You", "Player 2 · Anna"]
    assert look(client, tables[1], language="fr")["called"] == ["Joueur 1", "Toi"]
    played = move(client, tables[state["to_act"]], look(client, tables[state["to_act"]]), 0).json()
    assert not played["can_take_back"]
    for one in tables.values():
        answer = client.post(
            f"/api/games/{host['id']}/back", headers=one["headers"], json={"version": played["version"]}
        )
        assert answer.status_code == 409


def finished(client: TestClient) -> tuple[dict[str, Any], dict[str, Any]]:
    """A game of two people that is over: host and guest."""
    host = opened(client, "zum_kuhkuck", "me", "person")
    claim = {"seat": 1, "invitation": host["invitations"][0]["invitation"]}
    guest = client.post(f"/api/games/{host['id']}/claim", json=claim).json()
    tables = [host, {"id": host["id"], "headers": {"X-Seat-Key": guest["key"]}}]
    rng, state = np.random.default_rng(0), look(client, host)
    path = f"/api/games/{host['id']}/again"
    assert client.post(path, headers=host["headers"]).status_code == 409
    while not state["over"]:
        state = look(client, tables[state["to_act"]])
        state = move(
            client, tables[state["seat"]], state, int(rng.choice([one["number"] for one in state["actions"]]))
        ).json()
    return tables[0], tables[1]


def test_guests_can_have_another_game_with_the_same_people(client: TestClient) -> None:
    host, guest = finished(client)
    path = f"/api/games/{host['id']}/again"
    assert not look(client, host)["rematch"]
    offered = client.post(path, headers=guest["headers"]).json()
    assert look(client, host)["rematch"]
    taken = client.post(path, headers=host["headers"]).json()
    assert offered["id"] == taken["id"] != host["id"]
    assert (taken["seat"], offered["seat"]) == (0, 1)
    for table in (host, guest):
        state = look(client, {**table, "id": taken["id"]})
        assert not state["over"]
        assert not state["open_seats"]
        assert state["taken_back"] == 0
    assert client.post(path, headers={"X-Seat-Key": "x" * 32}).status_code == 403


def test_the_end_is_told_in_one_line_and_hands_are_turned_over(client: TestClient) -> None:
    table = opened(client, "king_lui", "me")
    state = play_to_the_end(client, table)
    result = state["result"]
    own = result["ranks"][0]
    places = {1: ("You won", "You share"), 2: ("You are 2nd of 3",), 3: ("You are 3rd of 3",)}
    assert result["headline"].startswith(places[own])
    assert result["names"] == state["called"]
    assert all(f"{points} points" in state["picture"] for points in result["points"])
    assert "unseen" not in state["picture"]
