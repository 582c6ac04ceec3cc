"""What disks, copies and strangers do to the pages of an SQLite file, by a seed. Other files: damage.py."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

PAGE = 4096


def flip_one(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def flip_in_the_head(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """In the first page, where SQLite says what there is."""
    changed = bytearray(data)
    changed[rng.randrange(min(len(data), PAGE))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def flip_several(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(2, 200)):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def other_bytes(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    begin = rng.randrange(len(data))
    length = min(rng.choice((1, 4, 16, 100, PAGE)), len(data) - begin)
    return data[:begin] + rng.randbytes(length) + data[begin + length :]


def cut_off(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: rng.choice((0, 1, 15, 16, 99, 100, rng.randrange(len(data)), rng.randrange(len(data))))]


def cut_at_a_page(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: PAGE * rng.randrange(len(data) // PAGE)]


def grown(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data + rng.choice((bytes(PAGE), rng.randbytes(rng.randint(1, 3 * PAGE))))


def zeroed_page(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _with_page(data, rng.randrange(len(data) // PAGE), bytes(PAGE))


def copied_page(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    one, other = (PAGE * rng.randrange(len(data) // PAGE) for _ in range(2))
    return _with_page(data, other // PAGE, data[one : one + PAGE])


def swapped_pages(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    one, other = (rng.randrange(len(data) // PAGE) for _ in range(2))
    first, second = (data[PAGE * place : PAGE * place + PAGE] for place in (one, other))
    return _with_page(_with_page(data, one, second), other, first)


def pages_of_another(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """As a copy that was interrupted leaves it: the beginning of one tournament and the rest of another.

    Page by page: their first pages are alike, so with those alone it would be the other tournament, whole.
    """
    other = rng.choice(list(others))
    begin = PAGE * rng.randrange(2, min(len(data), len(other)) // PAGE)
    return data[:begin] + other[begin:]


def foreign(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return rng.choice(
        (b"", b"\0" * len(data), rng.randbytes(len(data)), b"SQLite format 3\0", b"SQLite format 3\0" + bytes(5000),
         b"<!doctype html><title>404</title>" * 100, b"PK\x03\x04" + rng.randbytes(3000), data[::-1],
         b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")
    )  # fmt: skip


def _with_page(data: bytes, page: int, content: bytes) -> bytes:
    return data[: PAGE * page] + content + data[PAGE * (page + 1) :]


DAMAGES: tuple[Callable[[random.Random, bytes, Sequence[bytes]], bytes], ...] = (
    flip_one, flip_one, flip_one, flip_in_the_head, flip_in_the_head, flip_several, other_bytes, cut_off, cut_at_a_page,
    grown, zeroed_page, copied_page, swapped_pages, pages_of_another, foreign,
)  # fmt: skip
