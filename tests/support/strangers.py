"""Agents of another package, installed for a test: some play, and each of the others misbehaves in its own way."""

from __future__ import annotations

from pathlib import Path

AGENTS = '''
import mmap
import os
import numpy as np

SEEN = []
SHARED = mmap.mmap(-1, 8)  # what processes that were forked after this have in common


class First:
    name = "first"

    def __init__(self, game, seed, **options):
        self.seed, self.options = seed, options

    def act(self, observation, action_mask):
        return action_mask.argmax(axis=1)


class ByLot(First):
    name = "by_lot"

    def act_with_lots(self, observation, action_mask, lots):
        legal = action_mask / action_mask.sum(axis=1, keepdims=True)
        return (legal.cumsum(axis=1) > lots[:, None]).argmax(axis=1)


class Talkative(First):
    def act(self, observation, action_mask):
        print("I think, therefore I print")
        os.write(1, b"straight into the pipe")
        return super().act(observation, action_mask)


class Sleeper(First):
    def act(self, observation, action_mask):
        while True:
            pass


class Mortal(First):
    def act(self, observation, action_mask):
        os._exit(7)


class Clumsy(First):
    def act(self, observation, action_mask):
        raise RuntimeError("I do not know\\n\\x1b[31m what to do")


class Cheat(First):
    """Illegal in every other row."""

    def act(self, observation, action_mask):
        actions = super().act(observation, action_mask)
        actions[::2] = action_mask[::2].argmin(axis=1)
        return actions


class Liar(First):
    def act(self, observation, action_mask):
        return np.zeros((3, 5))


class Remembering(First):
    """Plays otherwise once its package has seen another life, or holds anything of the game in this process."""

    def __init__(self, game, seed):
        SEEN.append(seed)
        self.was_asked = False

    def act(self, observation, action_mask):
        import gc
        ours = ("Batch", "Setting", "Store", "Seating", "Chunk")
        kinds = {(kind.__name__, str(kind.__module__).split(".")[0]) for kind in map(type, gc.get_objects())}
        if len(SEEN) > 1 or any((name, "card_envs") in kinds for name in ours) or (SHARED[0] and not self.was_asked):
            os._exit(1)
        self.was_asked, SHARED[0] = True, 1
        return super().act(observation, action_mask)


class Leaving(First):
    """Starts a process that would go on without it, with the writing end of a pipe."""

    def __init__(self, game, seed):
        import subprocess
        self.child = subprocess.Popen(["sleep", "60"], stdout=open(os.environ["LEFT"], "w"))


class Deserter(First):
    """Leaves its group of processes for that of its host, and does not come back."""

    def act(self, observation, action_mask):
        os.setpgid(0, os.getpgid(os.getppid()))
        while True:
            pass


class Killing(First):
    def act(self, observation, action_mask):
        os.kill(os.getppid(), 9)
        return super().act(observation, action_mask)


class Late(First):
    """Introduces itself, and then is never ready to play."""

    def __init__(self, game, seed):
        while seed is not None:
            pass


class Fractions(First):
    def act(self, observation, action_mask):
        return super().act(observation, action_mask).astype(float)


class Thinker(First):
    def search(self, positions, lots):
        return positions.action_mask.argmax(axis=1)


class Claiming(First):
    content_hash = "I am who you think"


class AlsoClaiming(Claiming):
    pass


def unborn(game, seed):
    raise ValueError("not today")


def leave(game, seed):
    raise SystemExit("I am off")
'''
NAMES = (
    "First", "ByLot", "Talkative", "Sleeper", "Mortal", "Clumsy", "Cheat", "Liar", "Remembering", "Leaving",
    "Deserter", "Killing", "Late", "Fractions", "Thinker", "Claiming", "AlsoClaiming", "unborn", "leave",
)  # fmt: skip


def install_strangers(site: Path) -> None:
    """What pip does: the package, and a note of its name, version and entry points."""
    (site / "strangers.py").write_text(AGENTS, encoding="utf-8")
    notes = site / "strangers-1.0.dist-info"
    notes.mkdir()
    (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n", encoding="utf-8")
    points = "".join(f"{name.lower()} = strangers:{name}\n" for name in NAMES)
    (notes / "entry_points.txt").write_text(f"[card_envs.agents]\n{points}", encoding="utf-8")
