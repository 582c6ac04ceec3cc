"""The results of a chunk as bytes, and back: each array in as few bytes as its numbers need, compressed, and sealed.

A reader knows from the schedule how many numbers there are, so that nothing is unpacked to more than that.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.arena.isolation import NOBODY, REASONS
from card_envs.arena.play import ChunkResults, Setting
from card_envs.arena.schedule import Chunk
from card_envs.core.options import LARGEST_SEED
from card_envs.errors import DamagedError

ARRAYS = ("seeds", "seats", "points", "ranks", "score_sheets", "sizes", "forfeits")
SIZES = (1, 2, 4, 8)  # bytes of a number
MOST_POINTS = 2**31


def pack(array: NDArray[Any]) -> bytes:
    """One byte that tells the numbers' size, then the numbers, compressed."""
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    size = next(size for size in SIZES if -(2 ** (8 * size - 1)) <= low and high < 2 ** (8 * size - 1))
    return bytes([size]) + zlib.compress(np.ascontiguousarray(array, f"<i{size}").tobytes(), 1)


def unpack(blob: object, shape: tuple[int, ...], low: int, high: int) -> NDArray[np.int64]:
    """Numbers from low to high, exactly so many."""
    if not isinstance(blob, bytes) or not blob or blob[0] not in SIZES:
        raise DamagedError("no packed numbers")
    length = blob[0] * int(np.prod(shape))
    unpacking = zlib.decompressobj()
    try:
        numbers = unpacking.decompress(blob[1:], length + 1)
    except zlib.error as error:
        raise DamagedError(str(error)) from None
    if len(numbers) != length or not unpacking.eof or unpacking.unused_data:
        raise DamagedError("more or fewer numbers than its games have")
    array = np.frombuffer(numbers, f"<i{blob[0]}")
    bound = 2 ** (8 * blob[0] - 1)  # of numbers with so many bytes
    if array.size and (low > -bound or high < bound - 1) and not (low <= array.min() and array.max() <= high):
        raise DamagedError(f"numbers that are not from {low} to {high}")
    return array.astype(np.int64).reshape(shape)


def digest(head: Sequence[int], blobs: Sequence[bytes]) -> str:
    """The checksum of a chunk's row: its number, first game and number of games, and its arrays as they are kept."""
    made = hashlib.sha256(json.dumps([*head, *map(len, blobs)]).encode())
    for blob in blobs:
        made.update(blob)
    return made.hexdigest()


def unpack_results(
    row: Sequence[Any], expected: str, chunk: Chunk, setting: Setting, speaking: Collection[int] = ()
) -> ChunkResults:
    """The results of a chunk from its row (first game, games, arrays), which must be the one that was written.

    `speaking` are the numbers of agents that are told games in words, and so may forfeit.
    """
    head, blobs = (chunk.number, *row[:2]), row[2:]
    if head != (chunk.number, chunk.first_game, chunk.games) or not all(isinstance(one, bytes) for one in blobs):
        raise DamagedError(f"chunk {chunk.number} of it is not the one that was to be played")
    if digest(head, blobs) != expected:
        raise DamagedError(f"the checksum of chunk {chunk.number} does not fit")
    seats, sizes = chunk.seats(setting.seed), chunk.sizes()
    sheet = (*seats.shape, len(setting.rules.score_columns))
    ranges = {  # seats and sizes are known already, so that it is enough to compare them
        "seeds": (seats.shape[:1], 0, LARGEST_SEED),
        "seats": (seats.shape, -MOST_POINTS, MOST_POINTS),
        "points": (seats.shape, -MOST_POINTS, MOST_POINTS),
        "ranks": (seats.shape, 1, setting.players),
        "score_sheets": (sheet, -MOST_POINTS, MOST_POINTS),
        "sizes": (sizes.shape, -MOST_POINTS, MOST_POINTS),
        "forfeits": ((len(seats), 2), NOBODY, max(setting.players, len(REASONS)) - 1),
    }
    arrays: dict[str, Any] = {}
    for name, blob in zip(ARRAYS, blobs, strict=True):
        try:
            arrays[name] = unpack(blob, *ranges[name])
        except DamagedError as error:
            raise DamagedError(f"the {name} of chunk {chunk.number} are {error}") from None
    if (arrays["seats"] != seats).any() or (arrays["sizes"] != sizes).any():
        raise DamagedError(f"chunk {chunk.number} of it was played by others than those who were to play")
    if (arrays["ranks"].min(axis=1) != 1).any():
        raise DamagedError(f"a game of chunk {chunk.number} has no winner")
    _check_forfeits(arrays, chunk, setting, speaking)
    return ChunkResults(**arrays)


def _check_forfeits(arrays: dict[str, Any], chunk: Chunk, setting: Setting, speaking: Collection[int]) -> None:
    """Only who plays from elsewhere can forfeit a game: then nobody scores, and one is last."""
    loser, reason = arrays["forfeits"].T
    lost = np.flatnonzero(loser != NOBODY)
    known = (loser == NOBODY) == (reason == NOBODY)
    if not known.all() or loser.max() >= setting.players or reason.max() >= len(REASONS):
        raise DamagedError(f"a game of chunk {chunk.number} was forfeited by nobody")
    ranks = np.where(np.arange(setting.players) == loser[lost, None], setting.players, 1)
    scored = arrays["points"][lost].any() or arrays["score_sheets"][lost].any()
    losers = arrays["seats"][lost, loser[lost]]
    can = setting.isolate is not None or np.isin(losers, list(speaking)).all()
    if lost.size and (not can or scored or (arrays["ranks"][lost] != ranks).any()):
        raise DamagedError(f"a game of chunk {chunk.number} was not forfeited as games are")
