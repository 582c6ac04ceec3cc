"""When to stop, and when it is time again."""

from __future__ import annotations

import signal
from types import FrameType


class Stop:
    """Ctrl-C, or the signal with which clusters end a job: the first one asks to stop, the next one insists."""

    def __init__(self) -> None:
        self.asked = False
        for kind in (signal.SIGINT, signal.SIGTERM):
            signal.signal(kind, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def crosses(before: int, after: int, every: int) -> bool:
    """Whether a multiple of `every` lies between two numbers of decisions."""
    return before // every < after // every
