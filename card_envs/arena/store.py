"""Where a tournament is kept: one SQLite file, to which each finished chunk is added in one transaction."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple, fields
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import card_envs
from card_envs.agents.checkpoint import Checkpoint
from card_envs.arena.entrants import Entrant
from card_envs.arena.kept import TABLE, keep, read_kept
from card_envs.arena.play import ChunkResults, Setting
from card_envs.arena.schedule import Chunk, Schedule, Stage
from card_envs.core.game import Game
from card_envs.errors import CheckpointError, TournamentError, UnknownGameError
from card_envs.games import get_game

FILE = "tournament.sqlite"
LOCK = "playing.lock"
FORMAT = "card_envs tournament 2"
_SCHEMA = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE agents (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, content_hash TEXT NOT NULL, source TEXT NOT NULL,
    copy INTEGER NOT NULL, checkpoint TEXT NOT NULL, options TEXT NOT NULL
);
CREATE TABLE stages (number INTEGER PRIMARY KEY, agents INTEGER NOT NULL, games INTEGER NOT NULL);
CREATE TABLE chunks (
    number INTEGER PRIMARY KEY, first_game INTEGER NOT NULL, games INTEGER NOT NULL, seeds BLOB NOT NULL,
    seats BLOB NOT NULL, points BLOB NOT NULL, ranks BLOB NOT NULL, score_sheets BLOB NOT NULL, sizes BLOB NOT NULL
);
"""
_ENTRANT = tuple(column.name for column in fields(Entrant))
_ARRAYS = ("seeds", "seats", "points", "ranks", "score_sheets", "sizes")


class Store:
    """A tournament's file. With None instead of a folder it lives in memory only."""

    def __init__(self, folder: str | PathLike[str] | None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.path = None if self.folder is None else self.folder / FILE
        if self.folder is not None:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise TournamentError(f"cannot make the folder {self.folder}: {error.strerror}") from None
        # Where nothing can be written, what is there can still be read: without the files that SQLite puts beside it.
        self.read_only = self.path is not None and self.path.is_file() and not os.access(self.path.parent, os.W_OK)
        place = f"{self.path.resolve().as_uri()}?immutable=1" if self.path and self.read_only else self.path
        try:
            self._base = sqlite3.connect(
                place or ":memory:", timeout=30, isolation_level=None, check_same_thread=False, uri=self.read_only
            )
        except sqlite3.Error as error:
            raise TournamentError(f"cannot open {self.path} as a tournament: {error}") from None
        try:
            if not self.read_only:
                self._base.execute("PRAGMA journal_mode = WAL")
                self._base.execute("PRAGMA synchronous = NORMAL")  # in WAL mode whole at any moment
        except sqlite3.Error as error:
            self._base.close()
            raise TournamentError(f"cannot open {self.path} as a tournament: {error}") from None

    @classmethod
    def open(cls, folder: str | PathLike[str]) -> Store:
        """The file of a tournament that was begun in this folder."""
        path = Path(folder) / FILE
        if not path.is_file():
            raise TournamentError(
                f"there is no tournament in {folder} (it would have a file {FILE}); "
                f"start one with: card-envs tournament GAME --agents ... --out {folder}"
            )
        store = cls(folder)
        try:
            if store.begun and store.setting_value("format") != FORMAT:
                raise TournamentError(
                    f"{path} is of the format {store.setting_value('format')!r}, and this version reads {FORMAT!r}; "
                    f"play it anew, or read it with the version of card_envs that wrote it"
                )
            if not store.begun:
                raise TournamentError(f"{path} holds no tournament; remove it and start anew")
        except sqlite3.DatabaseError as error:
            raise TournamentError(f"{path} cannot be read: {error}") from None
        except TournamentError:
            store.close()
            raise
        return store

    @property
    def begun(self) -> bool:
        """Whether there is a tournament in the file."""
        found = self._base.execute("SELECT name FROM sqlite_master WHERE name = 'settings'").fetchone()
        return found is not None

    def close(self) -> None:
        """Write everything into the one file and let go of it."""
        self._base.close()

    def __del__(self) -> None:
        if "_base" in self.__dict__:  # a standings in one line leaves its tournament to the garbage collector
            self._base.close()

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Only one at a time plays a tournament. The lock ends with the process, however it ends."""
        if self.folder is None:
            yield
            return
        if self.read_only:
            raise TournamentError(f"nothing can be written to {self.folder}, so its tournament cannot go on there")
        lock = sqlite3.connect(self.folder / LOCK, timeout=0, isolation_level=None)
        try:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                raise TournamentError(
                    f"the tournament in {self.folder} is being played by another process; wait for it, or stop it"
                ) from None
            yield
        finally:
            lock.close()

    def begin(
        self,
        setting: Setting,
        chunk_deals: int | None,
        entrants: list[Entrant],
        checkpoints: Mapping[str, Checkpoint],
        stage: Stage,
    ) -> None:
        """Write down what all games have in common, who takes part and how far it is to go: all or nothing."""
        if self.begun:
            raise TournamentError(
                f"there is a tournament in {self.folder} already; continue it with --resume {self.folder}, "
                f"or choose another folder"
            )
        values = {
            "format": FORMAT,
            "game": setting.rules.name,
            "version": setting.rules.version,
            "players": setting.players,
            "options": json.dumps(setting.options),
            "seed": setting.seed,
            "chunk_deals": json.dumps(chunk_deals),
            "rules": game_version(setting.rules),
            "card_envs": card_envs.__version__,
            "numpy": np.__version__,
            "python": ".".join(map(str, sys.version_info[:3])),
        }
        with self._transaction():
            for statement in [*filter(str.strip, _SCHEMA.split(";")), TABLE]:
                self._base.execute(statement)
            self._base.executemany(
                "INSERT INTO settings VALUES (?, ?)", [(name, str(value)) for name, value in values.items()]
            )
            self._insert_stage(setting.rules, entrants, checkpoints, stage)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._base.execute("COMMIT")
        except BaseException as error:
            with suppress(sqlite3.Error):
                self._base.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise TournamentError(f"cannot write to {self.path}: {error}; what was kept before is safe") from None
            raise

    def setting_value(self, name: str) -> str:
        """One of the settings, as it was written down."""
        found = self._base.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return "" if found is None else str(found[0])

    def settings(self) -> dict[str, str]:
        """All settings and versions."""
        return dict(self._base.execute("SELECT name, value FROM settings"))

    @property
    def setting(self) -> Setting:
        """What all games have in common."""
        value = self.setting_value
        # Looked up among registered games only: nothing is imported because a file says so.
        try:
            rules = get_game(value("game"), int(value("version")))
        except UnknownGameError as error:
            raise TournamentError(f"the tournament in {self.folder} cannot be used here: {error}") from None
        return Setting(rules, int(value("players")), json.loads(value("options")), int(value("seed")))

    def check_version(self) -> None:
        """Refuse to play on with other rules than those that were played before."""
        was, now = self.setting_value("rules"), game_version(self.setting.rules)
        if was != now:
            raise TournamentError(
                f"the tournament in {self.folder} was played with {was}, and this is {now}: results of the two cannot "
                f"be put together; start another tournament"
            )

    @property
    def entrants(self) -> list[Entrant]:
        """Who takes part, by number."""
        rows = self._base.execute(f"SELECT {', '.join(_ENTRANT)} FROM agents ORDER BY number")
        return [Entrant(*row) for row in rows]

    def checkpoint(self, entrant: Entrant) -> Checkpoint:
        """What was kept of a trained player when it came in, whatever has become of its file."""
        setting = self.setting
        try:
            return read_kept(self._base, setting.rules, setting.players, entrant.checkpoint)
        except CheckpointError as error:
            raise TournamentError(
                f"{entrant.name} cannot play any more: what {self.path} keeps of it is damaged: {error}"
            ) from None

    def schedule(self) -> Schedule:
        """All chunks of the tournament, played or not."""
        chunk_deals = json.loads(self.setting_value("chunk_deals"))
        schedule = Schedule(int(self.setting_value("seed")), int(self.setting_value("players")), chunk_deals)
        for agents, games in self._base.execute("SELECT agents, games FROM stages ORDER BY number"):
            schedule.grow(Stage(agents, games))
        return schedule

    def add_stage(self, entrants: list[Entrant], checkpoints: Mapping[str, Checkpoint], stage: Stage) -> None:
        """Write down who came in, and how far the tournament is to go from now on."""
        rules = self.setting.rules
        with self._transaction():
            self._insert_stage(rules, entrants, checkpoints, stage)

    def _insert_stage(
        self, rules: Game, entrants: list[Entrant], checkpoints: Mapping[str, Checkpoint], stage: Stage
    ) -> None:
        marks = ", ".join("?" * len(_ENTRANT))
        self._base.executemany(f"INSERT INTO agents VALUES ({marks})", [astuple(one) for one in entrants])
        self._base.execute("INSERT INTO stages (agents, games) VALUES (?, ?)", stage)
        if self.path is not None:  # in memory nobody comes back for them
            keep(self._base, rules, [checkpoints[one.checkpoint] for one in entrants if one.checkpoint])

    def add_chunk(self, chunk: Chunk, games: ChunkResults) -> bool:
        """Keep a finished chunk; False if it was there already, for a chunk counts once."""
        blobs = [_pack(getattr(games, name)) for name in _ARRAYS]
        marks = ", ".join("?" * (3 + len(blobs)))
        with self._transaction():
            done = self._base.execute(
                f"INSERT OR IGNORE INTO chunks VALUES ({marks})", (chunk.number, chunk.first_game, chunk.games, *blobs)
            )
        return done.rowcount == 1

    def played(self) -> dict[int, int]:
        """The chunks that are there, with their numbers of games."""
        return dict(self._base.execute("SELECT number, games FROM chunks ORDER BY number"))

    def chunks(self) -> Iterator[tuple[int, ChunkResults]]:
        """Every chunk that is there, by number: one at a time, so that memory stays flat however many there are."""
        for number in self.played():
            yield number, self.games(number)

    def games(self, number: int) -> ChunkResults:
        """The games of one chunk."""
        row = self._base.execute(f"SELECT {', '.join(_ARRAYS)} FROM chunks WHERE number = ?", (number,)).fetchone()
        arrays: dict[str, Any] = dict(zip(_ARRAYS, map(_unpack, row), strict=True))
        rows = len(arrays["seeds"])
        for name in ("seats", "points", "ranks"):
            arrays[name] = arrays[name].reshape(rows, -1)
        arrays["score_sheets"] = arrays["score_sheets"].reshape(*arrays["seats"].shape, -1)
        return ChunkResults(**arrays)

    def find_game(self, number: int) -> tuple[int, int]:
        """The chunk of a game, and the game's place in it."""
        row = self._base.execute(
            "SELECT number, ? - first_game FROM chunks WHERE first_game <= ? AND ? < first_game + games", (number,) * 3
        ).fetchone()
        if row is None:
            total = self.schedule().games
            known = f"its games are 0 to {total - 1}"
            why = f"has not been played yet; {known}" if 0 <= number < total else f"does not exist; {known}"
            raise TournamentError(f"game {number} of the tournament in {self.folder} {why}")
        return int(row[0]), int(row[1])


def game_version(game: Game) -> str:
    """The game's id and its observation: games of two versions are not the same game."""
    return f"{game.id} (layout {game.layout.hash})"


def _pack(array: NDArray[Any]) -> bytes:
    """The numbers in as few bytes as they need: one byte that tells their size, then compressed."""
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    size = next(size for size in (1, 2, 4, 8) if -(2 ** (8 * size - 1)) <= low and high < 2 ** (8 * size - 1))
    return bytes([size]) + zlib.compress(np.ascontiguousarray(array, f"<i{size}").tobytes(), 1)


def _unpack(blob: bytes) -> NDArray[np.int64]:
    return np.frombuffer(zlib.decompress(blob[1:]), f"<i{blob[0]}").astype(np.int64)
