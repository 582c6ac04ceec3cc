"""Processes that kill themselves at a moment that is counted and not timed, so that it is the same on any machine."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any


def strike(owner: Any, method: str, nth: int, *, after: bool, blow: Callable[[], None]) -> None:
    """Let the n-th call of a method be preceded or followed by a blow, such as a signal to oneself."""
    original, calls = getattr(owner, method), 0

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth and not after:
            blow()
        answer = original(*arguments, **named)
        if calls == nth and after:
            blow()
        return answer

    setattr(owner, method, counted)


def kill_self() -> None:
    """kill -9: nothing is flushed, closed or said."""
    os.kill(os.getpid(), signal.SIGKILL)


def in_a_child(work: Callable[[], Any]) -> int:
    """Do this in a copy of the process, in which everything is loaded already. Its exit code, or minus its signal."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
