"""The parts of a run on a Ray cluster: each worker has a fixed share of them and a copy of the network.

The network and its optimiser are here. An iteration takes one round to all workers and back for play and advantages,
and one for each gradient step. Gradients come back part by part and are added in the order of the parts, so that the
result is that of threads, to the last bit.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from card_envs.errors import ClusterError
from training.league import League
from training.loss import Loss
from training.network import ActorCritic, Gradient
from training.ppo_settings import PLAIN, Manner
from training.ray_cluster import RayCluster
from training.ray_worker import Company, Flat, Learned, PartsWorker, Played, Request, flatten, made_of, shaped
from training.self_play_games import LeagueScores
from training.settings import SelfPlaySettings

INLINE = 100_000  # bytes; Ray sends what is smaller along with a question, and would copy what is larger for each


class RayParts:
    """All parts of a run, shared out to workers on a cluster."""

    def __init__(
        self, settings: SelfPlaySettings, network: ActorCritic, league: League | None, cluster: RayCluster
    ) -> None:
        self.settings, self.network, self.league, self.cluster = settings, network, league, cluster
        self._met: set[int] = set()  # numbers of players who have been sent
        self._credit: list[NDArray[np.float64]] = []
        self._normalise: tuple[float, float] | None = None
        self._minibatches: int | None = None
        self._told: dict[str, float] = defaultdict(float)
        self._workers: list[Any] = []
        self._assemble()

    def _assemble(self) -> None:
        """Have workers started, wherever there are cores."""
        ray, parts = self.cluster.ray, self.settings.parts
        hands = self.cluster.hands(self.settings.workers, parts)
        make = ray.remote(num_cpus=1, max_restarts=0)(PartsWorker)
        company, players = self._company(())
        self._shares = [range(hand, parts, hands) for hand in range(hands)]
        self._workers = [make.remote(self.settings, share, company, *players) for share in self._shares]
        try:
            about = self.cluster.assemble([worker.about.remote() for worker in self._workers])
        except BaseException:
            self.close()
            raise
        self.cluster.machines = Counter(machine for machine, _ in about)
        self._check_alike([made for _, made in about])

    def _check_alike(self, workers: Sequence[dict[str, str]]) -> None:
        """Refuse workers that would come to another result."""
        own = made_of()
        for made in workers:
            for name, value in own.items():
                if made[name] != value:
                    self.close()
                    raise ClusterError(
                        f"a worker has another {name} ({made[name]}) than this computer ({value}): every machine of "
                        f"the cluster needs the same clone, at the same place, with the same libraries"
                    )

    def _company(self, besides: Sequence[int]) -> tuple[Company | None, list[Any]]:
        """Whom games meet from now on, and those among them, or besides, whom the workers have not met."""
        league = self.league
        if league is None:
            return None, []
        wanted = dict.fromkeys((*league.table.numbers.tolist(), *besides))
        new = [number for number in wanted if number not in self._met]
        self._met.update(new)
        return Company(league.table, new), [self.cluster.send(league.player(number)) for number in new]

    def _ask(self, what: Literal["playing", "learning", ""], method: str, *arguments: Any) -> list[Any]:
        """One round: the same question to all workers, answers in their order. Noted is where the time went."""
        began = time.perf_counter()
        answers = self.cluster.gather([getattr(worker, method).remote(*arguments) for worker in self._workers])
        took = time.perf_counter() - began
        if what:
            seconds = [answer.seconds for answer in answers]
            mean, slowest = float(np.mean(seconds)), max(seconds)
            self._told[f"seconds_{what}"] += mean
            self._told["seconds_waiting"] += slowest - mean
            self._told["seconds_sending"] += took - slowest
            self._told["rounds"] += 1
        return answers

    def _in_order(self, lists: Sequence[Sequence[Any] | Flat]) -> list[Any]:
        """What each worker has for each of its parts, in the order of the parts."""
        hands = len(lists)
        return [lists[number % hands][number // hands] for number in range(self.settings.parts)]

    def play(self, manner: Manner = PLAIN, magnet: ActorCritic | None = None) -> list[LeagueScores]:
        """Let all parts play on; what comes of it is worked out along with it."""
        self.cluster.look()
        weights = _weights(self.network)
        drawn_to = {} if magnet is None else _weights(magnet)
        company, players = self._company(())
        self._count("bytes_sent", (*weights.values(), *drawn_to.values()))
        networks = self._once(weights), self._once(drawn_to)
        answers: list[Played] = self._ask("playing", "play", *networks, manner, company, *players)
        self._credit = self._in_order([answer.credit for answer in answers])
        self._told["seconds_frozen"] += float(np.mean([answer.seconds_frozen for answer in answers]))
        scores = self._in_order([answer.scores for answer in answers])
        return list(chain.from_iterable(scores))

    def _once(self, value: Any) -> Any:
        """Something for all workers: as it is if it is small, or else stored once for all of them."""
        size = value.nbytes if isinstance(value, np.ndarray) else sum(array.nbytes for array in value.values())
        return value if size < INLINE else self.cluster.put(value)

    def _count(self, name: str, arrays: Any) -> None:
        self._told[name] += sum(array.nbytes for array in arrays) * (len(self._workers) if name == "bytes_sent" else 1)

    def credit(self) -> list[NDArray[np.float64]]:
        """See ppo.Parts; the workers have told it when they had played."""
        return self._credit

    def normalise(self, mean: float, spread: float) -> None:
        """See ppo.Parts; goes along with the next gradient."""
        self._normalise = mean, spread

    def shuffle(self, minibatches: int) -> None:
        """See ppo.Parts; goes along with the next gradient."""
        self._minibatches = minibatches

    def gradients(self, minibatch: int, loss: Loss) -> list[Gradient]:
        """See ppo.Parts."""
        request = Request(minibatch, loss, self._normalise, self._minibatches)
        parameters: Flat | None = None
        if self._normalise is None:  # before that, workers have the parameters with which they have played
            parameters = flatten(self.network.parameters())
            self._count("bytes_sent", [parameters])
        self._normalise = self._minibatches = None
        sent = None if parameters is None else self._once(parameters)
        answers: list[Learned] = self._ask("learning", "learn", sent, request)
        self._count("bytes_received", [answer.gradients for answer in answers])
        like = list(self.network.parameters())
        rows = self._in_order([answer.gradients for answer in answers])
        figures, counts = (self._in_order([getattr(one, name) for one in answers]) for name in ("figures", "rows"))
        return [Gradient(shaped(row, like), *rest) for row, *rest in zip(rows, figures, counts, strict=True)]

    def observations(self) -> NDArray[np.float32]:
        """What was seen in the last games of all parts."""
        return np.concatenate(self._in_order(self._ask("", "observations")))

    def states(self) -> list[dict[str, Any]]:
        """All that going on needs."""
        return self._in_order(self._ask("", "states"))

    def restore(self, saved: Sequence[Any], members: int) -> None:
        """Go on from what `states` gave, in a league of so many members."""
        company, players = self._company(_seated(saved, members))
        self.cluster.gather(
            [
                worker.restore.remote([saved[number] for number in share], members, company, *players)
                for worker, share in zip(self._workers, self._shares, strict=True)
            ]
        )

    def figures(self) -> dict[str, float]:
        """Means over the workers of the seconds in which they played and learned, what the driver waited besides for
        the slowest of them, and what sending to and fro took; rounds, and bytes of weights and gradients.
        """
        told, self._told = dict(self._told), defaultdict(float)
        return told

    def introduction(self) -> str:
        """Who works on them."""
        workers, machines = len(self._workers), len(self.cluster.machines)
        return (
            f"{workers} {'worker' if workers == 1 else 'workers'} on {machines} "
            f"{'machine' if machines == 1 else 'machines'} of the cluster work on {self.settings.parts} parts"
        )

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            with suppress(Exception):  # gone already, with its machine or the whole cluster
                self.cluster.ray.kill(worker)
        self._workers = []


def _weights(network: ActorCritic) -> dict[str, NDArray[np.float32]]:
    return {name: tensor.numpy() for name, tensor in network.state_dict().items()}


def _seated(saved: Sequence[Any], members: int) -> list[int]:
    """Frozen players in games that were saved, whoever wrote that; workers check all of it."""
    groups = [group for part in saved if isinstance(part, dict) for group in _listed(part.get("games"))]
    known = [number for group in groups if isinstance(group, dict) for number in _listed(group.get("known"))]
    return [number for number in known if type(number) is int and 0 <= number < members]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
