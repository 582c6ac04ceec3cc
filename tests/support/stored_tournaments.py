"""Files of tournaments as somebody has changed them, with checksums that fit again, as whoever means it would."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from card_envs.arena.packing import ARRAYS, digest
from card_envs.arena.store import FILE


def change(folder: Path, *statements: str | tuple[str, tuple[Any, ...]], sign: bool = True) -> None:
    """Change a tournament's file by SQL, and sign it anew."""
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as base:
        base.execute("PRAGMA synchronous = OFF")
        for statement in statements:
            with suppress(sqlite3.IntegrityError):  # what SQLite would not write, it cannot be made to write like this
                base.execute(*((statement,) if isinstance(statement, str) else statement))
        if sign:
            sign_anew(base)


def sign_anew(base: sqlite3.Connection) -> None:
    """Make all checksums those of what is there, as far as that can be."""
    base.text_factory = lambda data: data.decode(errors="replace")
    together = 0
    for number, first_game, games, *blobs in base.execute(
        f"SELECT number, first_game, games, {', '.join(ARRAYS)} FROM chunks"
    ).fetchall():
        if all(isinstance(blob, bytes) for blob in blobs) and not any(
            isinstance(one, bytes) for one in (first_game, games)
        ):
            own = digest((number, first_game, games), blobs)
            base.execute("UPDATE chunks SET digest = ? WHERE number = ?", (own, number))
            together ^= int(own, 16)
    chunks = base.execute("SELECT count(*) FROM chunks").fetchone()[0]
    base.execute("UPDATE seal SET chunks = ?, results = ?", (chunks, f"{together:064x}"))
    base.execute("UPDATE seal SET contents = ?", (_contents(base),))


def _contents(base: sqlite3.Connection) -> str:
    settings = base.execute("SELECT name, value FROM settings ORDER BY name").fetchall()
    agents = base.execute("SELECT * FROM agents ORDER BY number").fetchall()
    stages = base.execute("SELECT agents, games FROM stages ORDER BY number").fetchall()
    return hashlib.sha256(json.dumps([settings, agents, stages], default=str).encode()).hexdigest()


def dump(folder: Path) -> dict[str, list[Any]]:
    """All rows of all tables."""
    with closing(sqlite3.connect(folder / FILE)) as base:
        tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {name: base.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in tables}


def hot_journal(path: Path, remove: Path | None = None) -> None:
    """Leave beside a database what a process leaves that was killed while it wrote, and that SQLite undoes.

    With `remove` it says that another file belongs to it, which SQLite removes then.
    """
    data, magic, nonce = path.read_bytes(), bytes.fromhex("d9d505f920a163d7"), 7
    page = int.from_bytes(data[16:18], "big")
    first = data[:page]
    check = (nonce + sum(first[place] for place in range(page - 200, 0, -200))) % 2**32
    numbers = (number.to_bytes(4, "big") for number in (1, nonce, len(data) // page, 512, page))
    journal = (magic + b"".join(numbers)).ljust(512, b"\0") + (1).to_bytes(4, "big") + first + check.to_bytes(4, "big")
    if remove is not None:
        name = str(remove).encode()
        journal += (2**30 // page + 1).to_bytes(4, "big") + name + len(name).to_bytes(4, "big")
        journal += sum(name).to_bytes(4, "big") + magic
    path.with_name(f"{path.name}-journal").write_bytes(journal)
