"""Work that need not hold the learner up, and whoever has time for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

Result = TypeVar("Result")
Found = TypeVar("Found", covariant=True)


class Task(Protocol[Found]):
    """Work under way."""

    def ready(self) -> bool:
        """Whether `result` would come at once."""

    def result(self) -> Found:
        """What has come of it; waits for it if need be."""


class Spare(Protocol):
    """Does work for a run: here and at once, or on a cluster while the learner goes on (see ray_cluster.py).

    The work is a function of a module and arguments that can be sent to another machine. It must come to the same
    wherever and whenever it is done, and may be done again when somebody who was at it is lost.
    """

    @property
    def threads(self) -> int:
        """How many threads a piece of work may use."""

    def start(self, work: Callable[..., Result], *arguments: Any) -> Task[Result]:
        """Have something done."""


class Done(Generic[Result]):
    """Work that is done."""

    def __init__(self, found: Result) -> None:
        self._found = found

    def ready(self) -> bool:
        """Always."""
        return True

    def result(self) -> Result:
        """What has come of it."""
        return self._found


class AtOnce:
    """Everything is done here, and at once, on so many threads."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def start(self, work: Callable[..., Result], *arguments: Any) -> Task[Result]:
        """Do it."""
        return Done(work(*arguments))
