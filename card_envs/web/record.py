"""What is kept of a game: seed, who sits where, all actions. In SQLite, so that a restart loses nothing."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from card_envs.errors import OptionError
from card_envs.web.errors import ConflictError, NotFoundError, UnavailableError

VERSION = 1  # of the file
COLUMNS = ("id", "game", "seed", "seats", "watchers", "moves", "actions", "changed")
OWN = {("table", "games"), ("index", "sqlite_autoindex_games_1")}  # all that is in such a file; no trigger, no view
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
    taken_back: int = 0  # moves that this person has taken back, in a game against agents

    @property
    def human(self) -> bool:
        """Is it a person's?"""
        return self.agent is None


@dataclass
class Record:
    """A game as it is kept. `watcher` is the hash of the key of those who watch: see spectator.py."""

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

    def __init__(self, path: Path | None, *, days_kept: float, patience: float = 2.0) -> None:
        self.path = path
        self._lock = threading.Lock()
        if path is not None:
            _check_place(path)
        try:
            self._base = sqlite3.connect(
                path or ":memory:", timeout=patience, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise _refusal(path, error) from None
        try:
            self._open(days_kept)
        except (sqlite3.Error, OptionError) as error:
            self._base.close()
            raise (error if isinstance(error, OptionError) else _refusal(path, error)) from None

    def _open(self, days_kept: float) -> None:
        """See whose file it is before anything in it is changed. Games without a move for so many days are removed."""
        version = int(self._base.execute("PRAGMA user_version").fetchone()[0])
        if version > VERSION:
            raise OptionError(
                f"the games in {self.path} were kept by a newer version of card_envs; use that one, or name another "
                f"file with --state"
            )
        found = set(self._base.execute("SELECT type, name FROM sqlite_master"))
        columns = tuple(row[1] for row in self._base.execute("PRAGMA table_xinfo(games)"))  # also those that are hidden
        if found and (found != OWN or columns != COLUMNS):
            raise OptionError(
                f"{self.path} is a database of something else, and stays as it is; name another file with --state"
            )
        self._base.execute("PRAGMA journal_mode = WAL")
        self._base.execute("PRAGMA synchronous = NORMAL")
        self._base.execute("BEGIN IMMEDIATE")  # refused now, if nothing can be written
        self._base.execute(_SCHEMA)
        self._base.execute(f"PRAGMA user_version = {VERSION}")
        self._base.execute("DELETE FROM games WHERE changed < ?", (time.time() - days_kept * 86400,))
        self._base.execute("COMMIT")
        self._base.execute("PRAGMA busy_timeout = 10000")

    @contextlib.contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._base
            except sqlite3.Error as error:
                raise UnavailableError(
                    f"the server's file of games cannot be used ({error}); try again later"
                ) from None

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._base.close()

    def count(self) -> int:
        """How many games are kept."""
        with self._using() as base:
            return int(base.execute("SELECT COUNT(*) FROM games").fetchone()[0])

    def add(self, record: Record) -> None:
        """Keep a new game."""
        with self._using() as base:
            base.execute(
                "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (record.id, record.game, record.seed, _pack(record.seats), record.watcher, len(record.actions),
                 json.dumps(record.actions), time.time()),
            )  # fmt: skip

    def get(self, id_: str) -> Record:
        """A game by its id."""
        with self._using() as base:
            row = base.execute(
                "SELECT id, game, seed, seats, watchers, actions FROM games WHERE id = ?", (id_,)
            ).fetchone()
        if row is None:
            raise NotFoundError("there is no such game here; it may have been removed after a long time")
        try:
            seats = [Seat(**seat) for seat in json.loads(row[3])]
            return Record(row[0], row[1], row[2], seats, row[4], json.loads(row[5]))
        except (ValueError, TypeError):
            raise UnavailableError("what was kept of this game is damaged, so it cannot go on") from None

    def add_moves(self, record: Record, before: int) -> None:
        """Keep the moves since `before`, unless another server has gone on from there or has taken moves back."""
        with self._using() as base:
            done = base.execute(
                "UPDATE games SET actions = ?, moves = ?, changed = ? WHERE id = ? AND actions = ?",
                (json.dumps(record.actions), len(record.actions), time.time(), record.id,
                 json.dumps(record.actions[:before])),
            )  # fmt: skip
        if done.rowcount != 1:
            raise ConflictError("the game has gone on elsewhere; load the page again")

    def take_back(self, record: Record, number: int, moves: int) -> None:
        """Keep only so many moves, and that somebody took some back, unless the game has gone on meanwhile."""
        seats = list(record.seats)
        seats[number] = replace(seats[number], taken_back=seats[number].taken_back + 1)
        with self._using() as base:
            done = base.execute(
                "UPDATE games SET actions = ?, moves = ?, seats = ?, changed = ? WHERE id = ? AND actions = ?",
                (json.dumps(record.actions[:moves]), moves, _pack(seats), time.time(), record.id,
                 json.dumps(record.actions)),
            )  # fmt: skip
        if done.rowcount != 1:
            raise ConflictError("the game has gone on elsewhere; load the page again")

    def has(self, id_: str) -> bool:
        """Is there such a game?"""
        with self._using() as base:
            return base.execute("SELECT 1 FROM games WHERE id = ?", (id_,)).fetchone() is not None

    def claim(self, record: Record, number: int, key: str, name: str = "") -> Record:
        """Give an open seat to whoever comes first, in one step. The invitation is void from then on."""
        seats = list(record.seats)
        seats[number] = Seat(name=name, key=key)
        with self._using() as base:
            done = base.execute(
                "UPDATE games SET seats = ?, changed = ? WHERE id = ? AND seats = ?",
                (_pack(seats), time.time(), record.id, _pack(record.seats)),
            )
        if done.rowcount != 1:
            raise ConflictError("somebody else has just sat down; try again")
        record.seats = seats
        return record


def _pack(seats: list[Seat]) -> str:
    return json.dumps([asdict(seat) for seat in seats])


def _check_place(path: Path) -> None:
    """A file that others cannot read, in a folder that is there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
    except FileExistsError as error:
        raise OptionError(
            f"cannot keep games in {path}, for {error.filename} is no folder; name a file with --state"
        ) from None
    except OSError as error:
        raise OptionError(f"cannot keep games in {path} ({error.strerror}); name another file with --state") from None
    if not path.is_file():
        raise OptionError(f"cannot keep games in {path}, which is no file; name a file with --state")


def _refusal(path: Path | None, error: sqlite3.Error) -> OptionError:
    if "locked" in str(error):
        return OptionError(
            f"cannot keep games in {path}: another program has locked it; wait for it, or name another file with "
            f"--state"
        )
    return OptionError(f"cannot keep games in {path} ({error}); name another file with --state")
