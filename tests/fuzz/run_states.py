"""Damaged states of trainings: each is refused with one sentence that says how to begin again, or is what was saved.

    python -m tests.fuzz.run_states --files 1000 --first-seed 0

Small real runs of both learners; their state.pt is hit, replaced by something else, or made on purpose: what cannot be,
under a checksum that fits. It is read and restored as --resume does it.
"""

from __future__ import annotations

import argparse
import copy
import io
import math
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.progress import track

from card_envs.errors import RunStateError
from tests.fuzz.damage import SPECIAL, Dice, damage, foreign, put_special, remove, summary
from tests.support.short_runs import begun, sb3, self_play
from training.league import LeagueSettings
from training.learner import Learner
from training.ppo_settings import SelfPlayPPOSettings
from training.run import Run
from training.run_folder import RunFolder
from training.run_state import HEADER, LARGEST_STATE, _header, read_state, write_state
from training.sb3_learner import Sb3Learner
from training.self_play_learner import SelfPlayLearner
from training.settings import RunSettings

LONGEST_SENTENCE = 2000
State = dict[str, Any]


class Original:
    """A run that has learned a little, and its state."""

    def __init__(self, settings: RunSettings, make: Callable[[Any, RunFolder], Learner]) -> None:
        self.settings, self.make = settings, make
        run = begun(settings, make)
        self.folder, self.path = run.folder, run.folder.path / "state.pt"
        run.begin_or_resume()
        for _ in range(2):
            run.iterate()
            run.snapshot()
        run.ask_for_measurement()
        run.take_measurements(0)
        run.iterate()
        run.ask_for_measurement()
        run.save()
        run.learner.close()
        self.data = self.path.read_bytes()
        self.state = read_state(self.path)
        self.reload()  # whatever is loaded late is loaded now

    def reload(self) -> State | None:
        """As --resume does it."""
        state = self.folder.load_state()
        if state is not None:
            with closing(self.make(self.settings, self.folder)) as learner:
                Run(self.settings, self.folder, learner).restore(state)
        return state


def originals(folder: Path) -> list[Original]:
    """Both learners, with frozen players in their games."""
    ours = self_play(
        folder / "self_play",
        league=LeagueSettings(share=0.6, snapshot_every=120),
        ppo=SelfPlayPPOSettings(n_steps=10, batch_size=60, teacher_coef=0.5),
    )
    return [Original(ours, SelfPlayLearner), Original(sb3(folder / "sb3"), Sb3Learner)]


def same(one: object, other: object) -> bool:
    """Whether two states are alike to the last bit."""
    if isinstance(one, torch.Tensor):
        return isinstance(other, torch.Tensor) and one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return (
            type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))  # type: ignore[arg-type]
        )
    return type(one) is type(other) and one == other


def leaves(value: object, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of everything in a state."""
    if isinstance(value, dict):
        return [found for key in value for found in leaves(value[key], (*place, key))] + [place]
    if isinstance(value, list | tuple):
        return [found for number, one in enumerate(value) for found in leaves(one, (*place, number))] + [place]
    return [place]


def spoil(value: Any, dice: Dice) -> Any:
    """Something that cannot stand where this stands."""
    if isinstance(value, torch.Tensor):
        array = value.clone()
        options: list[Callable[[], Any]] = [
            lambda: torch.cat([array.reshape(-1), array.reshape(-1)[:1]]) if array.numel() else None,
            lambda: array.to(torch.float64 if array.dtype == torch.float32 else torch.float32),
            lambda: array.unsqueeze(0),
            lambda: "tensor",
        ]
        if array.is_floating_point() and array.numel():
            bad = dice.choice((math.nan, math.inf, -math.inf))
            options.append(lambda: torch.full_like(array, bad))
        return dice.choice(options)()
    if isinstance(value, bool):
        return dice.choice((2, None, "true"))
    if isinstance(value, int | float):
        return dice.choice((-1 - abs(value), math.nan, math.inf, "1", None, [], 10**30))
    if isinstance(value, dict):
        return dice.choice(({}, {**value, "more": 1}, [], None))
    if isinstance(value, list | tuple):
        return dice.choice(([*value, None], None, {}, "list"))
    return dice.choice((None, 1, [], "\x1b[2J" if value is None else b"bytes"))


def impossible(original: Original, dice: Dice) -> bytes:
    """A state in which one thing cannot be, under a checksum that fits."""
    state = copy.deepcopy(original.state)
    place = dice.choice([one for one in leaves(state) if one])
    holder: Any = state
    for key in place[:-1]:
        holder[key] = list(holder[key]) if isinstance(holder[key], tuple) else holder[key]
        holder = holder[key]
    holder[place[-1]] = spoil(holder[place[-1]], dice)
    if state["best"] is None:  # that can be
        state["best"] = ()
    return write(original, state)


GAMES = {"states": 256, "seeds": -(2**62), "seated": 99, "opponent": 10**6, "own": -1}


def impossible_games(original: Original, dice: Dice) -> bytes:
    """Games with numbers that lead nowhere: seats, players, cards."""
    state = copy.deepcopy(original.state)
    parts = state["learner"].get("parts")
    if not parts:
        return impossible(original, dice)
    group, name = dice.choice(dice.choice(parts)["games"]), dice.choice(list(GAMES))
    if name == "states":  # no card may come or go
        record = original.settings.rules.record
        rows = group["states"].numpy().view(record)[:, 0]
        field = dice.choice(("supply", "table", "king", "fed", "players"))
        rows[field][dice.randrange(len(rows))] += np.uint8(dice.randrange(1, 200))
    else:
        group[name].view(-1)[dice.randrange(group[name].numel())] = GAMES[name]
    return write(original, state)


def write(original: Original, state: State) -> bytes:
    path = original.path.with_name("made.pt")
    write_state(path, state)
    data = path.read_bytes()
    path.unlink()
    return data


def of_another(original: Original, dice: Dice) -> bytes:
    """The state of a run with another seed, of another version, or without a checksum."""
    body = original.data[HEADER:]
    if dice.random() < 0.3:
        return body
    if dice.random() < 0.3:
        return original.data.replace(b"state 3\n", dice.choice((b"state 2\n", b"state 4\n")), 1)
    other = copy.deepcopy(original.state)
    name = dice.choice([one for one in other["settings"] if one != "options"])
    other["settings"][name] = "other"
    return write(original, other)


def signed_nonsense(original: Original, dice: Dice) -> bytes:
    """What is no file of torch, under a checksum that fits."""
    stream = io.BytesIO()
    torch.save(dice.choice((None, [], {}, "state", {"decisions": 1}, [[[]]] * 3, torch.zeros(3))), stream)
    body = dice.choice((foreign(dice), original.data[HEADER : -dice.randrange(1, 5000)], stream.getvalue()))
    return _header(memoryview(body)) + body


MAKERS: tuple[tuple[str, int, Callable[[Original, Dice], bytes]], ...] = (
    ("hit", 40, lambda original, dice: damage(original.data, dice)),
    ("impossible", 25, impossible),
    ("games", 10, impossible_games),
    ("another's", 8, of_another),
    ("nonsense", 6, signed_nonsense),
    ("foreign", 6, lambda original, dice: foreign(dice)),
)
SPECIAL_SHARE = 5


def judge(original: Original) -> str:
    """How the run receives what is now its state."""
    try:
        found = original.reload()
    except RunStateError as error:
        said = str(error)
        whole = said.startswith(f"cannot go on from {original.path}: ") and "begin" in said and said.isprintable()
        return "refused" if whole and len(said) < LONGEST_SENTENCE else f"FINDING: a bad sentence: {said[:300]!r}"
    except BaseException as error:
        return f"FINDING: {type(error).__name__}: {str(error)[:300]}"
    if found is None:
        return "no state"
    return "the same state" if same(found, original.state) else "FINDING: accepted with other content"


def check(folder: Path, seeds: Iterable[int]) -> Counter[str]:
    """One damaged state for each seed; counts of what became of them."""
    runs, counts = originals(folder), Counter[str]()
    names, weights, makers = zip(*MAKERS, ("special", SPECIAL_SHARE, None), strict=True)
    for seed in seeds:
        dice = random.Random(seed)
        original = dice.choice(runs)
        which = dice.choices(range(len(names)), weights)[0]
        maker, kind = makers[which], dice.choice(SPECIAL)
        if maker is None:
            put_special(original.path, kind, LARGEST_STATE)
        else:
            original.path.write_bytes(maker(original, dice))
        outcome = judge(original)
        if outcome.startswith("FINDING") or (outcome == "no state" and (maker, kind) != (None, "nothing")):
            print(f"seed {seed}, {names[which]}, {original.path.parent.name}: {outcome}", file=sys.stderr)
            outcome = "FINDING"
        counts[f"{names[which]}: {outcome}"] += 1
        remove(original.path)
    for run in runs:
        run.folder.close()
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description="Go on from damaged states.")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    given = parser.parse_args()
    seeds = range(given.first_seed, given.first_seed + given.files)
    with tempfile.TemporaryDirectory() as folder:
        counts = check(Path(folder), track(seeds, description="damaged states"))
    print(summary(counts))
    return 1 if any("FINDING" in name for name in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
