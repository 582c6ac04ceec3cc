"""A training that is killed again and again, and one that is not: python -m tests.support.killed_run CONFIG FOLDER.

One process for all, because loading torch takes longer than a run. Each run is a child of its own.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from card_envs import files
from card_envs.arena.match import play_match
from tests.support.killing import in_a_child, kill_self, strike
from training.program import run_program
from training.run_folder import RunFolder
from training.self_play_learner import SelfPlayLearner
from training.settings import SelfPlaySettings

# Where a run is killed, and at the how manieth time: between checkpoints and state; between state and league; after a
# line of the log whose iteration is lost; between two files, with one written beside its place.
KILLS = (
    (RunFolder, "save_state", 3, False),
    (RunFolder, "save_state", 4, True),
    (RunFolder, "report", 2, True),
    (files.os, "fsync", 6, True),
)


def train(*arguments: object, kill: tuple[object, str, int, bool] | None = None) -> int:
    def work() -> None:
        if kill is not None:
            owner, method, nth, after = kill
            strike(owner, method, nth, after=after, blow=kill_self)
        sys.argv = ["training.self_play", *map(str, arguments)]
        run_program(SelfPlaySettings, "", SelfPlayLearner)

    return in_a_child(work)


def main(config: str, folder: str) -> None:
    play_match("king_lui", ["bot", "random", "bot"], games=10)  # what is compiled here is there in every child
    whole, killed = Path(folder) / "whole", Path(folder) / "killed"
    print("whole", train("--config", config, "--run", whole))
    begin, go_on = partial(train, "--config", config, "--run", killed), partial(train, "--resume", killed)
    for number, kill in enumerate(KILLS):
        print("killed", (go_on if number else begin)(kill=kill))
    print("ended", go_on())


if __name__ == "__main__":
    main(*sys.argv[1:])
