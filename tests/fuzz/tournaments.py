"""Tournaments that are damaged or made to harm, read in every way: refused in a sentence, or read as they were.

python -m tests.fuzz.tournaments --files 1000 --first-seed 0

Whoever knows the format can write another tournament that is sound; of that nothing is asked but that reading it takes
no time, no memory and no code. Readings run in processes of their own, in which time and memory are bounded.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from rich.progress import track

from card_envs.arena import Tournament, tally
from card_envs.arena.replay import Replay
from card_envs.arena.report import write_reports
from card_envs.arena.report_page import SCRIPT
from card_envs.arena.standings import compute_standings
from card_envs.arena.store import FILE, LOCK, Store
from card_envs.errors import TournamentError
from tests.fuzz.damaged_pages import DAMAGES
from tests.fuzz.hostile_edits import EDITS, IMPORTED, SLOW_EDITS
from tests.support.checkpoint_files import write
from tests.support.killing import in_a_child

SECONDS = 15  # of a processor, for one reading
MEMORY = 2**30  # beyond what a process has when it begins
LONGEST_SENTENCE = 1000
AT_A_TIME = 25  # files that one process reads
IN_MEMORY = Path("/dev/shm")  # a disk would spend most of the time on making sure that it has everything
PRECIOUS = "nobody may touch this"


def make_tournaments(folder: Path) -> list[Path]:
    """Small ones of each kind: with trained players, with two players, unfinished."""
    player = write(folder / "player.safetensors")
    first = Tournament(
        "king_lui", players=3, agents=["random", "bot", player], games=60, out=folder / "king", chunk_deals=4
    )
    second = Tournament("zum_kuhkuck", agents=["random", "bot"], games=40, seed=1, out=folder / "cow", chunk_deals=3)
    third = Tournament(
        "ku_ka_king", players=3, agents=["bot", "random"], games=24, seed=2, out=folder / "ka", chunk_deals=2
    )
    for one in (first, second, third):
        with one:
            one.run()
    Tournament.resume(folder / "ka", games=48).close()
    return [folder / "king", folder / "cow", folder / "ka"]


def _standings(folder: Path) -> str:
    store = Store.open(folder)
    try:
        standings = compute_standings(store)
    finally:
        store.close()
    return f"{standings}\n{standings.to_csv()}\n{standings.to_json()}"


def _report(folder: Path) -> str:
    pages = [path.read_text(encoding="utf-8") for path in write_reports(folder, csv=True, json=True)]
    assert pages[0].count("<script") == pages[0].count(f"<script>{SCRIPT}</script>") == 1
    assert "<img" not in pages[0]
    return "\n".join(pages).replace(str(folder), "here")  # the page tells commands, which name the folder


def _replay(folder: Path) -> str:
    replays = [Replay(folder, number) for number in (0, 10)]
    return repr([(one.agents, one.moves, one.points.tolist(), one.ranks.tolist()) for one in replays])


def _resume(folder: Path) -> str:
    with Tournament.resume(folder) as tournament:
        tournament.agents_of(tournament.schedule.chunks)
        return repr([tournament.entrants, tournament.games, tournament.games_played])


def _play_on(folder: Path) -> str:
    with Tournament.resume(folder) as tournament:
        if tournament.games - tournament.games_played > 10_000:
            return "long"  # sound, and nothing that one would wait for here
        return tournament.run().to_json()


READERS: tuple[Callable[[Path], str], ...] = (_standings, _report, _replay, _resume)
WAYS: tuple[Callable[[Path], str], ...] = (*READERS, _play_on)


class Verdict(NamedTuple):
    """What came of one file, in which ways; `finding` says what must not be."""

    seed: int
    kind: str
    outcomes: dict[str, int]
    finding: str


def few_draws() -> Any:
    """Intervals are most of the work, and nothing here depends on them."""
    return mock.patch.multiple(tally, FEWEST_DRAWS=2, MOST_DRAWS=2)


def judge(seed: int, tournaments: Sequence[Path], expected: Sequence[Sequence[str]], work: Path, slow: bool) -> Verdict:
    """Harm a copy of one of the tournaments as the seed says, and read it in every way."""
    rng = random.Random(seed)
    place = rng.randrange(len(tournaments))
    folder = work / str(seed)
    shutil.copytree(tournaments[place], folder)
    (folder / "precious.txt").write_text(PRECIOUS)
    kind, others_are_sound = _harm(rng, folder, tournaments, slow)
    outcomes: Counter[str] = Counter()
    before = _files(folder)
    for way, known in zip(WAYS, expected[place], strict=True):
        _allow_time()
        try:
            found = way(folder)
        except TournamentError as error:
            if problem := _no_sentence(str(error)):
                return Verdict(seed, kind, dict(outcomes), f"{way.__name__}: {problem}: {str(error)[:300]!r}")
            outcomes["refused"] += 1
        except BaseException as error:
            return Verdict(seed, kind, dict(outcomes), f"{way.__name__}: {type(error).__name__}: {str(error)[:300]}")
        else:
            if found != known and not others_are_sound:
                return Verdict(seed, kind, dict(outcomes), f"{way.__name__}: another meaning")
            outcomes["the same" if found == known else "another that is sound"] += 1
        if way in READERS and (changed := _changed(before, _files(folder), mended=way is _resume)):
            return Verdict(seed, kind, dict(outcomes), f"{way.__name__}: a reader changed {changed}")
    if IMPORTED in sys.modules or (folder / "precious.txt").read_text() != PRECIOUS:
        return Verdict(seed, kind, dict(outcomes), "something was imported, or written elsewhere")
    shutil.rmtree(folder)
    return Verdict(seed, kind, dict(outcomes), "")


def _allow_time() -> None:
    """From now on, before this process is ended."""
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + SECONDS, resource.RLIM_INFINITY))


def _harm(rng: random.Random, folder: Path, tournaments: Sequence[Path], slow: bool) -> tuple[str, bool]:
    path = folder / FILE
    if rng.random() < 0.5:
        damage = rng.choice(DAMAGES)
        path.write_bytes(damage(rng, path.read_bytes(), [(one / FILE).read_bytes() for one in tournaments]))
        return damage.__name__, False
    edit = rng.choice((*EDITS, *SLOW_EDITS) if slow else EDITS)
    sign = rng.random() < 0.75
    edit(rng, folder, sign)
    return edit.__name__, sign


def _files(folder: Path) -> dict[str, bytes | None]:
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


def _changed(before: dict[str, bytes | None], after: dict[str, bytes | None], *, mended: bool) -> str:
    """What a reader has changed beside its reports. One who resumes mends what was interrupted."""
    ours = {"report.html", "standings.csv", "standings.json", *((LOCK, FILE, f"{FILE}-journal") if mended else ())}
    # For a file in WAL mode, or with a log beside it, SQLite makes an index, whose content means nothing.
    if (before.get(FILE) or b"")[18:20] == b"\2\2" or f"{FILE}-wal" in before:
        ours |= {f"{FILE}-shm", f"{FILE}-wal"}
    names = [name for name in before.keys() | after.keys() if name not in ours and before.get(name) != after.get(name)]
    return ", ".join(sorted(names))


def _no_sentence(text: str) -> str:
    if not text.isprintable():
        return "not one line"
    return "too long" if len(text) > LONGEST_SENTENCE else "" if len(text) > 20 else "too short"


def fuzz(files: int, first_seed: int, *, slow: bool = False, shown: bool = False) -> list[Verdict]:
    """Judge so many files, from this seed on. A process that dies of one is a finding."""
    verdicts: list[Verdict] = []
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as place, few_draws():
        work = Path(place)
        tournaments = make_tournaments(work)
        expected = [[way(_copy(one, work / f"{one.name}-{way.__name__}")) for way in WAYS] for one in tournaments]
        seeds = list(range(first_seed, first_seed + files))
        groups = [seeds[begin : begin + AT_A_TIME] for begin in range(0, files, AT_A_TIME)]
        for group in track(groups, "tournaments", disable=not shown):
            left = group
            while left:
                verdicts += (done := _in_bounds(left, tournaments, expected, work, slow))
                left = left[len(done) :]
    return verdicts


def _copy(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to))


def _in_bounds(
    seeds: Sequence[int], tournaments: Sequence[Path], expected: Sequence[Sequence[str]], work: Path, slow: bool
) -> list[Verdict]:
    """Verdicts about files up to the one that a process dies of, or all."""
    log = work / "verdicts.jsonl"
    log.write_text("")

    def read_all() -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for seed in seeds:
            verdict = judge(seed, tournaments, expected, work, slow)
            with log.open("a") as file:
                file.write(json.dumps(verdict) + "\n")

    code = in_a_child(read_all)
    done = [Verdict(*json.loads(line)) for line in log.read_text().splitlines()]
    if len(done) < len(seeds):
        why = "too long" if code == -24 else f"its process ended with {code}"
        done.append(Verdict(seeds[len(done)], "?", {}, why))
    return done


def summary(verdicts: Sequence[Verdict]) -> str:
    """One line for a person."""
    ways: Counter[str] = Counter()
    for verdict in verdicts:
        ways.update(verdict.outcomes)
    found = sum(bool(verdict.finding) for verdict in verdicts)
    readings = ", ".join(f"{count} {outcome}" for outcome, count in sorted(ways.items()))
    return f"{len(verdicts)} tournaments, {ways.total()} readings: {readings}; {found} findings"


def main() -> None:
    """What the command does."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    verdicts = fuzz(given.files, given.first_seed, slow=True, shown=True)
    for verdict in verdicts:
        if verdict.finding:
            print(f"seed {verdict.seed} ({verdict.kind}): {verdict.finding}")
    print(summary(verdicts))
    sys.exit(any(verdict.finding for verdict in verdicts))


if __name__ == "__main__":
    main()
