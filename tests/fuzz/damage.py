"""What can happen to a file: bits that flip, bytes that go missing, move or come again, and files of something else."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import random
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

Dice = random.Random

FORBIDDEN = ("import", "exec", "compile", "pickle.find_class", "subprocess.Popen", "os.system", "socket.connect")


class _Ear:
    """The one audit hook of this process: hooks cannot be taken back."""

    def __init__(self) -> None:
        self.listening, self.heard = False, list[str]()
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.listening and event in FORBIDDEN:
            self.heard.append(f"{event} {arguments[:1]}")


def flip(data: bytearray, dice: Dice) -> None:
    for _ in range(dice.choice((1, 1, 1, 2, 8))):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def flip_early(data: bytearray, dice: Dice) -> None:
    """In the first bytes, where headers are."""
    data[dice.randrange(min(len(data), 1200))] ^= 1 << dice.randrange(8)


def cut(data: bytearray, dice: Dice) -> None:
    del data[dice.randrange(len(data)) :]


def drop(data: bytearray, dice: Dice) -> None:
    place = dice.randrange(len(data))
    del data[place : place + dice.choice((1, 4, 8, 100, 4096))]


def swap(data: bytearray, dice: Dice) -> None:
    one, other = (dice.randrange(len(data)) for _ in range(2))
    data[one], data[other] = data[other], data[one]


def repeat(data: bytearray, dice: Dice) -> None:
    place, length = dice.randrange(len(data)), dice.choice((1, 4, 8, 100, 4096))
    data[place:place] = data[place : place + length]


def overwrite(data: bytearray, dice: Dice) -> None:
    place = dice.randrange(len(data))
    data[place : place + dice.randrange(1, 300)] = dice.randbytes(dice.randrange(1, 300))


def blank(data: bytearray, dice: Dice) -> None:
    """A block that was never written."""
    place = dice.randrange(len(data)) // 512 * 512
    data[place : place + 512] = bytes(len(data[place : place + 512]))


def append(data: bytearray, dice: Dice) -> None:
    data += dice.randbytes(dice.randrange(1, 100))


BLOWS: tuple[Callable[[bytearray, Dice], None], ...] = (
    flip, flip_early, cut, drop, swap, repeat, overwrite, blank, append,
)  # fmt: skip


def damage(whole: bytes, dice: Dice) -> bytes:
    """The file after one blow."""
    data = bytearray(whole)
    dice.choice(BLOWS)(data, dice)
    return bytes(data)


def foreign(dice: Dice) -> bytes:
    """A file of something else."""
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"a": 1}))
    return dice.choice(
        (
            b"",
            b"\n",
            b"PK",
            b"decisions: 480\n",
            "Grüße\n".encode("latin-1"),
            b'{"format": "card_envs checkpoint 2"}',
            pickle.dumps({"decisions": 1}),
            gzip.compress(bytes(1000)),
            b"\x89PNG\r\n\x1a\n" + dice.randbytes(100),
            b"SQLite format 3\0" + bytes(1000),
            zipped.getvalue(),
            bytes(dice.randrange(1, 10_000)),
            b"\xff" * dice.randrange(1, 10_000),
            dice.randbytes(dice.randrange(1, 10_000)),
        )
    )


SPECIAL = ("nothing", "folder", "pipe", "endless", "loop", "gone", "huge")


def put_special(path: Path, kind: str, largest: int) -> None:
    """What only looks like a file, at this place."""
    remove(path)
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "endless":
            path.symlink_to("/dev/zero")
        case "loop":
            path.symlink_to(path)
        case "gone":
            path.symlink_to(path.with_name("nowhere"))
        case "huge":
            with path.open("wb") as file:
                file.truncate(largest + 1)  # takes no room on the disk


def remove(path: Path) -> None:
    """Whatever is at this place."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


@cache
def _ear() -> _Ear:
    return _Ear()


@contextmanager
def nothing_is_run() -> Iterator[list[str]]:
    """What was imported, unpickled or started meanwhile; it should be nothing."""
    ear = _ear()
    ear.heard.clear()
    ear.listening = True
    try:
        yield ear.heard
    finally:
        ear.listening = False


def summary(counts: Counter[str]) -> str:
    """One line."""
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items(), key=lambda one: -one[1]))
