"""A training on a real disk that is full, and one that is read-only: a tmpfs of its own, where the system lets us."""

from __future__ import annotations

import ctypes
import os
from collections import Counter
from pathlib import Path
from typing import Any

from tests.support.killed_run import KILLED, Trial, essence, train, write_config
from tests.support.killing import in_a_child

NEW_NAMESPACE, PRIVATE, READ_ONLY, REMOUNT = 0x20000, (1 << 18) | (1 << 14), 1, 32
SIZE = 2**20
LEFT = (0, 8_192, 40_960)  # bytes that are left on the disk when the run goes on
NOT_ALLOWED = 77


def check_small_disk(folder: Path) -> Counter[str]:
    """What is wrong with runs on a disk that is full or read-only; 1 `skipped` where nothing can be mounted."""
    config = write_config(folder / "config.yaml")
    disk = folder / "disk"
    disk.mkdir()
    whole = Trial(config, folder / "whole")
    code, said = whole.go(*whole.begin)
    assert code == 0, said
    code = in_a_child(lambda: _on_the_disk(config, disk, folder / "said", essence(whole.run)))
    if code == NOT_ALLOWED:
        return Counter({"skipped": 1, "findings": 0})
    return Counter({"full": len(LEFT), "read-only": 1, "findings": int(code != 0)})


def _mount(disk: Path, flags: int) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.mount(b"tmpfs", os.fsencode(disk), b"tmpfs", flags, f"size={SIZE}".encode()) == 0


def _on_the_disk(config: Path, disk: Path, said: Path, whole: dict[str, Any]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    alone = libc.unshare(NEW_NAMESPACE) == 0 and libc.mount(None, b"/", None, PRIVATE, None) == 0
    if not alone or not _mount(disk, 0):
        os._exit(NOT_ALLOWED)
    run, ballast = disk / "run", disk / "ballast"
    trial = Trial(config, disk / "trial")
    trial.run, trial.said, trial.begin = run, said, ("--config", config, "--run", run)
    code, text = trial.go(*trial.begin, moment=100)
    assert code == KILLED, text
    for left in LEFT:
        _fill(ballast, left)
        _expect_refusal(run, said, "No space left on device")
        ballast.unlink()
    assert _mount(disk, REMOUNT | READ_ONLY)
    _expect_refusal(run, said, "Read-only file system")
    assert _mount(disk, REMOUNT)
    code, text = trial.again()
    assert code == 0, text
    assert essence(run) == whole


def _fill(ballast: Path, left: int) -> None:
    free = os.statvfs(ballast.parent)
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize - left))


def _expect_refusal(run: Path, said: Path, why: str) -> None:
    code, text = train("--resume", run, said=said)
    assert code == 1, text
    assert "Traceback" not in text, text
    assert text.splitlines()[-1].startswith("cannot write into"), text
    assert why in text.splitlines()[-1], text
