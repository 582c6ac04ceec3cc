"""How strong champions are: what they win from others, and what whoever knows them wins from them.

`python -m training.champion --strength` prints the table in docs/training.md. Responses take the most time: what was
found of them is kept in a folder, and the same command goes on with it.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from card_envs.agents.loading import CHAMPION, load_agent
from card_envs.arena.exploit import DECISIONS, GAMES, PLAYOUTS, exploit
from card_envs.arena.exploitation import METHODS, Exploitation, Response
from card_envs.arena.play import one_thread
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.games import get_game
from training.evaluation import Share, play_seats

SEED = 2**42  # other deals than those that runs are measured on, and champions chosen by
OPPONENTS = ("bot", "random")
MOVES = 1000  # of which the time is taken


@dataclass(frozen=True)
class Expense:
    """How much is played for each line: games against others, and games and budget of each response."""

    games: int = 20_000
    response_games: int = GAMES
    playouts: int = PLAYOUTS
    decisions: int = DECISIONS
    workers: int = 1
    folder: Path = Path("runs/strength")

    @property
    def heads(self) -> list[str]:
        """What the columns of responses are called."""
        return [f"best response by search, {self.playouts} playouts", f"learned response, {self.decisions:,} decisions"]


def strength(names: Iterable[str], expense: Expense, tables: Collection[int] | None = None) -> str:
    """A Markdown table: each champion against bot and random, and responses to it, with every number of players, or
    with those of `tables` that its game has.
    """
    head = ["game", "players", "fair share", "against bots", "against random players", *expense.heads, "ms per move"]
    games = [(get_game(name), number) for name in names for number in get_game(name).players]
    rows = [_row(game, number, expense) for game, number in games if tables is None or number in tables]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _row(game: Game, players: int, expense: Expense) -> list[str]:
    shares = [
        str(Share.of(play_seats(game.name, CHAMPION, opponent, players, expense.games // players, SEED)))
        for opponent in OPPONENTS
    ]
    print(f"{game.title}, {players} players: {shares[0]} against bots, {shares[1]} against random", flush=True)
    found = exploit(
        game.name,
        CHAMPION,
        players=players,
        games=expense.response_games,
        playouts=expense.playouts,
        decisions=expense.decisions,
        seed=SEED,
        workers=expense.workers,
        out=expense.folder / f"{game.name}-{players}",
        progress=True,
    )
    print(found, flush=True)
    return [game.title, str(players), f"{1 / players:.3f}", *shares, *_responses(found), f"{_move(game, players):.2f}"]


def _move(game: Game, players: int) -> float:
    """How many milliseconds the champion takes for one decision, asked about one game at a time."""
    batch, champion = Batch(game, 1, players=players, seed=SEED), load_agent(game, CHAMPION)
    with one_thread():
        champion.act(batch.observation, batch.action_mask)  # compiles
        began = time.perf_counter()
        for _ in range(MOVES):
            champion.act(batch.observation, batch.action_mask)
        return 1000.0 * (time.perf_counter() - began) / MOVES


def _responses(found: Exploitation) -> list[str]:
    by_method = {one.method: one for one in found.responses}
    return [_share(by_method[method]) if method in by_method else "–" for method in METHODS]


def _share(one: Response) -> str:
    return f"{one.win_share.value:.3f} ({one.win_share.low:.3f} to {one.win_share.high:.3f})"
