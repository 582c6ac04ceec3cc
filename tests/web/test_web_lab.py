"""The table as a laboratory, asked without a browser: analysis, spectators, runs, games worth seeing, people."""

from __future__ import annotations

import itertools
import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import card_envs
from card_envs.agents.checkpoint import save_checkpoint
from card_envs.arena import analysis
from card_envs.arena.game_file import read_game
from card_envs.core.batch import Batch
from card_envs.errors import OptionError
from card_envs.web.app import make_app
from card_envs.web.errors import TooMuchError
from card_envs.web.jobs import MOST_WAITING, Jobs
from card_envs.web.pages import STATIC
from card_envs.web.run_log import RunLog
from card_envs.web.spectator import Spectator
from card_envs.web.thinking import Thinking
from tests.support.commands import run
from tests.support.registered import GAMES
from tests.support.web_server import GENEROUS, LOCAL, look, move, opened, play_to_the_end, random_network


@pytest.fixture
def lab(runs: Path) -> Iterator[TestClient]:
    with TestClient(make_app(limits=GENEROUS, runs=[runs]), base_url=LOCAL) as client:
        yield client


def analysed(client: TestClient, path: str, headers: dict[str, str] | None = None, **query: str) -> dict[str, Any]:
    """Ask until it is done."""
    while True:
        answer = client.get(f"{path}/analysis", headers=headers, params=query)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        if told["rows"] is not None:
            return told


class TestSpectators:
    @pytest.mark.parametrize("game", GAMES)
    def test_nothing_that_any_seat_cannot_know_reaches_them(self, game: str) -> None:
        """Worlds that some seat cannot tell apart, before and after a move, are drawn and told alike."""
        rules, rng, compared = card_envs.get_game(game), np.random.default_rng(2), 0
        for players in (rules.players[0], rules.players[-1]):
            batch = Batch(rules, 1, seed=5, auto_reset=False, players=players)
            for number in itertools.count():
                if batch.seat[0] < 0:
                    break
                action = int(rng.choice(np.flatnonzero(batch.action_mask[0])))
                if number % 3:  # of long games every third position
                    batch.step_one(action)
                    continue
                seat = int(rng.integers(players))
                worlds = [batch.copy(), batch.copy()]
                worlds[1].redraw_hidden(seat, seed=7)
                actor = int(batch.seat[0])
                spectators = [Spectator(world, [""] * players) for world in worlds]
                assert spectators[0].picture("en", "wide") == spectators[1].picture("en", "wide")
                if seat != actor and worlds[1].action_mask[0, action]:
                    for world, spectator in zip(worlds, spectators, strict=True):
                        world.step_one(action)
                        spectator.catch_up([(actor, action)])
                    if rules.view(worlds[0].states[0], seat) == rules.view(worlds[1].states[0], seat):
                        compared += 1
                        assert spectators[0].lines == spectators[1].lines
                        assert spectators[0].picture("de", "tall") == spectators[1].picture("de", "tall")
                batch.step_one(action)
        assert compared > 5

    def test_their_key_opens_the_table_and_nothing_else_before_the_end(self, client: TestClient) -> None:
        host = opened(client, "zum_kuhkuck", "me", "person")
        invitation = host["invitations"][0]
        claim = {"seat": invitation["seat"], "invitation": invitation["invitation"]}
        guest = client.post(f"/api/games/{host['id']}/claim", json=claim).json()
        path = f"/api/games/{host['id']}"
        keys = {
            client.get(f"{path}/spectator", headers={"X-Seat-Key": key}).json()["key"]
            for key in (host["key"], guest["key"])
        }
        assert len(keys) == 1, "the same for everybody at the table"
        headers = {"X-Seat-Key": keys.pop()}
        seen = client.get(f"{path}/table", headers=headers)
        assert seen.status_code == 200
        assert not {"seed", "moves", "actions"} & seen.json().keys()
        assert host["key"] not in seen.text
        players = (host, {**guest, "id": host["id"], "headers": {"X-Seat-Key": guest["key"]}})
        state = next(state for state in (look(client, player) for player in players) if state["actions"])
        assert client.get(path, headers=headers).status_code == 409
        for inside in ("film", "film/0", "film/0/svg", "gif", "analysis", "file", "coach"):
            assert client.get(f"{path}/{inside}", headers=headers).status_code == 409, inside
        assert move(client, {**host, "headers": headers}, state, state["actions"][0]["number"]).status_code == 409
        assert client.post(f"{path}/same-deal", headers=headers).status_code == 409
        for stranger in ({}, {"X-Seat-Key": "x" * 32}):
            assert client.get(f"{path}/table", headers=stranger).status_code == 403
            assert client.get(f"{path}/spectator", headers=stranger).status_code == 403

    def test_after_the_end_the_same_link_shows_the_whole_game(self, client: TestClient) -> None:
        table = opened(client, "king_lui", "me")
        path = f"/api/games/{table['id']}"
        headers = {"X-Seat-Key": client.get(f"{path}/spectator", headers=table["headers"]).json()["key"]}
        state = play_to_the_end(client, table)
        told = client.get(f"{path}/table", headers=headers).json()
        assert told["over"]
        assert told["result"]["points"] == state["result"]["points"]
        assert told["version"] == len(state["moves"])
        assert client.get(f"{path}/film", headers=headers).json()["positions"] == len(state["moves"]) + 1


class TestAnalysis:
    def test_of_a_game_just_played_in_any_language_beside_any_agent(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(analysis, "PLAYOUTS", 8)
        table = opened(client, "king_lui", "me", "champion")
        state = play_to_the_end(client, table)
        path = f"/api/games/{table['id']}"
        told = analysed(client, path, table["headers"], second="bot")
        assert told["second"] == "bot"
        assert [row["action"] for row in told["rows"]] == state["moves"]
        own = [row for row in told["rows"] if row["seat"] == 0]
        assert all(row["acting"]["bars"][0]["number"] == row["action"] for row in own), "a person's choice is certain"
        champions = [row for row in told["rows"] if row["seat"] == 1]
        assert all(row["acting"]["value"] is not None for row in champions)
        assert told["widest"] is not None
        german = analysed(client, path, table["headers"], second="bot", language="de")
        assert german["rows"][0]["text"] != told["rows"][0]["text"]
        assert analysed(client, path, table["headers"])["second"] == "champion", "whoever is best, if nobody is named"
        assert client.get(f"{path}/analysis", headers=table["headers"], params={"second": "nobody"}).status_code == 404

    def test_of_a_tournaments_game_with_pictures_and_the_command_that_shows_it(
        self, lab: TestClient, runs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(analysis, "PLAYOUTS", 8)
        (cup,) = lab.get("/api/tournaments").json()
        path = f"/api/tournaments/{cup['id']}/games/7"
        told = analysed(lab, path, second="random")
        film = lab.get(f"{path}/film").json()
        assert len(told["rows"]) == film["positions"] - 1
        assert film["command"] == f"card-envs replay {runs.name}/cup 7"
        assert str(runs) not in json.dumps(film)
        drawn = lab.get(f"{path}/film/3/svg", params={"viewer": 1})
        assert drawn.headers["content-type"] == "image/svg+xml"
        same = tmp_path / "same.svg"
        run("replay", str(runs / "cup"), "7", "--svg", str(same), "--move", "3", "--seat", "1")
        assert drawn.text == same.read_text(encoding="utf-8")
        assert lab.get(f"{path}/film/9999/svg").status_code == 404

    def test_the_coach_can_be_any_agent(self, client: TestClient) -> None:
        table = opened(client, "king_lui", "me")
        for agent, value in (("bot", False), ("champion", True), ("search", True)):
            told = client.get(
                f"/api/games/{table['id']}/coach", headers=table["headers"], params={"agent": agent}
            ).json()
            assert told["adviser"] == agent
            assert (told["value"] is not None) == value
        legal = {action["number"] for action in look(client, table)["actions"]}
        assert {bar["number"] for bar in told["bars"]} <= legal
        refused = client.get(
            f"/api/games/{table['id']}/coach", headers=table["headers"], params={"agent": "/etc/passwd"}
        )
        assert refused.status_code == 422

    def test_a_saved_game_is_shown_by_the_command_line(self, client: TestClient, tmp_path: Path) -> None:
        table = opened(client, "zum_kuhkuck", "me")
        state = play_to_the_end(client, table)
        told = client.get(f"/api/games/{table['id']}/file", headers=table["headers"]).json()
        path = tmp_path / "game.json"
        path.write_text(json.dumps(told))
        text = run("replay", str(path))
        assert f"{state['result']['points'][0]} points" in text
        wrong = {
            "{": "no JSON",
            "[]": "no file of the format",
            json.dumps({**told, "moves": [99]}): "99",
            json.dumps({**told, "names": []}): "names 0 players",
            json.dumps({**told, "seed": None}): "damaged",
        }
        for broken, said in wrong.items():
            path.write_text(broken)
            with pytest.raises(OptionError, match=said):
                read_game(path)


class Slow:
    """A task that waits for a word."""

    thinks, of = True, 1

    def __init__(self, problem: Exception | None = None) -> None:
        self.done, self.problem = 0, problem
        self.begun, self.go = threading.Event(), threading.Event()

    def steps(self) -> Iterator[None]:
        self.begun.set()
        self.go.wait()
        if self.problem:
            raise self.problem
        self.done = 1
        yield


class TestJobs:
    def test_one_after_the_other_and_not_too_many_wait(self) -> None:
        jobs, tasks = Jobs(Thinking(1, 1)), [Slow() for _ in range(MOST_WAITING + 2)]
        jobs.ask(0, lambda: tasks[0])
        tasks[0].begun.wait()
        for number in range(1, MOST_WAITING + 1):
            jobs.ask(number, lambda number=number: tasks[number])
        with pytest.raises(TooMuchError, match="try again in a moment"):
            jobs.ask(99, lambda: tasks[-1])
        for task in tasks:
            task.go.set()
        while not jobs.ask(MOST_WAITING, lambda: tasks[-1])[1].finished:
            pass
        assert all(task.done for task in tasks[:-1])

    def test_what_nobody_asks_for_any_more_is_given_up_and_what_fails_is_told_once(self) -> None:
        jobs, task = Jobs(Thinking(1, 1), patience=-1), Slow()
        jobs.ask("a", lambda: task)
        while jobs._at_work:
            pass
        assert task.done == 0
        jobs, failing = Jobs(Thinking(1, 1)), Slow(ValueError("no"))
        failing.go.set()
        job = jobs.ask("b", lambda: failing)[1]
        while job.problem is None:
            pass
        with pytest.raises(card_envs.errors.CardEnvsError, match="an agent failed: no"):
            jobs.ask("b", lambda: failing)
        assert jobs.ask("b", Slow)[1].problem is None, "asked again, it is begun anew"


class TestRuns:
    def write(self, folder: Path) -> Path:
        home = folder / "king"
        network, weights = random_network("king_lui")
        for name, step in (("latest", 2500), ("best", 2000), ("step-000000001000", 1000)):
            path = home / "checkpoints" / f"{name}.safetensors"
            save_checkpoint(path, "king_lui", weights, network, players=(3, 4), step=step)
        (home / "config.yaml").write_text("game: king_lui\n")
        line = {"decisions": 1000, "against bot, 3 players": 0.25, "against bot, 3 players error": 0.01}
        (home / "log.jsonl").write_text(json.dumps(line) + "\n" + '{"decisions": 2000, "against bot')
        league = [{"player": "checkpoints/step-000000001000.safetensors", "games": 10.0, "share": 0.4, "active": True}]
        (home / "league.json").write_text(json.dumps(league))
        return home

    def test_by_run_and_step_and_followed_while_training_writes(self, tmp_path: Path) -> None:
        home = self.write(tmp_path / "runs")
        with TestClient(make_app(limits=GENEROUS, runs=[tmp_path / "runs"]), base_url=LOCAL) as client:
            (about,) = client.get("/api/runs").json()
            assert (about["name"], about["title"], about["step"], about["players"]) == (
                "king",
                "King Lui",
                2500,
                [3, 4],
            )
            told = client.get(f"/api/runs/{about['id']}").json()
            assert [one["name"] for one in told["players_of_run"]] == [
                "king · step 2.5 k · latest", "king · step 2 k · best", "king · step 1 k",
            ]  # fmt: skip
            assert told["curves"] == [{"against": "bot, 3 players", "points": [[1000, 0.25, 0.01]]}]
            assert told["league"] == [{"name": "step 1 k", "games": 10, "share": 0.4, "active": True}]
            with (home / "log.jsonl").open("a") as log:
                log.write(', 3 players": 0.5}\n{"decisions": NaN, "against bot, 3 players": 1}\nnonsense\n')
            assert client.get(f"/api/runs/{about['id']}").json()["curves"][0]["points"] == [
                [1000, 0.25, 0.01],
                [2000, 0.5, 0],
            ]
            names = [agent["name"] for agent in client.get("/api/agents/king_lui/3").json()]
            assert "king · step 2.5 k · latest" in names
            table = opened(client, "king_lui", "me", about["newest"], about["newest"])
            assert look(client, table)["names"][1] == "king · step 2.5 k · latest"
            assert str(tmp_path) not in client.get("/api/runs").text + client.get(f"/api/runs/{about['id']}").text
            (home / "league.json").write_text("[{")
            (home / "checkpoints" / "latest.safetensors").write_bytes(b"no")
            told = client.get(f"/api/runs/{about['id']}").json()
            assert (told["league"], told["newest"]) == ([], None), "what is damaged costs itself only"
            assert client.get(f"/api/runs/{'0' * 20}").status_code == 404

    def test_a_log_that_was_cut_or_replaced_is_read_anew(self, tmp_path: Path) -> None:
        path = tmp_path / "log.jsonl"
        lines = [json.dumps({"decisions": number, "against bot": 0.1}) + "\n" for number in range(1000)]
        path.write_text("".join(lines))
        log = RunLog(path)
        log.refresh()
        assert log.decisions == 999
        assert len(log.curve("against bot")) <= 300
        assert log.curve("against bot")[-1][0] == 999
        path.write_text("".join(lines[:5]))
        log.refresh()
        assert (log.decisions, len(log.series["against bot"])) == (4, 5)
        other = tmp_path / "other"
        other.write_text("".join(lines[:9]))
        os.replace(other, path)  # noqa: PTH105
        log.refresh()
        assert log.decisions == 8


class TestTournaments:
    def test_games_by_cell_bar_and_line_up_and_the_whole_report(self, lab: TestClient, runs: Path) -> None:
        (cup,) = lab.get("/api/tournaments").json()
        path = f"/api/tournaments/{cup['id']}"
        told = lab.get(path).json()
        assert [row["name"] for row in told["rows"]] == ["bot", "random"]
        found = lab.get(f"{path}/games", params={"agent": "bot", "ahead_of": "random", "most": 500}).json()
        ties = lab.get(f"{path}/games", params={"margin_to": 0, "most": 500}).json()["count"]
        assert found["count"] == round(told["head_to_head"][0][1] * cup["games"] - ties / 2)
        bars, low = told["histograms"]["bars"][0], told["histograms"]["low"]
        place = int(np.argmax(bars))
        span = {"points_from": low + place * told["histograms"]["wide"]}
        span["points_to"] = span["points_from"] + told["histograms"]["wide"] - 1
        assert lab.get(f"{path}/games", params={"agent": "bot", **span}).json()["count"] == bars[place]
        line_up = told["line_ups"][0]
        found = lab.get(f"{path}/games", params={"line_up": line_up["agents"], "first": "close"}).json()
        assert found["count"] == line_up["games"]
        assert found["command"].startswith(f"card-envs find {runs.name}/cup --line-up ")
        assert lab.get(f"{path}/games", params={"agent": "nobody"}).status_code == 400
        report = lab.get(f"{path}/report")
        policy = report.headers.get_list("content-security-policy")
        assert len(policy) == 1
        assert "sandbox allow-scripts" in policy[0]
        assert "'unsafe-inline'" not in policy[0].split("script-src")[1]
        assert "<h2>Head to head</h2>" in report.text
        assert str(runs) not in report.text


def test_the_laboratory_speaks_four_languages() -> None:
    source = (STATIC / "lab_words.js").read_text(encoding="utf-8")
    words = {key: json.loads(f"[{said}]") for key, said in re.findall(r"^  (\w+): \[(.*)\],$", source, re.MULTILINE)}
    assert len(words) == source.count("],")
    for key, said in words.items():
        assert len(said) == 4, key
        assert all(text.strip() for text in said), key
        assert len({tuple(sorted(re.findall(r"\{\d\}", text))) for text in said}) == 1, key


class TestPeople:
    def history(self, client: TestClient, *tables: dict[str, Any]) -> dict[str, Any]:
        games = [{"id": table["id"], "key": table["key"]} for table in tables]
        answer = client.post("/api/people", json={"games": games})
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def test_they_are_rated_on_a_tournaments_scale(self, lab: TestClient) -> None:
        tables = [opened(lab, "zum_kuhkuck", "me", "bot") for _ in range(3)]
        going = opened(lab, "zum_kuhkuck", "me", "bot")
        for seed, table in enumerate(tables):
            play_to_the_end(lab, table, seed)
        stranger = {**tables[0], "key": "x" * 32}
        told = self.history(lab, going, stranger, *tables)
        assert [one["id"] for one in told["results"]] == [table["id"] for table in tables]
        (kind,) = told["tables"]
        assert (kind["games"], kind["deals"], kind["scale"]["name"]) == (3, 3, "cup")
        value, low, high = kind["rating"]
        assert low <= value <= high
        assert kind["against"][0]["name"] == "bot"
        won = sum(one["ranks"][one["seat"]] == 1 for one in told["results"])
        assert kind["win_share"][0] == pytest.approx(won / 3)

    def test_the_same_deal_from_the_other_seat(self, lab: TestClient) -> None:
        table = opened(lab, "zum_kuhkuck", "me", "bot")
        path = f"/api/games/{table['id']}/same-deal"
        assert lab.post(path, headers=table["headers"]).status_code == 409, "not before the end"
        first = play_to_the_end(lab, table)
        again = lab.post(path, headers=table["headers"])
        assert again.status_code == 201
        other = {**again.json(), "headers": {"X-Seat-Key": again.json()["key"]}}
        assert other["seat"] == 1
        assert look(lab, other)["seed"] is None
        second = play_to_the_end(lab, other)
        assert second["seed"] == first["seed"]
        assert second["names"] == ["bot", first["names"][0]]
        told = self.history(lab, other, table)
        assert (told["tables"][0]["games"], told["tables"][0]["deals"]) == (2, 1), "who plays a deal again knows it"
        two = opened(lab, "zum_kuhkuck", "me", "person")
        invitation = two["invitations"][0]
        lab.post(f"/api/games/{two['id']}/claim", json={"seat": 1, "invitation": invitation["invitation"]})
        assert lab.post(f"/api/games/{two['id']}/same-deal", headers=two["headers"]).status_code == 409
