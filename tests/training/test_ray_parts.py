"""The driver's and the workers' side of parts on a cluster, without a cluster: whatever would be sent is pickled."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.loading import Player
from card_envs.errors import ClusterError, RunStateError
from tests.support.clusters import small
from training.ray_parts import RayParts
from training.ray_worker import PartsWorker, made_of
from training.run import Run
from training.run_folder import RunFolder
from training.self_play_learner import SelfPlayLearner
from training.settings import SelfPlaySettings


def sent(value: Any) -> Any:
    """As it arrives elsewhere."""
    return pickle.loads(pickle.dumps(value))


class Handle:
    """What the driver knows of a worker."""

    def __init__(self, worker: PartsWorker, cluster: PretendedCluster) -> None:
        self._worker, self._cluster = worker, cluster

    def __getattr__(self, method: str) -> Any:
        return Method(self._worker, method, self._cluster)


class Method:
    def __init__(self, worker: PartsWorker, name: str, cluster: PretendedCluster) -> None:
        self._worker, self._name, self._cluster = worker, name, cluster

    def remote(self, *arguments: Any) -> Any:
        self._cluster.asked[self._name] += 1
        if self._name == "about":
            return "here", {**made_of(), **self._cluster.other}
        return sent(getattr(self._worker, self._name)(*sent(arguments)))


class Maker:
    def __init__(self, kind: Callable[..., PartsWorker], cluster: PretendedCluster) -> None:
        self._kind, self._cluster = kind, cluster

    def remote(self, *arguments: Any) -> Handle:
        return Handle(self._kind(*sent(arguments)), self._cluster)


class PretendedCluster:
    """Ray and a cluster, as far as RayParts knows them; everything happens at once."""

    def __init__(self, workers: int) -> None:
        self.workers, self.ray = workers, self
        self.machines: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.players: list[Player] = []
        self.other: dict[str, str] = {}
        self.killed: list[Handle] = []

    def hands(self, wanted: int | None, parts: int) -> int:
        return self.workers

    def remote(self, **options: Any) -> Callable[[Any], Maker]:
        return lambda kind: Maker(kind, self)

    def send(self, player: Player) -> Any:
        self.players.append(player)
        return player

    def put(self, value: Any) -> Any:
        return value

    def gather(self, references: Sequence[Any]) -> list[Any]:
        return list(references)

    assemble = gather

    def look(self) -> None:
        pass

    def kill(self, worker: Handle) -> None:
        self.killed.append(worker)


def begun(settings: SelfPlaySettings, cluster: PretendedCluster | None) -> Run:
    path = Path(str(settings.run))
    folder = RunFolder.old(path, "self_play") if path.exists() else RunFolder.new(settings)
    learner = SelfPlayLearner(settings, folder)
    if cluster is not None:
        learner.parts = RayParts(settings, learner.actor_critic, learner.league, cluster)  # type: ignore[arg-type]
    return Run(settings, folder, learner)


def ended(run: Run) -> dict[str, bytes]:
    run.learner.close()
    run.folder.close()
    return {name: array.tobytes() for name, array in run.learner.weights().items()}


def learn(run: Run, iterations: int) -> None:
    run.begin_or_resume()
    for number in range(iterations):
        run.iterate()
        if number % 2:
            run.snapshot()
    run.save()


def played(tmp_path: Path, *clusters: PretendedCluster | None, iterations: int = 4) -> dict[str, bytes]:
    """A run that goes from one of these to the next."""
    settings = small(tmp_path / f"run-{len(list(tmp_path.iterdir()))}")
    for cluster in clusters:
        run = begun(settings, cluster)
        learn(run, iterations)
        weights = ended(run)
    return weights


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
def test_workers_come_to_what_threads_come_to(workers: int, tmp_path: Path) -> None:
    assert played(tmp_path, PretendedCluster(workers)) == played(tmp_path, None)


def test_a_run_goes_from_place_to_place(tmp_path: Path) -> None:
    places = (None, PretendedCluster(3), None, PretendedCluster(2))
    assert played(tmp_path, *places) == played(tmp_path, None, None, None, None)


def test_an_iteration_takes_few_rounds_and_players_are_sent_once(tmp_path: Path) -> None:
    cluster = PretendedCluster(2)
    settings = small(tmp_path / "run")
    run = begun(settings, cluster)
    learn(run, 6)
    cluster.asked.clear()
    figures = run.iterate()
    steps = 2 * 2  # epochs, and minibatches of 60 among 120 decisions
    assert cluster.asked == {"play": 2, "learn": 2 * steps}
    assert figures["rounds"] == 1 + steps
    numbers = sum(one.numel() for one in run.learner.actor_critic.parameters())  # type: ignore[attr-defined]
    assert figures["bytes_received"] == 4 * numbers * settings.parts * steps
    assert figures["bytes_sent"] < 4 * (numbers + 1000) * 2 * (steps + 1)
    assert {"seconds_playing", "seconds_learning", "seconds_sending", "seconds_waiting"} <= figures.keys()
    agents = [one.content_hash for one in cluster.players if isinstance(one, CheckpointAgent)]
    assert len(agents) == len(set(agents)) >= 2
    ended(run)
    assert len(cluster.killed) == 2


def test_workers_of_another_make_are_refused(tmp_path: Path) -> None:
    cluster = PretendedCluster(2)
    cluster.other = {"torch": "1.0"}
    with pytest.raises(ClusterError, match=r"a worker has another torch \(1\.0\) than this computer \(2.* same clone"):
        begun(small(tmp_path / "run"), cluster)
    assert len(cluster.killed) == 2, "nobody is left over"


@pytest.mark.parametrize("value", [None, [], {"games": 1}, {"games": [{"known": [99, "x", None]}]}])
def test_damaged_games_are_refused_by_the_workers(value: Any, tmp_path: Path) -> None:
    settings = small(tmp_path / "run")
    run = begun(settings, None)
    learn(run, 1)
    state = run.learner.state()
    ended(run)
    again = begun(settings, PretendedCluster(2))
    with pytest.raises(RunStateError):
        again.learner.restore({**state, "parts": [value, *state["parts"][1:]]})
    ended(again)


def test_large_networks_are_stored_once_for_all_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, stored = PretendedCluster(3), []
    monkeypatch.setattr(PretendedCluster, "put", lambda self, value: stored.append(value) or value)
    monkeypatch.setattr("training.ray_parts.INLINE", 100)
    run = begun(small(tmp_path / "run"), cluster)
    learn(run, 1)
    assert len(stored) == 2 * 2 + 3, (
        "network and magnet for the first and the iteration's games; all steps but the first"
    )
    assert isinstance(stored[-1], np.ndarray)
    ended(run)
