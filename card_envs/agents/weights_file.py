"""Files of weights, read once and without copies: .safetensors, as strangers may have written it.

The library that writes these files also reads them, but makes a copy of every tensor on the way and keeps quiet about
the metadata. The format is small: the length of a header, the header as JSON, and numbers without gaps.
"""

from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from card_envs.errors import CheckpointError

LARGEST_FILE = 2**30
LARGEST_HEADER = 2**20
MOST_DIMENSIONS = 8


def read_regular_file(path: Path) -> bytes:
    """A file's bytes, at most LARGEST_FILE of them. What only looks like a file (a device, a pipe) is not read."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise CheckpointError("it is not a regular file")
            if found.st_size > LARGEST_FILE:
                raise CheckpointError(f"it has {found.st_size} bytes, and no checkpoint has more than {LARGEST_FILE}")
            data = file.read(found.st_size + 1)
    except FileNotFoundError:
        raise CheckpointError("there is no such file") from None
    except IsADirectoryError:
        raise CheckpointError("it is a folder, not a file") from None
    except OSError as error:
        raise CheckpointError(f"it cannot be read ({error.strerror})") from None
    if len(data) != found.st_size:
        raise CheckpointError("it was changed while it was read; try again")
    return data


def _open_at_once(path: str, flags: int) -> int:
    """A pipe to which nobody writes would keep us waiting. Windows has no such pipes, and no such flag."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def parse_safetensors(data: bytes) -> tuple[dict[str, str], dict[str, NDArray[np.float32]]]:
    """Metadata and tensors of a whole file. The tensors are windows into `data`, which nobody can write through."""
    begin = 8 + int.from_bytes(data[:8], "little")
    if begin > min(len(data), 8 + LARGEST_HEADER):
        raise _broken("its header is cut off or too long")
    try:
        header = json.loads(data[8:begin])
    except (ValueError, RecursionError):
        raise _broken("its header is not JSON") from None
    if not isinstance(header, dict):
        raise _broken("its header is not a table")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise _broken("its metadata are not texts")
    return metadata, _tensors(header, data, begin)


def _tensors(header: dict[str, object], data: bytes, begin: int) -> dict[str, NDArray[np.float32]]:
    places = {name: _place(name, entry) for name, entry in header.items()}
    end = 0
    for first, last, _ in sorted(places.values()):
        if first != end:
            raise _broken("its tensors overlap or leave gaps")
        end = last
    if begin + end != len(data):
        raise _broken("it ends too early or too late")
    return {
        name: _window(data, begin + first, (last - first) // 4, shape) for name, (first, last, shape) in places.items()
    }


def _place(name: str, entry: object) -> tuple[int, int, tuple[int, ...]]:
    """Where a tensor begins and ends, and its shape."""
    match entry:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [int(first), int(last)]}:
            if dtype != "F32":
                raise CheckpointError(f"its weight {name[:80]!r} must consist of 32-bit floats, not of {dtype[:20]}")
            sound = len(shape) <= MOST_DIMENSIONS and all(type(size) is int and size > 0 for size in shape)
            if sound and first >= 0 and last - first == 4 * math.prod(shape):
                return first, last, tuple(shape)
    raise _broken(f"its tensor {name[:80]!r} is not described as one")


def _window(data: bytes, begin: int, count: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    # A copy only where the machine could not calculate with the numbers as they lie in the file.
    window = np.require(np.frombuffer(data, "<f4", count, begin), np.float32, "A").reshape(shape)
    window.flags.writeable = False
    return window


def _broken(why: str) -> CheckpointError:
    return CheckpointError(f"it is no whole .safetensors file: {why}")
