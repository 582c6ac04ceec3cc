"""Files that are whole or not there: written beside their place, flushed, renamed."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: str | Path, data: bytes | str) -> Path:
    """Write a file so that a reader, or whoever comes after a crash, finds the old one or the new one, whole."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path
