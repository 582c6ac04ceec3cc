"""Train a player by self-play in a league.

    python -m training.self_play --config configs/king_lui/quick.yaml
    python -m training.self_play --config configs/king_lui/default.yaml --run runs/king --ppo.learning_rate 3e-4
    python -m training.self_play --resume runs/king

In most games the learner plays all seats; in the others a frozen player of the league sits opposite. Every so often it
is measured, joins the league as it is, and everything is saved. Ctrl-C saves and stops; `--resume` goes on from the
last complete state, after a kill -9 too, and ends with the weights that an undisturbed run would have.
"""

from __future__ import annotations

import sys
import time

from card_envs.core.errors import CardEnvsError
from training.evaluation import shares
from training.run_folder import RunFolder
from training.screen import Screen
from training.settings import SelfPlaySettings, load, parse, to_yaml
from training.stopping import Stop, crosses
from training.trainer import Trainer


def main() -> None:
    """Begin a run, or go on with one."""
    chosen = parse(SelfPlaySettings, "Train a player by self-play in a league.")
    try:
        if isinstance(chosen, SelfPlaySettings):
            folder = RunFolder.new(chosen.run, chosen.game, to_yaml(chosen))
        else:
            folder = RunFolder.old(chosen)
            chosen = load(SelfPlaySettings, folder.path / "config.yaml")
        train(chosen, folder)
    except CardEnvsError as error:
        sys.exit(str(error))


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
        saved = time.monotonic()
        while trainer.decisions < settings.decisions and not stop.asked:
            before = trainer.decisions
            figures = trainer.iterate()
            screen.learned(trainer.decisions, figures)
            finished = trainer.decisions >= settings.decisions
            if crosses(before, trainer.decisions, settings.evaluation.every) or finished:
                results = trainer.evaluate()
                measured = shares(results)
                screen.measured(measured, f"best is step {trainer.best[0] if trainer.best else 0:,}")
                for name, share in measured.items():
                    figures |= {f"against {name}": share.mean, f"against {name} error": share.error}
            folder.report(trainer.decisions, figures)
            if crosses(before, trainer.decisions, settings.league.snapshot_every):
                trainer.snapshot()
            out_of_time = settings.minutes is not None and trainer.seconds > 60 * settings.minutes
            if finished or out_of_time or stop.asked or time.monotonic() - saved > settings.save_seconds:
                trainer.save()
                saved = time.monotonic()
            if out_of_time:
                break
        if trainer.decisions < settings.decisions:
            screen.say(f"stopped and saved; go on with: python -m training.self_play --resume {folder.path}")
        screen.say(f"players: {folder.checkpoints / 'best.safetensors'}, latest.safetensors and snapshots beside it")
    trainer.close()
    folder.close()


if __name__ == "__main__":
    main()
