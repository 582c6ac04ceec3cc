"""Folders of tournaments: locks, databases that others hold, disks that are full or cannot be written."""

from __future__ import annotations

import os
import resource
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from card_envs.agents.network import Mlp
from card_envs.arena import Tournament, database, kept
from card_envs.arena.play import play_chunk
from card_envs.arena.replay import Replay
from card_envs.arena.report import write_reports
from card_envs.arena.store import FILE, LOCK, Store
from card_envs.errors import TournamentError
from tests.fuzz.tournaments import few_draws
from tests.support.checkpoint_files import random_weights, write
from tests.support.killing import in_a_child, kill_self, strike
from tests.support.stored_tournaments import dump

NOBODY = 65534

# A test runner has threads, which the copies of its process that are made here do not need.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")


def begun(folder: Path, **more: Any) -> Path:
    options = {"agents": ["bot", "random"], "games": 40, "chunk_deals": 4, **more}
    Tournament("zum_kuhkuck", out=folder, **options).close()
    return folder


def run(folder: Path) -> str:
    with few_draws(), Tournament.resume(folder) as tournament:
        return tournament.run().to_json()


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder into which everyone may look, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


class TestLockFile:
    @pytest.mark.parametrize("content", [b"", b"\xff" * 5000, b"SQLite format 3\0", b"pid 1"])
    def test_what_is_in_it_does_not_matter(self, content: bytes, tmp_path: Path) -> None:
        lock = begun(tmp_path) / LOCK
        lock.write_bytes(content)
        lock.chmod(0o444)
        run(tmp_path)
        assert lock.read_bytes() == content

    def test_nor_how_much(self, tmp_path: Path) -> None:
        begun(tmp_path)
        with (tmp_path / LOCK).open("wb") as file:
            file.truncate(2**40)
        run(tmp_path)

    @pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
    def test_what_is_no_file_is_refused(self, kind: str, tmp_path: Path) -> None:
        lock = begun(tmp_path / "cup") / LOCK
        link = tmp_path / "elsewhere"
        {"folder": Path.mkdir, "pipe": os.mkfifo, "link": lambda lock: lock.symlink_to(link)}[kind](lock)
        with pytest.raises(TournamentError, match=r"playing\.lock (cannot be opened|is not a regular file)"):
            run(tmp_path / "cup")
        assert not link.exists()


@pytest.mark.parametrize("how", ["BEGIN EXCLUSIVE", "PRAGMA locking_mode = EXCLUSIVE"])
def test_a_database_that_another_program_holds(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert database.PATIENCE < 5
    monkeypatch.setattr(database, "PATIENCE", 0)
    begun(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        other.execute(how)
        other.execute("UPDATE seal SET number = number")
        for use in (Store.open, Tournament.resume, write_reports, lambda folder: Replay(folder, 0)):
            with pytest.raises(TournamentError, match=r"is locked by another program; wait for it or close it"):
                use(tmp_path)
    run(tmp_path)


def test_a_tournament_is_read_while_it_is_played(tmp_path: Path) -> None:
    with Tournament.resume(begun(tmp_path)) as tournament, tournament.store.playing():
        chunk = tournament.schedule.chunks[0]
        other = Store.open(tmp_path)
        assert other.played() == {}
        tournament.store.add_chunk(chunk, play_chunk(tournament.setting, chunk, tournament.agents_of([chunk])))
        assert other.played() == {0: chunk.games}
        other.close()
    run(tmp_path)


class TestReadOnly:
    """As whoever has no right to write sees it; root has all rights, so the tests let go of them."""

    def as_a_guest(self, folder: Path, look: Any) -> None:
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        before = {path.name: path.read_bytes() for path in folder.iterdir()}

        def guest() -> None:
            if os.getuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            with few_draws():
                look()

        try:
            assert in_a_child(guest) == 0
            assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        finally:
            folder.chmod(0o755)

    def finished(self, folder: Path) -> Path:
        run(begun(folder))
        Replay(folder, 0)  # what is compiled here is there for the guest
        return folder

    def look_at(self, folder: Path) -> None:
        """All that can be done without writing, and what cannot."""
        with tempfile.TemporaryDirectory() as elsewhere:
            assert write_reports(folder, csv=True, json=True, out=elsewhere)[0].is_file()
        assert len(Replay(folder, 3).moves) > 5
        assert run(folder)
        with pytest.raises(TournamentError, match=r"cannot write .*report\.html: .* report --out writes into another"):
            write_reports(folder)
        with pytest.raises(TournamentError, match="cannot be written, so its tournament cannot go on there; copy"):
            Tournament.resume(folder, games=1000)

    def test_a_finished_tournament_is_reported_and_replayed(self, shared: Path) -> None:
        folder = self.finished(shared / "cup")
        self.as_a_guest(folder, lambda: self.look_at(folder))

    @pytest.mark.parametrize("leftovers", [(), ("-wal", "-shm")])
    def test_also_if_it_was_left_in_another_mode(self, leftovers: tuple[str, ...], shared: Path) -> None:
        folder = self.finished(shared / "cup")
        with closing(sqlite3.connect(folder / FILE)) as base:
            base.execute("PRAGMA journal_mode = WAL")
        for name in leftovers:
            (folder / f"{FILE}{name}").touch()
        self.as_a_guest(folder, lambda: self.look_at(folder))

    def test_an_unfinished_one_cannot_go_on(self, shared: Path) -> None:
        def look() -> None:
            with Tournament.resume(shared / "cup") as tournament:
                assert tournament.standings().games_played == 0
                with pytest.raises(TournamentError, match=r"cannot go on there, because its playing\.lock cannot be"):
                    tournament.run()

        begun(shared / "cup")
        self.as_a_guest(shared / "cup", look)

    def test_one_that_was_killed_must_be_copied_first(self, shared: Path) -> None:
        """What it stored last is in a file beside it, which cannot be read without writing another."""

        def play() -> None:
            strike(Store, "add_chunk", 2, after=True, blow=kill_self)
            run(shared / "cup")

        def look() -> None:
            with pytest.raises(TournamentError, match="copy the whole folder to a place where you can write"):
                Tournament.resume(shared / "cup")

        begun(shared / "cup")
        assert in_a_child(play) < 0
        (shared / "cup" / f"{FILE}-shm").unlink()
        self.as_a_guest(shared / "cup", look)
        assert len(Store.open(shared / "cup").played()) == 2


@pytest.mark.parametrize("room", [45_000, 60_000, 90_000])
def test_a_full_disk_loses_nothing(room: int, tmp_path: Path) -> None:
    run(begun(tmp_path / "whole", games=1200, chunk_deals=20))
    begun(tmp_path / "cup", games=1200, chunk_deals=20)

    def play() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        with Tournament.resume(tmp_path / "cup") as tournament:
            with pytest.raises(
                TournamentError, match=r"cannot write to .*; what was kept before is safe, and --resume"
            ):
                tournament.run()
            assert tournament.games_played < tournament.games

    assert in_a_child(play) == 0
    run(tmp_path / "cup")
    assert dump(tmp_path / "cup") == dump(tmp_path / "whole")


def test_a_disk_that_is_full_from_the_first_leaves_no_tournament(tmp_path: Path) -> None:
    def begin() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        with pytest.raises(TournamentError, match="cannot write to"):
            begun(tmp_path / "cup")

    assert in_a_child(begin) == 0
    assert list((tmp_path / "cup").iterdir()) == []
    begun(tmp_path / "cup")


def test_one_that_was_killed_while_it_began_is_begun_again(tmp_path: Path) -> None:
    """Weights that are larger than SQLite's memory are in the file before the rest is."""
    network = Mlp((3000, 500), "tanh")
    weights = random_weights("zum_kuhkuck", network)
    player = write(tmp_path / "large.safetensors", "zum_kuhkuck", weights, network=network)

    def begin() -> None:
        strike(kept, "keep", 1, after=True, blow=kill_self)
        begun(tmp_path / "cup", agents=[player, "bot"])

    assert in_a_child(begin) < 0
    assert (tmp_path / "cup" / FILE).stat().st_size > 0, "there is some of it"
    begun(tmp_path / "cup", agents=[player, "bot"])
    with pytest.raises(TournamentError, match=r"there is a tournament in .* already"):
        begun(tmp_path / "cup", agents=[player, "bot"])
