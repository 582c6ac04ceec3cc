"""Environments of their own, beside .venv, for other versions (lowest.py) and other libraries (ecosystem.py)."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
import tomllib
from collections.abc import Sequence
from pathlib import Path

from set_up import NOISE, Teller, follow

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".apart"
TORCH = "torch==2.13.0"  # as constraints.txt says; installed first, so that no library brings another one


class BrokenError(Exception):
    """Something that could not be installed or did not run, and the end of what it said."""


def project() -> dict:
    """What pyproject.toml says of this package."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def environment(name: str, requirements: Sequence[str], constraints: Sequence[str] = ()) -> Path:
    """The Python of an environment with this package, editable, and these; made again when they have changed."""
    folder = FOLDER / name
    python, stamp = folder / "bin" / "python", folder / "installed.json"
    wanted = json.dumps([sorted(requirements), sorted(constraints), project()["dependencies"]])
    digest = hashlib.sha256(wanted.encode()).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        return python
    teller = Teller()
    _do(f"{name}: making an environment", [sys.executable, "-m", "venv", "--clear", folder], teller)
    held = folder / "constraints.txt"
    held.write_text("\n".join([TORCH, *constraints]), encoding="utf-8")
    pip = [python, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    if any(one.startswith("torch") or "[train]" in one for one in requirements):
        _do(f"{name}: installing torch", [*pip, TORCH], teller)
    _do(f"{name}: installing {', '.join(requirements)}", [*pip, "-c", held, "-e", *requirements], teller)
    stamp.write_text(digest, encoding="utf-8")
    return python


def _do(what: str, command: Sequence[object], teller: Teller) -> None:
    teller.say(what)
    teller.waiting = what
    well, said = follow(command, lambda line: None, teller)
    if not well:
        raise BrokenError(f"{what} failed:\n" + "\n".join([line for line in said if not NOISE.search(line)][-12:]))


def run(command: Sequence[object], seconds: float, cwd: Path = ROOT, **environment: str) -> str:
    """Run a program, show what it says as it comes, and return it; BrokenError if it fails or is late."""
    program = subprocess.Popen(
        [str(word) for word in command],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "CARD_ENVS_CACHE": str(FOLDER / "numba-cache"), **environment},
    )
    late = threading.Timer(seconds, program.kill)
    late.start()
    said = []
    for line in program.stdout or ():
        said.append(line.rstrip())
        print("       ", line.rstrip(), flush=True)
    failed, in_time = program.wait() != 0, late.is_alive()
    late.cancel()
    if failed:
        raise BrokenError("\n".join(said[-12:]) if in_time else f"it was not ready after {seconds:.0f} seconds")
    return "\n".join(said)
