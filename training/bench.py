"""How fast we learn, beside Stable-Baselines3's MaskablePPO on the same engine.

    python -m training.bench                       # decisions learned per second
    python -m training.bench --strength 10         # and seconds to strength, for at most 10 minutes each
    python -m training.bench --defaults            # what the defaults were chosen from

Same game, same network (128x128), same number of epochs, one run on one machine: compare the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from card_envs.presentation.languages import text_table
from training.evaluation import play_seats
from training.league import LeagueSettings
from training.ppo_settings import MaskablePPOSettings, SelfPlayPPOSettings
from training.run import Run
from training.run_folder import RunFolder
from training.sb3_learner import Sb3Learner
from training.self_play_learner import SelfPlayLearner
from training.settings import NetworkSettings, Sb3Settings, SelfPlaySettings

GAME, PLAYERS = "king_lui", 4
LEVELS = (0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40)  # win share against three bots; 0.25 is a bot's own
DEALS = 500
ITERATIONS = 6


def ours(folder: Path, games: int, threads: int, tied: bool = False, batch_size: int = 4096) -> Run:
    """Our PPO: all seats of most games, a bot opposite in the others."""
    settings = SelfPlaySettings(
        game=GAME,
        players=PLAYERS,
        run=str(folder),
        games=games,
        threads=threads,
        decisions=20_000_000,
        network=NetworkSettings(hidden=(128, 128), tied=tied),
        ppo=SelfPlayPPOSettings(batch_size=batch_size, teacher_coef=1.0 if tied else 0.0),
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


def time_to_levels(run: Run, minutes: float) -> tuple[dict[float, float], float]:
    """Seconds of learning until each level was reached, and the last win share. Measuring is not counted."""
    reached: dict[float, float] = {}
    share, next_look = 0.0, 5.0
    while run.seconds < 60 * minutes and len(reached) < len(LEVELS):
        run.iterate()
        if run.seconds >= next_look:
            next_look = run.seconds * 1.15
            share = float(play_seats(GAME, run.save_player("latest"), "bot", PLAYERS, DEALS, seed=2**40).mean())
            for level in LEVELS:
                if share >= level:
                    reached.setdefault(level, run.seconds)
            print(f"  {run.seconds:6.0f} s: {share:.3f}", flush=True)
    run.learner.close()
    return reached, share


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
    with tempfile.TemporaryDirectory() as folder:
        if chosen.defaults:
            print(choices(Path(folder)))
            return
        rows = []
        for games in (256, 1024):
            own = speed(ours(Path(folder) / f"own-{games}", games, chosen.threads))
            tied = speed(ours(Path(folder) / f"tied-{games}", games, chosen.threads, tied=True))
            theirs = max(
                speed(maskable_ppo(Path(folder) / f"sb3-{games}-{threads}", games, threads))
                for threads in {1, chosen.threads}
            )
            rows.append([str(games), f"{own:,.0f}", f"{tied:,.0f}", f"{theirs:,.0f}", f"{own / theirs:.1f}"])
        print("King Lui, 4 players, network 128x128, 2 epochs: decisions learned per second")
        print(text_table(["games", "ours", "ours, tied", "MaskablePPO", "ratio"], rows))
        if chosen.strength:
            print(f"\nseconds of learning to a win share against three bots (at most {chosen.strength:g} minutes)")
            print("ours (tied network, bot as teacher at the start, then self-play):")
            one, _ = time_to_levels(ours(Path(folder) / "strength", 1024, chosen.threads, tied=True), chosen.strength)
            print("MaskablePPO (against bots):")
            other, last = time_to_levels(maskable_ppo(Path(folder) / "sb3", 1024, chosen.threads), chosen.strength)
            rows = []
            for level in LEVELS:
                seconds = [f"{found[level]:.0f}" if level in found else "not reached" for found in (one, other)]
                least = other.get(level, 60 * chosen.strength)
                ratio = f"{'' if level in other else '> '}{least / one[level]:.1f}" if level in one else ""
                rows.append([f"{level:.2f}", *seconds, ratio])
            print(text_table(["win share", "ours", "MaskablePPO", "ratio"], rows))
            print(f"MaskablePPO's last win share: {last:.3f}")


if __name__ == "__main__":
    main()
