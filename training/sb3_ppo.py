"""Train a player with Stable-Baselines3's MaskablePPO: same run, same measurements, same checkpoints.

    python -m training.sb3_ppo --config configs/zum_kuhkuck/sb3.yaml
    python -m training.sb3_ppo --resume runs/sb3

What learns is in sb3_learner.py, the run around it in run.py.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from training.program import run_program
from training.settings import Sb3Settings

if TYPE_CHECKING:
    from training.run_folder import RunFolder
    from training.sb3_learner import Sb3Learner


def make_learner(settings: Sb3Settings, folder: RunFolder) -> Sb3Learner:
    """Who learns. Torch is loaded only now, after settings have been read and people told what takes so long."""
    from training.sb3_learner import Sb3Learner

    return Sb3Learner(settings, folder)


if __name__ == "__main__":
    sys.exit(run_program(Sb3Settings, "Train a player with Stable-Baselines3's MaskablePPO.", make_learner))
