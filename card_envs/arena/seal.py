"""The seal of a tournament's file: checksums of all that it says and of all chunks that it has, kept up to date.

A checksum in each row could not tell that a row is gone. The digests of all chunks are combined such that it does not
matter in which order they came.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from card_envs.arena.database import Database
from card_envs.errors import DamagedError

TABLE = (
    "CREATE TABLE seal (number INTEGER PRIMARY KEY, contents TEXT NOT NULL, chunks INTEGER NOT NULL, "
    "results TEXT NOT NULL)"
)
HASH = re.compile("[0-9a-f]{64}")


class Seal(NamedTuple):
    """The digest of the contents, how many chunks there are, and all their digests in one."""

    contents: str
    chunks: int
    results: int


def begin_seal(base: Database) -> None:
    """The seal of nothing."""
    base.change("INSERT INTO seal VALUES (1, ?, 0, ?)", (_hex(0), _hex(0)))


def read_seal(base: Database) -> Seal:
    """The seal as it was written last."""
    rows = base.rows("SELECT contents, chunks, results FROM seal")
    contents, chunks, results = rows[0] if rows else (None, None, None)
    if not is_hash(contents) or not isinstance(chunks, int) or not is_hash(results):
        raise DamagedError("its seal is damaged")
    return Seal(contents, chunks, int(results, 16))


def seal_contents(base: Database, digest: str) -> None:
    """Note what the contents are from now on."""
    base.change("UPDATE seal SET contents = ?", (digest,))


def seal_chunk(base: Database, digest: str) -> None:
    """Note that a chunk has come, in the transaction in which it comes."""
    seal = read_seal(base)
    base.change("UPDATE seal SET chunks = ?, results = ?", (seal.chunks + 1, _hex(seal.results ^ int(digest, 16))))


def read_digests(base: Database, most: int) -> dict[int, str]:
    """The digest of each chunk that is there, by number; together they must be what the seal says."""
    with base.snapshot():
        rows = base.rows("SELECT number, digest FROM chunks ORDER BY number", most=most)
        seal = read_seal(base)
    results = 0
    for number, digest in rows:
        if not 0 <= number < most or not is_hash(digest):
            raise DamagedError(f"its chunk {number} is damaged, or of another tournament")
        results ^= int(digest, 16)
    if (len(rows), results) != (seal.chunks, seal.results):
        raise DamagedError("some of its chunks are missing or changed")
    return dict(rows)


def is_hash(text: object) -> bool:
    """Whether it is a digest as we write them."""
    return isinstance(text, str) and HASH.fullmatch(text) is not None


def _hex(number: int) -> str:
    return f"{number:064x}"
