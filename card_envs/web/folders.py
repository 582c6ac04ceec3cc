"""The folders that the server was told: what is found in them, and how to speak of it without telling where it is."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from card_envs.web.recent import Recent

MOST_LOOKED_AT = 100_000  # entries of a folder and all below it
LONGEST = 400  # characters of a sentence
_ABSOLUTE = re.compile(r"""(?<![\w.])(?:[A-Za-z]:)?[\\/]+(?:[^\s\\/:;,'"()<>]+[\\/]+)+""")


class Folders:
    """Folders to look in. What cannot be looked at is passed over: it costs itself, and nothing else."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self.folders = [folder.resolve() for folder in folders]
        self._complained: Recent[str, bool] = Recent(1000)

    def __bool__(self) -> bool:
        return bool(self.folders)

    def find(self, wanted: Callable[[str], bool], most: int) -> Iterator[tuple[Path, Path]]:
        """Up to `most` entries per folder whose names are wanted, each with its folder. Links to folders are not
        followed, and what a link points to outside of the folder is not found."""
        for folder in self.folders:
            found = 0
            for entry in _entries(folder):
                if found < most and wanted(entry.name):
                    path = Path(entry.path)
                    with contextlib.suppress(OSError, RuntimeError):  # it has just gone, or is a link to itself
                        if path.resolve().is_relative_to(folder):
                            found += 1
                            yield path, folder

    def inside(self, path: Path) -> Path:
        """A path as seen from its folder; the folder itself by its name."""
        for folder in self.folders:
            if path.is_relative_to(folder):
                return path.relative_to(folder) if path != folder else Path(folder.name)
        return Path(path.name)

    def typed(self, path: Path) -> str:
        """A path as it is typed by somebody who is where the folder is; nothing more of where that is is told."""
        for folder in self.folders:
            if path.is_relative_to(folder):
                return shown(str(Path(folder.name) / path.relative_to(folder)))
        return shown(path.name)

    def tell(self, problem: BaseException | str) -> str:
        """An error as one sentence without anybody's paths, for whoever may ask."""
        text = " ".join(str(problem).split()) or type(problem).__name__
        for folder in sorted(self.folders, key=lambda one: -len(str(one))):
            text = text.replace(str(folder), folder.name)
        text = shown(_ABSOLUTE.sub("", text))
        return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."

    def complain(self, about: str, problem: BaseException) -> None:
        """Say once, to whoever started the server, that something is broken."""
        line = shown(f"{about}: {type(problem).__name__}: {' '.join(str(problem).split())}")
        if not self._complained.get(line):
            self._complained.keep(line, True)
            print(f"card-envs: {line}", file=sys.stderr, flush=True)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Whatever is in a folder and below it, except folders that cannot be read."""
    ahead, looked_at = [str(folder)], 0
    while ahead and looked_at < MOST_LOOKED_AT:
        with contextlib.suppress(OSError), os.scandir(ahead.pop()) as entries:
            for entry in sorted(itertools.islice(entries, MOST_LOOKED_AT - looked_at), key=lambda one: one.name):
                looked_at += 1
                yield entry
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        ahead.append(entry.path)


def id_of(path: Path) -> str:
    """A name for a path that does not tell it. Not every path is text."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:20]


def shown(text: str) -> str:
    """A file's name or a sentence as it can be sent and drawn, with a sign in place of each thing that is none."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
