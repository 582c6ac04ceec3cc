"""What made a run: which trainer, by which command, with which versions of everything."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("card-envs", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium", "pettingzoo")


def made_by(trainer: str) -> dict[str, Any]:
    """Trainer, versions, git commit, command."""
    return {
        "trainer": trainer,
        "command": command(),
        "git_commit": _git("rev-parse", "HEAD"),
        "git_changes": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
    }


def command() -> str:
    """What was typed."""
    return " ".join(["python", "-m", f"training.{Path(sys.argv[0]).stem}", *sys.argv[1:]])


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
