"""Train a player by self-play in a league.

    python -m training.self_play --config configs/king_lui/quick.yaml
    python -m training.self_play --config configs/king_lui/default.yaml --run runs/king --ppo.learning_rate 3e-4
    python -m training.self_play --resume runs/king

In most games the learner plays all seats; in the others a frozen player of the league sits opposite. Every so often it
is measured, joins the league as it is, and everything is saved. Ctrl-C saves and stops; `--resume` goes on from the
last complete state, after a kill -9 too, and ends with the weights that an undisturbed run would have.

What learns is in self_play_learner.py, the run around it in run.py.
"""

from __future__ import annotations

from training.program import run_program
from training.self_play_learner import SelfPlayLearner
from training.settings import SelfPlaySettings

if __name__ == "__main__":
    run_program(SelfPlaySettings, "Train a player by self-play in a league.", SelfPlayLearner)
