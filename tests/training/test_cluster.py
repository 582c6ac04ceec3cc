"""Training beyond one machine: wherever the parts are worked on, and whoever is lost, a run comes to the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from card_envs.errors import ClusterError
from tests.support.clusters import cluster_of, go_on, outcome, run
from tests.support.clusters import small as longer
from tests.support.killing import strike
from training.ray_cluster import MOST_LOSSES, RayCluster
from training.ray_parts import RayParts
from training.run import FINISHED, Run
from training.settings import SelfPlaySettings

ray = pytest.importorskip("ray")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def small(path: Path, **changes: Any) -> SelfPlaySettings:
    """Six iterations, two snapshots and three measurements are enough where it takes a while to assemble."""
    return longer(path, decisions=720, **changes)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one thread comes to."""
    path = tmp_path_factory.mktemp("undisturbed") / "run"
    assert run(small(path)) == FINISHED
    return outcome(path)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with cluster_of(1, 3) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def no_worker_is_left(cluster: Any) -> Iterator[None]:
    """After each test all cores can be had at once, because nobody holds one any more."""
    yield
    every = ray.util.placement_group([{"CPU": 1}] * int(ray.cluster_resources()["CPU"]))
    ray.get(every.ready(), timeout=600)
    ray.util.remove_placement_group(every)


# Any number of workers comes to the same: one, two and four of them are compared in the tests that need them anyway,
# for starting workers is what takes the time.
def test_two_threads_come_to_the_same(undisturbed: dict[str, Any], tmp_path: Path) -> None:
    assert run(small(tmp_path / "run", threads=2)) == FINISHED
    assert outcome(tmp_path / "run") == undisturbed


def test_a_run_goes_from_place_to_place(
    undisturbed: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Begun on threads, stopped, resumed on a cluster, stopped with measurements under way, resumed on threads."""
    places: list[dict[str, Any]] = [{"threads": 2}, {"ray": "auto", "workers": 2}, {"threads": 1}]
    begun, *resumed = (small(tmp_path / "run", **place) for place in places)
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(Run, "iterate", Run.iterate)  # is put back afterwards
    for nth in (3, 5):
        strike(Run, "iterate", nth, after=False, blow=lambda: signal.raise_signal(signal.SIGINT))
    try:
        assert [run(begun), *map(go_on, resumed)] == [128 + signal.SIGINT, 128 + signal.SIGINT, FINISHED]
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    assert outcome(tmp_path / "run") == undisturbed


def test_workers_that_are_killed_are_replaced(
    undisturbed: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One while it plays, one while it learns, one while the run is saved."""
    living: list[RayParts] = []
    made = RayParts.__init__

    def note(self: RayParts, *arguments: Any) -> None:
        living[:] = [self]
        made(self, *arguments)

    def kill() -> None:
        ray.kill(living[0]._workers[0])

    monkeypatch.setattr(RayParts, "__init__", note)
    for method, nth in (("play", 3), ("gradients", 14), ("states", 7)):
        monkeypatch.setattr(RayParts, method, getattr(RayParts, method))  # is put back afterwards
        strike(RayParts, method, nth, after=False, blow=kill)
    assert run(small(tmp_path / "run", ray="auto", workers=1)) == FINISHED
    said = [line for line in capsys.readouterr().out.splitlines() if "was lost" in line]
    assert len(said) == 3, said
    assert all(
        line.startswith("a worker was lost (its process has died): going back to the last save") for line in said
    )
    assert outcome(tmp_path / "run") == undisturbed


def die_once(mark: Path, answer: int) -> int:
    """Takes its process down at the first attempt."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return answer


def die(*_: Any) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


@pytest.fixture
def crew(cluster: Any) -> Iterator[RayCluster]:
    crew = RayCluster("auto")
    yield crew
    crew.close()


def test_work_beside_learning_is_done_again_when_it_is_lost(crew: RayCluster, tmp_path: Path) -> None:
    tasks = [crew.start(die_once, tmp_path / "mark", number) for number in range(6)]
    assert [task.result() for task in reversed(tasks)] == [5, 4, 3, 2, 1, 0]
    assert all(task.ready() for task in tasks)
    assert (tmp_path / "mark").exists()


def test_work_that_takes_everyone_down_is_given_up(crew: RayCluster) -> None:
    with pytest.raises(ClusterError, match=f"a worker was lost .*, {MOST_LOSSES} times at the same work"):
        crew.start(die).result()


def test_a_machine_that_is_killed_in_mid_run(
    cluster: Any,
    undisturbed: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The last test, because the machine does not come back."""
    (other,) = cluster.worker_nodes
    monkeypatch.setattr(Run, "iterate", Run.iterate)  # is put back afterwards
    strike(Run, "iterate", 4, after=False, blow=lambda: cluster.remove_node(other, allow_graceful=False))
    assert run(small(tmp_path / "run", ray="auto", workers=4)) == FINISHED
    said = capsys.readouterr().out
    assert "4 workers on 2 machines" in said
    assert "1 worker on 1 machine" in said
    assert outcome(tmp_path / "run") == undisturbed
