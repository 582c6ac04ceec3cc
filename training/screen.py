"""What a person sees while a training runs: one live screen, or plain lines where there is no terminal."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Mapping
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from training.evaluation import Share

MOST_SECONDS_BETWEEN_LINES = 10.0
LEAST_SECONDS_BETWEEN_LINES = 2.0
FIGURES = (  # of learning, for people, as far as a learner has them
    ("entropy", "entropy", ".3f"),
    ("approx. KL", "approx_kl", ".4f"),
    ("choices are off", "worth_error", ".4f"),
    ("explained variance", "explained_variance", ".3f"),
    ("learning rate", "learning_rate", ".1e"),
)
SECONDS, FROZEN = "seconds_", "frozen"  # how figures of time begin, and one that is part of another


def tell(sentence: str) -> None:
    """A line before there is a screen."""
    print(sentence, flush=True)


class Screen:
    """Progress, speed, figures of learning, and win shares with error bars.

    A run ends with `total` decisions or after so many `minutes`, whichever comes first; `done` decisions and `seconds`
    of learning were before.
    """

    def __init__(
        self,
        title: str,
        total: int,
        done: int = 0,
        console: Console | None = None,
        *,
        minutes: float | None = None,
        seconds: float = 0.0,
    ) -> None:
        self.console = console or Console()
        self._live_wanted = self.console.is_terminal
        self._progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=self.console,
        )
        self._task = self._progress.add_task(title, total=1.0, left="")
        self._progress.update(self._task, completed=done / total)
        self._total, self._done, self._minutes, self._seconds = total, done, minutes, seconds
        self._figures: dict[str, str] = {}
        self._shares: dict[str, str] = {}
        self._spent: defaultdict[str, float] = defaultdict(float)
        self._doing = "learning"
        self._live: Live | None = None
        self._began, self._last_line = time.monotonic(), -math.inf  # the first line comes at once

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

    def now(self, doing: str) -> None:
        """What takes its time from here on."""
        self._doing = doing
        self._refresh()
        if self._live is None:
            self.say(f"{doing} ...")

    def learned(self, decisions: int, figures: Mapping[str, float]) -> None:
        """After an iteration."""
        self._doing = "learning"
        part = self._part_done(decisions, figures.get("seconds", 0.0))
        elapsed = time.monotonic() - self._began
        left = f", {_time(elapsed * (1 - part) / part)} left" if part > 0 else ""
        whole = self._done / self._total
        self._progress.update(self._task, completed=whole + (1 - whole) * part, left=left.removeprefix(", "))
        self._figures = {
            "decisions": f"{decisions:,}",
            "decisions/s": f"{figures['decisions_per_second']:,.0f}",
            **{name: f"{figures[key]:{form}}" for name, key, form in FIGURES if key in figures},
        }
        self._refresh()
        if self._live is None and time.monotonic() - self._last_line >= _pause(elapsed):
            self._last_line = time.monotonic()
            told = ", ".join(f"{name} {value}" for name, value in self._figures.items())
            self.say(f"{self._progress.tasks[0].percentage:3.0f} %  {told}{left}")

    def spent(self, figures: Mapping[str, float]) -> None:
        """After everything else: where the time went, on average since the beginning."""
        for name, value in figures.items():
            if name.startswith(SECONDS):
                self._spent[name.removeprefix(SECONDS)] += value
        self._refresh()

    def time_spent(self) -> str:
        """In words: playing 30 % (frozen players 6 %), learning 60 %, measuring 8 %, saving 2 %."""
        total = max(1e-9, sum(value for name, value in self._spent.items() if name != FROZEN))
        shares = {name: f"{name} {value / total:.0%}" for name, value in self._spent.items() if value > 0}
        frozen = shares.pop(FROZEN, "")
        if frozen and "playing" in shares:
            shares["playing"] += f" (frozen players {frozen.removeprefix(f'{FROZEN} ')})"
        return ", ".join(shares.values()).replace("%", " %")

    def _part_done(self, decisions: int, seconds: float) -> float:
        """Of what there was to do at the beginning: decisions, or minutes if they are over sooner."""
        parts = [(decisions - self._done) / max(1, self._total - self._done)]
        if self._minutes is not None:
            parts.append((seconds - self._seconds) / max(1e-9, 60 * self._minutes))
        return min(1.0, max(parts))

    def measured(self, shares: Mapping[str, Share], sentence: str) -> None:
        """After an evaluation."""
        self._doing = "learning"
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
        if self._spent:
            figures.add_row("time", self.time_spent())
        figures.add_row("now", self._doing)
        for name, value in self._figures.items():
            figures.add_row(name, value)
        shares = Table("against", "win share (95 %)", box=None, padding=(0, 2))
        for name, value in self._shares.items():
            shares.add_row(Text(name), value)
        side_by_side = Table.grid(padding=(0, 4))
        side_by_side.add_row(figures, shares if self._shares else "")
        return Group(self._progress, side_by_side)


def _time(seconds: float) -> str:
    """How long, as a person would say it."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _pause(elapsed: float) -> float:
    """Seconds between two lines where there is no terminal: few at first, when people still wonder whether it works."""
    return min(MOST_SECONDS_BETWEEN_LINES, max(LEAST_SECONDS_BETWEEN_LINES, elapsed / 5))
