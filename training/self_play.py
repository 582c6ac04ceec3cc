"""Train a player by self-play in a league.

    python -m training.self_play --config configs/king_lui/quick.yaml
    python -m training.self_play --config configs/king_lui/default.yaml --run runs/king --ppo.learning_rate 3e-4
    python -m training.self_play --resume runs/king

In most games the learner plays all seats; in the others a frozen player of the league sits opposite. Every so often it
is measured, joins the league as it is, and everything is saved. Ctrl-C saves and stops; `--resume` goes on from the
last complete state, after a kill -9 too, and ends with the weights that an undisturbed run would have.
"""

from __future__ import annotations

import time

from training import evaluation
from training.program import Stop, crosses, run_program
from training.run_folder import RunFolder
from training.screen import Screen
from training.settings import SelfPlaySettings
from training.trainer import Trainer


def train(settings: SelfPlaySettings, folder: RunFolder) -> None:
    """The whole run: iterations, and between them evaluations, snapshots and saves."""
    stop = Stop()
    trainer = Trainer(settings, folder)
    state = folder.load_state()
    if state is None:
        trainer.begin()
        trainer.save()
    else:
        trainer.restore(state)
    folder.forget_after(trainer.decisions)
    with Screen(trainer.game.title, settings.decisions, trainer.decisions) as screen:
        screen.say(f"{'training' if state is None else 'going on'} in {folder.path}; Ctrl-C saves and stops")
        numbers = sum(parameter.numel() for parameter in trainer.network.parameters())
        weights = sum(array.size for array in trainer.network.weights().values())
        screen.say(f"the network has {weights:,} weights, made of {numbers:,} numbers that are learned")
        began, saved = trainer.seconds, time.monotonic()
        over = trainer.decisions >= settings.decisions
        while not over and not stop.asked:
            before = trainer.decisions
            figures = trainer.iterate()
            screen.learned(trainer.decisions, figures)
            out_of_time = settings.minutes is not None and trainer.seconds - began > 60 * settings.minutes
            over = out_of_time or trainer.decisions >= settings.decisions
            if over or crosses(before, trainer.decisions, settings.evaluation.every):
                results = trainer.evaluate()
                measured = evaluation.shares(results)
                screen.measured(measured, f"best is step {trainer.best[0] if trainer.best else 0:,}")
                figures |= evaluation.figures(measured)
            folder.report(trainer.decisions, figures)
            if crosses(before, trainer.decisions, settings.league.snapshot_every):
                trainer.snapshot()
            if over or stop.asked or time.monotonic() - saved > settings.save_seconds:
                trainer.save()
                saved = time.monotonic()
        if trainer.decisions < settings.decisions:
            screen.say(f"stopped and saved; go on with: python -m training.self_play --resume {folder.path}")
        screen.say(f"players: {', '.join(sorted(path.name for path in folder.checkpoints.iterdir()))}")
        screen.say(f"in {folder.checkpoints}")
    trainer.close()
    folder.close()


if __name__ == "__main__":
    run_program(SelfPlaySettings, "Train a player by self-play in a league.", train)
