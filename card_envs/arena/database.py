"""SQLite files that a disk may have damaged and strangers may have made: opened without trust, every fault in words.

Whoever reads changes nothing, in the file or beside it. The tables must be ours, to the letter: a view in the place of
a table could count for ever. Work and answers have bounds, or a file would decide how long SQLite goes on.
"""

from __future__ import annotations

import functools
import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from card_envs.arena.titles import printable
from card_envs.errors import DamagedError, TournamentError

PATIENCE = 3.0  # seconds for another program that has locked the file
LARGEST_FILE = 2**36
LONGEST_VALUE = 2**26
LONGEST_STATEMENT, MOST_COLUMNS = 4096, 16
STEPS_AT_A_TIME, MOST_STEPS = 10_000, 50_000_000  # of SQLite's machine for one question, which takes a second or two
_OTHER_FILES = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"  # how a journal ends that names another file to be removed
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master"
_SETTINGS = ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY")
_LIMITS = (
    (sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT),
    (sqlite3.SQLITE_LIMIT_COLUMN, MOST_COLUMNS),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
)


@contextmanager
def told(path: Path | None, *, writing: bool = False) -> Iterator[None]:
    """Say in one sentence what is wrong with a tournament's file, and what to do."""
    where = "this tournament" if path is None else str(path)
    try:
        yield
    except DamagedError as error:
        raise TournamentError(_damaged(where, str(error))) from None
    except sqlite3.Error as error:
        raise TournamentError(_sentence(where, error, writing)) from None
    except UnicodeDecodeError:  # the module could not even say what is wrong
        raise TournamentError(_damaged(where, "it has a name that is no text")) from None
    except OSError as error:
        raise TournamentError(f"{where} cannot be opened as a tournament: {error.strerror}") from None


def _damaged(where: str, why: str) -> str:
    return f"{where} cannot be read as a tournament: {why}; use a copy of it from before, or play the tournament anew"


def _sentence(where: str, error: sqlite3.Error, writing: bool) -> str:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    kind, why = code & 0xFF, printable(str(error))[:200]
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"{where} is locked by another program; wait for it or close it, and try again (nothing is lost)"
    if kind == sqlite3.SQLITE_READONLY and writing:
        return (
            f"{where} cannot be written, so its tournament cannot go on there; copy the folder to where you can write"
        )
    if kind == sqlite3.SQLITE_READONLY:
        return (
            f"{where} was interrupted while it was written; where it can be written, card-envs tournament --resume "
            f"mends it"
        )
    if kind == sqlite3.SQLITE_CANTOPEN:
        return (
            f"{where} cannot be opened ({why}): perhaps it was interrupted while it was played, and nothing can be "
            f"written beside it here; copy the whole folder to a place where you can write"
        )
    if kind == sqlite3.SQLITE_INTERRUPT:
        return _damaged(where, "it keeps its readers busy without end")
    if writing:
        return f"cannot write to {where}: {why}; what was kept before is safe, and --resume goes on from there"
    return _damaged(where, why)


class Database:
    """One connection. Answers come whole and bounded; errors come as they are, for `told`."""

    def __init__(self, place: str, tables: Sequence[str] = (), *, writes: bool) -> None:
        self._writes, self._steps = writes, 0
        self._base = sqlite3.connect(
            place, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=place.startswith("file:")
        )
        try:
            self._distrust()
            if tables:
                self._check_schema(tables)
                if writes:
                    self._look_through()
                    self._log_ahead()
                    with self.transaction():
                        pass  # whatever cannot be written is known before anything is played
        except BaseException:
            self._base.close()
            raise

    @classmethod
    def for_reading(cls, path: Path, tables: Sequence[str]) -> Database:
        """A file that consists of these tables, as it is now."""
        real = _whole_file(path)
        address = f"{real.as_uri()}?mode=ro"
        try:
            return cls(address, tables, writes=False)
        except sqlite3.OperationalError as error:
            kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if kind not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or _unfinished(real):
                raise
        # A file that was left in WAL mode, where nothing can be written, with nothing of it in files beside it.
        return cls(f"{address}&immutable=1", tables, writes=False)

    @classmethod
    def for_writing(cls, path: Path, tables: Sequence[str]) -> Database:
        """A file that consists of these tables, to which something is to be added."""
        real = _whole_file(path)
        _refuse_to_remove_others(real.with_name(f"{real.name}-journal"))
        return cls(f"{real.as_uri()}?mode=rw", tables, writes=True)

    @classmethod
    def new(cls, path: Path | None) -> Database:
        """A new file, or one in memory."""
        return cls(f"{path.absolute().as_uri()}?mode=rwc" if path else ":memory:", writes=True)

    def _distrust(self) -> None:
        for limit, value in _LIMITS:
            self._base.setlimit(limit, value)
        configure = getattr(self._base, "setconfig", None)
        if configure is not None:  # since Python 3.12
            configure(getattr(sqlite3, "SQLITE_DBCONFIG_DEFENSIVE"), True)  # noqa: B009  # mypy reads as 3.11
        self._base.set_progress_handler(self._count, STEPS_AT_A_TIME)
        for setting in _SETTINGS if self._writes else (*_SETTINGS, "query_only = ON"):
            self._base.execute(f"PRAGMA {setting}")

    def _check_schema(self, tables: Sequence[str]) -> None:
        expected = _schema_of(tuple(tables))
        found = self.rows(_SCHEMA, most=len(expected) + 1)
        if not found:
            raise DamagedError("there is none in it")
        if set(found) != set(expected) or len(found) != len(expected):
            raise DamagedError("its tables are not those of a tournament in the format that this version reads")

    def _look_through(self) -> None:
        """Damage that no reader meets, such as pages that are free and in use, would spoil what is written."""
        self._base.set_progress_handler(None, 0)  # every page is looked at once, however many there are
        (found,) = self._base.execute("PRAGMA quick_check(1)").fetchone()
        self._base.set_progress_handler(self._count, STEPS_AT_A_TIME)
        if found != "ok":
            raise DamagedError(printable(str(found))[:200])

    def _log_ahead(self) -> None:
        """While games are added, others can read; a file system that cannot do that has them wait for each other."""
        with suppress(sqlite3.OperationalError):
            if self._base.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",):
                self._base.execute("PRAGMA synchronous = NORMAL")  # in WAL mode whole at any moment

    def _count(self) -> bool:
        self._steps += STEPS_AT_A_TIME
        return self._steps > MOST_STEPS

    def rows(
        self, statement: str, values: Sequence[Any] = (), *, most: int = 1, longest: int = LONGEST_VALUE
    ) -> list[tuple[Any, ...]]:
        """The answer to a question, which must not have more rows, nor longer values."""
        self._steps = 0
        self._base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        cursor = self._base.execute(f"{statement} LIMIT {most + 1}", values)
        try:
            found = cursor.fetchmany(most + 1)
        finally:
            cursor.close()
        if len(found) > most:
            raise DamagedError("it has more rows than a tournament can have")
        return found

    def change(self, statement: str, values: Sequence[Any] = ()) -> bool:
        """Do something inside a transaction; whether anything was changed by it."""
        self._steps = 0
        return self._base.execute(statement, values).rowcount == 1

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Several questions about one moment, whatever others write meanwhile."""
        self._base.execute("BEGIN")
        try:
            yield
        finally:
            self._base.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        self._base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2**31 - 1)  # SQLite lowers it to what it can
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._base.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._base.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Let go of the file. After writing it is one file again, to be read anywhere, unless somebody reads it now."""
        if self._writes:
            with suppress(sqlite3.Error):
                self._base.execute("PRAGMA busy_timeout = 0")
                self._base.execute("PRAGMA journal_mode = DELETE")
        self._base.close()


def _whole_file(path: Path) -> Path:
    """The path of a database behind all links, which is a file, as must be all that SQLite would open with it.

    It is not opened here: whoever closes a file lets go of all locks that the process has on it, SQLite's too.
    """
    real = Path(os.path.realpath(path))
    for suffix in ("", "-wal", "-shm", "-journal"):
        beside = real.with_name(real.name + suffix)
        try:
            found = beside.lstat()
        except FileNotFoundError:
            if not suffix:
                raise
            continue
        if not stat.S_ISREG(found.st_mode):
            raise DamagedError(f"{beside.name} is not a regular file")
        if found.st_size > LARGEST_FILE:
            raise DamagedError(
                f"{beside.name} has {found.st_size} bytes, and no tournament has more than {LARGEST_FILE}"
            )
    return real


def _unfinished(real: Path) -> bool:
    """Whether some of it, or what must be undone of it, is in a file beside it."""
    beside = (real.with_name(f"{real.name}{suffix}") for suffix in ("-wal", "-journal"))
    return any(path.exists() and path.stat().st_size for path in beside)


def _refuse_to_remove_others(journal: Path) -> None:
    """SQLite removes the file that such a journal names, wherever it is. No tournament leaves one."""
    with suppress(FileNotFoundError), journal.open("rb") as file:
        file.seek(max(0, journal.stat().st_size - len(_OTHER_FILES)))
        if file.read() == _OTHER_FILES:
            raise DamagedError(f"{journal.name} beside it belongs to something else")


@functools.cache
def _schema_of(tables: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """How SQLite writes down these tables, and the indices that come with them."""
    base = Database.new(None)
    for table in tables:
        base.change(table)
    schema = base.rows(_SCHEMA, most=4 * len(tables))
    base.close()
    return schema
