"""Games per second of tournaments, everything included: playing, sending to and from workers, keeping."""

from __future__ import annotations

import importlib.util
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from card_envs.agents.checkpoint import save_checkpoint
from card_envs.agents.network import Mlp
from card_envs.arena.replay import Replay
from card_envs.arena.tournament import Tournament
from card_envs.arena.workers import play_chunks
from card_envs.bench.report import figure
from card_envs.games import get_game

PLAYERS, NETWORK = 4, Mlp((128, 128), "tanh")
GAMES = 10_000_000  # measuring stops when its time is up, long before
LOOKED_AT = 10  # games whose decisions are counted
PEERS = (
    "limit-holdem",
    "no-limit-holdem",
    "uno",
    "gin-rummy",
)  # full-size games of RLCard; the one with the fastest decisions is 1 x


class Speed(NamedTuple):
    """How fast one kind of tournament is played."""

    label: str
    games: float
    decisions: float


def print_tournament_report(name: str, seconds: float) -> None:
    """Measure our tournaments and RLCard's, and print them side by side."""
    cores = os.cpu_count() or 1
    console = Console()
    with console.status("playing tournaments"):
        own = list(measure_tournaments(name, seconds, cores))
        peers = list(measure_rlcard(seconds)) if importlib.util.find_spec("rlcard") else []
    best = max(peers, key=lambda peer: peer.decisions, default=None)
    title = f"Tournaments of {name}, {PLAYERS} players, {cores} workers on {cores} cores"
    table = Table("", "games/s", "decisions/s", "ratio per decision", title=title)
    for speed in (*own, *peers):
        ratio = f"{speed.decisions / best.decisions:.3g} x" if best else ""
        table.add_row(speed.label, f"{speed.games:,.0f}", figure(speed.decisions), ratio)
    console.print(table)
    if not peers:
        console.print("RLCard is not installed here; `pip install card-envs[bench]` brings it.", markup=False)


def measure_tournaments(name: str, seconds: float, workers: int) -> Iterator[Speed]:
    """Four checkpoints, four bots, four random players."""
    shape = "x".join(map(str, NETWORK.hidden))
    with tempfile.TemporaryDirectory() as folder:
        paths = list(_checkpoints(name, Path(folder)))
        for label, agents in (
            (f"{PLAYERS} checkpoints, {shape}", paths),
            (f"{PLAYERS} bots", ["bot"] * PLAYERS),
            (f"{PLAYERS} random players", ["random"] * PLAYERS),
        ):
            if "bot" in agents and get_game(name).bot is None:
                continue
            out = Path(folder) / label
            games = _measure(name, agents, out, seconds, workers)
            moves = np.mean([len(Replay(out, number).moves) for number in _some_games(out)])
            yield Speed(label, games, games * float(moves))


def _checkpoints(name: str, folder: Path) -> Iterator[str]:
    """Untrained networks: as fast as trained ones."""
    game = get_game(name)
    for number in range(PLAYERS):
        rng = np.random.default_rng(number)
        sizes = NETWORK.tensors(game.layout.size, len(game.actions))
        weights = {tensor: rng.normal(0, 0.1, size).astype(np.float32) for tensor, size in sizes.items()}
        path = folder / f"{number}.safetensors"
        save_checkpoint(path, game, weights, NETWORK, players=game.players)
        yield str(path)


def _measure(name: str, agents: list[str], out: Path, seconds: float, workers: int) -> float:
    """Games per second once every worker has played its first chunk, in which it loads what it needs."""
    with Tournament(name, players=PLAYERS, agents=agents, games=GAMES, out=out) as tournament:
        chunks = tournament.schedule.chunks
        results = play_chunks(tournament.setting, chunks, tournament.agents_of(chunks), workers=workers, ray=None)
        games, start, elapsed = 0, 0.0, 0.0
        with closing(results):
            for done, (chunk, played) in enumerate(results):
                tournament.store.add_chunk(chunk, played)
                if done < 2 * workers:
                    start = time.perf_counter()
                    continue
                games += chunk.games
                elapsed = time.perf_counter() - start
                if elapsed >= seconds and done >= 6 * workers:
                    break
    return games / elapsed


def _some_games(out: Path) -> Iterator[int]:
    with Tournament.resume(out) as tournament:
        first = tournament.schedule.chunks[min(tournament.store.played())].first_game
    yield from range(first, first + LOOKED_AT)


def measure_rlcard(seconds: float) -> Iterator[Speed]:
    """RLCard's own tournament loop with its own random agents, which are asked as its tournament asks them."""
    import rlcard
    from rlcard.agents import RandomAgent
    from rlcard.utils import tournament

    for name in PEERS:
        env = rlcard.make(name, config={"seed": 0})
        agents = [RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)]
        asked = _count_questions(agents)
        env.set_agents(agents)
        tournament(env, 10)
        games, before, start = 0, asked[0], time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds:
            tournament(env, 10)
            games += 10
        yield Speed(f"RLCard: {name}, random agents", games / elapsed, (asked[0] - before) / elapsed)


def _count_questions(agents: list[Any]) -> list[int]:
    """Count how often the agents are asked, in the one number of the list that is returned."""
    asked = [0]

    def counting(ask: Any) -> Any:
        def eval_step(state: Any) -> Any:
            asked[0] += 1
            return ask(state)

        return eval_step

    for agent in agents:
        agent.eval_step = counting(agent.eval_step)
    return asked
