"""What is kept of a game: seed, who sits where, all actions. In SQLite, so that a restart loses nothing."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from card_envs.errors import OptionError
from card_envs.web.errors import ConflictError, NotFoundError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY, game TEXT NOT NULL, seed INTEGER NOT NULL, seats TEXT NOT NULL, watchers TEXT NOT NULL,
    moves INTEGER NOT NULL, actions TEXT NOT NULL, changed REAL NOT NULL
)
"""


@dataclass(frozen=True)
class Seat:
    """Who sits on a seat: an agent, or whoever has the key. An open seat waits for somebody with its invitation."""

    agent: str | None = None
    name: str = ""
    key: str = ""  # hashes, so that the file gives nobody a seat
    invitation: str = ""

    @property
    def human(self) -> bool:
        """Is it a person's?"""
        return self.agent is None


@dataclass
class Record:
    """A game as it is kept. `watcher` is the hash of the key of whoever watches a game of agents."""

    id: str
    game: str
    seed: int
    seats: list[Seat]
    watcher: str = ""
    actions: list[int] = field(default_factory=list)


def hashed(key: str) -> str:
    """Keys are random and long, so a plain hash is enough."""
    return hashlib.sha256(key.encode()).hexdigest()


class Records:
    """The file of all games. One connection, one user at a time."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(mode=0o600)
            self._base = sqlite3.connect(path or ":memory:", timeout=10, isolation_level=None, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.execute(_SCHEMA)
            self._base.execute("SELECT id, watchers FROM games LIMIT 1")
        except (OSError, sqlite3.Error) as error:
            raise OptionError(f"cannot keep games in {path}: {error}; name another file with --state") from None

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._base.close()

    def count(self) -> int:
        """How many games are kept."""
        with self._lock:
            return int(self._base.execute("SELECT COUNT(*) FROM games").fetchone()[0])

    def forget_older_than(self, days: float) -> None:
        """Remove games in which nothing has happened for so long."""
        with self._lock:
            self._base.execute("DELETE FROM games WHERE changed < ?", (time.time() - days * 86400,))

    def add(self, record: Record) -> None:
        """Keep a new game."""
        with self._lock:
            self._base.execute(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (record.id, record.game, record.seed, _pack(record.seats), record.watcher, len(record.actions),
                 json.dumps(record.actions), time.time()),
            )  # fmt: skip

    def get(self, id_: str) -> Record:
        """A game by its id."""
        with self._lock:
            row = self._base.execute(
                "SELECT id, game, seed, seats, watchers, actions FROM games WHERE id = ?", (id_,)
            ).fetchone()
        if row is None:
            raise NotFoundError("there is no such game here; it may have been removed after a long time")
        seats = [Seat(**seat) for seat in json.loads(row[3])]
        return Record(row[0], row[1], row[2], seats, row[4], json.loads(row[5]))

    def add_moves(self, record: Record, before: int) -> None:
        """Keep the moves since `before`, unless another server has gone on with the same game."""
        with self._lock:
            done = self._base.execute(
                "UPDATE games SET actions = ?, moves = ?, changed = ? WHERE id = ? AND moves = ?",
                (json.dumps(record.actions), len(record.actions), time.time(), record.id, before),
            )
        if done.rowcount != 1:
            raise ConflictError("the game has gone on elsewhere; load the page again")

    def claim(self, record: Record, number: int, key: str) -> Record:
        """Give an open seat to whoever comes first, in one step. The invitation is void from then on."""
        seats = list(record.seats)
        seats[number] = Seat(name=seats[number].name, key=key)
        with self._lock:
            done = self._base.execute(
                "UPDATE games SET seats = ?, changed = ? WHERE id = ? AND seats = ?",
                (_pack(seats), time.time(), record.id, _pack(record.seats)),
            )
        if done.rowcount != 1:
            raise ConflictError("somebody else has just sat down; try again")
        record.seats = seats
        return record


def _pack(seats: list[Seat]) -> str:
    return json.dumps([asdict(seat) for seat in seats])
