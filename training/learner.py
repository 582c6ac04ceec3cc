"""What a run asks of whoever learns in it: our own PPO, MaskablePPO, or another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.network import Network
from training.spare import Spare

Arrays = dict[str, NDArray[np.float32]]


def crosses(before: int, after: int, every: int | None) -> bool:
    """Whether a multiple of `every` lies between two numbers of decisions."""
    return every is not None and before // every < after // every


class Learner(Protocol):
    """Plays and learns, one iteration after the other. When it is measured and saved is the run's business: see run.py.

    What `state` gives must hold all that `restore` needs, and `iterate` may depend on nothing else: then a run that was
    killed ends as one that was not.
    """

    @property
    def decisions(self) -> int:
        """How many decisions it has learned from so far."""

    @property
    def network(self) -> Network:
        """What its weights mean, as checkpoints describe it."""

    @property
    def parent(self) -> str:
        """Content hash of the checkpoint that it went on from, or nothing."""

    @property
    def snapshot_every(self) -> int | None:
        """Decisions after which it wants to meet itself as it is; never, if None."""

    @property
    def spare(self) -> Spare:
        """Who does work that it need not wait for."""

    def begin(self) -> None:
        """Get ready to learn from the start, instead of going on by `restore`."""

    def iterate(self) -> dict[str, float]:
        """Play and learn once; figures for the log, such as entropy, approx_kl, explained_variance, learning_rate."""

    def weights(self) -> Arrays:
        """The weights as they are now."""

    def introduction(self) -> str:
        """A sentence about itself, for whoever watches."""

    def rivals(self) -> list[str]:
        """Snapshots in the run's folder, as they are called there, that it should be measured against."""

    def meet(self, snapshot: Path) -> None:
        """A checkpoint of itself in the run's folder becomes one of those that it plays against."""

    def opponents(self) -> list[dict[str, Any]]:
        """Whom it plays against, as plain values for people and programs."""

    def state(self) -> dict[str, Any]:
        """Everything that it needs to go on: tensors and plain values, which are read without running code."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""

    def close(self) -> None:
        """Let go of threads and the like."""
