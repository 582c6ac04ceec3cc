"""Files of tournaments that are damaged, or made to harm whoever opens them: one sentence each, and nothing else."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.arena import Tournament, database, schedule
from card_envs.arena.packing import pack, unpack
from card_envs.arena.ratings import rate, rate_many
from card_envs.arena.replay import Replay
from card_envs.arena.report import write_reports
from card_envs.arena.report_page import SCRIPT
from card_envs.arena.schedule import MOST_CHUNKS, Schedule, Stage
from card_envs.arena.store import FILE, LOCK, Store
from card_envs.errors import OptionError, TournamentError
from tests.fuzz.tournaments import few_draws, fuzz, summary
from tests.support.checkpoint_files import write
from tests.support.stored_tournaments import change, hot_journal
from tests.support.tournaments import First

# A test runner has threads, which the copies of its process that are made here do not need.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    path = write(folder / "player.safetensors")
    with Tournament("king_lui", players=3, agents=["random", "bot", path], games=120, out=folder / "cup") as tournament:
        tournament.run()
    return folder / "cup"


@pytest.fixture
def cup(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "cup"))


def standings(folder: Path) -> str:
    with few_draws(), Tournament.resume(folder) as tournament:
        return tournament.standings().to_json()


def refused(folder: Path, sentence: str) -> None:
    """Report, replay and resume say the same."""
    for read in (write_reports, lambda folder: Replay(folder, 0), Tournament.resume, Store.open):
        with pytest.raises(TournamentError, match=sentence) as told:
            read(folder)
        assert str(folder) in str(told.value)
        assert "\n" not in str(told.value)


def test_two_hundred_damaged_and_hostile_files_are_refused_or_read_as_they_were() -> None:
    """More of them: python -m tests.fuzz.tournaments."""
    verdicts = fuzz(200, 0)
    assert [verdict for verdict in verdicts if verdict.finding] == []
    outcomes = summary(verdicts)
    assert "refused" in outcomes
    assert "the same" in outcomes
    assert "another that is sound" in outcomes


class TestDamage:
    @pytest.mark.parametrize("column", ["seeds", "seats", "points", "ranks", "score_sheets", "sizes", "digest"])
    def test_a_changed_bit_of_the_results_never_gives_other_standings(self, column: str, cup: Path) -> None:
        with closing(sqlite3.connect(cup / FILE)) as base:
            (value,) = base.execute(f"SELECT CAST({column} AS BLOB) FROM chunks WHERE number = 1").fetchone()
        for place in range(len(value)):
            changed = bytes([*value[:place], value[place] ^ (1 << place % 8), *value[place + 1 :]])
            kept: Any = changed if column != "digest" else changed.decode(errors="replace")
            change(cup, (f"UPDATE chunks SET {column} = ? WHERE number = 1", (kept,)), sign=False)
            with pytest.raises(TournamentError, match="chunk"):
                list(Store.open(cup).chunks())
            if place > 100:
                break

    @pytest.mark.parametrize("column", ["first_game", "games", "number"])
    def test_a_chunk_in_the_place_of_another(self, column: str, cup: Path) -> None:
        change(
            cup,
            f"UPDATE chunks SET {column} = {column} + 1 WHERE number = (SELECT max(number) FROM chunks)",
            sign=False,
        )
        with pytest.raises(TournamentError, match="chunk"):
            list(Store.open(cup).chunks())

    def test_a_chunk_that_is_gone_is_missed(self, cup: Path) -> None:
        change(cup, "DELETE FROM chunks WHERE number = 1", sign=False)
        with pytest.raises(TournamentError, match="some of its chunks are missing or changed"):
            standings(cup)
        with pytest.raises(TournamentError, match="some of its chunks are missing or changed"):
            Tournament.resume(cup).run()

    @pytest.mark.parametrize(
        "damage",
        ["UPDATE settings SET value = '1' WHERE name = 'seed'", "UPDATE agents SET name = 'best' WHERE number = 1",
         "UPDATE stages SET games = 240"],
    )  # fmt: skip
    def test_a_changed_setting_is_noticed(self, damage: str, cup: Path) -> None:
        change(cup, damage, sign=False)
        refused(cup, "the checksum of its settings and agents does not fit; use a copy of it from before, or play")

    def test_free_pages_that_are_in_use_are_noticed_before_anything_is_written(self, cup: Path) -> None:
        """No reader meets them, but whoever writes would write over results."""
        data = bytearray((cup / FILE).read_bytes())
        data[32:40] = (3).to_bytes(4, "big") + (1).to_bytes(4, "big")
        (cup / FILE).write_bytes(data)
        standings(cup)
        with pytest.raises(TournamentError, match=r"cannot be read as a tournament: .*[Ff]reelist"):
            Tournament.resume(cup, games=1000)
        assert (cup / FILE).read_bytes() == data


class TestHostile:
    def test_a_view_that_never_ends(self, cup: Path) -> None:
        endless = (
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS number, x AS digest FROM n"
        )
        change(cup, "DROP TABLE chunks", f"CREATE VIEW chunks AS {endless}", sign=False)
        refused(cup, "its tables are not those of a tournament in the format that this version reads")

    def test_whatever_takes_too_many_steps_is_interrupted(self, cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A view that counts for a while, read by whoever takes it for a table. It does end, and so would the test."""
        long = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000000)"
        change(cup, "ALTER TABLE settings RENAME TO kept", sign=False)
        change(cup, f"CREATE VIEW settings AS {long} SELECT name, value FROM kept, (SELECT max(x) FROM n)", sign=False)
        monkeypatch.setattr(database.Database, "_check_schema", lambda *_: None)
        assert Store.open(cup).setting.players == 3, "two million steps are not too many"
        monkeypatch.setattr(database, "MOST_STEPS", 1_000_000)
        refused(cup, "it keeps its readers busy without end; use a copy of it from before, or play")

    @pytest.mark.parametrize(("agents", "games"), [(3, 2**31), (3, 2**60), (2, 10), (4, 10), (3, 0), (3, -5)])
    def test_stages_that_cannot_be(self, agents: int, games: int, cup: Path) -> None:
        change(cup, "UPDATE settings SET value = '1' WHERE name = 'chunk_deals'")
        change(cup, ("UPDATE stages SET agents = ?, games = ?", (agents, games)))
        refused(cup, "cannot be read as a tournament: (a tournament has at most|stage 1 of it cannot have|its stages)")

    def test_numbers_that_would_unpack_to_more_than_the_games_have(self, cup: Path) -> None:
        bomb = pack(np.zeros(100_000_000, np.int8))
        assert len(bomb) < 500_000
        tracemalloc.start()
        with pytest.raises(database.DamagedError, match="more or fewer numbers than its games have"):
            unpack(bomb, (120, 3), 0, 1)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
        tracemalloc.stop()
        change(cup, ("UPDATE chunks SET points = ? WHERE number = 0", (bomb,)))
        with pytest.raises(
            TournamentError, match="the points of chunk 0 are more or fewer numbers than its games have"
        ):
            standings(cup)

    def test_points_far_apart_take_no_table_of_all_between(self, cup: Path) -> None:
        with Tournament.resume(cup) as tournament:
            points = tournament.store.games(0).points
        points[0, :2] = -(2**31), 2**31 - 1
        change(cup, ("UPDATE chunks SET points = ? WHERE number = 0", (pack(points),)))
        tracemalloc.start()
        assert str(-(2**31)) in standings(cup)
        assert tracemalloc.get_traced_memory()[1] < 300_000_000
        tracemalloc.stop()

    def test_no_file_is_opened_because_a_tournament_names_it(self, cup: Path) -> None:
        os.mkfifo(cup / "pipe.safetensors")
        named = (
            f"UPDATE agents SET source = '{cup}/pipe.safetensors', checkpoint = '', options = '{{}}' WHERE number = 2",
        )
        change(cup, *named)
        with pytest.raises(
            TournamentError, match="its weights are not kept, and no file is opened because a tournament"
        ):
            Replay(cup, 0)

    def test_no_file_elsewhere_is_removed(self, cup: Path, tmp_path: Path) -> None:
        """A journal may name another file, which SQLite removes when it undoes what the journal says."""
        precious = tmp_path / "precious.txt"
        precious.write_text("mine")
        hot_journal(cup / FILE, remove=precious)
        for read in (write_reports, Tournament.resume):
            with pytest.raises(TournamentError, match=r"interrupted while it was written|belongs to something else"):
                read(cup)
        assert precious.read_text() == "mine"
        with closing(sqlite3.connect(cup / FILE)) as careless:
            careless.execute("SELECT count(*) FROM agents").fetchone()
        assert not precious.exists(), "this is what the journal does to whoever is not careful"

    @pytest.mark.parametrize("name", ["\x1b[2J", "", " ", "x" * 9000])
    def test_names_that_no_agent_can_have(self, name: str, cup: Path) -> None:
        change(cup, ("UPDATE agents SET name = ? WHERE number = 1", (name,)))
        refused(cup, "what it says of agent 1 is damaged")

    def test_names_are_shown_and_not_obeyed(self, cup: Path) -> None:
        evil = "<script>alert('x')</script>"
        change(cup, ("UPDATE agents SET name = ?, source = ? WHERE number = 1", (evil, evil)))
        page = write_reports(cup)[0].read_text(encoding="utf-8")
        assert page.count("<script") == page.count(f"<script>{SCRIPT}</script>") == 1, "the page's own, and no other"
        assert "&lt;script&gt;" in page


class TestBeside:
    """What lies beside the file, or in its place."""

    @pytest.mark.parametrize("name", [FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal"])
    @pytest.mark.parametrize("kind", ["pipe", "folder", "loop"])
    def test_only_regular_files_are_opened(self, name: str, kind: str, cup: Path) -> None:
        path = cup / name
        path.unlink(missing_ok=True)
        {"pipe": os.mkfifo, "folder": Path.mkdir, "loop": lambda path: path.symlink_to(path)}[kind](path)
        refused(cup, "is not a regular file")

    def test_whoever_reads_leaves_nothing_behind(self, cup: Path) -> None:
        before = {path.name: path.read_bytes() for path in cup.iterdir()}
        standings(cup)
        Replay(cup, 0)
        with pytest.raises(TournamentError):
            Replay(cup, 10**6)
        assert {path.name: path.read_bytes() for path in cup.iterdir()} == before

    def test_what_was_interrupted_is_mended_by_resuming(self, cup: Path) -> None:
        expected = standings(cup)
        hot_journal(cup / FILE)
        with pytest.raises(TournamentError, match=r"interrupted while it was written; .* --resume mends it"):
            write_reports(cup)
        assert standings(cup) == expected
        assert sorted(path.name for path in cup.iterdir()) == [LOCK, FILE]
        assert write_reports(cup)


class Odd(First):
    """Calls itself what no table can show."""

    def __init__(self, name: Any) -> None:
        self.name = name


@pytest.mark.parametrize(
    ("name", "shown"), [("a\nb\x1b[2J", "a�b�[2J"), ("", "�"), ("\udcff", "�"), ("x" * 10**6, "x" * 5000)]
)
def test_agents_with_odd_names_take_part_under_names_that_can_be_kept(name: str, shown: str, tmp_path: Path) -> None:
    with Tournament("zum_kuhkuck", agents=["random", Odd(name)], games=4, out=tmp_path) as tournament:
        tournament.run()
    with Tournament.resume(tmp_path) as again:
        assert [one.name for one in again.entrants] == ["random", shown]


def test_ratings_are_found_where_winners_are_sure() -> None:
    """The search that is usual does not end, or ends without an answer, where nobody ever beats anyone above."""
    ahead = np.triu(np.full((60, 60), 1e6), 1)
    ratings = rate(ahead)
    assert (np.diff(ratings) < 0).all()
    assert np.isfinite(rate_many(np.stack([ahead, ahead / 2]), ratings)).all()
    islands = np.zeros((4, 4))
    islands[0, 1] = islands[2, 3] = 1e6
    assert rate(islands) == pytest.approx([1295, -1295, 1295, -1295], abs=1)


def test_a_file_whose_name_is_no_text_takes_part(tmp_path: Path) -> None:
    path = write(tmp_path / os.fsdecode(b"a\xff.safetensors"), step=0)
    Tournament("king_lui", agents=["random", path], games=4, out=tmp_path / "cup").close()
    with Tournament.resume(tmp_path / "cup") as again:
        assert again.entrants[1].name == "a�"
        again.run()


def test_a_schedule_is_a_matter_of_seconds_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=f"at most {MOST_CHUNKS} chunks, here of 1 deals, which is not enough for"):
        Schedule.planned(0, 4, 1, [Stage(4, 2**31)])
    monkeypatch.setattr(schedule, "MOST_WORK", 20_000)
    with pytest.raises(OptionError, match="a tournament cannot grow so often with so many agents"):
        Schedule.planned(0, 2, None, [Stage(200, 500 * number) for number in range(1, 20)])
    with pytest.raises(OptionError, match="chunk_deals must be a whole number from 1 to 8192"):
        Tournament("king_lui", players=4, agents=["random"], chunk_deals=8193)
