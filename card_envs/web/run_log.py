"""The training curve of a run, read on from where it was read before while training writes."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path
from typing import Any

MOST_AT_ONCE = 2**24  # bytes that are read for one answer; the next one goes on from there
MOST_SERIES, MOST_POINTS = 60, 300
AGAINST, ERROR = "against ", " error"
Point = tuple[float, float, float]  # decisions, win share, its standard error


class RunLog:
    """What `log.jsonl` says of measurements. A line that is not whole yet is read the next time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.decisions = 0.0
        self.series: dict[str, list[Point]] = {}
        self._read, self._file = 0, (0, 0)

    def refresh(self) -> None:
        """Read what is new; all of it again if the file was replaced or cut."""
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            size = file.seek(0, 2)
            about = self.path.stat()
            if (about.st_dev, about.st_ino) != self._file or size < self._read:
                self.decisions, self.series, self._read = 0.0, {}, 0
                self._file = about.st_dev, about.st_ino
            file.seek(self._read)
            data = file.read(MOST_AT_ONCE)
            whole = data.rfind(b"\n") + 1
            self._read += whole
            for line in data[:whole].splitlines():
                self._take(line)

    def _take(self, line: bytes) -> None:
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            told: dict[str, Any] = json.loads(line)
            decisions = float(told["decisions"])
            if not math.isfinite(decisions):
                return
            self.decisions = max(self.decisions, decisions)
            for name, value in told.items():
                if not name.startswith(AGAINST) or name.endswith(ERROR):
                    continue
                if name in self.series or len(self.series) < MOST_SERIES:
                    point = (decisions, float(value), float(told.get(name + ERROR) or 0.0))
                    if all(map(math.isfinite, point)):
                        self.series.setdefault(name, []).append(point)

    def curve(self, name: str) -> list[Point]:
        """One series, thinned out to what a screen can show, the newest point always among them."""
        points = sorted(self.series[name])
        every = -(-len(points) // MOST_POINTS)
        return points[::-1][:: max(every, 1)][::-1]
