"""Writing pictures: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from card_envs.core.errors import OptionError


def write_file(path: Path, data: bytes) -> None:
    """Write beside the place, flush, rename: a reader finds the old file or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise OptionError(f"cannot write {path}: {error.strerror}") from None
    finally:
        beside.unlink(missing_ok=True)
