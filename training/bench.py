"""How fast we learn, beside Stable-Baselines3's MaskablePPO on the same engine, and beside plain matrix products.

    python -m training.bench                       # decisions learned per second, threads, products, the quick config
    python -m training.bench --strength 10         # and seconds to strength, for at most 10 minutes each
    python -m training.bench --defaults            # what the defaults were chosen from

Same game, same layers (128x128), same number of epochs, one run on one machine: compare the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from card_envs.presentation.languages import text_table
from training.bench_products import products_table
from training.bench_strength import print_strength
from training.command_line import load
from training.league import LeagueSettings
from training.ppo_settings import MaskablePPOSettings, SelfPlayPPOSettings
from training.run import Run, Stop, learn
from training.run_folder import RunFolder
from training.sb3_learner import Sb3Learner
from training.screen import Screen
from training.self_play_learner import SelfPlayLearner
from training.settings import NetworkSettings, Sb3Settings, SelfPlaySettings

GAME, PLAYERS = "king_lui", 4
ITERATIONS = 6
QUICK = Path(__file__).parents[1] / "configs" / GAME / "quick.yaml"


def ours(
    folder: Path, games: int, threads: int, tied: bool = False, batch_size: int = 4096, teacher: float = 0.0
) -> Run:
    """Our PPO: all seats of most games, a bot opposite in the others. Every decision is learned from twice."""
    settings = SelfPlaySettings(
        game=GAME,
        players=PLAYERS,
        run=str(folder),
        games=games,
        threads=threads,
        decisions=20_000_000,
        network=NetworkSettings(hidden=(128, 128), tied=tied),
        ppo=SelfPlayPPOSettings(batch_size=batch_size, target_kl=None, teacher_coef=teacher),
        league=LeagueSettings(share=0.3),
    )
    made = RunFolder.new(settings)
    return _begun(Run(settings, made, SelfPlayLearner(settings, made)))


def maskable_ppo(folder: Path, games: int, threads: int) -> Run:
    """MaskablePPO: one seat in each game, bots on the others."""
    settings = Sb3Settings(
        game=GAME,
        players=PLAYERS,
        run=str(folder),
        games=games,
        threads=threads,
        snapshots=0.0,
        ppo=MaskablePPOSettings(n_steps=64, n_epochs=2, batch_size=4096),
    )
    made = RunFolder.new(settings)
    return _begun(Run(settings, made, Sb3Learner(settings, made)))


def _begun(run: Run) -> Run:
    run.begin_or_resume()
    return run


def speed(run: Run) -> float:
    """Decisions learned per second, after a first iteration that nobody counts."""
    run.iterate()
    before, began = run.learner.decisions, time.perf_counter()
    for _ in range(ITERATIONS):
        run.iterate()
    took = time.perf_counter() - began
    run.learner.close()
    return (run.learner.decisions - before) / took


def speeds(folder: Path, threads: int) -> dict[int, float]:
    """Print how fast we learn, and MaskablePPO, with the better of one and of all threads; returns ours, tied."""
    rows, tied_speeds = [], {}
    for games in (256, 1024):
        own = speed(ours(folder / f"own-{games}", games, threads))
        tied = tied_speeds[games] = speed(ours(folder / f"tied-{games}", games, threads, tied=True))
        alone = speed(ours(folder / f"alone-{games}", games, 1, tied=True))
        theirs = max(
            speed(maskable_ppo(folder / f"sb3-{games}-{number}", games, number)) for number in sorted({1, threads})
        )
        ratios = (f"{tied / theirs:.1f}", f"{own / theirs:.1f}", f"{tied / alone:.2f}")
        rows.append([str(games), *(f"{one:,.0f}" for one in (tied, own, theirs)), *ratios])
    print(f"King Lui, 4 players, layers 128x128, 2 epochs, {threads} threads: decisions learned per second")
    heads = ["games", "ours", "ours, untied", "MaskablePPO", "ratio", "ratio, untied", f"{threads} threads to one"]
    print(text_table(heads, rows))
    return tied_speeds


def quick_speed(folder: Path) -> tuple[float, float]:
    """Decisions per second of the whole quick run, with all that it does besides learning; and the part of the time
    that it spends on measuring.
    """
    settings = replace(load(SelfPlaySettings, QUICK), run=str(folder))
    made = RunFolder.new(settings)
    run = _begun(Run(settings, made, SelfPlayLearner(settings, made)))
    run.iterate()  # in which things are compiled
    before, began = run.learner.decisions, time.perf_counter()
    with Screen("King Lui, quick", settings.decisions) as screen:
        learn(run, screen, Stop(), 0.0)
        told = screen.time_spent()
    took = time.perf_counter() - began
    run.learner.close()
    print(told)
    return (run.learner.decisions - before) / took, took


def choices(folder: Path) -> str:
    """Decisions learned per second with other numbers of threads, games and decisions per gradient step."""
    rows = []
    for threads in (1, 2):
        for games in (256, 1024, 4096):
            cells = [
                speed(ours(folder / f"{threads}-{games}-{batch_size}", games, threads, True, batch_size))
                for batch_size in (1024, 4096, 16384)
            ]
            rows.append([str(threads), str(games), *(f"{cell:,.0f}" for cell in cells)])
    return text_table(["threads", "games", "batch_size 1024", "4096", "16384"], rows)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Our PPO and Stable-Baselines3's MaskablePPO on the same engine.")
    parser.add_argument("--threads", type=int, default=2, help="threads for each of them")
    parser.add_argument("--strength", type=float, metavar="MINUTES", help="also measure seconds to strength")
    parser.add_argument("--defaults", action="store_true", help="only compare threads, games and batch sizes")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if chosen.defaults:
            print(choices(folder))
            return
        tied = speeds(folder, chosen.threads)
        print(
            "\nproducts per second, in billions, on one core, beside those of plain matrix products of the same shapes"
        )
        print(products_table(GAME))
        quick, took = quick_speed(folder / "quick")
        part = f"{quick / tied[1024]:.0%} of learning alone with 1024 games"
        print(f"the whole quick run: {quick:,.0f} decisions per second in {took:.0f} s, {part}")
        if chosen.strength:
            print_strength(
                {
                    "from nothing": (
                        ours(folder / "own", 1024, chosen.threads, tied=True),
                        maskable_ppo(folder / "theirs", 1024, chosen.threads),
                    ),
                    "taught": (
                        ours(folder / "own-taught", 1024, chosen.threads, tied=True, teacher=1.0),
                        maskable_ppo(folder / "theirs-taught", 1024, chosen.threads),
                    ),
                },
                chosen.strength,
            )


if __name__ == "__main__":
    main()
