"""What a person should read while something takes its time, such as compiling. Only programs ask for it."""

from __future__ import annotations

import logging
import sys
from typing import Literal


class _Printer(logging.Handler):
    """Prints to a standard stream as it is at that moment, so that progress bars and tests can catch it."""

    def __init__(self, stream: Literal["stdout", "stderr"]) -> None:
        super().__init__(logging.INFO)
        self._stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        """One line, at once."""
        print(record.getMessage(), file=getattr(sys, self._stream), flush=True)


def show_notices(stream: Literal["stdout", "stderr"] = "stderr") -> None:
    """Print the notices of the logger `card_envs` from now on, instead of dropping them."""
    log = logging.getLogger("card_envs")
    if not any(isinstance(handler, _Printer) for handler in log.handlers):
        log.addHandler(_Printer(stream))
        log.setLevel(logging.INFO)
