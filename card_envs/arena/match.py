"""One line-up of agents, many games: who wins how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.base import Agent
from card_envs.agents.loading import Player
from card_envs.agents.seating import Seating
from card_envs.core.batch import Batch
from card_envs.core.loops import SHARED
from card_envs.core.options import Reward, check_seed, whole_number
from card_envs.errors import OptionError
from card_envs.games import get_game

GAMES_AT_ONCE = 4096
MOST_GAMES = 2**31


@dataclass(frozen=True, eq=False, repr=False)
class MatchResult:
    """Results of a match, one column per seat of the line-up."""

    game: str
    agents: tuple[str, ...]
    seeds: NDArray[np.int64]
    points: NDArray[np.int32]
    ranks: NDArray[np.int32]

    @property
    def wins(self) -> NDArray[np.float64]:
        """Each player's share of the win in each game: 1 for a sole winner, a part of it for winners who share."""
        first = self.ranks == 1
        shares: NDArray[np.float64] = first / first.sum(axis=1, keepdims=True)
        return shares

    @property
    def win_shares(self) -> NDArray[np.float64]:
        """The mean of `wins` for each seat."""
        means: NDArray[np.float64] = self.wins.mean(axis=0)
        return means

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """How far the win shares may be off by chance: one standard error each."""
        wins = self.wins
        errors: NDArray[np.float64] = wins.std(axis=0, ddof=1 if len(wins) > 1 else 0) / np.sqrt(len(wins))
        return errors

    def __repr__(self) -> str:
        return f"<MatchResult: {self}>"

    def __str__(self) -> str:
        lines = [f"{self.game}, {len(self.seeds)} games"]
        rows = zip(
            self.agents,
            self.win_shares,
            self.standard_errors,
            self.points.mean(axis=0),
            self.ranks.mean(axis=0),
            strict=True,
        )
        for seat, (agent, share, error, points, rank) in enumerate(rows):
            figures = f"win share {share:.3f} ± {1.96 * error:.3f}, points {points:.1f}, rank {rank:.2f}"
            lines.append(f"  seat {seat} {agent}: {figures}")
        return "\n".join(lines)


def play_match(
    game: str,
    agents: Sequence[Player],
    games: int = 1000,
    *,
    seed: int = 0,
    threads: int | None = 1,
    reward: Reward = "outcome",
    **options: Any,
) -> MatchResult:
    """Let one agent sit on each seat for many games, vectorised. The seats stay as given; whoever begins is drawn by
    lot.

    `agents` are names, paths of checkpoints, or agents; their number is the number of players. The same seed gives the
    same match. A win share comes with its standard error.
    """
    if isinstance(agents, str) or not isinstance(agents, Sequence):
        raise OptionError(f"agents must be a list with one agent per seat, not {agents!r}")
    if options.pop("players", len(agents)) != len(agents):
        raise OptionError(f"the number of players is that of the agents, which is {len(agents)}")
    get_game(game).refuse_unknown(options, ("games", "seed", "threads"))
    rules, total = get_game(game), whole_number(games, "games", 1, MOST_GAMES)
    at_once = min(GAMES_AT_ONCE, total)
    batch = Batch(rules, at_once, auto_reset=False, threads=threads, players=len(agents), reward=reward, **options)
    seating = Seating(batch)
    seating.sit_down(agents)
    seeds = np.empty(total, np.int64)
    SHARED.fill_seeds(check_seed(seed), seeds)
    points, ranks = np.empty((total, len(agents)), np.int32), np.empty((total, len(agents)), np.int32)
    for start in range(0, total, at_once):
        part = slice(start, min(start + at_once, total))
        numbers = np.arange(part.stop - part.start)
        batch.reset(seeds[part], numbers)
        seating.start_lots(numbers)
        seating.play_on(numbers)
        points[part], ranks[part] = batch.points[numbers], batch.ranks[numbers]
    names = tuple(agent.name if isinstance(agent, Agent) else fspath(agent) for agent in agents)
    return MatchResult(game, names, seeds, points, ranks)
