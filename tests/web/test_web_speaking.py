"""Programs at the table in the browser: named by whoever starts the server, and by nobody else."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from card_envs.agents.loading import champion_path
from card_envs.errors import OptionError
from card_envs.games import get_game
from card_envs.web.app import make_app
from tests.support.speaking import spelt
from tests.support.web_server import GENEROUS, LOCAL, look, move, opened, play_to_the_end

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs can be agents on Linux and macOS only")


def client_of(*named: str, state: Path | None = None) -> TestClient:
    return TestClient(make_app(limits=GENEROUS, named=named, state=state), base_url=LOCAL)


def offered(client: Any) -> dict[str, str]:
    return {one["name"]: one["id"] for one in client.get("/api/agents/zum_kuhkuck/2").json()}


def test_a_person_plays_against_a_program_also_after_a_restart(tmp_path: Path) -> None:
    agent, state = f"mine={spelt(seconds=60)}", tmp_path / "web.sqlite"
    path = champion_path(get_game("zum_kuhkuck"))
    with client_of(agent, spelt(seconds=59), "greedy=champion(greedy)", str(path), state=state) as client:
        assert {"mine", "greedy", path.name} <= offered(client).keys()
        assert not any("/" in name for name in offered(client)), "no name tells where something lies"
        table = opened(client, "zum_kuhkuck", "me", offered(client)["mine"])
        assert look(client, table)["names"][1] == "mine"
    with client_of(agent, state=state) as client:
        assert play_to_the_end(client, table)["result"]
        assert client.get(f"/api/games/{table['id']}/film", headers=table["headers"]).status_code == 200
    with client_of(state=state) as client:
        gone = client.get(f"/api/games/{table['id']}", headers=table["headers"])
        assert gone.status_code == 503
        assert "there is no agent" in gone.json()["error"]


def test_no_request_names_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: Any, **__: Any) -> None:
        raise AssertionError("a program was started")

    monkeypatch.setattr("card_envs.agents.speaking.program.subprocess.Popen", started)
    with client_of() as client:
        for name in ("command", "chat", "command(x)", "command(program)", "chat(url)", "command-1", "agent-0"):
            body = {"game": "zum_kuhkuck", "seats": ["me", name]}
            assert client.post("/api/games", json=body).status_code in (404, 422), name
        assert not any(name.startswith(("command", "chat")) for name in offered(client))


def test_a_program_that_fails_costs_nobody_the_game() -> None:
    with client_of(f"bad={spelt('mortal', seconds=60)}") as client:
        table = None
        while table is None:  # whoever begins is drawn by lot: one in which the program does is not even opened
            body = {"game": "zum_kuhkuck", "seats": ["me", offered(client)["bad"]]}
            answer = client.post("/api/games", json=body)
            if answer.status_code == 201:
                table = {**answer.json(), "headers": {"X-Seat-Key": answer.json()["key"]}}
            else:
                assert answer.json()["error"] == "an agent of this game failed: bad gave no legal action: process ended"
        for _ in range(2):
            state = look(client, table)
            refused = move(client, table, state, state["actions"][0]["number"])
            if refused.status_code == 200:
                continue
            assert "your move was not played: bad gave no legal action: process ended" in refused.json()["error"]
            assert look(client, table)["version"] == state["version"]


def test_programs_that_nobody_asks_are_ended_and_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("card_envs.web.thinking.MOST_PROGRAMS", 1)
    started: list[Any] = []
    start = subprocess.Popen

    def noted(*arguments: Any, **more: Any) -> Any:
        started.append(start(*arguments, **more))
        return started[-1]

    monkeypatch.setattr("card_envs.agents.speaking.program.subprocess.Popen", noted)
    with client_of(f"mine={spelt(seconds=60)}") as client:
        tables = [opened(client, "zum_kuhkuck", "me", offered(client)["mine"]) for _ in range(2)]
        for _ in range(2):
            for table in tables:
                state = look(client, table)
                assert move(client, table, state, state["actions"][0]["number"]).status_code == 200
                assert len([one for one in started if one.poll() is None]) <= 1
    assert len(started) >= 3
    assert all(one.poll() is not None for one in started), "with the server, all of them end"


def test_a_program_gives_no_advice() -> None:
    with client_of(f"mine={spelt(seconds=60)}") as client:
        table = opened(client, "zum_kuhkuck", "me", "bot")
        query = {"agent": offered(client)["mine"]}
        refused = client.get(f"/api/games/{table['id']}/coach", headers=table["headers"], params=query)
        assert (refused.status_code, "gives no opinions" in refused.json()["error"]) == (409, True)


def test_what_the_server_cannot_start_is_refused_at_once() -> None:
    with pytest.raises(OptionError, match="there is no program"):
        make_app(named=['command("no-such-program-here")'])
