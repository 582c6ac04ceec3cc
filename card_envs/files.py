"""Files that are whole or not there: written beside their place, flushed, renamed; and read without surprises."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def write_whole(path: str | Path, data: bytes | str) -> Path:
    """Write a file so that a reader, or whoever comes after a crash, finds the old one or the new one, whole."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    beside.unlink(missing_ok=True)  # of a killed process with our number; or a link that leads elsewhere
    try:
        with beside.open("xb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    _flush_names(path.parent)
    return path


def _flush_names(folder: Path) -> None:
    """Files that are written one after the other are there one after the other, after a power cut too."""
    with suppress(OSError):  # some file systems, and Windows, know of no such thing; the file itself is safe by now
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def left_beside(folder: Path) -> list[Path]:
    """Files that `write_whole` had begun when its program was killed. They are nothing."""
    return sorted(folder.glob(".*.part"))


def read_regular(path: Path, largest: int, refuse: Callable[[str], Exception]) -> bytes:
    """A file's bytes, once and at most `largest` of them; what only looks like a file (a device, a pipe) is not read.

    `refuse` makes the error out of half a sentence, such as "there is no such file".
    """
    if "\0" in str(path):
        raise refuse("no file can have such a name")
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise refuse("it is not a regular file")
            if found.st_size > largest:
                raise refuse(f"it has {found.st_size} bytes, and can have {largest} at most")
            data = file.read(found.st_size + 1)
    except FileNotFoundError:
        raise refuse("there is no such file") from None
    except IsADirectoryError:
        raise refuse("it is a folder, not a file") from None
    except OSError as error:
        raise refuse(f"it cannot be read ({error.strerror})") from None
    except MemoryError:
        raise refuse(f"there is no memory for its {found.st_size} bytes") from None
    if len(data) != found.st_size:
        raise refuse("it was changed while it was read; try again")
    return data


def _open_at_once(path: str, flags: int) -> int:
    """A pipe to which nobody writes would keep us waiting. Windows has no such pipes, and no such flag."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def shown(name: object) -> str:
    """A name that a stranger may have chosen, as a sentence or a table can have it: on one line, in letters."""
    text = str(name)
    return text if text.isprintable() else ascii(text)[1:-1]
