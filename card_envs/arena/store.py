"""Where a tournament is kept: one SQLite file, to which each finished chunk is added in one transaction.

Every chunk has a checksum, and the file has a seal over all that it says and all chunks that it has: a bit that has
changed, or a row that is gone, is noticed and never gives other standings.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple
from os import PathLike
from pathlib import Path

from card_envs.agents.checkpoint import Checkpoint
from card_envs.arena import contents, kept, seal
from card_envs.arena.contents import ENTRANT, FORMAT, Contents, first_settings, game_version, read_contents
from card_envs.arena.database import Database, told
from card_envs.arena.entrants import Entrant
from card_envs.arena.lock import locked
from card_envs.arena.packing import ARRAYS, digest, pack, unpack_results
from card_envs.arena.play import ChunkResults, Setting
from card_envs.arena.schedule import Chunk, Schedule, Stage
from card_envs.arena.seal import begin_seal, read_digests, read_seal, seal_chunk, seal_contents
from card_envs.errors import CheckpointError, DamagedError, TournamentError, UnknownGameError

FILE = "tournament.sqlite"
LOCK = "playing.lock"
TABLES = (
    *contents.TABLES,
    kept.TABLE,
    "CREATE TABLE chunks (number INTEGER PRIMARY KEY, first_game INTEGER NOT NULL, games INTEGER NOT NULL, "
    "digest TEXT NOT NULL, seeds BLOB NOT NULL, seats BLOB NOT NULL, points BLOB NOT NULL, ranks BLOB NOT NULL, "
    "score_sheets BLOB NOT NULL, sizes BLOB NOT NULL, forfeits BLOB NOT NULL)",
    seal.TABLE,
)


class Store:
    """A tournament that has begun: in a file, or without a folder in memory only."""

    def __init__(self, folder: str | PathLike[str] | None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.path = None if self.folder is None else self.folder / FILE
        self._reader: Database | None = None
        self._writer: Database | None = None

    @classmethod
    def open(cls, folder: str | PathLike[str]) -> Store:
        """The tournament that was begun in this folder, to be read. Nothing there is changed."""
        store = cls(folder)
        assert store.path is not None
        if not os.path.lexists(store.path):
            raise TournamentError(
                f"there is no tournament in {folder} (it would have a file {FILE}); "
                f"start one with: card-envs tournament GAME --agents ... --out {folder}"
            )
        try:
            store._take(store._read_contents())
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def mend(cls, folder: str | PathLike[str]) -> None:
        """Undo what a process that was killed left half-written, which only somebody who may write can do."""
        path = Path(folder) / FILE
        if path.with_name(f"{FILE}-journal").is_file() and path.is_file():
            with locked(path.with_name(LOCK), _taken(path.parent)), told(path, writing=True):
                Database.for_writing(path, TABLES).close()

    @classmethod
    def begin(
        cls,
        folder: str | PathLike[str] | None,
        setting: Setting,
        chunk_deals: int | None,
        entrants: list[Entrant],
        checkpoints: Mapping[str, Checkpoint],
        stage: Stage,
    ) -> Store:
        """Write down what all games have in common, who takes part and how far it is to go: all or nothing."""
        store = cls(folder)
        store._setting = setting
        store._contents = Contents(first_settings(setting, chunk_deals), entrants, [stage])
        store._schedule = Schedule.planned(setting.seed, setting.players, chunk_deals, [stage], setting.challenge)
        if store.path is None:
            store._writer = Database.new(None)
            store._write_begin(store._writer, checkpoints)
        else:
            store._begin_file(store.path, checkpoints)
        return store

    def _begin_file(self, path: Path, checkpoints: Mapping[str, Checkpoint]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TournamentError(f"cannot make the folder {path.parent}: {error.strerror}") from None
        with suppress(TournamentError):  # it is none, or somebody is just beginning it
            self.mend(path.parent)  # of one that was killed while it began nothing is left
        if os.path.lexists(path) and (not path.is_file() or path.stat().st_size):
            raise TournamentError(
                f"there is a tournament in {self.folder} already; continue it with --resume {self.folder}, "
                f"or choose another folder"
            )
        with told(path, writing=True):
            base = Database.new(path)
            try:
                self._write_begin(base, checkpoints)
            except BaseException:
                base.close()
                with suppress(OSError):
                    path.unlink()
                raise
            base.close()

    def _write_begin(self, base: Database, checkpoints: Mapping[str, Checkpoint]) -> None:
        with base.transaction():
            for table in TABLES:
                base.change(table)
            for name, value in self._contents.settings.items():
                base.change("INSERT INTO settings VALUES (?, ?)", (name, value))
            begin_seal(base)
            self._write_stage(base, self._contents.entrants, checkpoints, self._contents)

    def _take(self, found: Contents) -> None:
        """Believe what was read, as far as it makes sense."""
        self._contents = found
        with told(self.path):
            try:
                self._setting = found.setting()
            except UnknownGameError as error:
                raise TournamentError(f"the tournament in {self.folder} cannot be used here: {error}") from None
            self._schedule = found.schedule()

    def _read_contents(self) -> Contents:
        with told(self.path):
            base = self._base
            if (written := contents.read_format(base)) != FORMAT:
                raise TournamentError(
                    f"{self.path} is of the format {written[:80]!r}, and this version reads {FORMAT!r}; "
                    f"play it anew, or read it with the version of card_envs that wrote it"
                )
            found = read_contents(base)
            if found.digest() != read_seal(base).contents:
                raise DamagedError("the checksum of its settings and agents does not fit")
        return found

    @property
    def _base(self) -> Database:
        if self._writer is not None:
            return self._writer
        if self._reader is None:
            assert self.path is not None
            self._reader = Database.for_reading(self.path, TABLES)
        return self._reader

    def close(self) -> None:
        """Let go of the file."""
        for base in (self._reader, self._writer):
            if base is not None:
                base.close()
        self._reader = self._writer = None

    def __del__(self) -> None:
        if "_writer" in self.__dict__:  # a standings in one line leaves its tournament to the garbage collector
            self.close()

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Only one at a time plays a tournament. The lock ends with the process, however it ends."""
        if self.path is None:
            yield
            return
        with locked(self.path.with_name(LOCK), _taken(self.path.parent)):
            self.close()
            try:
                with told(self.path, writing=True):
                    self._writer = Database.for_writing(self.path, TABLES)
                if self._read_contents() != self._contents:
                    raise TournamentError(
                        f"the tournament in {self.folder} has grown since it was opened here; open it again"
                    )
                yield
            finally:
                self.close()

    def settings(self) -> dict[str, str]:
        """All settings and versions, as they were written down."""
        return dict(self._contents.settings)

    @property
    def setting(self) -> Setting:
        """What all games have in common."""
        return self._setting

    @property
    def entrants(self) -> list[Entrant]:
        """Who takes part, by number."""
        return list(self._contents.entrants)

    @property
    def schedule(self) -> Schedule:
        """All chunks of the tournament, played or not."""
        return self._schedule

    def check_version(self) -> None:
        """Refuse to play on with other rules than those that were played before."""
        was, now = self._contents.settings["rules"], game_version(self.setting.rules)
        if was != now:
            raise TournamentError(
                f"the tournament in {self.folder} was played with {was}, and this is {now}: results of the two cannot "
                f"be put together; start another tournament"
            )

    def checkpoint(self, entrant: Entrant, content_hash: str) -> Checkpoint:
        """What was kept of a trained player, or of a searcher's model, whatever has become of its file."""
        try:
            with told(self.path):
                return kept.read_kept(self._base, self.setting.rules, self.setting.players, content_hash)
        except CheckpointError as error:
            raise TournamentError(
                f"{entrant.name} cannot play any more: what {self.path} keeps of it is damaged: {error}"
            ) from None

    def add_stage(self, entrants: list[Entrant], checkpoints: Mapping[str, Checkpoint], stage: Stage) -> None:
        """Write down who came in, and how far the tournament is to go from now on."""
        old, grown = self._contents, self._schedule.grown(stage)
        new = Contents(old.settings, [*old.entrants, *entrants], [*old.stages, stage])
        with told(self.path, writing=True), self._base.transaction():
            self._write_stage(self._base, entrants, checkpoints, new)
        self._contents, self._schedule = new, grown

    def _write_stage(
        self, base: Database, entrants: list[Entrant], checkpoints: Mapping[str, Checkpoint], new: Contents
    ) -> None:
        marks = ", ".join("?" * len(ENTRANT))
        for one in entrants:
            base.change(f"INSERT INTO agents VALUES ({marks})", astuple(one))
        base.change("INSERT INTO stages VALUES (?, ?, ?)", (len(new.stages), *new.stages[-1]))
        seal_contents(base, new.digest())
        if self.path is not None:  # in memory nobody comes back for them
            kept.keep(base, self.setting.rules, [checkpoints[content] for one in entrants for content in one.kept])

    def add_chunk(self, chunk: Chunk, games: ChunkResults) -> bool:
        """Keep a finished chunk; False if it was there already, for a chunk counts once."""
        head, blobs = (chunk.number, chunk.first_game, chunk.games), [pack(getattr(games, name)) for name in ARRAYS]
        own, marks = digest(head, blobs), ", ".join("?" * (4 + len(blobs)))
        with told(self.path, writing=True), self._base.transaction():
            new = self._base.change(f"INSERT OR IGNORE INTO chunks VALUES ({marks})", (*head, own, *blobs))
            if new:
                seal_chunk(self._base, own)
        return new

    def _digests(self) -> dict[int, str]:
        with told(self.path):
            return read_digests(self._base, len(self.schedule.chunks))

    def played(self) -> dict[int, int]:
        """The chunks that are there, with their numbers of games."""
        return {number: self.schedule.chunks[number].games for number in self._digests()}

    def chunks(self) -> Iterator[tuple[int, ChunkResults]]:
        """Every chunk that is there, by number: one at a time, so that memory stays flat however many there are."""
        for number, own in self._digests().items():
            yield number, self._games(number, own)

    def games(self, number: int) -> ChunkResults:
        """The games of one chunk that has been played."""
        return self._games(number, self._digests()[number])

    def _games(self, number: int, own: str) -> ChunkResults:
        with told(self.path):
            rows = self._base.rows(
                f"SELECT first_game, games, {', '.join(ARRAYS)} FROM chunks WHERE number = ?", (number,)
            )
            if not rows:
                raise DamagedError(f"chunk {number} of it is missing")
            speaking = [one.number for one in self.entrants if one.speaks]
            return unpack_results(rows[0], own, self.schedule.chunks[number], self.setting, speaking)

    def find_game(self, number: int) -> tuple[int, int]:
        """The chunk of a game, and the game's place in it."""
        total = self.schedule.games
        known = f"its games are 0 to {total - 1}"
        if not 0 <= number < total:
            raise TournamentError(f"game {number} of the tournament in {self.folder} does not exist; {known}")
        chunk = self.schedule.chunk_of(number)
        if chunk.number not in self._digests():
            raise TournamentError(f"game {number} of the tournament in {self.folder} has not been played yet; {known}")
        return chunk.number, number - chunk.first_game


def _taken(folder: Path) -> str:
    return f"the tournament in {folder} is being played by another process; wait for it, or stop it"
