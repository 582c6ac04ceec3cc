"""Train a player that works out equilibria, where all who have to choose do so at once.

    python -m training.duel --config configs/ku_ka_king/champion_2.yaml --start PLAYER --run runs/duel
    python -m training.duel --resume runs/duel

What learns is in duel_learner.py, the run around it, with its exit codes, in run.py.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from training.duel_settings import DuelSettings
from training.program import run_program

if TYPE_CHECKING:
    from training.duel_learner import DuelLearner
    from training.run_folder import RunFolder


def make_learner(settings: DuelSettings, folder: RunFolder) -> DuelLearner:
    """Who learns. Torch is loaded only now, after settings have been read and people told what takes so long."""
    from training.duel_learner import DuelLearner

    return DuelLearner(settings, folder)


if __name__ == "__main__":
    sys.exit(run_program(DuelSettings, "Train a player of duels, which works out equilibria.", make_learner))
