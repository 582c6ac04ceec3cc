"""Several seeds and settings, one run after the other, and one table at the end.

    python -m training.sweep --seeds 0 1 2 --config configs/king_lui/quick.yaml --set ppo.gamma 0.99 1 --out runs/gamma

Every value of every --set is combined with every seed; whatever else stands on the line goes to all runs. The same
command again goes on where it was stopped, and skips what is done. The table shows, for each combination, mean and
standard deviation over the seeds of what each run's last measurement gave.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from card_envs.errors import CardEnvsError, OptionError
from card_envs.files import read_regular, shown, write_whole
from card_envs.presentation.languages import text_table
from training.command_line import parse
from training.log import read_log
from training.trees import TREES

LARGEST_LEDGER = 2**24
DONE = (0, 3)  # finished, or out of the time that its settings allow: see run.py
MEASURED = ("against bot", "against random")  # what is the same for all runs


@dataclass(frozen=True)
class Trial:
    """One run of a sweep."""

    setting: str  # what tells it from others, but for the seed
    seed: int
    folder: Path
    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    def command(self, trainer: str) -> list[str]:
        """What to run: the trial from its start, or where it was stopped."""
        begun = (self.folder / "config.yaml").is_file()
        own = ["--resume", str(self.folder)] if begun else [*self.arguments, "--run", str(self.folder)]
        return [sys.executable, "-m", f"training.{trainer}", *own]


def plan(out: Path, common: Sequence[str], sets: Sequence[Sequence[str]], seeds: Sequence[int]) -> list[Trial]:
    """All combinations, the seeds of one setting after each other."""
    trials = []
    for values in itertools.product(*(one[1:] for one in sets)):
        chosen = dict(zip((one[0] for one in sets), values, strict=True))
        setting = ", ".join(f"{name} {value}" for name, value in chosen.items()) or "as configured"
        changes = [f"--{name}={value}" for name, value in chosen.items()]
        for seed in seeds:
            name = "-".join([*(f"{name}={value}" for name, value in chosen.items()), f"seed={seed}"])
            trials.append(Trial(setting, seed, out / name.replace("/", "_"), (*common, *changes, f"--seed={seed}")))
    return trials


def _read_ledger(path: Path) -> tuple[str, dict[str, int]]:
    """What a sweep was made of, and how its runs ended."""

    def refuse(why: str) -> OptionError:
        return OptionError(f"cannot go on with the sweep in {shown(path.parent)}: {path.name}: {why}")

    data = read_regular(path, LARGEST_LEDGER, refuse)
    with suppress(ValueError, RecursionError):
        match json.loads(data):
            case {"made_of": str(made_of), "codes": {**codes}} if all(type(code) is int for code in codes.values()):
                return made_of, {str(name): int(str(code)) for name, code in codes.items()}
    raise refuse("it is damaged; remove it, and finished runs say so when they are begun again")


class Ledger:
    """Which runs of a sweep are done, in the sweep's folder."""

    def __init__(self, out: Path, made_of: Sequence[str]) -> None:
        self.path = out / "sweep.json"
        self._made_of = hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:16]
        self.codes: dict[str, int] = {}
        if self.path.exists():
            made_of, self.codes = _read_ledger(self.path)
            if made_of != self._made_of:
                raise OptionError(
                    f"{shown(out)} is a sweep of another --config or other settings for all runs; name another --out"
                )

    def note(self, name: str, code: int) -> None:
        """A run has ended."""
        self.codes[name] = code
        write_whole(self.path, json.dumps({"made_of": self._made_of, "codes": self.codes}, indent=2) + "\n")


def sweep(trainer: str, trials: Sequence[Trial], ledger: Ledger) -> int:
    """Run what is not done yet; 0 when all is, else the exit code of the run that was stopped or failed."""
    for number, trial in enumerate(trials, start=1):
        if ledger.codes.get(trial.name) in DONE:
            print(f"run {number} of {len(trials)}, {trial.name}: done already", flush=True)
            continue
        print(f"run {number} of {len(trials)}, {trial.name}", flush=True)
        process = subprocess.Popen(trial.command(trainer))
        while True:
            try:
                code = process.wait()
                break
            except KeyboardInterrupt:  # the run got it too, saves and stops
                continue
        if code not in DONE:
            print(f"{trial.name} ended with the exit code {code}; the same command goes on from here", flush=True)
            return code
        ledger.note(trial.name, code)
    return 0


def last_measurement(folder: Path) -> dict[str, float]:
    """Win shares of a run when it was measured last."""
    for line in reversed(read_log(folder)):
        found = {key: value for key, value in line.items() if key.startswith(MEASURED) and not key.endswith("error")}
        if found:
            return found
    return {}


def table(trials: Sequence[Trial]) -> str:
    """One row per setting: mean and standard deviation over its seeds."""
    measured = {trial.name: last_measurement(trial.folder) for trial in trials}
    columns = sorted({key for found in measured.values() for key in found})
    rows = []
    for setting in dict.fromkeys(trial.setting for trial in trials):
        own = [measured[trial.name] for trial in trials if trial.setting == setting]
        cells = [_spread([found[key] for found in own if key in found]) for key in columns]
        rows.append([setting, str(len(own)), *cells])
    return text_table(["setting", "seeds", *columns], rows, indent="")


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "-"
    spread = f" (sd {statistics.stdev(values):.3f})" if len(values) > 1 else ""
    return f"{statistics.mean(values):.3f}{spread}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Check all settings, run what is not done, print the table."""
    parser = argparse.ArgumentParser(
        description="Several seeds and settings, one run after the other, and one table at the end.",
        epilog="Whatever else stands on the line goes to all runs, such as --decisions=100000.",
        allow_abbrev=False,
    )
    parser.add_argument("--config", help="a YAML file of settings, as the trainer reads it", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], metavar="SEED")
    parser.add_argument("--set", nargs="+", action="append", default=[], metavar=("NAME", "VALUE"), dest="sets")
    parser.add_argument("--out", help="the folder of the sweep", required=True)
    parser.add_argument("--trainer", choices=sorted(TREES), default="self_play")
    chosen, others = parser.parse_known_args(arguments)
    common = ["--config", chosen.config, *others]
    try:
        for one in chosen.sets:
            if len(one) < 2:
                raise OptionError(
                    f"--set takes a setting and its values, such as ppo.learning_rate 1e-3 3e-3, not {one}"
                )
        if len(set(chosen.seeds)) < len(chosen.seeds):
            raise OptionError(f"--seeds must name each seed once, not {chosen.seeds}")
        trials = plan(Path(chosen.out), common, chosen.sets, chosen.seeds)
        for trial in trials:  # all of them, before the first one takes its time
            parse(TREES[chosen.trainer], "", trial.arguments)
        text = Path(chosen.config).read_text()
        code = sweep(chosen.trainer, trials, Ledger(Path(chosen.out), [chosen.trainer, text, *others]))
    except CardEnvsError as error:
        sys.exit(str(error))
    if code == 0:
        print(f"\nThe last measurements, mean (and standard deviation) over seeds:\n{table(trials)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
