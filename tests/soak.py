"""A long check: follow very many random games of every kind with the independent referees, on all cores.

python -m tests.soak --games 1000000
"""

from __future__ import annotations

import argparse
import importlib
import os
from concurrent.futures import ProcessPoolExecutor, as_completed

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import card_envs
from card_envs.testing import check_referee, every_option

CHUNK = 500


def follow(game: str, options: dict[str, object], start: int, stop: int) -> int:
    referee = importlib.import_module(f"tests.referees.{game}").Referee
    return check_referee(game, referee, range(start, stop), **options)


def main() -> None:
    parser = argparse.ArgumentParser(description="Follow random games with the referees, step by step.")
    parser.add_argument("--games", type=int, default=1_000_000, help="games of each kind, over all its options")
    parser.add_argument("--first-seed", type=int, default=1_000_000, help="seeds below are those of `make test`")
    arguments = parser.parse_args()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with ProcessPoolExecutor(os.cpu_count()) as pool, Progress(*columns) as progress:
        for game in card_envs.game_names():
            tables = [options for options in every_option(game) if not {"reward", "illegal_action"} & options.keys()]
            each = -(-arguments.games // len(tables))
            task = progress.add_task(game, total=each * len(tables))
            work = {
                pool.submit(follow, game, options, start, min(start + CHUNK, stop)): min(CHUNK, stop - start)
                for options in tables
                for stop in [arguments.first_seed + each]
                for start in range(arguments.first_seed, stop, CHUNK)
            }
            decisions = 0
            for part in as_completed(work):
                decisions += part.result()
                progress.advance(task, work[part])
            progress.console.print(f"{game}: {each * len(tables)} games, {decisions} decisions, the referee agrees")


if __name__ == "__main__":
    main()
