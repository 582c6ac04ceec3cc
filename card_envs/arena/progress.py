"""What a person sees while a tournament is played."""

from __future__ import annotations

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


@contextmanager
def show_progress(tournament: Tournament, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """A bar with games per second and time left, on standard error; yields what to call with each chunk's games."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not (shown and console.is_terminal)) as bar:
        task = bar.add_task(tournament.setting.rules.title, total=tournament.games, completed=tournament.games_played)
        yield lambda games: bar.advance(task, games)
