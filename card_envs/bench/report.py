"""The tables that `card-envs bench` prints."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from card_envs.bench.one_seat import BASELINE, measure_one_seat
from card_envs.bench.own import BATCH_SIZES, bytes_per_game, measure_aec, measure_batch, per_second
from card_envs.bench.peers import installed_peers
from card_envs.games import get_game

Speeds = dict[tuple[object, ...], float]
COMPARED = 4096  # the batch that stands for us in a comparison


def figure(per_second: float) -> str:
    """Decisions per second, readable."""
    return f"{per_second / 1e6:.2f} M" if per_second >= 1e6 else f"{per_second / 1e3:.1f} k"


def print_report(names: list[str], seconds: float, peers: bool) -> None:
    """Measure and print everything; a line at the bottom says what is being measured."""
    games = [get_game(name) for name in names]
    console = Console()
    cores = os.cpu_count() or 1
    console.print(
        f"Decisions per second with random players. {platform.machine()}, {cores} cores, {platform.python_version()}."
    )
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("compiling")

        def measured(what: str, measure: Callable[..., float], *arguments: object) -> float:
            progress.update(task, description=what)
            return measure(*arguments, seconds)

        own: Speeds = {}
        for game in games:
            name = game.name
            own[name, "aec"] = measured(f"{name}: one AEC environment", measure_aec, game)
            for size in BATCH_SIZES:
                for threads in (1, cores):
                    own[name, size, threads] = measured(
                        f"{name}: batch of {size} on {threads} threads", measure_batch, game, size, threads
                    )
        progress.update(task, description=f"{games[0].name}: one seat against opponents")
        one_seat_speeds = list(measure_one_seat(games[0], seconds))
        others = [
            (library, game_name, measured(f"{library}: {game_name}", per_second, play))
            for library, game_name, play in (installed_peers() if peers else ())
        ]
    table = Table("", *[f"{game.name}\n{game.options().players} players" for game in games], title="card_envs")
    table.add_row("one AEC environment, with last()", *[figure(own[game.name, "aec"]) for game in games])
    for size in BATCH_SIZES:
        for threads in dict.fromkeys((1, cores)):
            label = f"batch of {size}, {threads} thread{'s' if threads > 1 else ''}"
            table.add_row(label, *[figure(own[game.name, size, threads]) for game in games])
    table.add_row("bytes of state per game", *[str(game.record.itemsize) for game in games])
    table.add_row("bytes per game, all arrays", *[str(bytes_per_game(game)) for game in games])
    console.print(table)
    baseline = dict(one_seat_speeds).get(BASELINE)
    one_seat = Table(
        "", "own decisions/s", "ratio", title=f"One seat of {games[0].name}, {games[0].options().players} players"
    )
    for label, speed in one_seat_speeds:
        one_seat.add_row(label, figure(speed), f"{speed / baseline:.1f} x" if baseline else "")
    console.print(one_seat)
    for game in games if others else ():
        console.print(_comparison(own, others, game.name, cores))
    if peers and not others:
        console.print("No other library is installed here; `pip install card-envs[bench]` brings them.", markup=False)


def _comparison(own: Speeds, others: list[tuple[str, str, float]], name: str, cores: int) -> Table:
    title = f"How many times faster {name} is in this run: one AEC environment, and a batch of {COMPARED}"
    table = Table("library", "game", "decisions/s", "AEC", "1 thread", f"{cores} threads", title=title)
    mine = (own[name, "aec"], own[name, COMPARED, 1], own[name, COMPARED, cores])
    for library, game_name, speed in others:
        table.add_row(library, game_name, figure(speed), *[f"{own_speed / speed:.1f} x" for own_speed in mine])
    return table
