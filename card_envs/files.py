"""Writing files so that a reader finds the old one or the new one, whole."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: str | Path, data: bytes) -> Path:
    """Write a file beside its place, flush it, rename it. Folders that are missing are made."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path
