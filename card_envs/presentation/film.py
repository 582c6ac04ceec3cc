"""A finished game, position by position: what somebody who steps through it sees and reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from card_envs.core.batch import Batch
from card_envs.core.compile import copy_bytes
from card_envs.core.game import Line
from card_envs.core.options import whole_number
from card_envs.drawing.look import Look
from card_envs.presentation.headlines import headline
from card_envs.presentation.languages import named, people
from card_envs.presentation.phrases import say_label, tell_move


class Film:
    """All positions of one game, from its start and its moves (seat and action): one more than there are moves.

    A film may also end before the game is `over`.
    """

    def __init__(
        self, start: Batch, moves: Sequence[tuple[int, int]], names: Sequence[str], *, over: bool = True
    ) -> None:
        self.over = over
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
        """The position after so many moves, from the table or from a seat.

        A page tells the move beside it; a picture that goes elsewhere has it in words below.
        """
        self._check(position, seat)
        caption = "" if theme == "page" else self.caption(position, seat, language)
        names = people(self.names, language)
        look = Look(language=language, theme=theme, shape=shape, seat=seat, names=names, caption=caption)
        return self.game.drawing(self._view(position, seat), look)

    def caption(self, position: int, seat: int | None, language: str) -> str:
        """What led to a position, and at the end who has won, in one line."""
        names = people(self.names, language)
        lines = [text if who is None else f"{names[who]}: {text}" for who, text in self.told(position, seat, language)]
        if position == len(self.moves) and self.over:
            result = self.result(language)
            lines.insert(0, headline(result["points"], result["ranks"], names, language))  # the end may be cut off
        return " · ".join(lines)

    def told(self, position: int, seat: int | None, language: str) -> list[Line]:
        """What the move that led to a position is told as."""
        self._check(position, seat)
        if position == 0:
            return []
        names = people(self.names, language)
        before, after = (named(self._view(one, seat), names) for one in (position - 1, position))
        return tell_move(self.game, before, after, self.moves[position - 1][1], language)

    def _check(self, position: int, seat: int | None) -> None:
        whole_number(position, "the position", 0, len(self.moves))
        if seat is not None:
            whole_number(seat, "the seat", 0, self.players - 1)

    def result(self, language: str) -> dict[str, Any]:
        """Points and ranks by seat, and the points broken down as the score sheet does."""
        return break_down(self._end, people(self.names, language), language)


def break_down(batch: Batch, names: Sequence[str], language: str, seat: int | None = None) -> dict[str, Any]:
    """The result of the game that has ended in a batch of one, as a table: parts in rows, seats in columns.

    Its headline is for a seat, or for those who watch.
    """
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
    points, ranks = [result["points"] for result in results], [result["rank"] for result in results]
    return {
        "headline": headline(points, ranks, names, language, seat),
        "names": list(names),
        "points": points,
        "ranks": ranks,
        "parts": parts,
    }
