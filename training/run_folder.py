"""The folder of a run. Whatever is in it is whole, at any moment, and enough to go on from.

made_by.json         trainer, versions, git commit and command
config.yaml          all settings, as `--config` reads them; a folder that has it is a run's
checkpoints/         latest.safetensors, best.safetensors, snapshots: players like any other
league.json          who is in the pool, and how the learner does against them
state.pt             everything that goes on: network, optimiser, games under way, league
log.jsonl            one line per report: the training curve
events.out.tfevents* the same for TensorBoard

The files come in this order. Up to state.pt nothing has been learned: a run that is killed before can be begun again.
"""

from __future__ import annotations

import json
import shlex
import shutil
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import filelock

from card_envs.agents.loading import SUFFIX
from card_envs.agents.weights_file import LARGEST_FILE, parse_safetensors
from card_envs.errors import CheckpointError, OptionError, RunStateError
from card_envs.files import left_beside, read_regular, shown, write_whole
from training.command_line import to_yaml
from training.evaluation import MEASUREMENT
from training.log import LOG, read_log
from training.made_by import command, made_by
from training.run_state import read_state, write_state
from training.settings import RunSettings
from training.tensorboard import EventFile

LATEST = f"latest{SUFFIX}"
# All that a run may have before it has a state.
BEGINNING = {".lock", "made_by.json", "config.yaml", "checkpoints", "league.json"}
LARGEST_NOTE = 2**20


class RunFolder:
    """One run's files. Two programs cannot write into one folder at the same time."""

    def __init__(self, path: Path, trainer: str) -> None:
        self.path, self.trainer = path, trainer
        self.checkpoints = path / "checkpoints"
        self._state = path / "state.pt"
        self._log = path / LOG
        self._curves: EventFile | None = None
        self._made = [one for one in (path, *path.parents) if not one.exists()]
        self._worthless = False  # whether nothing would be lost with the folder
        self._lock = filelock.FileLock(path / ".lock")
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
            for left in (*left_beside(path), *left_beside(self.checkpoints)):
                left.unlink()
        except filelock.Timeout:
            raise OptionError(
                f"{shown(path)} is being written by another program; wait for it, or name another folder"
            ) from None
        except OSError as error:
            self._lock.release()
            self._remove()
            raise OptionError(
                f"cannot write into the folder {shown(path)}: {error.strerror}; name another one with --run, or change "
                f"its permissions"
            ) from None

    @classmethod
    def new(cls, settings: RunSettings) -> RunFolder:
        """A folder for a run that begins, or that was killed before it had learned anything."""
        folder = Path(settings.run or f"runs/{settings.game}-{time.strftime('%Y%m%d-%H%M%S')}")
        if not str(folder).isprintable():  # settings are kept as text
            raise OptionError(f"a run's folder must have a name that can be printed, not {shown(folder)}")
        try:
            free = _is_free(folder)
        except OSError as error:
            raise OptionError(f"cannot look into {shown(folder)}: {error.strerror}; name another --run") from None
        if not free:
            raise OptionError(
                f"{shown(folder)} is there already; go on with it by --resume {typed(folder)}, or name another --run"
            )
        made = cls(folder, settings.trainer)
        made._worthless = True
        try:
            made.write_json("made_by.json", made_by(settings.trainer))
            write_whole(folder / "config.yaml", to_yaml(settings))
        except OSError as error:
            raise made.cannot_write(error) from None
        return made

    @classmethod
    def old(cls, path: Path, trainer: str) -> RunFolder:
        """The folder of a run that goes on, by the trainer that began it."""
        try:
            if not (path / "config.yaml").exists():
                if path.is_dir() and _is_free(path):
                    raise OptionError(f"nothing was saved in {shown(path)} yet: begin again with --run {typed(path)}")
                raise OptionError(f"{shown(path)} is not the folder of a run: it has no config.yaml")
        except OSError as error:
            raise OptionError(f"cannot look into {shown(path)}: {error.strerror}") from None
        began = _read_story(path)["trainer"]
        if began != trainer:
            raise OptionError(
                f"{shown(path)} is a run of training.{shown(began)}, not of training.{trainer}; go on with it by: "
                f"python -m training.{shown(began)} --resume {typed(path)}"
            )
        return cls(path, trainer)

    @property
    def begun(self) -> bool:
        """Whether there is a state to go on from."""
        return self._state.exists() or self._state.is_symlink()

    def keep_extension(self, settings: RunSettings) -> None:
        """The run becomes longer or shorter: its settings anew, and which command said so."""
        story = _read_story(self.path)
        try:
            self.write_json("made_by.json", {**story, "extended_by": [*story.get("extended_by", []), command()]})
            write_whole(self.path / "config.yaml", to_yaml(settings))
        except OSError as error:
            raise self.cannot_write(error) from None

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
        write_state(self._state, state)
        self._worthless = False

    def load_state(self) -> dict[str, Any] | None:
        """The last state that was saved, if there is any. Reading it runs no code."""
        if not self.begun:
            if not _is_free(self.path):  # beginning again would replace players, and forget the log
                raise self.cannot_go_on(RunStateError("it is gone, and the rest of the run is not its beginning"))
            return None
        try:
            return read_state(self._state)
        except RunStateError as error:
            raise self.cannot_go_on(error) from None

    def cannot_go_on(self, error: RunStateError) -> RunStateError:
        """What is wrong with the state, and from what a new run can begin."""
        config, latest = self.path / "config.yaml", self.checkpoints / LATEST
        again = f"python -m training.{self.trainer} --config {typed(config)} --run ANOTHER"
        start = f" --start {typed(latest)}" if self.trainer == "self_play" and latest.is_file() else ""
        whence = "from its last player" if start else "anew"
        return RunStateError(
            f"cannot go on from {shown(self._state)}: {error}; you can begin {whence} with: {again}{start}"
        )

    def cannot_write(self, error: OSError) -> OptionError:
        """What to say when a disk is full, or a folder must not be written to. The folder is let go of."""
        self.discard()
        what = f"cannot write into {shown(self.path)}: {error.strerror or error}"
        if self._worthless:
            return OptionError(f"{what}; nothing was begun: make room, or begin elsewhere with --run")
        return OptionError(
            f"{what}; what was saved there before is whole: make room or change the permissions, then go on with "
            f"--resume, or begin elsewhere with --run"
        )

    def forget_after(self, decisions: int, unmeasured: Collection[int] = ()) -> None:
        """Drop reports of what was lost when the program was killed, because it will be done again: what came later,
        and measurements of these steps.
        """
        if self._log.exists():
            kept = [_without_measurement(line, unmeasured) for line in read_log(self.path)]
            kept = [line for line in kept if line["decisions"] <= decisions and len(line) > 1]
            write_whole(self._log, "".join(json.dumps(line) + "\n" for line in kept))
        if self._curves is not None:
            self._curves.close()
        self._curves = EventFile(self.path, decisions + 1)

    def report(self, decisions: int, figures: Mapping[str, float]) -> None:
        """One line of the training curve, for people and for TensorBoard."""
        with self._log.open("a") as file:
            file.write(json.dumps({"decisions": decisions, **figures}) + "\n")
        if self._curves is not None:
            self._curves.add(decisions, figures)

    def write_json(self, name: str, content: Any) -> None:
        """A small file for people and programs."""
        write_whole(self.path / name, json.dumps(content, indent=2) + "\n")

    def close(self) -> None:
        """Let go of the folder."""
        if self._curves is not None:
            self._curves.close()
        self._lock.release()


def _without_measurement(line: dict[str, Any], steps: Collection[int]) -> dict[str, Any]:
    """A line of the log, as it was before somebody was measured, if these steps are to be measured again."""
    if line["decisions"] not in steps:
        return line
    return {name: value for name, value in line.items() if not name.startswith(MEASUREMENT)}


def _is_free(folder: Path) -> bool:
    """Whether a run can begin here: where nothing is, or only what one left that was killed before its first save."""
    if not folder.exists() and not folder.is_symlink():
        return True
    if not folder.is_dir():
        return False
    players = folder / "checkpoints"
    if {one.name for one in folder.iterdir()} - BEGINNING - {one.name for one in left_beside(folder)}:
        return False
    if not players.is_dir():
        return True
    left = {one.name for one in players.iterdir()} - {one.name for one in left_beside(players)}
    return not left or (left == {LATEST} and _has_learned_nothing(players / LATEST))


def _has_learned_nothing(player: Path) -> bool:
    """Whether a checkpoint is the one with which a run begins. One that cannot be read may be anybody's."""
    try:
        metadata, _ = parse_safetensors(read_regular(player, LARGEST_FILE, CheckpointError))
    except CheckpointError:
        return False
    return metadata.get("step") == "0"


def typed(path: Path) -> str:
    """As it can be typed."""
    return shlex.quote(shown(path))


def _read_story(path: Path) -> dict[str, Any]:
    """What made_by.json says."""

    def refuse(why: str) -> OptionError:
        return OptionError(f"cannot go on with {shown(path)}: made_by.json {why}")

    text = read_regular(path / "made_by.json", LARGEST_NOTE, lambda why: refuse(f"cannot be read: {why}"))
    with suppress(ValueError, RecursionError):
        match json.loads(text):
            case {"trainer": str()} as story if isinstance(story.get("extended_by", []), list):
                return dict(story)
    raise refuse("does not say which trainer made it")
