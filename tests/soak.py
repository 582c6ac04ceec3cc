"""A long check: follow very many random games of every kind with the independent referees, on all cores.

Who is to act and what is legal is compared at every decision, the whole position at every sixth and at the end. A
million games of each kind take two cores about 40 minutes when they have nothing else to do.

python -m tests.soak --games 1000000

Ctrl-C stops it; the same command goes on from there. What was followed counts as long as neither the engine, nor the
game, nor its referee has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from card_envs.testing import check_referee, every_table
from tests.support.registered import GAMES

ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".artefacts" / "soak.jsonl"
CHUNK = 200
EVERY = 6  # a whole position is compared at every sixth decision, beginning elsewhere in each game


class Part(NamedTuple):
    """Games with neighbouring seeds at one table."""

    game: str
    options: dict[str, Any]
    start: int
    stop: int

    @property
    def key(self) -> str:
        return f"{self.game} {self.options} {self.start}-{self.stop}"


class Followed(NamedTuple):
    """What was found: nothing but agreement, in so many decisions."""

    decisions: int
    seconds: float  # of one core


def follow(part: Part) -> Followed:
    """Follow the games of a part; a disagreement is an error."""
    referee = importlib.import_module(f"tests.referees.{part.game}").Referee
    begun = time.process_time()
    decisions = check_referee(part.game, referee, range(part.start, part.stop), every=EVERY, **part.options)
    return Followed(decisions, time.process_time() - begun)


def parts(game: str, games: int, first_seed: int) -> Iterator[Part]:
    """The games of one kind, in equal numbers at all its tables."""
    tables = every_table(game)
    stop = first_seed + -(-games // len(tables))
    for start in range(first_seed, stop, CHUNK):
        for options in tables:
            yield Part(game, options, start, min(start + CHUNK, stop))


def content(game: str) -> str:
    """What was compared: a hash of the engine, the game, its referee and the comparison."""
    folders = [ROOT / "card_envs" / "core", ROOT / "card_envs" / "games" / game, ROOT / "card_envs" / "testing"]
    files = [file for folder in folders for file in sorted(folder.glob("*.py"))]
    files += [ROOT / "tests" / "referees" / f"{game}.py", ROOT / "tests" / "referees" / "randomness.py"]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def followed(file: Path, now: str) -> dict[str, Followed]:
    """The parts that are done already; a line that was cut off by a crash is done again."""
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if one["content"] == now:
            found[one["part"]] = Followed(one["decisions"], one["seconds"])
    return found


def soak(game: str, games: int, first_seed: int, file: Path, pool: ProcessPoolExecutor, progress: Progress) -> Followed:
    """Follow what is still to be followed of one kind of games; returns decisions and seconds of all."""
    wanted, now = list(parts(game, games, first_seed)), content(game)
    done = followed(file, now)
    task = progress.add_task(game, total=sum(part.stop - part.start for part in wanted))
    work = {}
    for part in wanted:
        if part.key in done:
            progress.advance(task, part.stop - part.start)
        else:
            work[pool.submit(follow, part)] = part
    found = [done[part.key] for part in wanted if part.key in done]
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as notes:
        for future in as_completed(work):
            part, agreed = work[future], future.result()
            notes.write(json.dumps({"content": now, "part": part.key, **agreed._asdict()}) + "\n")
            notes.flush()
            progress.advance(task, part.stop - part.start)
            found.append(agreed)
    return Followed(sum(one.decisions for one in found), sum(one.seconds for one in found))


def ignore_ctrl_c() -> None:
    """Workers end with their pool and not by a traceback each."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def main() -> None:
    parser = argparse.ArgumentParser(description="Follow random games with the referees, step by step.")
    parser.add_argument("--games", type=int, default=1_000_000, help="games of each kind, over all its tables")
    parser.add_argument("--first-seed", type=int, default=1_000_000, help="seeds below are those of `make test`")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where it is written down what was followed")
    given = parser.parse_args()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    table = Table("game", "games", "decisions", "time of one core", "referee")
    pool = ProcessPoolExecutor(os.cpu_count(), initializer=ignore_ctrl_c)
    try:
        with Progress(*columns) as progress:
            for game in GAMES:
                found = soak(game, given.games, given.first_seed, given.kept, pool, progress)
                table.add_row(
                    game, f"{given.games:,}", f"{found.decisions:,}", f"{found.seconds / 60:.0f} min", "agrees"
                )
            progress.console.print(table)
    except KeyboardInterrupt:
        sys.exit(f"stopped; what was followed is kept in {given.kept}, and the same command goes on from there")
    finally:
        pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    main()
