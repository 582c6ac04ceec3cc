"""Who plays, in what order, and how often it was killed: the standings are the same, bit for bit."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from card_envs.arena import Tournament
from card_envs.arena.workers import MOST_LOSSES
from card_envs.errors import CardEnvsError, ClusterError, OptionError
from tests.support.checkpoint_files import write
from tests.support.tournaments import First, Fragile

ROOT = Path(__file__).parents[2]


@pytest.fixture
def agents(tmp_path: Path) -> list[Any]:
    return ["random", "bot", str(write(tmp_path / "player.safetensors")), Fragile(tmp_path / "mark")]


def cup(agents: list[Any], **options: Any) -> Tournament:
    return Tournament("king_lui", players=3, agents=agents, games=720, seed=5, chunk_deals=10, **options)


@pytest.fixture
def undisturbed(agents: list[Any], tmp_path: Path) -> Iterator[str]:
    """What one process finds, with nobody killed."""
    (tmp_path / "mark").touch()
    with cup(agents) as tournament:
        yield tournament.run().to_json()


def test_two_processes_of_which_one_is_killed(agents: list[Any], undisturbed: str, tmp_path: Path) -> None:
    (tmp_path / "mark").unlink()
    with cup(agents) as tournament:
        assert tournament.run(workers=2).to_json() == undisturbed
    assert (tmp_path / "mark").exists(), "a worker was killed in the middle of a chunk"


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
@pytest.mark.filterwarnings("ignore")
def test_a_ray_cluster_of_two_workers_of_which_one_is_killed(
    agents: list[Any], undisturbed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    (tmp_path / "mark").unlink()
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="CRITICAL")
    try:
        with cup(agents) as tournament:
            assert tournament.run(ray="auto").to_json() == undisturbed
        assert ray.is_initialized(), "a cluster that was there before stays"
        with cup(["random", Wrong()]) as wrong, pytest.raises(CardEnvsError, match="the agent wrong: in King Lui"):
            wrong.run(ray="auto")
    finally:
        ray.shutdown()
    assert (tmp_path / "mark").exists(), "a worker was killed in the middle of a chunk"


def test_a_cluster_that_is_not_there_is_refused() -> None:
    pytest.importorskip("ray")
    with cup(["random"]) as tournament, pytest.raises(ClusterError, match="there is no Ray cluster at nowhere"):
        tournament.run(ray="nowhere:1")


class Wrong(First):
    """Plays what is not legal."""

    name = "wrong"

    def act(self, observation: Any, action_mask: Any) -> Any:
        return action_mask.argmin(axis=1)


class Clumsy(First):
    """Fails by an error of its own."""

    name = "clumsy"

    def act(self, observation: Any, action_mask: Any) -> Any:
        raise ZeroDivisionError("nothing can be divided by nothing")


class Deadly(First):
    """Takes its process down each time."""

    name = "deadly"

    def act(self, observation: Any, action_mask: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Clumsy(), r"an agent failed in chunk \d+: ZeroDivisionError: nothing can be divided"),
        (Deadly(), f"{MOST_LOSSES} workers were lost while they played chunk"),
    ],
)
def test_an_agent_that_fails_in_a_worker_is_reported(agent: Any, message: str) -> None:
    with cup(["random", agent]) as tournament, pytest.raises(CardEnvsError, match=message):
        tournament.run(workers=2)


def test_an_agent_that_cannot_be_sent_to_a_worker_is_refused() -> None:
    class Local(First):
        name = "local"

    with cup(["random", Local()]) as tournament, pytest.raises(OptionError, match="must be one that pickle can send"):
        tournament.run(workers=2)


def test_threads_of_the_linear_algebra_change_no_digit() -> None:
    """A network's sums that several threads share come out with other last digits; under one_thread they do not."""
    code = """
import hashlib, numpy as np
from card_envs.agents.network import Mlp
from card_envs.arena.play import one_thread
network, rng = Mlp((128, 128), "tanh"), np.random.default_rng(0)
weights = {name: rng.normal(0, 0.1, size).astype(np.float32) for name, size in network.tensors(93, 38).items()}
with one_thread():
    print(hashlib.sha256(network.logits(weights, rng.random((4096, 93), np.float32)).tobytes()).hexdigest())
"""
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert printed[0] == printed[1]


def test_memory_does_not_grow_with_the_number_of_games(tmp_path: Path) -> None:
    """Ten times the games, the same memory: played, kept and added up chunk by chunk."""

    def peak(games: int) -> int:
        with Tournament(
            "king_lui", agents=["random"] * 4, games=games, out=tmp_path / str(games), chunk_deals=100
        ) as tournament:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            tournament.run()
            return tracemalloc.get_traced_memory()[1] - before

    peak(400)  # what is loaded or compiled at the first use is not counted
    tracemalloc.start()
    try:
        few, many = peak(4_000), peak(40_000)
    finally:
        tracemalloc.stop()
    assert many < 2 * few, "the results of ten times the games would take ten times as much"


def test_killed_again_and_again_and_resumed() -> None:
    """kill -9 of a real process, in each place twice: nothing is lost, nothing counts twice. Fifty by hand."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.tournament_kills", "--kills", "6"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "6 kills: the same standings, and the same content to the last byte\n", done.stderr


INTERRUPTED = """
import os, signal, sys
from card_envs.arena.store import Store
from card_envs.cli import main
from tests.support.killing import strike

if __name__ == "__main__":  # and not in the workers
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell in the background lets programs ignore
    # As a terminal does: every process of the group.
    strike(Store, "add_chunk", 3, after=True, blow=lambda: os.killpg(0, signal.SIGINT))
    main()
"""


def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(tmp_path: Path) -> None:
    out, program = tmp_path / "cup", tmp_path / "interrupted.py"
    program.write_text(INTERRUPTED, encoding="utf-8")
    arguments = ["king_lui", "--agents", "bot", "random", "--games", "150000", "--workers", "2", "--out", str(out)]
    done = subprocess.run(
        [sys.executable, str(program), "tournament", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert f"games are kept in {out}; go on with: card-envs tournament --resume {out}" in done.stderr
    with Tournament.resume(out) as tournament:
        assert len(tournament.store.played()) == 3
        assert 0 < tournament.games_played < tournament.games
