"""The file of games: whatever is wrong with it is said in one sentence, and nothing is left half-done."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import tempfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from card_envs.arena.tournament import Tournament
from card_envs.errors import OptionError
from card_envs.web.app import make_app
from card_envs.web.record import VERSION, Records
from card_envs.web.server import listen
from tests.support.commands import run
from tests.support.web_server import GENEROUS, LOCAL, look, move, opened


def refused(state: Path) -> str:
    """What the command says; it lets go of its port, which the warnings of tests would tell as well."""
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    error = run("web", "--no-open", "--port", str(port), "--state", str(state), code=2)
    with listen("127.0.0.1", port), socket.create_connection(("127.0.0.1", port)):
        pass
    assert error.count("\n") == 1
    return error.strip()


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A file with a game in it."""
    file = tmp_path / "web.sqlite"
    with TestClient(make_app(limits=GENEROUS, state=file), base_url=LOCAL) as client:
        opened(client, "zum_kuhkuck", "me")
    return file


def change(file: Path, statement: str) -> None:
    base = sqlite3.connect(file)
    base.execute(statement)
    base.commit()
    base.close()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "text.sqlite"
    file.write_text("this is no database, however long one looks at it " * 20)
    before = file.read_bytes(), file.stat().st_mtime_ns
    assert refused(file) == (
        f"card-envs: cannot keep games in {file} (file is not a database); name another file with --state"
    )
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_a_folder_and_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe"):
        assert refused(place) == f"card-envs: cannot keep games in {place}, which is no file; name a file with --state"


def test_a_place_where_nothing_can_be_written(kept: Path) -> None:
    sentence = refused(Path("/proc/nowhere/web.sqlite"))
    assert sentence.startswith("card-envs: cannot keep games in /proc/nowhere/web.sqlite (")
    assert sentence.endswith("); name another file with --state")
    below = kept / "below.sqlite"
    assert refused(below) == (
        f"card-envs: cannot keep games in {below}, for {kept} is no folder; name a file with --state"
    )


def test_a_file_that_cannot_be_written() -> None:
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "web.sqlite"
        Records(file, days_kept=1).close()
        file.chmod(0o444)
        file.parent.chmod(0o555)
        if root:
            os.seteuid(65534)  # root can write everything
        try:
            with pytest.raises(OptionError) as error:
                Records(file, days_kept=1)
        finally:
            if root:
                os.seteuid(0)
            file.parent.chmod(0o755)
    assert str(error.value) == (
        f"cannot keep games in {file} (attempt to write a readonly database); name another file with --state"
    )


def test_a_file_of_a_newer_version(kept: Path) -> None:
    change(kept, f"PRAGMA user_version = {VERSION + 1}")
    assert refused(kept) == (
        f"card-envs: the games in {kept} were kept by a newer version of card_envs; use that one, or name another file "
        f"with --state"
    )


def test_a_database_of_something_else_stays_as_it_is(tmp_path: Path) -> None:
    with Tournament("zum_kuhkuck", agents=["random"], games=2, out=tmp_path / "cup") as cup:
        cup.run()
    file = tmp_path / "cup" / "tournament.sqlite"
    before = file.read_bytes()
    assert refused(file) == (
        f"card-envs: {file} is a database of something else, and stays as it is; name another file with --state"
    )
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER spoil AFTER UPDATE ON games BEGIN DELETE FROM games; END",
        "CREATE VIEW more AS SELECT * FROM games",
        "ALTER TABLE games ADD COLUMN large GENERATED ALWAYS AS (zeroblob(1000000000)) VIRTUAL",
    ],
)
def test_a_file_with_more_in_it_than_games_stays_as_it_is(kept: Path, statement: str) -> None:
    change(kept, statement)
    with pytest.raises(OptionError, match="is a database of something else, and stays as it is; name another file"):
        Records(kept, days_kept=60)


def test_a_view_in_the_place_of_the_games_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "view.sqlite"
    change(file, "CREATE VIEW games AS SELECT 1")
    before = file.read_bytes()
    with pytest.raises(OptionError, match="is a database of something else, and stays as it is; name another file"):
        Records(file, days_kept=60)
    assert file.read_bytes() == before


def test_a_file_that_another_program_has_locked(kept: Path) -> None:
    other = sqlite3.connect(kept, isolation_level=None)
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OptionError) as error:
        Records(kept, days_kept=1, patience=0)
    other.close()
    assert str(error.value) == (
        f"cannot keep games in {kept}: another program has locked it; wait for it, or name another file with --state"
    )


def test_a_damaged_file(kept: Path) -> None:
    whole = kept.read_bytes()
    kept.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    sentence = refused(kept)
    assert sentence.startswith(f"card-envs: cannot keep games in {kept} (")


def test_a_file_of_the_version_before_is_taken_over(kept: Path) -> None:
    change(kept, "PRAGMA user_version = 0")
    records = Records(kept, days_kept=60)
    assert records.count() == 1
    records.close()


def test_games_without_a_move_for_long_are_removed(kept: Path) -> None:
    change(kept, "UPDATE games SET changed = changed - 61 * 86400")
    records = Records(kept, days_kept=60)
    assert records.count() == 0
    records.close()


def test_when_nothing_can_be_kept_nothing_is_played(tmp_path: Path) -> None:
    file = tmp_path / "web.sqlite"
    with TestClient(make_app(limits=GENEROUS, state=file), base_url=LOCAL) as client:
        table = opened(client, "zum_kuhkuck", "me")
        state = look(client, table)
        change(file, "ALTER TABLE games RENAME TO elsewhere")
        for answer in (
            move(client, table, state, state["actions"][0]["number"]),
            client.post("/api/games", json={"game": "zum_kuhkuck", "seats": ["me", "bot"]}),
            client.get("/api/games/nosuchgame", headers=table["headers"]),
        ):
            assert answer.status_code == 503
            assert answer.json()["error"] == (
                "the server's file of games cannot be used (no such table: games); try again later"
            )
        change(file, "ALTER TABLE elsewhere RENAME TO games")
        assert look(client, table) == state
        assert move(client, table, state, state["actions"][0]["number"]).status_code == 200


@pytest.mark.parametrize("damage", ["seats = 'x'", "seats = '[{\"what\": 1}]'", "actions = '[999]'", "game = 'x_v0'"])
def test_a_damaged_game_costs_itself_only(kept: Path, damage: str) -> None:
    file = kept.with_name("other.sqlite")
    with TestClient(make_app(limits=GENEROUS, state=file), base_url=LOCAL) as client:
        bad, good = opened(client, "zum_kuhkuck", "me"), opened(client, "zum_kuhkuck", "me")
    change(file, f"UPDATE games SET {damage} WHERE id = '{bad['id']}'")
    shutil.copy(file, kept)
    with TestClient(make_app(limits=GENEROUS, state=kept), base_url=LOCAL) as client:
        answer = client.get(f"/api/games/{bad['id']}", headers=bad["headers"])
        assert answer.status_code == 503
        assert answer.json()["error"].startswith(("what was kept of this game is damaged", "this game cannot be "))
        assert look(client, good)["version"] >= 0
