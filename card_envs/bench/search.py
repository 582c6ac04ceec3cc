"""How fast searchers are: playouts per second, beside the engine that plays them and beside OpenSpiel's own searcher.

card-envs bench --search
"""

from __future__ import annotations

import importlib.util
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table

from card_envs.agents.base import SearchAgent
from card_envs.agents.loading import IN_ENGINE, load_agent
from card_envs.agents.positions import Positions
from card_envs.agents.random import RandomAgent
from card_envs.bench.report import figure
from card_envs.core.batch import Batch
from card_envs.core.compile import record_array
from card_envs.core.game import Game
from card_envs.core.loops import SHARED
from card_envs.core.playing import LOTS
from card_envs.games import get_game

# Who is measured: searchers that play imagined games to the end by random players, and by bots.
WITH_RANDOM = ("rollout(model=random, playouts={playouts})", "ismcts(model=random, playouts={playouts})")
WITH_BOTS = ("rollout(model=bot, playouts={playouts})", "ismcts(model=bot, playouts={playouts})")
WITH_CHAMPION = (
    "rollout(model=champion, playouts=64)",
    "rollout(model='champion(greedy)', playouts=64)",
    "ismcts(model=champion, playouts=64)",
)
PEERS = ("gin_rummy", "hearts", "euchre", "leduc_poker")  # of OpenSpiel: games that can be imagined anew
PLAYOUTS = 4096  # per decision
PEER_PLAYOUTS = 64
MOVES = 20  # that are timed, one after the other


def print_search_report(names: list[str], seconds: float) -> None:
    """Measure and print all of it, in seconds of one core. Ratios are of this run."""
    games, console = [get_game(name) for name in names], Console()
    console.print(_playouts_table(games, seconds))
    console.print(_bots_table([game for game in games if game.bot is not None], seconds))
    console.print(_moves_table([game for game in games if game.champion is not None]))


def _playouts_table(games: list[Game], seconds: float) -> Table:
    title = "Playouts to the end by random players, on one core; how many times faster per decision that is played"
    peers = [(name, *measure_peer(name, seconds)) for name in _installed()]
    table = Table("", "game", "playouts/s", "decisions/s", *[f"than in\n{name}" for name, *_ in peers], title=title)
    for name, playouts, decisions in peers:
        table.add_row("OpenSpiel, ISMCTSBot", name, figure(playouts), figure(decisions), *["" for _ in peers])
    for spelt in WITH_RANDOM:
        for game in games:
            playouts, decisions = measure_searcher(game, spelt, "random", seconds)
            ratios = [f"{decisions / theirs:.0f} x" for _, _, theirs in peers]
            table.add_row(_short(spelt), game.name, figure(playouts), figure(decisions), *ratios)
    return table


def _bots_table(games: list[Game], seconds: float) -> Table:
    table = Table("", "game", "playouts/s", "the engine's bots, games/s", "ratio", title="Playouts to the end by bots")
    for spelt in WITH_BOTS:
        for game in games:
            playouts, _ = measure_searcher(game, spelt, "bot", seconds)
            engine = measure_engine(game, "bot", seconds)
            table.add_row(_short(spelt), game.name, figure(playouts), figure(engine), f"{playouts / engine:.0%}")
    return table


def _moves_table(games: list[Game]) -> Table:
    table = Table(
        "", "game", "median", "slowest", title=f"Milliseconds of a searched move, one at a time, {MOVES} moves"
    )
    for spelt in WITH_CHAMPION:
        for game in games:
            took = sorted(measure_moves(game, spelt))
            label = f"{game.name}, {game.options().players} players"
            table.add_row(spelt, label, f"{statistics.median(took):.0f}", f"{took[-1]:.0f}")
    return table


def _short(spelt: str) -> str:
    return spelt.format(playouts=PLAYOUTS)


def per_second(work: Callable[[], int], seconds: float) -> float:
    """Playouts per second of work that returns how many it made: the best of three rounds after a warm-up.

    Seconds of this process on a processor: whatever else runs on the computer takes none of them.
    """
    work()
    best = 0.0
    for _ in range(3):
        made, start = 0, time.process_time()
        while (elapsed := time.process_time() - start) < seconds / 3:
            made += work()
        best = max(best, made / elapsed)
    return best


def first_choice(game: Game) -> Positions:
    """A position near the beginning of a game in which there is something to choose."""
    batch, dice = Batch(game, 1, seed=1, auto_reset=False), RandomAgent(1)
    batch.step(dice.act(None, batch.action_mask))
    while batch.action_mask.sum() < 2:
        batch.step(dice.act(None, batch.action_mask))
    return Positions(batch, np.array([0]))


def measure_searcher(game: Game, spelt: str, model: str, seconds: float) -> tuple[float, float]:
    """Playouts per second of a searcher in one position, and decisions per second that they consist of."""
    agent = cast(SearchAgent, load_agent(game, _short(spelt)))
    position, lots = first_choice(game), np.array([0.5])

    def work() -> int:
        agent.search(position, lots)
        return PLAYOUTS

    playouts = per_second(work, seconds)
    return playouts, playouts * decisions_to_the_end(game, position, model)


def decisions_to_the_end(game: Game, position: Positions, model: str) -> float:
    """How many decisions a game takes from here on, on average."""
    worlds, agent = position.imagine(256, 1), load_agent(game, model, seed=0)
    decisions, going = 0, np.arange(256)
    while going.size:
        worlds.step(agent.act(worlds.observation[going], worlds.action_mask[going]), going)
        decisions += going.size
        going = going[worlds.seat[going] >= 0]
    return decisions / 256


def measure_engine(game: Game, model: str, seconds: float) -> float:
    """Games per second from the same position to the end, by players that play inside the engine."""
    worlds = first_choice(game).imagine(PLAYOUTS, 1)
    every, lots = np.arange(PLAYOUTS), record_array(PLAYOUTS, LOTS)
    players = np.full((PLAYOUTS, worlds.players), IN_ENGINE[model])
    SHARED.start_lots(lots, every, every)
    best = 0.0
    for _ in range(max(3, round(10 * seconds))):
        tried = worlds.copy()
        start = time.process_time()
        tried.play_on(lots, players, every)
        best = max(best, PLAYOUTS / (time.process_time() - start))
    return best


def measure_moves(game: Game, spelt: str) -> Iterator[float]:
    """Milliseconds of single moves in the course of a game, where there is a choice."""
    agent = cast(SearchAgent, load_agent(game, spelt))
    batch, dice = Batch(game, 1, seed=3), RandomAgent(3)
    agent.search(first_choice(game), np.array([0.5]))  # compiles
    moves = 0
    while moves < MOVES:
        if batch.action_mask.sum() > 1:
            start = time.process_time()
            agent.search(Positions(batch, np.array([0])), np.array([moves / MOVES]))
            yield 1000 * (time.process_time() - start)
            moves += 1
        batch.step(dice.act(None, batch.action_mask))


def _installed() -> tuple[str, ...]:
    return PEERS if importlib.util.find_spec("pyspiel") else ()


def measure_peer(name: str, seconds: float) -> tuple[float, float]:
    """OpenSpiel's ISMCTSBot, written in C++, with random playouts: the same two figures, in the first position."""
    import pyspiel

    game, dice = pyspiel.load_game(name), random.Random(0)
    state = game.new_initial_state()
    _by_chance(state, dice)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    policy = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    bot = pyspiel.ISMCTSBot(0, evaluator, 1.4, PEER_PLAYOUTS, -1, policy, False, False)

    def work() -> int:
        bot.step(state)
        return PEER_PLAYOUTS

    playouts = per_second(work, seconds)
    return playouts, playouts * statistics.mean(_decisions(state, dice) for _ in range(50))


def _by_chance(state: Any, dice: random.Random) -> None:
    while state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(dice.choices(outcomes, chances)[0])


def _decisions(state: Any, dice: random.Random) -> int:
    """How many decisions random players make from here to the end."""
    going, decisions = state.clone(), 0
    while not going.is_terminal():
        going.apply_action(dice.choice(going.legal_actions()))
        decisions += 1
        if not going.is_terminal():
            _by_chance(going, dice)
    return decisions
