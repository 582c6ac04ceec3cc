"""One line-up of agents, many games: who wins how often."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.loading import Player
from card_envs.agents.naming import named_agents, parse_agent
from card_envs.agents.seating import Seating
from card_envs.arena.isolation import stand_up
from card_envs.arena.notebook import html_table
from card_envs.core.batch import Batch
from card_envs.core.loops import SHARED
from card_envs.core.options import Reward, check_seed, whole_number
from card_envs.errors import OptionError
from card_envs.games import get_game

GAMES_AT_ONCE = 4096
MOST_GAMES = 2**31
FIGURES = ("win_share", "error", "points", "rank")


@dataclass(frozen=True, eq=False, repr=False)
class MatchResult:
    """Results of a match, one row per game and one column per agent of the line-up.

    `rotations` is 1 if everyone stayed on the seat of its place in the line-up. Otherwise every deal was played in that
    many rows, one after the other, in which the line-up moves on by a seat each time. `forfeits` is how many games each
    agent of the line-up has forfeited, which only those do that play from elsewhere.
    """

    game: str
    agents: tuple[str, ...]
    seeds: NDArray[np.int64]
    points: NDArray[np.int32]
    ranks: NDArray[np.int32]
    rotations: int = 1
    forfeits: tuple[int, ...] = ()

    @property
    def wins(self) -> NDArray[np.float64]:
        """Each player's share of the win in each game: 1 for a sole winner, a part of it for winners who share."""
        first = self.ranks == 1
        shares: NDArray[np.float64] = first / first.sum(axis=1, keepdims=True)
        return shares

    @property
    def win_shares(self) -> NDArray[np.float64]:
        """The mean of `wins` for each agent."""
        means: NDArray[np.float64] = self.wins.mean(axis=0)
        return means

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """How far the win shares may be off by chance: one standard error each.

        The rotations of a deal depend on each other, so it is deals that count, and not games.
        """
        deals = self.wins.reshape(-1, self.rotations, len(self.agents)).mean(axis=1)
        errors: NDArray[np.float64] = deals.std(axis=0, ddof=1 if len(deals) > 1 else 0) / np.sqrt(len(deals))
        return errors

    @property
    def title(self) -> str:
        """What was played."""
        how = f"every deal in {self.rotations} seat rotations" if self.rotations > 1 else "seats as given"
        return f"{self.game}, {len(self.seeds)} games, {how}"

    def rows(self) -> list[dict[str, Any]]:
        """The figures of each agent. `error` is that of a 95 % error bar; `seat` is None if the seats rotated."""
        figures = (self.win_shares, 1.96 * self.standard_errors, self.points.mean(axis=0), self.ranks.mean(axis=0))
        return [
            {
                "agent": agent,
                "seat": place if self.rotations == 1 else None,
                **{name: float(value) for name, value in zip(FIGURES, values, strict=True)},
            }
            for place, (agent, *values) in enumerate(zip(self.agents, *figures, strict=True))
        ]

    def to_json(self) -> str:
        """Everything but the single games, for other programs."""
        about = {"game": self.game, "games": len(self.seeds), "rotations": self.rotations, "agents": self.rows()}
        if any(self.forfeits):
            about["forfeits"] = list(self.forfeits)
        return json.dumps(about, indent=1, ensure_ascii=False)

    def __repr__(self) -> str:
        return f"<MatchResult: {self}>"

    def __str__(self) -> str:
        lines = [self.title]
        for row in self.rows():
            who = row["agent"] if row["seat"] is None else f"seat {row['seat']} {row['agent']}"
            lines.append(f"  {who}: {', '.join(_in_words(row))}")
        for agent, lost in zip(self.agents, self.forfeits, strict=False):
            if lost:
                lines.append(f"{agent} forfeited {lost} of its {len(self.seeds)} games")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """A small table, for notebooks."""
        seats = self.rotations == 1
        header = [*(["seat"] if seats else []), "agent", "win share", "points", "rank"]
        rows = [
            [
                *([str(row["seat"])] if seats else []),
                row["agent"],
                f"{row['win_share']:.3f} ± {row['error']:.3f}",
                f"{row['points']:.1f}",
                f"{row['rank']:.2f}",
            ]
            for row in self.rows()
        ]
        return html_table(self.title, header, rows)


def _in_words(row: dict[str, Any]) -> list[str]:
    share = f"win share {row['win_share']:.3f} ± {row['error']:.3f}"
    return [share, f"points {row['points']:.1f}", f"rank {row['rank']:.2f}"]


def play_match(
    game: str,
    agents: Sequence[Player | tuple[str, Player]] | Mapping[str, Player],
    games: int = 1000,
    *,
    rotate: bool = False,
    seed: int = 0,
    threads: int | None = 1,
    reward: Reward = "outcome",
    **options: Any,
) -> MatchResult:
    """Let one agent sit on each seat for many games, vectorised. Whoever begins is drawn by lot.

    `agents` are names, paths of checkpoints, or agents; their number is the number of players. `{"mine": path}`,
    `("mine", path)` or `"mine=path"` say what to call one. The same seed gives the same match. A win share comes with
    its standard error.

    Everyone stays on its seat, unless `rotate`: then each deal is played once in every rotation of the line-up, and the
    figures are those of the agents on all seats. `games` is rounded to whole deals, and the rotations are played one
    after the other, with agents that are named loaded anew.
    """
    line_up = named_agents(agents, "a list with one agent per seat")
    players = len(line_up)
    if options.pop("players", players) != players:
        raise OptionError(f"the number of players is that of the agents, which is {players}")
    rules, total = get_game(game), whole_number(games, "games", 1, MOST_GAMES)
    rules.refuse_unknown(options, ("games", "rotate", "seed", "threads"))
    turns = players if rotate else 1
    seeds = np.empty(max(1, round(total / turns)), np.int64)
    SHARED.fill_seeds(check_seed(seed), seeds)
    at_once = min(GAMES_AT_ONCE, len(seeds))
    batch = Batch(rules, at_once, auto_reset=False, threads=threads, players=players, reward=reward, **options)
    points, ranks = (np.empty((len(seeds), turns, players), np.int32) for _ in range(2))
    forfeits: Counter[int] = Counter()
    for turn in range(turns):
        seats = (np.arange(players) + turn) % players  # of each agent
        seating = Seating(batch)
        seating.sit_down([line_up[place][1] for place in np.argsort(seats)])
        try:
            _play(seating, seeds, seats, points[:, turn], ranks[:, turn])
        finally:
            stand_up(seating.agents)
        forfeits += Counter(int(seats.argsort()[lost.seat]) for lost in seating.forfeits)
    names = tuple(alias or _name(agent) for alias, agent in line_up)
    rows = (points.reshape(-1, players), ranks.reshape(-1, players))
    lost = tuple(forfeits[place] for place in range(players))
    return MatchResult(game, names, np.repeat(seeds, turns), *rows, turns, lost)


def _play(
    seating: Seating,
    seeds: NDArray[np.int64],
    seats: NDArray[np.int64],
    points: NDArray[np.int32],
    ranks: NDArray[np.int32],
) -> None:
    """Play a game with each seed, and write down what everyone has whose seat is listed."""
    batch = seating.batch
    for start in range(0, len(seeds), batch.num_games):
        part = slice(start, min(start + batch.num_games, len(seeds)))
        numbers = np.arange(part.stop - part.start)
        batch.reset(seeds[part], numbers)
        seating.start_lots(numbers)
        seating.play_on(numbers)
        points[part], ranks[part] = batch.points[numbers][:, seats], batch.ranks[numbers][:, seats]


def _name(agent: Player) -> str:
    return parse_agent(agent).text if isinstance(agent, str | PathLike) else agent.name
