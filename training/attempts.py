"""A run on a cluster that loses workers goes back to its last save, and on: how often, and when it gives up."""

from __future__ import annotations

from card_envs.errors import ClusterError, LostWorkersError

MOST_LOSSES = 3  # one after the other, without a save in between


class Attempts:
    """What one command goes through: when it began, and how often it lost workers on a cluster."""

    def __init__(self) -> None:
        self.began: float | None = None  # in seconds of the run
        self._losses, self._saved = 0, -1

    def begin(self, seconds: float) -> float:
        """When the command began: now, if this is its first attempt."""
        self.began = seconds if self.began is None else self.began
        return self.began

    def lose(self, saved: int, error: LostWorkersError) -> None:
        """Note that workers were lost, after so many decisions were saved, and give up if there is no hope."""
        self._losses = self._losses + 1 if saved == self._saved else 1
        self._saved = saved
        if self._losses == MOST_LOSSES:
            times = f"{MOST_LOSSES} times in a row before anything more was saved"
            raise ClusterError(f"{error}, {times}: is there enough memory?")
