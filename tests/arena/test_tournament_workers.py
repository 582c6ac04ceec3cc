"""Who plays, in what order, and how often it was killed: the standings are the same, bit for bit."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from card_envs.arena import Tournament
from card_envs.arena.workers import MOST_LOSSES
from card_envs.errors import CardEnvsError, OptionError, TournamentError
from tests.support.checkpoint_files import write
from tests.support.tournaments import First, Fragile

KILLS = 20


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
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
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
    with cup(["random"]) as tournament, pytest.raises(TournamentError, match="there is no Ray cluster at nowhere"):
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


def test_memory_does_not_grow_with_the_number_of_games() -> None:
    """Ten times the games, the same memory: played, kept and added up chunk by chunk."""
    code = """
import resource, tempfile
from card_envs.arena import Tournament
for games in (30_000, 300_000):
    with tempfile.TemporaryDirectory() as out:
        with Tournament("king_lui", agents=["random"] * 4, games=games, out=out, chunk_deals=500) as tournament:
            tournament.run()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    few, many = map(int, done.stdout.split())
    assert many - few < 15_000, "kilobytes; the results of 270,000 more games would take over 60,000"


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "card_envs", "tournament", *arguments]


KILLER = """
import os, random, signal, sys, time
from card_envs.arena import Tournament

out, kills, options = sys.argv[1], int(sys.argv[2]), eval(sys.argv[3])
for _ in range(2):  # the second time everything is loaded, and it takes as long as it takes on this machine
    with Tournament("king_lui", **options) as undisturbed:
        start = time.perf_counter()
        expected = undisturbed.run().to_json()
        played = time.perf_counter()
        undisturbed.standings()
        spent = (played - start) - (time.perf_counter() - played)
Tournament("king_lui", out=out, **options).close()
dice, kept = random.Random(1), []
for _ in range(kills):
    child = os.fork()  # everything is loaded already, so that it plays at once
    if child == 0:
        Tournament.resume(out).run()
        os._exit(0)
    time.sleep(dice.uniform(0.1, 1) * spent / 12)
    os.kill(child, signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL, "it was done before it was killed"
    with Tournament.resume(out) as tournament:
        kept.append(tournament.games_played)
with Tournament.resume(out) as tournament:
    assert tournament.run().to_json() == expected
print(*kept)
"""


def test_killed_twenty_times_and_resumed(tmp_path: Path) -> None:
    """kill -9 at random moments of a real process: nothing is lost, nothing counts twice."""
    path = str(write(tmp_path / "player.safetensors"))
    options = {"players": 3, "agents": ["random", "bot", path], "games": 12000, "seed": 9, "chunk_deals": 4}
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(tmp_path / "cup"), str(KILLS), repr(options)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kept = list(map(int, done.stdout.split()))
    assert len(kept) == KILLS
    assert kept == sorted(kept), "what was kept stays"
    assert len(set(kept)) > 3, "it was killed while it played"


def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(tmp_path: Path) -> None:
    out = tmp_path / "cup"
    process = subprocess.Popen(
        command("king_lui", "--agents", "bot", "random", "--games", "1500000", "--workers", "2", "--out", str(out)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.2)
        if (out / "tournament.sqlite").exists():
            with Tournament.resume(out) as tournament:
                if tournament.games_played:
                    break
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: every process of the group
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert f"games are kept in {out}; go on with: card-envs tournament --resume {out}" in errors
    with Tournament.resume(out) as tournament:
        assert 0 < tournament.games_played < tournament.games
