"""Weights, and files of them, read once and without copies: .safetensors, as strangers may have written it.

The library that writes these files also reads them, but makes a copy of every tensor on the way and keeps quiet about
the metadata. The format is small: the length of a header, the header as JSON, and numbers without gaps.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from card_envs.errors import CheckpointError
from card_envs.files import shown

LARGEST_FILE = 2**30
LARGEST_HEADER = 2**20
MOST_DIMENSIONS = 8


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
                raise CheckpointError(
                    f"its weight {name[:80]!r} must consist of 32-bit floats, not of {shown(dtype[:20])}"
                )
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


def hash_weights(weights: Mapping[str, NDArray[np.float32]]) -> str:
    """The same for the same names, shapes and numbers, whatever order they come in."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(json.dumps([name, weights[name].shape]).encode())
        digest.update(np.ascontiguousarray(weights[name], "<f4").reshape(-1).data)
    return digest.hexdigest()


def check_weights(weights: Mapping[str, NDArray[np.float32]], expected: Mapping[str, tuple[int, ...]]) -> None:
    """A CheckpointError for what is too much, too little, of another shape, or not finite."""
    for name in sorted(expected.keys() | weights.keys()):
        if name not in weights or name not in expected:
            raise CheckpointError(f"it {'has a' if name in weights else 'lacks the'} weight {name[:80]!r}")
        if weights[name].shape != expected[name]:
            raise CheckpointError(
                f"its weight {name!r} has the shape {weights[name].shape} instead of {expected[name]}"
            )
        if not _all_finite(weights[name]):
            raise CheckpointError(f"its weight {name!r} holds numbers that are not finite")


def _all_finite(array: NDArray[np.float32]) -> bool:
    """Without an array of answers beside a large one: what is not a number makes either of these one that is not."""
    return bool(np.isfinite(array.min()) and np.isfinite(array.max()))


def refuse_what_is_no_weight(weights: Mapping[str, object]) -> None:
    """A CheckpointError for what could not be written as it is."""
    for name, array in weights.items():
        if not isinstance(array, np.ndarray) or array.dtype != np.float32:
            kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            raise CheckpointError(f"its weight {name!r} must consist of 32-bit floats, not of {kind}")
