"""What is broken in the folders of --runs costs itself and nothing else, and no answer tells where something is."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from starlette.testclient import TestClient

import card_envs
from card_envs import games
from card_envs.agents.checkpoint import save_checkpoint
from card_envs.arena.store import FILE, Store
from card_envs.arena.tournament import Tournament
from card_envs.web import agent_library
from card_envs.web.agent_library import AgentLibrary
from card_envs.web.app import make_app
from card_envs.web.folders import Folders
from tests.support.web_server import GENEROUS, LOCAL, opened, play_to_the_end, random_network


def write(path: Path) -> Path:
    network, weights = random_network("king_lui")
    save_checkpoint(path, card_envs.get_game("king_lui"), weights, network, players=(3,))
    return path


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    agents = ["bot", str(write(folder / "mine.safetensors"))]
    with Tournament("king_lui", agents=agents, players=3, games=6, seed=1, out=folder / "cup") as played:
        played.run()
    return folder / "cup"


@pytest.fixture
def broken(tmp_path: Path, cup: Path) -> Path:
    """A folder with one good checkpoint and one good tournament among everything that can be wrong."""
    runs = tmp_path / "runs"
    shutil.copytree(cup, runs / "good cup")
    write(runs / "good.safetensors")
    write(runs / "plain.safetensors").rename(Path(os.fsdecode(os.fsencode(runs) + b"/na\xffme\n.safetensors")))
    (runs / "text.safetensors").write_bytes(b"no weights")
    (runs / "folder.safetensors").mkdir()
    (runs / "dangling.safetensors").symlink_to(runs / "nowhere")
    (runs / "loop.safetensors").symlink_to(runs / "loop.safetensors")
    os.mkfifo(runs / "pipe.safetensors")
    for name in ("text", "empty", "folder", "dangling", "loop", "pipe", "strange", "cut", "n\udcffame"):
        (runs / name).mkdir()
    (runs / "text" / FILE).write_text("this is no database " * 100)
    (runs / "empty" / FILE).touch()
    (runs / "folder" / FILE).mkdir()
    (runs / "dangling" / FILE).symlink_to(runs / "nowhere")
    (runs / "loop" / FILE).symlink_to(runs / "loop" / FILE)
    os.mkfifo(runs / "pipe" / FILE)
    shutil.copy(cup / FILE, runs / "strange" / FILE)
    base = sqlite3.connect(runs / "strange" / FILE)
    base.execute("UPDATE settings SET value = 'many' WHERE name = 'players'")
    base.commit()
    base.close()
    (runs / "cut" / FILE).write_bytes((cup / FILE).read_bytes()[:6000])
    shutil.copy(cup / FILE, runs / "n\udcffame" / FILE)
    (runs / "round").symlink_to(runs)
    return runs


def test_broken_things_cost_themselves_only(broken: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with TestClient(make_app(limits=GENEROUS, runs=[broken]), base_url=LOCAL) as client:
        agents = [one for one in client.get("/api/agents/king_lui/3").json() if one["id"].startswith("file-")]
        assert sorted(one["name"] for one in agents) == ["good", "na\ufffdme\ufffd"]
        for agent in agents:
            assert play_to_the_end(client, opened(client, "king_lui", "me", agent["id"]))["names"][1] == agent["name"]
        for _ in range(2):
            listed = {one["name"]: one for one in client.get("/api/tournaments").json()}
        good = [name for name, one in listed.items() if not one["problem"]]
        assert good == ["good cup", "n\ufffdame"]
        assert set(listed) >= {"text", "empty", "folder", "pipe", "strange", "cut", *good}
        for name, one in listed.items():
            answer = client.get(f"/api/tournaments/{one['id']}")
            film = client.get(f"/api/tournaments/{one['id']}/games/1/film")
            if name in good:
                assert (answer.status_code, film.status_code) == (200, 200)
                assert one["games"] == 6
            else:
                assert {answer.status_code, film.status_code} <= {400, 503}
                assert len(one["problem"].splitlines()) == 1
                assert str(broken.parent) not in one["problem"] + answer.text + film.text
    said = capfd.readouterr().err.splitlines()
    assert len(said) == len(set(said)), "the same was said twice"
    assert all(line.startswith("card-envs: ") for line in said)


def test_whatever_is_raised_while_one_tournament_is_read_costs_that_one(
    cup: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("first", "second"):
        shutil.copytree(cup, tmp_path / name)
    real = Store.open

    def fails(folder: Any) -> Store:
        if Path(folder).name == "first":
            raise RuntimeError(f"nobody thought of this\nin {folder}")
        return real(folder)

    monkeypatch.setattr(Store, "open", fails)
    with TestClient(make_app(limits=GENEROUS, runs=[tmp_path]), base_url=LOCAL) as client:
        for _ in range(3):
            first, second = client.get("/api/tournaments").json()
        assert first["problem"] == "the tournament first cannot be read: it is damaged"
        assert (second["problem"], second["games"]) == ("", 6)
        assert client.get(f"/api/tournaments/{first['id']}").status_code == 503
    assert capfd.readouterr().err == (
        f"card-envs: the tournament in {tmp_path}/first cannot be read: RuntimeError: nobody thought of this in "
        f"{tmp_path}/first\n"
    )


def test_a_folder_that_cannot_be_read_is_passed_over() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "shut").mkdir()
        for name in ("a.x", "shut/b.x", "c.x"):
            (folder / name).touch()
        folder.chmod(0o755)
        (folder / "shut").chmod(0)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)  # root can read everything
        try:
            found = [path.name for path, _ in Folders([folder]).find(lambda name: name.endswith(".x"), 10)]
        finally:
            if root:
                os.seteuid(0)
        (folder / "shut").chmod(0o700)
    assert found == ["a.x", "c.x"]


def test_what_disappears_while_it_is_looked_for_is_not_found(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "one.safetensors")

    def wanted(name: str) -> bool:
        if name == "b":
            shutil.rmtree(tmp_path / "a")
        return name.endswith(".safetensors")

    found = [path.parent.name for path, _ in Folders([tmp_path]).find(wanted, 10)]
    assert sorted(found) == ["b", "c"]
    library = AgentLibrary([tmp_path])
    (gone, *_), game = library.choices(card_envs.get_game("king_lui"), 3)[-2:], card_envs.get_game("king_lui")
    shutil.rmtree(tmp_path / "b")
    shutil.rmtree(tmp_path / "c")
    with pytest.raises(card_envs.errors.CardEnvsError, match="there is no agent 'file-"):
        library.load(game, 3, gone.id)


def test_folders_may_be_deeper_than_functions_can_call_each_other(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 150)
    deep.mkdir(parents=True)
    (deep / "x").touch()
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        found = list(Folders([tmp_path]).find(lambda name: name == "x", 10))
    finally:
        sys.setrecursionlimit(before)
    assert found == [(deep / "x", tmp_path)]


def test_no_answer_tells_where_something_is(broken: Path, cup: Path) -> None:
    with TestClient(make_app(limits=GENEROUS, runs=[broken, cup]), base_url=LOCAL) as client:
        addresses = ["/", "/palette.css", "/api/setup", "/api/openapi.json", "/api/tournaments", "/nothing"]
        for game in card_envs.game_names():
            addresses.append(f"/api/rules/{game}")
            addresses += [f"/api/agents/{game}/{players}" for players in range(8)]
        for one in client.get("/api/tournaments").json():
            home = f"/api/tournaments/{one['id']}"
            addresses += [home, f"{home}/report", f"{home}/games", "/api/runs"]
            addresses += [f"{home}/games/1/film", f"{home}/games/999/film", f"{home}/games/1/film/3"]
        told = "".join(client.get(address).text for address in addresses)
        bad = agent_library.file_id(broken / "text.safetensors")
        refused = client.post("/api/games", json={"game": "king_lui", "seats": ["me", "bot", bad]})
        assert refused.status_code >= 400
        told += refused.text
    assert "text.safetensors" in told, "the sentence has lost what it is about"
    for place in (broken.parent, cup.parent, Path(card_envs.__file__).parent, Path.home()):
        assert str(place) not in told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("cannot read /srv/my runs/cup/x.sqlite: no", "cannot read runs/cup/x.sqlite: no"),
        ("[Errno 2] No such file: '/usr/lib/python3/site.py'", "[Errno 2] No such file: 'site.py'"),
        (r"in C:\Users\me\x.py, line 3", "in x.py, line 3"),
        ("card_envs/KingLui-v0 or 3/4 of it", "card_envs/KingLui-v0 or 3/4 of it"),
        ("two\nlines\udcff", "two lines\ufffd"),
        ("x" * 1000, "x" * 400 + " ..."),
        (ValueError(), "ValueError"),
    ],
)
def test_sentences_keep_what_they_are_about(said: Any, told: str) -> None:
    folders = Folders()
    folders.folders = [Path("/srv/my runs")]
    assert folders.tell(said).replace("my runs", "runs") == told


def test_what_is_remembered_of_agents_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_library, "MOST_KNOWN", 5)
    library, game = AgentLibrary([tmp_path]), card_envs.get_game("king_lui")
    for number in range(9):
        (tmp_path / f"bad{number}.safetensors").write_bytes(b"%d" % number)
        write(tmp_path / f"good{number}.safetensors")
        library.choices(game, 3)
    assert (len(library._refused), len(library._known)) == (5, 5)


def test_games_that_cannot_be_loaded_are_left_out(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = ModuleType("broken_options")
    monkeypatch.setitem(sys.modules, "broken_options", broken)
    real = card_envs.get_game("king_lui")
    broken.GAME = replace(real, name="sulky", home="broken_options", options=_Sulky)  # type: ignore[attr-defined,arg-type]
    (tmp_path / "leaves_at_once.py").write_text("raise SystemExit(3)")
    (tmp_path / "fails_at_once.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, home in (("leaver", "leaves_at_once"), ("failer", "fails_at_once"), ("sulky", "broken_options")):
        monkeypatch.setitem(games._ROWS, (name, 0), games.Row(name, 0, home))
    found = client.get("/api/setup")
    assert found.status_code == 200
    assert [game["name"] for game in found.json()["games"]] == ["king_lui", "zum_kuhkuck", "ku_ka_king"]
    for name in ("leaver", "failer"):
        for answer in (
            client.get(f"/api/rules/{name}"),
            client.get(f"/api/agents/{name}/3"),
            client.post("/api/games", json={"game": name, "seats": ["me", "bot", "bot"]}),
        ):
            assert answer.status_code in (404, 503)
            assert re.search(r"cannot be (imported|played here)", answer.json()["error"])


class _Sulky:
    def __init__(self) -> None:
        raise RuntimeError("no")


def test_answers_can_always_be_sent(client: TestClient) -> None:
    """Half of a pair of surrogates is no character, and has no bytes."""
    for body in (b'{"\\ud800": 1}', b'{"game": "\\udfff", "seats": ["me"]}', json.dumps({"game": "\0"}).encode()):
        answer = client.post("/api/games", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422
        assert answer.json()["error"]
