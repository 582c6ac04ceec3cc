"""Set up a position, play actions by name, look at what the rules make of it."""

from __future__ import annotations

from typing import Any

import numpy as np

import card_envs


class Position:
    """One game whose state a test may set field by field."""

    def __init__(self, game: str, seed: int = 0, **options: Any) -> None:
        self.batch = card_envs.make_batch(game, 1, seed=seed, auto_reset=False, **options)
        self.game = self.batch.game

    def set(self, **fields: Any) -> Position:
        """Write fields of the state, and let the engine look at it again."""
        for name, value in fields.items():
            self.batch.states[0][name] = value
        self.batch.show()
        return self

    @property
    def state(self) -> Any:
        return self.batch.states[0]

    @property
    def legal(self) -> set[str]:
        return {self.game.actions[action] for action in np.flatnonzero(self.batch.action_mask[0])}

    @property
    def to_act(self) -> int | None:
        seat = int(self.batch.seat[0])
        return None if seat < 0 else seat

    def play(self, *actions: str) -> Position:
        """Play actions by name, one after the other."""
        for action in actions:
            self.batch.step_one(self.game.actions.index(action))
        return self

    def view(self, seat: int | None = None) -> dict[str, Any]:
        return self.game.view(self.batch.states[0], seat)

    @property
    def result(self) -> list[dict[str, Any]]:
        assert self.batch.done[0], "the game is not over"
        return self.batch.result(0)
