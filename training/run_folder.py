"""The folder of a run. Whatever is in it is whole, at any moment, and enough to go on from.

config.yaml          all settings, as `--config` reads them
made_by.json         trainer, versions, git commit and command
checkpoints/         latest.safetensors, best.safetensors, snapshots: players like any other
state.pt             everything that goes on: network, optimiser, games under way, league
league.json          who is in the pool, and how the learner does against them
log.jsonl            one line per report: the training curve
events.out.tfevents* the same for TensorBoard
"""

from __future__ import annotations

import io
import json
import pickle
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import filelock
import torch
from torch.utils.tensorboard import SummaryWriter

from card_envs.errors import OptionError
from card_envs.files import write_whole
from training.command_line import to_yaml
from training.settings import RunSettings

PACKAGES = ("card-envs", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium", "pettingzoo")


class RunFolder:
    """One run's files. Two programs cannot write into one folder at the same time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoints = path / "checkpoints"
        self._writer: SummaryWriter | None = None
        self._made = [one for one in (path, *path.parents) if not one.exists()]
        self._worthless = False  # whether nothing would be lost with the folder
        self._lock = filelock.FileLock(path / ".lock")
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
        except filelock.Timeout:
            raise OptionError(
                f"{path} is being written by another program; wait for it, or name another folder"
            ) from None
        except OSError as error:
            self._remove()
            raise OptionError(
                f"cannot write into the folder {path}: {error.strerror}; name another one with --run"
            ) from None

    @classmethod
    def new(cls, settings: RunSettings) -> RunFolder:
        """A folder for a run that begins."""
        folder = Path(settings.run or f"runs/{settings.game}-{time.strftime('%Y%m%d-%H%M%S')}")
        if folder.exists() and (not folder.is_dir() or any(one.name != ".lock" for one in folder.iterdir())):
            raise OptionError(f"{folder} is there already; go on with it by --resume {folder}, or name another --run")
        made = cls(folder)
        made._worthless = True
        try:
            write_whole(folder / "config.yaml", to_yaml(settings))
            made.write_json("made_by.json", made_by(settings.trainer))
        except OSError as error:
            made.discard()
            raise cannot_write(folder, error) from None
        return made

    @classmethod
    def old(cls, path: Path, trainer: str) -> RunFolder:
        """The folder of a run that goes on, by the trainer that began it."""
        if not (path / "config.yaml").is_file():
            raise OptionError(f"{path} is not the folder of a run: it has no config.yaml")
        began = _trainer(path / "made_by.json")
        if began != trainer:
            raise OptionError(
                f"{path} is a run of training.{began}, not of training.{trainer}; go on with it by: "
                f"python -m training.{began} --resume {path}"
            )
        return cls(path)

    def keep_extension(self, settings: RunSettings) -> None:
        """The run becomes longer or shorter: its settings anew, and which command said so."""
        path = self.path / "made_by.json"
        story = json.loads(path.read_text())
        story.setdefault("extended_by", []).append(command())
        self.write_json(path.name, story)
        write_whole(self.path / "config.yaml", to_yaml(settings))

    def discard(self) -> None:
        """Let go of the folder, and remove it if it is new and nothing has been learned in it."""
        self.close()
        if self._worthless:
            shutil.rmtree(self.path, ignore_errors=True)
            self._remove()

    def _remove(self) -> None:
        """Folders that were made for this one, as far as nobody else has put something there."""
        for folder in self._made:
            with suppress(OSError):
                folder.rmdir()

    def save_state(self, state: Mapping[str, Any]) -> None:
        """Everything that goes on, in one file that replaces the last one."""
        data = io.BytesIO()
        torch.save(dict(state), data)
        write_whole(self.path / "state.pt", data.getvalue())
        self._worthless = False

    def load_state(self) -> dict[str, Any] | None:
        """The last state that was saved whole, if there is any. Reading it runs no code."""
        path = self.path / "state.pt"
        if not path.is_file():
            return None
        try:
            state: dict[str, Any] = torch.load(path, weights_only=True)
        except (RuntimeError, EOFError, pickle.UnpicklingError, OSError) as error:
            raise OptionError(f"cannot read {path}: {str(error).splitlines()[0]}") from None
        return state

    def forget_after(self, decisions: int) -> None:
        """Drop reports of what was lost when the program was killed, because it will be done again."""
        path = self.path / "log.jsonl"
        if path.is_file():
            kept = [line for line in path.read_text().splitlines() if _decisions(line) <= decisions]
            write_whole(path, "".join(f"{line}\n" for line in kept))
        self._writer = SummaryWriter(str(self.path), purge_step=decisions + 1)

    def report(self, decisions: int, figures: Mapping[str, float]) -> None:
        """One line of the training curve, for people and for TensorBoard."""
        with (self.path / "log.jsonl").open("a") as file:
            file.write(json.dumps({"decisions": decisions, **figures}) + "\n")
        if self._writer is None:
            self._writer = SummaryWriter(str(self.path))
        for name, value in figures.items():
            self._writer.add_scalar(name, value, decisions)

    def write_json(self, name: str, content: Any) -> None:
        """A small file for people and programs."""
        write_whole(self.path / name, json.dumps(content, indent=2) + "\n")

    def close(self) -> None:
        """Let go of the folder."""
        if self._writer is not None:
            self._writer.close()
        self._lock.release()


def cannot_write(path: Path, error: OSError) -> OptionError:
    """What to say when a disk is full, or a folder must not be written to."""
    return OptionError(
        f"cannot write into {path}: {error.strerror or error}; what was saved there before is whole: make room or "
        f"change the permissions, then go on with --resume, or begin elsewhere with --run"
    )


def _decisions(line: str) -> float:
    try:
        return float(json.loads(line)["decisions"])
    except (ValueError, KeyError, TypeError):
        return float("inf")  # a line that was being written when the program was killed


def _trainer(path: Path) -> str:
    try:
        return str(json.loads(path.read_text())["trainer"])
    except (OSError, ValueError, KeyError, TypeError):
        raise OptionError(f"cannot go on with {path.parent}: {path.name} does not say which trainer made it") from None


def made_by(trainer: str) -> dict[str, Any]:
    """What made a run: trainer, versions, git commit, command."""
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
