"""A game from another package: made by `card-envs new-game`, installed into a folder of its own, used by processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any


def install(project: Path, site: Path) -> None:
    """What pip does: the package, and a note of its name, version and entry points."""
    about = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.copytree(project / about["name"], site / about["name"])
    notes = site / f"{about['name']}-{about['version']}.dist-info"
    notes.mkdir()
    header = f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    (notes / "METADATA").write_text(header, encoding="utf-8")
    lines = [
        line
        for group, points in about["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (notes / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


class Computer:
    """Processes that find card_envs as it is here, and the packages that are installed in `site`."""

    def __init__(self, site: Path) -> None:
        self.site = site

    def environment(self, **more: str) -> dict[str, str]:
        root = Path(__file__).parents[2]
        path = os.pathsep.join(map(str, (self.site, root)))
        return {**os.environ, "PYTHONPATH": path, "COLUMNS": "120", **more}

    def python(self, *arguments: str, typed: str = "", cwd: Path | None = None, code: int = 0, **more: str) -> str:
        """What a process prints; standard error where it must fail."""
        command = [sys.executable, *arguments]
        done: Any = subprocess.run(
            command, input=typed, env=self.environment(**more), cwd=cwd, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return str(done.stderr if code else done.stdout)

    def card_envs(self, *arguments: str, **more: Any) -> str:
        return self.python("-m", "card_envs", *arguments, **more)
