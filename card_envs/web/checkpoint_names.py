"""What checkpoints are called on the page: by run and step, not by paths that all look alike."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from card_envs.agents.naming import SUFFIX
from card_envs.agents.weights_file import LARGEST_FILE, parse_safetensors
from card_envs.arena.titles import RUN, short_number
from card_envs.errors import CheckpointError
from card_envs.files import read_regular
from card_envs.web.folders import Folders, shown
from card_envs.web.recent import Recent

MOST_KEPT = 5000
_SNAPSHOT = re.compile(r"step-(\d+)")


@dataclass(frozen=True)
class CheckpointFacts:
    """What a checkpoint's metadata say of it: to be shown, and not to be relied on."""

    game: str
    players: tuple[int, ...]
    step: int


class CheckpointNames:
    """Reads each file once for each time that it was written."""

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self._facts: Recent[tuple[Path, int, int], CheckpointFacts | None] = Recent(MOST_KEPT)

    def facts(self, path: Path) -> CheckpointFacts | None:
        """What is said of a checkpoint; nothing if it is none, or is just being replaced."""
        try:
            found = path.stat()
        except OSError:
            return None
        key = (path, found.st_mtime_ns, found.st_size)
        known = self._facts.get(key)
        return known if known is not None else self._facts.keep(key, _read(path))

    def title(self, path: Path) -> str:
        """`king · step 2.5 M · best` for a player of a run; its path within the folder for any other."""
        run = path.parent.parent
        if path.parent.name != RUN or not any(run.is_relative_to(folder) for folder in self.folders.folders):
            return shown(str(self.folders.inside(path).with_suffix("")))
        facts = self.facts(path)
        parts = [shown(str(self.folders.inside(run)))]
        parts += [f"step {short_number(facts.step)}"] if facts else []
        parts += [] if facts and _SNAPSHOT.fullmatch(path.stem) else [shown(path.stem)]
        return " · ".join(parts)


def readable_step(name: str) -> str:
    """A snapshot's name, or a text with one in it, with the step as people say it."""
    text = name.removesuffix(SUFFIX).removeprefix(f"{RUN}/")
    return shown(_SNAPSHOT.sub(lambda found: f"step {short_number(int(found[1][:18]))}", Path(text).name))


def _read(path: Path) -> CheckpointFacts | None:
    with contextlib.suppress(CheckpointError, ValueError, TypeError, KeyError, RecursionError):
        metadata, _ = parse_safetensors(read_regular(path, LARGEST_FILE, CheckpointError))
        players = tuple(sorted(int(number) for number in json.loads(metadata["players"])))
        return CheckpointFacts(shown(metadata["game"][:80]), players, int(metadata["step"][:18]))
    return None
