"""A finished game, position by position: what somebody who steps through it sees and reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from card_envs.core.batch import Batch
from card_envs.core.compile import copy_bytes
from card_envs.core.game import Line
from card_envs.core.options import whole_number
from card_envs.drawing.look import Look
from card_envs.presentation.phrases import say_label, tell_move


class Film:
    """All positions of one game, from its start and its moves (seat and action): one more than there are moves."""

    def __init__(self, start: Batch, moves: Sequence[tuple[int, int]], names: Sequence[str]) -> None:
        self.game, self.moves, self.names = start.game, list(moves), list(names)
        self.players = start.players
        batch = start.copy()
        self._states = [copy_bytes(batch.states)]
        for _, action in self.moves:
            batch.step_one(action)
            self._states.append(copy_bytes(batch.states))
        self._end = batch

    def _view(self, position: int, seat: int | None) -> dict[str, Any]:
        return self.game.view(self._states[position][0], seat)

    def picture(self, position: int, seat: int | None, language: str, shape: str, theme: str = "page") -> str:
        """The position after so many moves, from the table or from a seat."""
        self._check(position, seat)
        look = Look(language=language, theme=theme, shape=shape, seat=seat, names=self.names)
        return self.game.drawing(self._view(position, seat), look)

    def told(self, position: int, seat: int | None, language: str) -> list[Line]:
        """What the move that led to a position is told as."""
        self._check(position, seat)
        if position == 0:
            return []
        before, after = self._view(position - 1, seat), self._view(position, seat)
        return tell_move(self.game, before, after, self.moves[position - 1][1], language)

    def _check(self, position: int, seat: int | None) -> None:
        whole_number(position, "the position", 0, len(self.moves))
        if seat is not None:
            whole_number(seat, "the seat", 0, self.players - 1)

    def result(self, language: str) -> dict[str, Any]:
        """Points and ranks by seat, and the points broken down as the score sheet does."""
        return break_down(self._end, self.names, language)


def break_down(batch: Batch, names: Sequence[str], language: str) -> dict[str, Any]:
    """The result of the game that has ended in a batch of one, as a table: parts in rows, seats in columns."""
    results = batch.result(0)
    parts: list[dict[str, Any]] = []
    for key, value in results[0].items():
        if key in ("points", "rank"):
            continue
        label = say_label(batch.game, key, language)
        if isinstance(value, dict):
            rows = [
                {"label": say_label(batch.game, name, language), "values": [result[key][name] for result in results]}
                for name in value
            ]
            parts.append({"title": label, "rows": rows})
        else:
            parts.append({"title": "", "rows": [{"label": label, "values": [result[key] for result in results]}]})
    return {
        "names": list(names),
        "points": [result["points"] for result in results],
        "ranks": [result["rank"] for result in results],
        "parts": parts,
    }
