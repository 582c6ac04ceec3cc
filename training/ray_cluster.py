"""The cluster that a run works on: its cores, players who are sent there once, and work for whoever is free."""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Any, Generic, TypeVar

from card_envs.agents.base import Agent
from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.loading import Player
from card_envs.cluster import PATIENCE, check_alive, connected, gather, told
from card_envs.errors import ClusterError, LostWorkersError
from training.spare import Task

log = logging.getLogger("card_envs")
IMPATIENCE = PATIENCE / 5  # seconds between two looks at whether workers that do not start still can
MOST_LOSSES = 3  # of whoever is at one piece of work: it will not do better the next time
MOST_KEPT = 100  # players that the cluster keeps for us; whoever has got one keeps it anyway
Result = TypeVar("Result")


class RayCluster:
    """A connection, for as long as a learner lives. It is also who does work beside learning: see spare.py.

    Such work is begun in the order in which it was asked for, on as many cores as our workers leave free, or on one
    beside them.
    """

    threads = 1  # for a piece of work; cores for more than one are cores for more pieces

    def __init__(self, address: str) -> None:
        self._stack = ExitStack()
        self.ray = self._stack.enter_context(connected(address))
        self.machines: Counter[str] = Counter()  # on which our workers are, and how many of them
        self._sent: dict[str, Any] = {}  # by content hash
        self._looked = time.monotonic()
        self._queue: deque[RayTask[Any]] = deque()
        self._begun: list[RayTask[Any]] = []

    @property
    def cores(self) -> int:
        """How many cores there are, whoever uses them."""
        return int(self.ray.cluster_resources().get("CPU", 0))

    def hands(self, wanted: int | None, parts: int) -> int:
        """How many workers there can be."""
        cores = self.cores
        if cores == 0:
            raise ClusterError("the Ray cluster has no cores that workers could use")
        if wanted is not None and wanted > cores:
            log.info("the cluster has %d cores, so there are %d workers and not %d", cores, cores, wanted)
        return min(parts if wanted is None else wanted, cores, parts)

    def send(self, player: Player) -> Any:
        """A player as it goes to a worker: who it is by name, or what it consists of, which is stored there once."""
        if not isinstance(player, CheckpointAgent):
            return player.name if isinstance(player, Agent) else player
        content = player.content_hash
        if content not in self._sent:
            self._sent[content] = self.put(player)
            if len(self._sent) > MOST_KEPT:
                del self._sent[next(iter(self._sent))]
        return self._sent[content]

    def put(self, value: Any) -> Any:
        """Store something on the cluster, for whoever asks for it."""
        with told(self.ray):
            return self.ray.put(value)

    def look(self) -> None:
        """Notice in time that the head of the cluster has gone, while workers still answer; Ray would end the process a
        minute later.
        """
        if time.monotonic() - self._looked > PATIENCE:
            check_alive(self.ray)
            self._looked = time.monotonic()

    def gather(self, references: Sequence[Any]) -> list[Any]:
        """The answers of workers."""
        return gather(self.ray, references)

    def assemble(self, references: Sequence[Any]) -> list[Any]:
        """The first answers of workers that are just being started, as many as there were cores for."""
        waited = 0.0

        def wait() -> None:
            nonlocal waited
            waited += IMPATIENCE
            if self.cores < len(references):
                raise LostWorkersError("a machine of the cluster has gone")
            if waited == PATIENCE:
                log.info("waiting for %d workers: the cluster is slow, or others use its cores", len(references))

        return gather(self.ray, references, wait, IMPATIENCE)

    def start(self, work: Callable[..., Result], *arguments: Any) -> Task[Result]:
        """Have something done by whoever is free."""
        sent = [self.send(one) if isinstance(one, CheckpointAgent) else one for one in arguments]
        task = RayTask[Result](self, work, sent)
        self._queue.append(task)
        self.advance(0)
        return task

    def advance(self, patience: float) -> None:
        """Wait so many seconds for some work to be done, note what is done, and begin what there is room for."""
        if self._begun:
            references = {task.reference: task for task in self._begun}
            with told(self.ray):
                done, _ = self.ray.wait(list(references), timeout=patience)
            if patience and not done:
                check_alive(self.ray)
            for reference in done:
                if references[reference].take():
                    self._begun.remove(references[reference])
        while self._queue and len(self._begun) < max(1, self.cores - self.machines.total()):
            self._queue[0].begin(self._idle_machine())
            self._begun.append(self._queue.popleft())

    def _idle_machine(self) -> str:
        """The machine with the most cores that are not our workers' own."""
        alive = [node for node in self.ray.nodes() if node["Alive"]]
        if not alive:
            raise ClusterError("the Ray cluster has no machines")
        free: dict[str, float] = {
            node["NodeID"]: node["Resources"].get("CPU", 0) - self.machines[node["NodeID"]] for node in alive
        }
        return max(free, key=lambda one: free[one])

    def close(self) -> None:
        """Leave nothing behind. A cluster that has gone already has nothing more to say."""
        for task in self._begun:
            with suppress(Exception):
                self.ray.cancel(task.reference, force=True)
        with suppress(Exception):
            self._stack.close()


class RayTask(Generic[Result]):
    """A piece of work. Lost with whoever was at it, it is done again."""

    reference: Any

    def __init__(self, cluster: RayCluster, work: Callable[..., Result], arguments: Sequence[Any]) -> None:
        self._cluster, self._work, self._arguments = cluster, work, arguments
        self._machine = ""
        self._losses = 0
        self._found: list[Result] = []

    def begin(self, machine: str) -> None:
        """Have it done, on this machine if it is still there."""
        # It asks for no core of its own, because it would wait for ever where workers have them all.
        self._machine, ray = machine, self._cluster.ray
        near = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(machine, soft=True)
        remote = ray.remote(num_cpus=0, max_retries=0, scheduling_strategy=near)(self._work)
        self.reference = remote.remote(*self._arguments)

    def take(self) -> bool:
        """Once somebody has ended with it: whether it is done. If not, somebody else has begun."""
        try:
            self._found = self._cluster.gather([self.reference])
        except LostWorkersError as error:
            self._losses += 1
            if self._losses == MOST_LOSSES:
                raise ClusterError(f"{error}, {MOST_LOSSES} times at the same work; is there enough memory?") from None
            self.begin(self._machine)
        return bool(self._found)

    def ready(self) -> bool:
        """Whether it is done."""
        if not self._found:
            self._cluster.advance(0)
        return bool(self._found)

    def result(self) -> Result:
        """What has come of it."""
        while not self._found:
            self._cluster.advance(PATIENCE)
        return self._found[0]
