"""What somebody who knows the format writes into a tournament's file, or puts beside it, to do harm."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from card_envs.arena.store import FILE, LOCK
from tests.support.stored_tournaments import change

COLUMNS = {
    "settings": ("name", "value"),
    "agents": ("number", "name", "content_hash", "source", "copy", "checkpoint", "options"),
    "stages": ("number", "agents", "games"),
    "checkpoints": ("content_hash", "data"),
    "chunks": (
        "number",
        "first_game",
        "games",
        "digest",
        "seeds",
        "seats",
        "points",
        "ranks",
        "score_sheets",
        "sizes",
        "forfeits",
    ),
    "seal": ("number", "contents", "chunks", "results"),
}
IMPORTED = "this"  # a module that says something when it is imported, and that nobody needs
BOMB = bytes([8]) + zlib.compress(bytes(50_000_000), 9)
HASH = "ab" * 32
VALUES: tuple[Any, ...] = (
    "", "x", 0, -1, 1, 2, 3, 7, 2**31, 2**62, -(2**63), 2**63 - 1, 0.5, 1e308, float("inf"), b"", b"\0", b"\x08abc",
    b"\xff\xfe", "\ud7ff", "\x1b[2J\x07", "a\0b", "9" * 5000, "NaN", "-1", "1e9", "{}", "[]", "null",
    "<script>alert(1)</script>",
    "../../../etc/passwd", "/dev/zero", "king_lui", "champion", "bot", "object", HASH, "x" * 3_000_000,
    b"\x04" * 3_000_000,
    BOMB, bytes([1]) + zlib.compress(bytes(120)), bytes([4]) + zlib.compress(b"\xff\xff\xff\x7f\0\0\0\x80" * 15),
)  # fmt: skip
SETTINGS: tuple[tuple[str, str], ...] = (
    ("game", IMPORTED), ("game", "os.system"), ("game", "zum_kuhkuck"), ("game", "king_lui_v0"),
    ("game", "../king_lui"),
    ("version", "9"), ("version", "-1"), ("version", "9" * 400), ("players", "0"), ("players", "2"), ("players", "3"),
    ("players", "1000000000"), ("options", "[" * 100_000), ("options", '{"a":' * 50_000),
    ("options", '{"players": 1e400}'),
    ("options", '{"score_table": {"a": 1}}'), ("options", '{"score_table": "0123456789abcdef"}'),
    ("options", '{"reward": NaN}'),
    ("options", '{"illegal_action": "lose"}'), ("options", json.dumps({"x" * 50_000: 1})),
    ("options", '{"reward": []}'),
    ("seed", "-1"), ("seed", str(2**64)), ("seed", "0x10"), ("seed", "1_0"), ("seed", "\u0664"), ("chunk_deals", "0"),
    ("chunk_deals", "1"), ("chunk_deals", "99999999"), ("chunk_deals", "NaN"), ("format", "card_envs tournament 2"),
    ("rules", "x"), ("card_envs", "<img src=x onerror=alert(1)>"), ("python", "x" * 70_000), ("more", "1"),
)  # fmt: skip
AGENTS: tuple[tuple[str, Any], ...] = (
    ("source", "{folder}/pipe.safetensors"), ("source", "/dev/zero"), ("source", "../../x.safetensors"),
    ("source", IMPORTED),
    ("source", "os:system"), ("source", "champion(temperature=1e999)"), ("source", "x" * 9000),
    ("source", "bot(" * 1000),
    ("source", "object"), ("source", "random"), ("source", "a=b"), ("name", "<script>alert(1)</script>"),
    ("name", "\u202eevil"),
    ("name", "\x1b]0;x\x07"), ("name", " "), ("name", "=cmd|' /C calc'!A0"), ("options", '{"greedy": 1}'),
    ("options", "[" * 9000),
    ("options", '{"temperature": NaN}'), ("options", '{"x": 1}'), ("checkpoint", HASH), ("checkpoint", ""),
    ("copy", 2), ("copy", 0),
    ("content_hash", HASH), ("content_hash", "<b>"), ("number", 7), ("number", -1),
)  # fmt: skip
STAGES = ((1, 1), (2, 2**31), (2, 10**18), (300, 10), (0, 10), (2, 0), (2, -5), (3, 2**31), (2, 10**5), (1, 2**63 - 1))
SCHEMA = (
    "DROP TABLE {table} && CREATE VIEW {table} AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    "SELECT {columns} FROM n",
    "ALTER TABLE {table} RENAME TO other && CREATE VIEW {table} AS SELECT * FROM other",
    "CREATE TRIGGER t AFTER INSERT ON chunks BEGIN DELETE FROM chunks; END",
    "CREATE TRIGGER t BEFORE UPDATE ON seal BEGIN SELECT load_extension('x'); END",
    "CREATE TABLE more (a)", "CREATE INDEX more ON {table} ({column})", "ANALYZE",
    "ALTER TABLE {table} ADD COLUMN more",
    "ALTER TABLE {table} ADD COLUMN more GENERATED ALWAYS AS (zeroblob(1000000000)) VIRTUAL",
    "DROP TABLE {table}", "ALTER TABLE {table} RENAME TO other", "CREATE VIRTUAL TABLE more USING fts5(a)",
    "PRAGMA encoding = 'UTF-16' && VACUUM", "PRAGMA page_size = 512 && VACUUM", "PRAGMA page_size = 65536 && VACUUM",
    "PRAGMA journal_mode = WAL", "PRAGMA auto_vacuum = FULL && VACUUM", "PRAGMA user_version = -1",
)  # fmt: skip


def any_value(rng: random.Random, folder: Path, sign: bool) -> None:
    table = rng.choice(list(COLUMNS))
    column, value = rng.choice(COLUMNS[table]), rng.choice(VALUES)
    change(folder, (f"UPDATE OR IGNORE {table} SET {column} = ?{_where(rng, table)}", (value,)), sign=sign)


def no_text(rng: random.Random, folder: Path, sign: bool) -> None:
    """Bytes that no text has, as a text."""
    table = rng.choice(list(COLUMNS))
    statement = (
        f"UPDATE OR IGNORE {table} SET {rng.choice(COLUMNS[table])} = CAST(x'C3FF80' AS TEXT){_where(rng, table)}"
    )
    change(folder, statement, sign=sign)


def _where(rng: random.Random, table: str) -> str:
    return rng.choice(("", f" WHERE rowid = (SELECT max(rowid) FROM {table})", " WHERE rowid = 1"))


def setting(rng: random.Random, folder: Path, sign: bool) -> None:
    name, value = rng.choice(SETTINGS)
    change(folder, ("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value)), sign=sign)


def agent(rng: random.Random, folder: Path, sign: bool) -> None:
    column, value = rng.choice(AGENTS)
    if isinstance(value, str) and "{folder}" in value:
        os.mkfifo(folder / "pipe.safetensors")
        value = value.format(folder=folder)
    number = rng.randrange(2)
    change(folder, (f"UPDATE OR IGNORE agents SET {column} = ? WHERE number = ?", (value, number)), sign=sign)


def many_agents(rng: random.Random, folder: Path, sign: bool) -> None:
    rows = [
        (number, f"a{number}", f"{number:064x}", "bot", 1, "", "{}") for number in range(100, rng.choice((300, 20_000)))
    ]
    change(folder, *(("INSERT INTO agents VALUES (?, ?, ?, ?, ?, ?, ?)", row) for row in rows), sign=sign)


def stages(rng: random.Random, folder: Path, sign: bool) -> None:
    number = rng.choice((0, 0, 1, 5000))
    if not number:
        change(folder, ("UPDATE stages SET agents = ?, games = ?", rng.choice(STAGES)), sign=sign)
        return
    more = [("INSERT INTO stages (agents, games) VALUES (?, ?)", rng.choice(STAGES)) for _ in range(number)]
    change(folder, *more, sign=sign)


def many_line_ups(rng: random.Random, folder: Path, sign: bool) -> None:
    """As many agents as there can be, who meet by lot, again and again: a schedule that takes long."""
    rows = [(number, f"a{number}", f"{number:064x}", "bot", 1, "", "{}") for number in range(300)]
    change(
        folder, "DELETE FROM agents", "DELETE FROM stages",
        *(("INSERT INTO agents VALUES (?, ?, ?, ?, ?, ?, ?)", row) for row in rows),
        *(("INSERT INTO stages VALUES (?, 300, ?)", (one, 100_000 * one)) for one in range(1, rng.choice((2, 50)))),
        sign=sign,
    )  # fmt: skip


def rows(rng: random.Random, folder: Path, sign: bool) -> None:
    table = rng.choice(list(COLUMNS))
    first = f"(SELECT min(rowid) FROM {table})"
    statement = rng.choice(
        (f"DELETE FROM {table}", f"DELETE FROM {table} WHERE rowid = {first}",
         f"DELETE FROM {table} WHERE rowid > {first}",
         f"UPDATE OR IGNORE {table} SET rowid = rowid + {rng.choice((1, 1000, 2**40))} WHERE rowid = {first}",
         f"UPDATE OR IGNORE {table} SET rowid = -rowid - 1")
    )  # fmt: skip
    change(folder, statement, sign=sign)


def swapped(rng: random.Random, folder: Path, sign: bool) -> None:
    """The results of one chunk in the place of another's, or one array in the place of another."""
    one, other = rng.sample(COLUMNS["chunks"][4:], 2)
    statement = rng.choice(
        (f"UPDATE chunks SET {one} = {other}", f"UPDATE chunks SET {one} = (SELECT {one} FROM chunks WHERE number = 0)",
         f"INSERT OR IGNORE INTO chunks SELECT number + 100000, {', '.join(COLUMNS['chunks'][1:])} FROM chunks")
    )  # fmt: skip
    change(folder, statement, sign=sign)


def results(rng: random.Random, folder: Path, sign: bool) -> None:
    """As many numbers as there must be, but not such as games have."""
    column = rng.choice(COLUMNS["chunks"][4:])
    with closing(sqlite3.connect(folder / FILE)) as base:
        (packed,) = base.execute(f"SELECT {column} FROM chunks LIMIT 1").fetchone()
    count = len(zlib.decompress(packed[1:])) // packed[0]
    numbers = [rng.choice((0, 1, 2, -1, 99, 2**31, -(2**31), 2**62, rng.randrange(2**40))) for _ in range(count)]
    if rng.random() < 0.3:
        numbers = [numbers[0]] * count
    blob = bytes([8]) + zlib.compress(b"".join(number.to_bytes(8, "little", signed=True) for number in numbers))
    change(
        folder, (f"UPDATE chunks SET {column} = ? WHERE number = (SELECT min(number) FROM chunks)", (blob,)), sign=sign
    )


def schema(rng: random.Random, folder: Path, sign: bool) -> None:
    table = rng.choice(list(COLUMNS))
    script = rng.choice(SCHEMA).format(
        table=table, column=rng.choice(COLUMNS[table]), columns=", ".join(f"x AS {name}" for name in COLUMNS[table])
    )
    change(folder, *script.split(" && "), sign=False)


def beside(rng: random.Random, folder: Path, sign: bool) -> None:
    """Files that SQLite or we would open together with the tournament's own."""
    path = folder / rng.choice((f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal", LOCK))
    path.unlink(missing_ok=True)
    kind = rng.choice(("pipe", "folder", "loop", "garbage", "empty", "other", "link"))
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind in ("loop", "link"):
        path.symlink_to(path if kind == "loop" else folder / "precious.txt")
    else:
        path.write_bytes({"garbage": rng.randbytes(9000), "empty": b"", "other": (folder / FILE).read_bytes()}[kind])


def instead(rng: random.Random, folder: Path, sign: bool) -> None:
    """Something else where the file should be."""
    path = folder / FILE
    moved = path.rename(folder / "moved")
    kind = rng.choice(("pipe", "folder", "loop", "nothing", "device", "link"))
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind != "nothing":
        path.symlink_to({"loop": path, "device": Path("/dev/zero"), "link": moved}[kind])


EDITS: tuple[Callable[[random.Random, Path, bool], None], ...] = (
    any_value, any_value, any_value, any_value, no_text, setting, setting, setting, agent, agent, agent, many_agents,
    stages,
    stages, rows, rows, swapped, results, results, schema, schema, schema, beside, instead,
)  # fmt: skip
SLOW_EDITS = (many_line_ups,)
