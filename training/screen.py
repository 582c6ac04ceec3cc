"""What a person sees while a training runs: one live screen, or plain lines where there is no terminal."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from training.evaluation import Share

SECONDS_BETWEEN_LINES = 10.0


class Screen:
    """Progress, speed, figures of learning, and win shares with error bars."""

    def __init__(self, title: str, total: int, done: int = 0, console: Console | None = None) -> None:
        self.console = console or Console()
        self._live_wanted = self.console.is_terminal
        self._progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self.console,
            speed_estimate_period=60,
        )
        self._task = self._progress.add_task(title, total=total, completed=done)
        self._title, self._total = title, total
        self._figures: dict[str, str] = {}
        self._shares: dict[str, str] = {}
        self._live: Live | None = None
        self._last_line = 0.0

    def __enter__(self) -> Screen:
        if self._live_wanted:
            self._live = Live(self._picture(), console=self.console, refresh_per_second=4)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.update(self._picture())
            self._live.stop()

    def say(self, sentence: str) -> None:
        """A line that stays."""
        self.console.print(sentence, highlight=False, markup=False, soft_wrap=True)

    def learned(self, decisions: int, figures: Mapping[str, float]) -> None:
        """After an iteration."""
        self._progress.update(self._task, completed=decisions)
        self._figures = {
            "decisions": f"{decisions:,}",
            "decisions/s": f"{figures['decisions_per_second']:,.0f}",
            "entropy": f"{figures['entropy']:.3f}",
            "approx. KL": f"{figures['approx_kl']:.4f}",
            "explained variance": f"{figures['explained_variance']:.3f}",
            "learning rate": f"{figures['learning_rate']:.1e}",
        }
        self._refresh()
        if self._live is None and time.monotonic() - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            left = self._progress.tasks[0].time_remaining
            told = ", ".join(f"{name} {value}" for name, value in self._figures.items())
            self.say(f"{decisions / self._total:4.0%}  {told}" + (f", {left:.0f} s left" if left is not None else ""))

    def measured(self, shares: Mapping[str, Share], sentence: str) -> None:
        """After an evaluation."""
        self._shares = {name: str(share) for name, share in shares.items()}
        self._refresh()
        if self._live is None:
            told = ", ".join(f"{name} {share}" for name, share in self._shares.items())
            self.say(f"win share against {told}; {sentence}")

    def _refresh(self) -> None:
        if self._live is not None:
            self._live.update(self._picture())

    def _picture(self) -> Group:
        figures = Table(box=None, show_header=False, padding=(0, 2))
        for name, value in self._figures.items():
            figures.add_row(name, value)
        shares = Table("against", "win share (95 %)", box=None, padding=(0, 2))
        for name, value in self._shares.items():
            shares.add_row(name, value)
        side_by_side = Table.grid(padding=(0, 4))
        side_by_side.add_row(figures, shares if self._shares else "")
        return Group(self._progress, side_by_side)
