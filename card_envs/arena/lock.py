"""A lock that ends with its process, however that ends. Of the file nothing is read and nothing is written."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from card_envs.errors import TournamentError


@contextmanager
def locked(path: Path, taken: str) -> Iterator[None]:
    """Hold the lock. TournamentError says `taken` if another process does, or why there can be no lock."""
    try:
        # Read-only, so that whatever is there can be locked and cannot be harmed; at once, even if it is a pipe.
        flags = os.O_RDONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        file = os.open(path, flags, 0o666)
    except OSError as error:
        raise TournamentError(
            f"the tournament in {path.parent} cannot go on there, because its {path.name} cannot be opened "
            f"({error.strerror}); copy the folder to a place where you can write"
        ) from None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise TournamentError(f"{path} is not a regular file; remove it, and try again")
        try:
            _lock(file)
        except OSError:
            raise TournamentError(taken) from None
        yield
    finally:
        os.close(file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
