"""Make a game's champion by one command: every run that it takes, one after the other, and then its crowning.

    python -m training.make_champion ku_ka_king              # runs/ku_ka_king, runs/ku_ka_king_2, ...; the champion
    python -m training.make_champion ku_ka_king --runs mine --threads 1

The runs are those of configs/<game>/champion.yaml, champion_2.yaml and so on, each of the training that has such
settings. Each goes on from the last player of the one before, by settings that suit who knows that much. Ctrl-C saves
and stops; the same command goes on, and what is finished is not done again.
"""

from __future__ import annotations

import argparse
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from card_envs.agents.loading import CHAMPION, SUFFIX
from card_envs.errors import CardEnvsError, OptionError
from card_envs.files import shown
from card_envs.games import get_game
from training.champion import crown
from training.command_line import fixed_settings, parse
from training.run import FINISHED
from training.settings import RunSettings
from training.trees import settings_of, tree_of

CONFIGS = Path("configs")  # of the clone from which all of this is run; so stories of champions name no machine
LATEST = "latest"  # who comes out of a run; which of its earlier selves was better is within the noise of measuring


def stages(game: str, configs: Path = CONFIGS) -> list[Path]:
    """The settings of each run that a champion takes, in order."""
    home = configs / get_game(game).name
    numbered = (home / f"{CHAMPION}_{number}.yaml" for number in range(2, 100))
    found = [home / f"{CHAMPION}.yaml"]
    for path in numbered:
        if not path.exists():
            return found
        found.append(path)
    return found


def make(game: str, runs: Path, more: list[str], configs: Path = CONFIGS) -> int:
    """Begin or go on with one run after the other, then put the last player into the game's package; the exit code."""
    run: Path | None = None
    for number, config in enumerate(stages(game, configs), 1):
        start = [] if run is None else ["--start", str(run / "checkpoints" / f"{LATEST}{SUFFIX}")]
        run = runs / (game if number == 1 else f"{game}_{number}")
        tree = tree_of(config)
        code = _train(tree, _arguments(tree, config, run, start), more)
        if code != FINISHED:
            return code
    assert run is not None
    crown(run, LATEST)
    return FINISHED


def _arguments(tree: type[RunSettings], config: Path, run: Path, start: list[str]) -> list[str]:
    """What the training is told: to begin a run, or to go on with it if it is there, and the same."""
    begin = ["--config", str(config), "--run", str(run), *start]
    if not run.exists():
        return begin
    wanted = parse(tree, "", begin)
    assert isinstance(wanted, tree)
    kept, ours = fixed_settings(settings_of(run)), fixed_settings(wanted)
    other = [name for name in ours if kept.get(name) != ours[name]]
    if other:
        raise OptionError(
            f"{shown(run)} has another run than {shown(config)} describes ({', '.join(other)}); "
            "move it away, or name another folder with --runs"
        )
    return ["--resume", str(run)]


def _train(tree: type[RunSettings], arguments: list[str], more: list[str]) -> int:
    """A run in a process of its own, so that its folder tells the command that made it; the exit code."""
    command = ["-m", f"training.{tree.trainer}", *arguments, *more]
    print(f"python {shlex.join(command)}", flush=True)
    with subprocess.Popen([sys.executable, *command]) as process:
        # Ctrl-C reaches both of us. The run saves and ends by itself, and we must be there to hear how.
        before = signal.signal(signal.SIGINT, lambda *_: None)
        ended = signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
        try:
            code = process.wait()
        finally:
            signal.signal(signal.SIGINT, before)
            signal.signal(signal.SIGTERM, ended)
    return code if code >= 0 else 128 - code


def main() -> int:
    """Make one game's champion."""
    parser = argparse.ArgumentParser(description="Make a game's champion: all of its runs, and its crowning.")
    parser.add_argument("game", help="which game")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="the folder in which the runs' folders are")
    parser.add_argument("--threads", type=int, help="how many threads play and learn; the player does not depend on it")
    chosen = parser.parse_args()
    more = [] if chosen.threads is None else ["--threads", str(chosen.threads)]
    try:
        return make(chosen.game, chosen.runs, more)
    except CardEnvsError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    sys.exit(main())
