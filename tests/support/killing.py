"""Processes that kill themselves at a moment that is counted and not timed, so that it is the same on any machine."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

GROWTH = {"os.mkdir", "os.rename", "os.link", "os.symlink"}  # what a full disk refuses, besides new files and flushing
CHANGES = GROWTH | {"os.remove", "os.rmdir", "os.truncate"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


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


def strike_at_files(folder: Path, nth: int, blow: Callable[[], None]) -> Callable[[], int]:
    """A blow before the n-th time that the main thread changes something in a folder: a file opened for writing,
    flushed, renamed or removed, a folder made. Returns how many such moments there were so far.

    For good: an audit hook cannot be taken back, so this is for children.
    """
    moments = 0

    def count() -> None:
        nonlocal moments
        moments += 1
        if moments == nth:
            blow()

    _at_files(folder, CHANGES, count)
    return lambda: moments


def fill_disk(folder: Path, nth: int) -> None:
    """From the n-th such moment on the disk is full: nothing can be written, and things can only be removed."""
    moments = 0

    def refuse() -> None:
        nonlocal moments
        moments += 1
        if moments >= nth:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    _at_files(folder, GROWTH, refuse)


def _at_files(folder: Path, events: set[str], happen: Callable[[], None]) -> None:
    within, main, flush = str(folder), threading.main_thread(), os.fsync

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING
        if (writes or event in events) and str(arguments[0]).startswith(within):
            if threading.current_thread() is main:
                happen()

    def fsync(handle: int) -> None:
        happen()
        flush(handle)

    sys.addaudithook(hear)
    os.fsync = fsync


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
