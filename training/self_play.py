"""Train a player by self-play in a league.

    python -m training.self_play --config configs/king_lui/quick.yaml
    python -m training.self_play --config configs/king_lui/default.yaml --run runs/king --ppo.learning_rate 3e-4
    python -m training.self_play --resume runs/king
    python -m training.self_play --resume runs/king --decisions 5000000

In most games the learner plays all seats; in the others a frozen player of the league sits opposite. Every so often it
is measured, joins the league as it is, and everything is saved. Ctrl-C saves and stops; `--resume` goes on from the
last complete state, after a kill -9 too, and ends with the weights that an undisturbed run would have.

What learns is in self_play_learner.py, the run around it, with its exit codes, in run.py.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from training.program import run_program
from training.settings import SelfPlaySettings

if TYPE_CHECKING:
    from training.run_folder import RunFolder
    from training.self_play_learner import SelfPlayLearner


def make_learner(settings: SelfPlaySettings, folder: RunFolder) -> SelfPlayLearner:
    """Who learns. Torch is loaded only now, after settings have been read and people told what takes so long."""
    from training.self_play_learner import SelfPlayLearner

    return SelfPlayLearner(settings, folder)


if __name__ == "__main__":
    sys.exit(run_program(SelfPlaySettings, "Train a player by self-play in a league.", make_learner))
