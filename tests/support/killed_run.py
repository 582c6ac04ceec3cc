"""Trainings in children, which may be killed or run out of disk, and all that a training comes to in the end."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from card_envs.agents.checkpoint import read_checkpoint
from tests.support.killing import in_a_child, kill_self, strike_at_files
from training.program import run_program
from training.self_play_learner import SelfPlayLearner
from training.settings import SelfPlaySettings

KILLED = -signal.SIGKILL
THERE_ALREADY = "is there already; go on with it by --resume"
# How the names of figures begin that differ between two runs that are alike: times, and what went over the net.
TIMES = ("seconds", "decisions_per_second", "rounds", "bytes_")
SHORT = {
    "game": "king_lui",
    "players": [3, 4],
    "seed": 5,
    "decisions": 2400,
    "games": 24,
    "threads": 2,
    "save_seconds": 0.0,
    "network": {"hidden": [16]},
    "ppo": {"n_steps": 10, "batch_size": 100, "teacher_coef": 0.5},
    "league": {"share": 0.5, "snapshot_every": 1000, "size": 2},
    "evaluation": {"every": 1200, "deals": 4},
}


def write_config(path: Path, **changes: Any) -> Path:
    path.write_text(json.dumps({**SHORT, **changes}))
    return path


def train(*arguments: object, said: Path, before: Callable[[], object] = lambda: None) -> tuple[int, str]:
    """`python -m training.self_play ...` in a child; its exit code, and what it said."""

    def work() -> None:
        with said.open("wb") as file:
            for stream in (1, 2):
                os.dup2(file.fileno(), stream)
        before()
        sys.argv = ["training.self_play", *map(str, arguments)]
        try:
            code: object = run_program(SelfPlaySettings, "", SelfPlayLearner)
        except SystemExit as refused:  # one sentence, as the shell would show it
            print(refused.code, file=sys.stderr)
            code = 1
        if code:
            sys.stdout.flush()
            os._exit(int(str(code)))

    return in_a_child(work), said.read_text()


def essence(run: Path) -> dict[str, Any]:
    """All that a run comes to: its players, its log without times, its league, and which files there are."""
    players = {path.name: read_checkpoint(path, "king_lui") for path in sorted((run / "checkpoints").iterdir())}
    lines = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    names = sorted(path.name for path in run.iterdir() if not path.name.startswith("events."))
    return {
        "players": {name: (one.content_hash, one.step, one.parent) for name, one in players.items()},
        "log": [{name: value for name, value in line.items() if not name.startswith(TIMES)} for line in lines],
        "league": (run / "league.json").read_text(),
        "files": names,
    }


class Trial:
    """One run that is killed, in a folder of its own."""

    def __init__(self, config: Path, folder: Path) -> None:
        folder.mkdir()
        self.run, self.said = folder / "run", folder / "said"
        self.begin = ("--config", config, "--run", self.run)
        self.kills = 0

    def go(self, *arguments: object, moment: int = 0) -> tuple[int, str]:
        """Give a command; the process dies at this moment, or lives to its end."""
        code, said = train(*arguments, said=self.said, before=partial(self._watch, moment))
        self.kills += code == KILLED
        return code, said

    def _watch(self, moment: int) -> None:
        strike_at_files(self.run, moment, kill_self)

    def again(self, moment: int = 0) -> tuple[int, str]:
        """The same command once more, or --resume where it says so."""
        code, said = self.go(*self.begin, moment=moment)
        if code == 1 and THERE_ALREADY in said:
            code, said = self.go("--resume", self.run, moment=moment)
        return code, said
