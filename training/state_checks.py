"""What a run's state must be, as far as that can be said without torch, which takes seconds to load."""

from __future__ import annotations

import re
from pathlib import Path

from card_envs.errors import CheckpointError, RunStateError
from card_envs.files import shown

MOST_DECISIONS = 2**62
SNAPSHOT = re.compile(r"checkpoints[/\\](?:step|exploiter)-\d{12,19}\.safetensors")


def require(sound: bool, why: str) -> None:
    """Refuse a state for this reason, unless it is sound."""
    if not sound:
        raise RunStateError(why)


def check_count(value: object, name: str) -> None:
    """Refuse what is no number of decisions."""
    require(type(value) is int and 0 <= value <= MOST_DECISIONS, f"its {name} must be a whole number from 0 on")


def is_snapshot(name: object) -> bool:
    """Whether this is what a snapshot in a run's folder is called there."""
    return isinstance(name, str) and SNAPSHOT.fullmatch(name) is not None


def find_snapshot(folder: Path, name: str) -> Path:
    """Where a snapshot of the run in this folder is."""
    path = folder / name
    if not path.exists():
        raise CheckpointError(
            f"{path.name} has gone from {shown(path.parent)}, and the run still plays against it: put it back, or "
            f"begin a new run"
        )
    return path
