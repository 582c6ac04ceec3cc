"""Which of a learner's selves is the best: measured one after the other, by whoever has time for it.

The best is not the last: a player becomes it by doing better than it against the hardest of its opponents, with each
number of players, on the same deals. As the pool changes, the best meets the new ones too.

Results are taken in the order in which they were asked for, whenever they come. What is still under way when a run is
saved is saved with it, and measured again after that. So the best does not depend on who measures, or how fast.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.loading import Player
from training.evaluation import (
    RESPONSE,
    DealShares,
    EvaluationSettings,
    Table,
    measuring_seed,
    play_against_response,
    play_seats,
    worst_case,
)
from training.learner import Arrays
from training.settings import RunSettings
from training.spare import Spare, Task

MOST_WAITING = 8  # measurements under way; a learner that is faster than they are waits for the first of them
DealTasks = dict[Table, Task[NDArray[np.float64]]]


@dataclass(frozen=True)
class Self:
    """The learner as it was after so many decisions."""

    step: int
    weights: Arrays


@dataclass(frozen=True)
class Unmeasured:
    """Somebody who is to be measured, and against whom: names of agents, and of snapshots in the run's folder."""

    player: Self
    opponents: tuple[str, ...]


@dataclass(frozen=True)
class Measured:
    """How somebody did, and whether that made it the best."""

    step: int
    results: DealShares
    is_best: bool


class Measuring:
    """Measures players against the same people on the same deals, and remembers the best.

    `load` finds an opponent by name, `make` makes a player of one of the learner's selves.
    """

    def __init__(
        self, settings: RunSettings, spare: Spare, load: Callable[[str], Player], make: Callable[[Self], Player]
    ) -> None:
        self.settings, self._spare, self._load, self._make = settings, spare, load, make
        self.best: Self | None = None
        self._best_tasks: DealTasks = {}
        self._waiting: deque[tuple[Unmeasured, DealTasks]] = deque()

    @property
    def unmeasured(self) -> list[Unmeasured]:
        """Who is still to be measured, the next one first."""
        return [one for one, _ in self._waiting]

    def ask(self, one: Unmeasured) -> None:
        """Somebody is to be measured, after all others."""
        self._waiting.append((one, self._meet(one.player, one.opponents, {})))

    def _meet(self, player: Self, opponents: Sequence[str], known: Mapping[Table, Task[Any]]) -> DealTasks:
        """A player against each opponent with each number of players, but for what is known or under way."""
        tables = [(opponent, number) for opponent in opponents for number in self.settings.numbers]
        missing = [table for table in tables if table not in known]
        if not missing:
            return {}
        made = self._make(player)
        loaded = {name: None if name == RESPONSE else self._load(name) for name, _ in missing}
        game, how = self.settings.game, self.settings.evaluation
        common = {**self.settings.options, "threads": self._spare.threads}
        where = game, how, measuring_seed(self.settings.seed), common
        return {
            (name, number): self._spare.start(_play, made, loaded[name], number, *where) for name, number in missing
        }

    def take(self, keep: int = MOST_WAITING) -> list[Measured]:
        """What has been found out, in order. Waits until no more than `keep` of them are still under way."""
        taken = []
        while self._waiting and (len(self._waiting) > keep or self._ready()):
            taken.append(self._decide())
        return taken

    def _ready(self) -> bool:
        one, tasks = self._waiting[0]
        return all(task.ready() for task in (*tasks.values(), *self._rival(one).values()))

    def _rival(self, one: Unmeasured) -> DealTasks:
        """The best so far, against the same opponents; nothing if there is none yet."""
        if self.best is None:
            return {}
        self._best_tasks |= self._meet(self.best, one.opponents, self._best_tasks)
        return {table: self._best_tasks[table] for table in self._waiting[0][1]}

    def _decide(self) -> Measured:
        one, tasks = self._waiting[0]
        rival = {table: task.result() for table, task in self._rival(one).items()}
        results = {table: task.result() for table, task in tasks.items()}
        self._waiting.popleft()
        better = not rival or worst_case(results) > worst_case(rival)
        if better:
            self.best, self._best_tasks = one.player, tasks
        return Measured(one.player.step, results, bool(better))


def _play(
    player: Player,
    opponent: Player | None,
    players: int,
    game: str,
    how: EvaluationSettings,
    seed: int,
    options: Mapping[str, Any],
) -> NDArray[np.float64]:
    """One table of a measurement; without an opponent, that of a response to the player."""
    if opponent is None:
        deals, playouts = how.response_deals, how.response_playouts
        return play_against_response(game, player, players, deals, seed, playouts, **options)
    return play_seats(game, player, opponent, players, how.deals, seed, **options)
