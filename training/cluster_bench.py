"""Where the time of an iteration goes on a cluster, and what follows for larger ones.

    python -m training.cluster_bench                                  # on a cluster of its own, on this computer
    python -m training.cluster_bench --ray ADDRESS --workers 8 16

King Lui with four players, and default settings otherwise. First whole iterations on real workers are measured; then
the pieces that an iteration is made of, each on one core with nothing beside it: the play and the gradient of a part
as large as it is on so many cores, a round to workers and back, and the step of the optimiser. The tables after that
are arithmetic on these, which is printed with them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from card_envs.cluster import connected
from card_envs.errors import CardEnvsError
from card_envs.presentation.languages import text_table
from training import ppo
from training.adam import Adam
from training.bench_products import quickest
from training.league import LeagueSettings
from training.loss import Loss
from training.network import Gradient
from training.network_kinds import make_network
from training.parts import Part
from training.ppo_settings import SelfPlayPPOSettings
from training.ray_worker import Flat, flatten, shaped
from training.run_folder import RunFolder
from training.self_play_learner import SelfPlayLearner
from training.settings import SelfPlaySettings

CORES, GIGABITS = (8, 64, 512), (1, 10)
EXAMPLE = (64, 1)  # whose arithmetic is shown
ECHOES = (1, 2, 4, 8)
ROUNDS = 30
TIMES = 5
LOOPBACK = Path("/proc/net/dev")
GAMES = 1024


class Way(NamedTuple):
    """How a cluster is used: whether games and batch_size are for each core or for all of them, and what they are."""

    title: str
    grows: bool
    batch_size: int
    n_epochs: int


WAYS = (
    Way("The defaults on more cores", False, 4096, 2),
    Way("1024 games and 4096 of batch_size for each core", True, 4096, 2),
    Way("1024 games and 16384 of batch_size for each core, one epoch", True, 16384, 1),
)


def settings_of(folder: Path, **changes: Any) -> SelfPlaySettings:
    """Default settings, but for what is measured."""
    return SelfPlaySettings(**{"game": "king_lui", "players": 4, "run": str(folder), **changes})


def iterations(folder: Path, address: str, workers: int, number: int) -> dict[str, float]:
    """Means over some iterations on real workers, after a first one that nobody counts."""
    settings = settings_of(folder, ray=address, workers=workers)
    made = RunFolder.new(settings)
    with closing(made), closing(SelfPlayLearner(settings, made)) as learner:
        learner.begin()
        learner.iterate()
        told: list[dict[str, float]] = []
        before = loopback_bytes()
        for _ in range(number):
            began = time.perf_counter()
            told.append({**learner.iterate(), "total": time.perf_counter() - began})
        means = {name: float(np.mean([one[name] for one in told])) for name in told[0]}
        return {**means, "loopback": (loopback_bytes() - before) / number}


def loopback_bytes() -> int:
    """All that programs of this computer have sent each other; 0 where that cannot be told."""
    if not LOOPBACK.exists():
        return 0
    line = next(line for line in LOOPBACK.read_text().splitlines() if line.strip().startswith("lo:"))
    return int(line.split()[1])


@dataclass(frozen=True)
class Compute:
    """Seconds on one core: an iteration's play of a part, one of its gradients, and one step of the optimiser."""

    play: float
    gradient: float
    step: float


def compute(settings: SelfPlaySettings) -> Compute:
    """The work of one part of a run with these settings, and of the driver for all of its parts."""
    network = make_network(settings.rules, settings.network.form(), settings.network.tied, settings.seed)
    part = Part(settings, 0, None)
    part.play(network)
    network.measure(part.rollout.observation.reshape(-1, part.rollout.observation.shape[-1]))
    play = quickest(lambda: (part.play(network), part.credit()), TIMES)
    part.normalise(0.0, 1.0)
    part.shuffle(steps_per_epoch(settings))
    loss = Loss.of(settings.ppo, settings.ppo.at(0.0))
    gradient = quickest(lambda: part.gradient(network.gradients(), 0, loss), 20)
    found = part.gradient(network.gradients(), 0, loss)
    optimizer = Adam(network.parameters())
    echo = Echo(settings, found, list(network.parameters()))
    count = steps_per_epoch(settings) * settings.ppo.n_epochs
    step = quickest(lambda: ppo.improve(optimizer, echo, settings.ppo, 0.0), 3) / count
    return Compute(play, gradient, step)


class Echo:
    """Parts that always have the same gradient: what is left of learning is what the driver does."""

    def __init__(self, settings: SelfPlaySettings, gradient: Gradient, like: Sequence[torch.Tensor]) -> None:
        self._parts, self._like = settings.parts, like
        self._decisions = settings.games * settings.ppo.n_steps / settings.parts
        self._row, self._gradient = flatten(gradient.gradients), gradient

    def credit(self) -> Sequence[NDArray[np.float64]]:
        """So many decisions that the steps are those of a run."""
        return [np.array([1.0, 0.0, 1.0, 0.0, 1.0]) * self._decisions] * self._parts

    def normalise(self, mean: float, spread: float) -> None:
        """Nothing to do."""

    def shuffle(self, minibatches: int) -> None:
        """Nothing to do."""

    def gradients(self, minibatch: int, loss: Loss) -> Sequence[Gradient]:
        """One for each part, as they come from workers: flat."""
        _, figures, rows = self._gradient
        return [Gradient(shaped(self._row, self._like), figures, rows) for _ in range(self._parts)]


def steps_per_epoch(settings: SelfPlaySettings) -> int:
    """Gradient steps of one epoch."""
    return -(-settings.games * settings.ppo.n_steps // settings.ppo.batch_size)


class EchoWorker:
    """A worker that only answers."""

    def answer(self, row: Flat) -> Flat:
        """What it was asked."""
        return row


def round_trips(ray: Any, numbers: int) -> tuple[float, float]:
    """Seconds of a round to workers and back with so many numbers each way: what it takes at all, and for each worker.

    The workers share this computer's cores with the driver, so that each of them seems a little dearer than it is.
    """
    row, found = np.zeros(numbers, np.float32), []
    workers = [ray.remote(num_cpus=0)(EchoWorker).remote() for _ in range(max(ECHOES))]
    try:
        for number in ECHOES:
            asked = workers[:number]

            def ask(asked: Sequence[Any] = asked) -> None:
                for _ in range(ROUNDS):
                    ray.get([worker.answer.remote(row) for worker in asked])

            ask()
            found.append(quickest(ask, TIMES) / ROUNDS)
    finally:
        for worker in workers:
            ray.kill(worker)
    each, least = np.polyfit(ECHOES, found, 1).tolist()
    return max(0.0, least), max(0.0, each)


@dataclass(frozen=True)
class Forecast:
    """What an iteration takes on so many cores, one worker and one part each, in seconds."""

    play: float
    learn: float
    send: float
    ask: float
    drive: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.play + self.learn + self.send + self.ask + self.drive


def forecast(
    settings: SelfPlaySettings, done: Compute, numbers: int, trip: tuple[float, float], gigabits: float
) -> Forecast:
    """The arithmetic: see `explained`."""
    cores, steps = settings.parts, steps_per_epoch(settings) * settings.ppo.n_epochs
    bits = 8 * 4 * numbers * cores
    return Forecast(
        play=done.play,
        learn=steps * done.gradient,
        send=2 * steps * bits / (gigabits * 1e9),
        ask=(steps + 1) * (trip[0] + trip[1] * cores),
        drive=steps * done.step,
    )


def explained(settings: SelfPlaySettings, found: Forecast, numbers: int, trip: tuple[float, float], rate: int) -> str:
    """One forecast with its arithmetic."""
    cores, steps = settings.parts, steps_per_epoch(settings) * settings.ppo.n_epochs
    one_way = 4 * numbers * cores
    return "\n".join(
        [
            f"{cores} cores at {rate} Gbit/s, {settings.games} games, batch_size {settings.ppo.batch_size}:",
            f"  steps = n_epochs {settings.ppo.n_epochs} x games {settings.games} x n_steps {settings.ppo.n_steps} / "
            f"batch_size {settings.ppo.batch_size} = {steps}",
            f"  play  = {found.play:.3f} s, of {settings.games / cores:g} games x {settings.ppo.n_steps} decisions on "
            f"one core",
            f"  learn = {steps} steps x {1e3 * found.learn / steps:.2f} ms, for "
            f"{settings.ppo.batch_size / cores:g} decisions on one core = {found.learn:.3f} s",
            f"  send  = {steps} steps x 2 ways x {cores} workers x 4 bytes x {numbers:,} numbers = "
            f"{2 * steps * one_way / 1e6:.1f} MB, at {rate} Gbit/s = {found.send:.3f} s",
            f"  ask   = {steps + 1} rounds x ({1e3 * trip[0]:.2f} ms + {cores} workers x {1e3 * trip[1]:.2f} ms) = "
            f"{found.ask:.3f} s",
            f"  drive = {steps} steps x {1e3 * found.drive / steps:.2f} ms, to add {cores} gradients and step = "
            f"{found.drive:.3f} s",
            f"  total = {found.total:.3f} s for {settings.games * settings.ppo.n_steps:,} decisions",
        ]
    )


def on_cores(folder: Path, way: Way, cores: int) -> SelfPlaySettings:
    """Settings for so many cores, one part each, in which nobody but the learner plays."""
    grown = cores if way.grows else 1
    how = SelfPlayPPOSettings(batch_size=way.batch_size * grown, n_epochs=way.n_epochs)
    return settings_of(folder, parts=cores, games=GAMES * grown, ppo=how, league=LeagueSettings(share=0.0))


def forecasts(folder: Path, way: Way, numbers: int, trip: tuple[float, float]) -> Iterator[str]:
    """A table for all sizes of cluster, beside one core alone, and the arithmetic of one of its lines."""
    alone = on_cores(folder, way, 1)
    one, steps = compute(alone), steps_per_epoch(alone) * alone.ppo.n_epochs
    seconds = [one.play, steps * one.gradient, 0.0, 0.0, steps * one.step]
    speed = alone.games * alone.ppo.n_steps / sum(seconds)
    rows = [["1", "-", *(f"{one:.3f}" for one in seconds), f"{speed:,.0f}", "1.0", "100%"]]
    told = ""
    for cores in CORES:
        settings = on_cores(folder, way, cores)
        done = compute(settings)
        for gigabits in GIGABITS:
            found = forecast(settings, done, numbers, trip, gigabits)
            reached = settings.games * settings.ppo.n_steps / found.total
            seconds = [found.play, found.learn, found.send, found.ask, found.drive]
            rows.append(
                [
                    *(str(cores), str(gigabits), *(f"{one:.3f}" for one in seconds), f"{reached:,.0f}"),
                    *(f"{reached / speed:.1f}", f"{reached / speed / cores:.0%}"),
                ]
            )
            if (cores, gigabits) == EXAMPLE:
                told = explained(settings, found, numbers, trip, gigabits)
    head = ["cores", "Gbit/s", "play", "learn", "send", "ask", "drive", "decisions/s", "speed-up", "of ideal"]
    yield text_table(head, rows)
    yield told


def real_table(found: dict[int, dict[str, float]]) -> str:
    """What was measured on workers."""
    rows = []
    for workers, one in found.items():
        seconds = [one[f"seconds_{name}"] for name in ("playing", "learning", "sending", "waiting")]
        rows.append(
            [
                *(str(workers), *(f"{value:.3f}" for value in seconds), f"{one['total'] - sum(seconds):.3f}"),
                *(f"{one['total']:.3f}", f"{one['rounds']:.0f}"),
                *(f"{one[name] / 1e6:.2f}" for name in ("bytes_sent", "bytes_received", "loopback")),
            ]
        )
    head = ["workers", "play", "learn", "send", "wait", "drive", "total", "rounds", "MB out", "MB in", "MB on the net"]
    return text_table(head, rows)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Where the time of an iteration goes on a cluster.")
    parser.add_argument("--ray", default="auto", help="the address of a cluster; one of its own, if there is none")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="numbers of workers to measure")
    parser.add_argument("--iterations", type=int, default=5, help="iterations for each of them")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    try:
        with tempfile.TemporaryDirectory() as folder, connected(chosen.ray) as ray:
            measure(Path(folder), ray, chosen)
    except CardEnvsError as error:
        sys.exit(str(error))


def measure(folder: Path, ray: Any, chosen: argparse.Namespace) -> None:
    """All tables, one after the other."""
    settings = settings_of(folder)
    network = make_network(settings.rules, settings.network.form(), settings.network.tied, settings.seed)
    numbers = sum(one.numel() for one in network.parameters())
    print(f"King Lui, 4 players, defaults: {settings.games} games, batch_size {settings.ppo.batch_size}, "
          f"{settings.parts} parts, {numbers:,} numbers that are learned\n")  # fmt: skip
    found = {one: iterations(folder / str(one), chosen.ray, one, chosen.iterations) for one in chosen.workers}
    print("Seconds per iteration on real workers (play and learn: mean of the workers; wait: for the slowest of them):")
    print(real_table(found))
    trip = round_trips(ray, numbers)
    print(f"\nA round to workers and back takes {1e3 * trip[0]:.2f} ms, and {1e3 * trip[1]:.2f} ms for each worker.")
    for way in WAYS:
        print(f"\n{way.title}, seconds per iteration:")
        for text in forecasts(folder, way, numbers, trip):
            print(text, flush=True)


if __name__ == "__main__":
    main()
