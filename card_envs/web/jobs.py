"""Work that takes a while: done by one thread, one job after the other and piece by piece, while pages ask how far it
is. Nobody else waits for it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import nullcontext
from typing import Protocol, TypeVar

from card_envs.errors import CardEnvsError
from card_envs.web.errors import TooMuchError, UnavailableError
from card_envs.web.recent import Recent
from card_envs.web.thinking import Thinking

MOST_WAITING, MOST_KEPT = 8, 32
PATIENCE = 30.0  # seconds after which a job is given up about which nobody asks any more


class Task(Protocol):
    """Something to be done in `of` pieces, of which `done` are. `thinks` says that these are searched, and take turns
    with moves.
    """

    done: int

    @property
    def of(self) -> int:
        """How many pieces."""

    @property
    def thinks(self) -> bool:
        """Does it search?"""

    def steps(self) -> Iterator[None]:
        """Do it, one or more pieces for each step."""


T = TypeVar("T", bound=Task)


class Job:
    """A task on its way."""

    def __init__(self, key: Hashable, task: Task) -> None:
        self.key, self.task, self.asked = key, task, time.monotonic()
        self.finished = False
        self.problem: Exception | None = None


class Jobs:
    """All of them, those that are done as long as there is room."""

    def __init__(self, thinking: Thinking, patience: float = PATIENCE) -> None:
        self._thinking, self._patience = thinking, patience
        self._lock = threading.Lock()
        self._kept: Recent[Hashable, Job] = Recent(MOST_KEPT)
        self._waiting: deque[Job] = deque()
        self._at_work = False

    def ask(self, key: Hashable, make: Callable[[], T]) -> tuple[T, Job]:
        """The task with this key and how far it is; begun if it is new."""
        with self._lock:
            job = self._kept.get(key)
            if job is not None:
                job.asked = time.monotonic()
        if job is None:
            job = self._begin(Job(key, make()))
        if job.problem is not None:
            self._kept.forget(key)
            raise job.problem
        return job.task, job  # type: ignore[return-value]  # a key stands for one kind of task

    def _begin(self, job: Job) -> Job:
        with self._lock:
            if (there := self._kept.get(job.key)) is not None:
                return there
            if len(self._waiting) >= MOST_WAITING:
                raise TooMuchError(f"{MOST_WAITING} games are waiting to be looked at already; try again in a moment")
            self._kept.keep(job.key, job)
            self._waiting.append(job)
            if not self._at_work:
                self._at_work = True
                threading.Thread(target=self._work, daemon=True, name="card_envs jobs").start()
        return job

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._at_work = False
                    return
                job = self._waiting.popleft()
            self._do(job)

    def _do(self, job: Job) -> None:
        pieces = job.task.steps()
        try:
            while True:
                if time.monotonic() - job.asked > self._patience:
                    self._kept.forget(job.key)
                    return
                with self._thinking.move() if job.task.thinks else nullcontext():
                    if next(pieces, self) is self:
                        break
            job.finished = True
        except CardEnvsError as error:
            job.problem = error
        except Exception as error:  # an agent of somebody's package
            job.problem = UnavailableError(f"an agent failed: {error}")
