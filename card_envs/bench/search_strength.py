"""How strong searchers are: one of them among copies of the champion, and among bots, by the number of playouts.

    python -m card_envs.bench.search_strength strength/ --games 2000
    python -m card_envs.bench.search_strength strength/ --game king_lui --players 4 --playouts 16 64 --against bot
    python -m card_envs.bench.search_strength strength/ --searcher 'ismcts(model=champion)' --game zum_kuhkuck

Every deal is played from every seat. What has been played is kept in the folder, a file for each cell of the table, and
is not played again: interrupt it and go on, raise --games, or let several processes play different games. --games 0
plays nothing, and prints what is there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import card_envs
from card_envs.agents.base import Identified
from card_envs.agents.loading import load_agent
from card_envs.agents.naming import options_text, parse_agent
from card_envs.arena.match import play_match
from card_envs.core.options import whole_number
from card_envs.errors import CardEnvsError, OptionError
from card_envs.files import write_whole
from card_envs.games import game_names, get_game

PLAYOUTS = (16, 64, 256, 1024)
AGAINST = ("champion", "bot")
SEARCHER = "search(model=champion)"
WORLDS_AT_ONCE = 12_800  # imagined by the deals that are played side by side, and kept together: many rows to a call
FEWEST_DEALS = 10
SEED = 2**43  # other deals than those that champions were trained, chosen or measured on


@dataclass(frozen=True)
class Cell:
    """One searcher at one table."""

    game: str
    players: int
    against: str
    playouts: int
    searcher: str

    @property
    def agent(self) -> str:
        """The searcher with its budget."""
        name = parse_agent(self.searcher)
        return f"{name.agent}{options_text({**name.options, 'playouts': self.playouts})}"

    @property
    def file(self) -> str:
        """Where its games are kept."""
        return f"{self.game}-{self.players}-{self.against}-{self.playouts}-{parse_agent(self.searcher).agent}.json"


class Kept:
    """The win shares of a cell, one for each deal, in a file that is whole or not there."""

    def __init__(self, folder: Path, cell: Cell) -> None:
        self.path, self.cell = folder / cell.file, cell
        agent = load_agent(cell.game, cell.agent, players=cell.players)
        content = agent.content_hash if isinstance(agent, Identified) else agent.name
        self.about = {"agent": agent.name, "content": content, "card_envs": card_envs.__version__, "seed": SEED}
        self.deals: list[float] = []
        if self.path.exists():
            kept: Any = json.loads(self.path.read_text())
            if kept["about"] != self.about:
                raise OptionError(
                    f"{self.path} was played by another searcher, or by another version of it; choose another folder"
                )
            self.deals = kept["deals"]

    def play(self, games: int) -> None:
        """Play until there are so many games, and keep them a few deals at a time."""
        cell = self.cell
        line_up = [cell.agent, *[cell.against] * (cell.players - 1)]
        at_once = max(WORLDS_AT_ONCE // max(cell.playouts, 1), FEWEST_DEALS)
        while len(self.deals) * cell.players < games:
            seed = SEED + len(self.deals)  # of the first of these deals
            result = play_match(cell.game, line_up, at_once * cell.players, rotate=True, seed=seed)
            self.deals += result.wins[:, 0].reshape(-1, cell.players).mean(axis=1).tolist()
            write_whole(self.path, json.dumps({"about": self.about, "deals": self.deals}).encode())

    def __str__(self) -> str:
        """Win share with its 95 % error bar; deals count, for the rotations of a deal depend on each other."""
        if len(self.deals) < 2:
            return ""
        return f"{np.mean(self.deals):.3f} ± {1.96 * np.std(self.deals, ddof=1) / len(self.deals) ** 0.5:.3f}"


def cells(arguments: argparse.Namespace) -> Iterator[Cell]:
    """What is asked for: by game, players and opponents; the smallest budgets first."""
    for game in arguments.game or game_names():
        rules = get_game(game)
        for playouts in sorted(arguments.playouts):
            for players in arguments.players or rules.players:
                if players in rules.players:
                    for against in arguments.against:
                        yield Cell(game, players, against, playouts, arguments.searcher)


def print_table(kept: Sequence[Kept], playouts: Sequence[int]) -> None:
    """One line per table and opponent, one column per budget."""
    columns = [f"{number} playouts" for number in sorted(playouts)]
    table = Table("game", "players", "against", "fair", *columns, title=f"{kept[0].cell.searcher}; games in brackets")
    lines: dict[tuple[str, int, str], dict[int, Kept]] = {}
    for one in kept:
        lines.setdefault((one.cell.game, one.cell.players, one.cell.against), {})[one.cell.playouts] = one
    for (game, players, against), found in lines.items():
        shares = [f"{found[number]} ({len(found[number].deals) * players:,})" for number in sorted(playouts)]
        table.add_row(game, str(players), against, f"{1 / players:.3f}", *shares)
    Console(width=160).print(table)


def main(given: Sequence[str] | None = None) -> None:
    """Play what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where games are kept")
    parser.add_argument("--game", nargs="+", choices=game_names(), help="all if none is named")
    parser.add_argument("--players", type=int, nargs="+", help="all numbers of players if none is given")
    parser.add_argument("--against", nargs="+", default=AGAINST, help="whose copies sit on the other seats")
    parser.add_argument("--playouts", type=int, nargs="+", default=PLAYOUTS)
    parser.add_argument("--searcher", default=SEARCHER, help="without its playouts")
    parser.add_argument("--games", type=int, default=2000, help="of each cell, at least")
    arguments = parser.parse_args(given)
    try:
        whole_number(arguments.games, "games", 0, 10**9)
        arguments.folder.mkdir(parents=True, exist_ok=True)
        kept = [Kept(arguments.folder, cell) for cell in cells(arguments)]
        if not kept:
            raise OptionError("no game is for so many players")
        for one in kept:
            one.play(arguments.games)
            print(f"{one.cell.game}, {one.cell.players} players, {one.cell.agent} against {one.cell.against}: {one}")
        print_table(kept, arguments.playouts)
    except CardEnvsError as error:
        print(f"search_strength: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
