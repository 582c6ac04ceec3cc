"""A training killed at any moment, and killed again while it goes on, ends with what an undisturbed one ends with.

    python -m tests.fuzz.training_kills --kills 50 --first-seed 0

Moments are counted: each time that the run changes a file. First every moment (or every n-th) until the first state is
saved; then as many as asked for, spread over the whole run, from the first folder that it makes to the last file that
it writes. After each kill the same command is given again; where it says --resume, that is done.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from rich.progress import Progress

from card_envs.arena.match import play_match
from tests.support.killed_run import KILLED, Trial, essence, train, write_config
from tests.support.killing import fill_disk, kill_self, strike_at_files
from tests.support.small_disk import check_small_disk

CANNOT_WRITE = "cannot write into"


def moments_of(config: Path, folder: Path, *, until: str = "") -> tuple[int, dict[str, Any]]:
    """How many moments an undisturbed run has (until a file is there), and what it comes to."""
    trial, noted = Trial(config, folder), folder / "moments"

    def watch() -> None:
        count = strike_at_files(trial.run, 0, kill_self)

        def hear(event: str, arguments: tuple[Any, ...]) -> None:
            if event == "os.rename" and str(arguments[1]).startswith(str(trial.run / until)):
                if not until or not noted.exists():
                    noted.write_text(str(count()))

        sys.addaudithook(hear)

    code, said = train(*trial.begin, said=trial.said, before=watch)
    if code != 0:
        raise AssertionError(f"an undisturbed run ended with {code}: {said}")
    return int(noted.read_text()), essence(trial.run)


def kill_and_compare(trial: Trial, moments: list[int], whole: dict[str, Any]) -> list[str]:
    """Kill a run at each of these moments of the command under way; what is wrong with what it comes to."""
    code, said = trial.go(*trial.begin, moment=moments[0])
    for moment in moments[1:]:
        if code == KILLED:
            code, said = trial.again(moment=moment)
    if code == KILLED:
        code, said = trial.again()
    if code != 0:
        return [f"killed at {moments}: the next command ended with {code}: {said[-500:]}"]
    left = essence(trial.run)
    return [f"killed at {moments}: {name} differs" for name in whole if left[name] != whole[name]]


def plan(kills: int, moments: int, first_seed: int) -> Iterator[list[int]]:
    """Two kills per run: the first ones spread evenly over the run, the second ones by lot over what is left."""
    runs = -(-kills // 2)
    for number in range(runs):
        first = 1 + number * (moments - 1) // max(1, runs - 1)
        yield [first, random.Random(first_seed + number).randint(1, max(1, moments - first))][: kills - 2 * number]


def fill_and_compare(trial: Trial, moment: int, whole: dict[str, Any]) -> list[str]:
    """Let the disk be full from this moment on, and have room again; what is wrong with what the run comes to."""
    code, said = train(*trial.begin, said=trial.said, before=lambda: fill_disk(trial.run, moment))
    if code == 0:
        return []
    if code != 1 or CANNOT_WRITE not in said.splitlines()[-1] or "Traceback" in said:
        return [f"full from {moment} on: it ended with {code}: {said[-1500:]}"]
    code, said = trial.again()
    if code != 0:
        return [f"full from {moment} on: the next command ended with {code}: {said[-500:]}"]
    left = essence(trial.run)
    return [f"full from {moment} on: {name} differs" for name in whole if left[name] != whole[name]]


def warm_up() -> None:
    """What is loaded and compiled here is there in every child."""
    play_match("king_lui", ["bot", "random", "bot"], games=10)
    torch.optim.Adam([torch.zeros(1)])


def check_beginning(folder: Path, every: int, progress: Progress) -> Counter[str]:
    """Kill a run at every (or every n-th) moment until its first state is saved."""
    config = write_config(folder / "config.yaml", decisions=240, players=3)
    moments, whole = moments_of(config, folder / "whole", until="state.pt")
    return _check(config, folder, [[moment] for moment in range(1, moments + 2, every)], moments, whole, progress)


def check_whole(folder: Path, kills: int, first_seed: int, progress: Progress) -> Counter[str]:
    """Kill so many times, at moments that are spread over the whole run; and fill the disk half as often."""
    config = write_config(folder / "config.yaml")
    moments, whole = moments_of(config, folder / "whole")
    planned = list(plan(kills, moments, first_seed))
    counts = _check(config, folder, planned, moments, whole, progress)
    for first, *_ in progress.track(planned, description="full disks"):
        found = fill_and_compare(Trial(config, folder / f"full-{first}"), first, whole)
        counts.update({"full disks": 1, "findings": len(found)})
        _tell(found)
    return counts


def _check(
    config: Path, folder: Path, planned: list[list[int]], moments: int, whole: dict[str, Any], progress: Progress
) -> Counter[str]:
    counts = Counter({"moments": moments, "runs": 0, "kills": 0, "findings": 0})
    for number, killed_at in enumerate(progress.track(planned, description=f"kill -9 in {folder.name}")):
        trial = Trial(config, folder / str(number))
        found = kill_and_compare(trial, killed_at, whole)
        counts.update(runs=1, kills=trial.kills, findings=len(found))
        _tell(found)
    return counts


def _tell(found: list[str]) -> None:
    for sentence in found:
        print(sentence, file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill trainings with kill -9, and compare what they come to.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=1, help="which moments of the beginning: every n-th")
    given = parser.parse_args()
    warm_up()
    with tempfile.TemporaryDirectory() as folder, Progress() as progress:
        parts = {name: Path(folder) / name for name in ("beginning", "whole", "small disk")}
        for part in parts.values():
            part.mkdir()
        counts = {
            "beginning": check_beginning(parts["beginning"], given.every, progress),
            "whole": check_whole(parts["whole"], given.kills, given.first_seed, progress),
            "small disk": check_small_disk(parts["small disk"]),
        }
    for name, found in counts.items():
        print(f"{name}: " + ", ".join(f"{what} {count}" for what, count in found.items()))
    return 1 if any(found["findings"] for found in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
