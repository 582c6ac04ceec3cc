"""Follow games of the engine with an independent referee: the same rules, written a second time in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any, Protocol

from card_envs.core.batch import Batch
from card_envs.games import get_game
from card_envs.testing.require import CheckFailed, require


class Referee(Protocol):
    """What a referee can be asked. It plays from the same seed and must reach the same position after each action."""

    to_act: int | None

    def __init__(self, seed: int, players: int, **options: Any) -> None: ...

    def legal(self) -> set[str]:
        """The legal actions by name."""

    def play(self, action: str) -> None:
        """Play an action by name."""

    def snapshot(self) -> dict[str, Any]:
        """The whole position, in the form of the game's view from the table."""

    def results(self) -> dict[str, Any]:
        """`points` and `ranks` per player and each player's row of the score `sheet`."""


def check_referee(game: str, referee: type[Referee], seeds: Iterable[int], *, every: int = 1, **options: Any) -> int:
    """Play a random game from each seed and compare it with the referee's; returns the number of decisions.

    Who is to act and what is legal is compared at every decision, the whole position at every one or, since that takes
    most of the time, at `every` so many (beginning elsewhere in each game), and the last one always.
    """
    rules = get_game(game)
    actions = rules.actions
    numbers = {action: number for number, action in enumerate(actions)}
    batch = Batch(rules, 1, seed=0, auto_reset=False, **options)
    own = {name: value for name, value in options.items() if hasattr(batch.options, name)}
    own["players"] = batch.players
    decisions = 0
    for seed in seeds:
        batch.reset(seed)
        judge = referee(seed, **own)
        dice = random.Random(seed)
        where = f"{rules.title}, {options}, seed {seed}"
        until_looked = seed % every
        while (seat := int(batch.seat[0])) >= 0:
            legal = [actions[number] for number in batch.action_mask[0].nonzero()[0].tolist()]
            if judge.to_act != seat:
                raise CheckFailed(f"{where}: seat {seat} is to act, {judge.to_act} by the referee")
            if judge.legal() != set(legal):
                raise CheckFailed(f"{where}: legal are {legal}, {judge.legal()} by the referee")
            if until_looked == 0 and judge.snapshot() != rules.view(batch.states[0], None):
                raise CheckFailed(f"{where}: another position by the referee")
            action = legal[int(dice.random() * len(legal))]
            judge.play(action)
            batch.step_one(numbers[action])
            until_looked = (until_looked or every) - 1
            decisions += 1
        _check_end(judge, batch, where)
    return decisions


def _check_end(judge: Referee, batch: Batch, where: str) -> None:
    """The game is over, with the same position, points, ranks and score sheet."""
    rules, results = batch.game, judge.results()
    require(judge.to_act is None and not judge.legal(), f"{where}: the game is over, not by the referee")
    require(judge.snapshot() == rules.view(batch.states[0], None), f"{where}: another last position by the referee")
    require(results["points"] == batch.points[0].tolist(), f"{where}: {batch.points[0]} points, referee: {results}")
    require(results["ranks"] == batch.ranks[0].tolist(), f"{where}: ranks {batch.ranks[0]}, referee: {results}")
    for row, sheet in zip(batch.score_sheet[0].tolist(), results["sheet"], strict=True):
        require(dict(zip(rules.score_columns, row, strict=True)) == sheet, f"{where}: score sheet, referee: {results}")
