"""What a person sees while a tournament is played."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

if TYPE_CHECKING:
    from card_envs.arena.tournament import Tournament


class _Rate(ProgressColumn):
    """Games per second."""

    def render(self, task: Task) -> Text:
        """As a whole number, or nothing while it is not known."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} games/s")


class _Lines:
    """Lines where there is no terminal: none sooner than two seconds after the last one, and fewer in a long run."""

    def __init__(self, title: str, total: int, done: int) -> None:
        self._title, self._total, self._done = title, total, done
        self._began = self._last = time.monotonic()

    def __call__(self, games: int) -> None:
        self._done += games
        now = time.monotonic()
        if now - self._last >= min(10.0, max(2.0, (now - self._began) / 5)):
            self._last = now
            print(f"{self._title}: {self._done:,} of {self._total:,} games", file=sys.stderr, flush=True)


@contextmanager
def show_progress(tournament: Tournament, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """A bar with games per second and time left, on standard error; yields what to call with each chunk's games."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
    console = Console(stderr=True)
    title, total, done = tournament.setting.rules.title, tournament.games, tournament.games_played
    if not shown:
        yield lambda games: None
    elif not console.is_terminal:
        yield _Lines(title, total, done)
    else:
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(title, total=total, completed=done)
            yield lambda games: bar.advance(task, games)
    if shown:
        print("rating the agents", file=sys.stderr, flush=True)
