"""Follow games of the engine with an independent referee: the same rules, written a second time in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from card_envs.core.batch import Batch
from card_envs.games import get_game


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


def check_referee(game: str, referee: type[Referee], seeds: Iterable[int], **options: Any) -> int:
    """Play a random game from each seed, compare every position with the referee's; returns the number of decisions."""
    rules = get_game(game)
    batch = Batch(rules, 1, seed=0, auto_reset=False, **options)
    own = {name: value for name, value in options.items() if hasattr(batch.options, name)}
    own["players"] = batch.players
    decisions = 0
    for seed in seeds:
        where = f"{rules.title}, {options}, seed {seed}"
        batch.reset(seed)
        judge = referee(seed, **own)
        dice = random.Random(seed)
        while batch.seat[0] >= 0:
            legal = {rules.actions[action] for action in np.flatnonzero(batch.action_mask[0])}
            assert judge.to_act == batch.seat[0], (
                f"{where}: seat {batch.seat[0]} is to act, {judge.to_act} by the referee"
            )
            assert judge.legal() == legal, f"{where}: legal are {legal}, {judge.legal()} by the referee"
            assert judge.snapshot() == rules.view(batch.states[0], None), f"{where}: another position by the referee"
            action = dice.choice(sorted(legal))
            judge.play(action)
            batch.step_one(rules.actions.index(action))
            decisions += 1
        results = judge.results()
        assert judge.to_act is None and not judge.legal(), f"{where}: the game is over, not by the referee"
        assert judge.snapshot() == rules.view(batch.states[0], None), f"{where}: another last position by the referee"
        assert results["points"] == batch.points[0].tolist(), f"{where}: {batch.points[0]} points, referee: {results}"
        assert results["ranks"] == batch.ranks[0].tolist(), f"{where}: ranks {batch.ranks[0]}, referee: {results}"
        for row, sheet in zip(batch.score_sheet[0], results["sheet"], strict=True):
            assert dict(zip(rules.score_columns, row.tolist(), strict=True)) == sheet, f"{where}: score sheet"
    return decisions
