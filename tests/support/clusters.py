"""Ray's own test cluster on this computer, and trainings on it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.killed_run import essence
from tests.support.short_runs import self_play
from training.evaluation import EvaluationSettings
from training.league import LeagueSettings
from training.ppo_settings import SelfPlayPPOSettings
from training.run import train
from training.run_folder import RunFolder
from training.self_play_learner import SelfPlayLearner
from training.settings import SelfPlaySettings

ROOT = Path(__file__).parents[2]


@contextmanager
def cluster_of(*cores: int) -> Iterator[Any]:
    """A cluster with a machine for each of these numbers of cores; this program is connected to it.

    It has a folder of its own, so that nobody else's `--ray auto` on this computer finds it, or this one theirs.
    """
    import ray
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="ray") as folder:
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("RAY_worker_niceness", "0")  # or workers wait for every other test that is run
        first, *others = cores
        cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": first, "include_dashboard": False, "memory": 2**30}
        )
        try:
            for number in others:
                cluster.add_node(num_cpus=number, memory=2**30)
            ray.init(address=cluster.address, log_to_driver=False, logging_level="CRITICAL")
            cluster.wait_for_nodes()
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()


def small(path: Path, **changes: Any) -> SelfPlaySettings:
    """A run of ten iterations with frozen players, a teacher, a magnet, exploiters, all actions tried in its second
    half, and five measurements, of which most find a new best.
    """
    given: dict[str, Any] = {
        "decisions": 1200,
        "seed": 1,
        "league": LeagueSettings(share=0.6, snapshot_every=360, size=2, exploiter_every=360, exploiter_decisions=240),
        "ppo": SelfPlayPPOSettings(
            n_steps=10,
            batch_size=60,
            teacher_coef=0.5,
            learning_rate=0.03,
            average_half_life=240,
            magnet_coef=0.1,
            all_actions_from=0.5,
            explore=0.1,
            play_average=True,
        ),
        "evaluation": EvaluationSettings(every=240, deals=8, pool=1),
        **changes,
    }
    return self_play(path, **given)


def run(settings: SelfPlaySettings) -> int:
    return train(settings, RunFolder.new(settings), SelfPlayLearner)


def go_on(settings: SelfPlaySettings) -> int:
    return train(settings, RunFolder.old(Path(str(settings.run)), "self_play"), SelfPlayLearner)


def outcome(path: Path) -> dict[str, Any]:
    """All that a run comes to: its players, its league, and what its log says of each step, in however many lines."""
    found = essence(path)
    log: dict[int, dict[str, Any]] = {}
    for line in found["log"]:
        known = log.setdefault(line["decisions"], {})
        assert not known.keys() & line.keys() - {"decisions"}, "something is told twice"
        known.update(line)
    return {**found, "log": dict(sorted(log.items()))}
