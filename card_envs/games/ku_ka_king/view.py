"""A position of Ku-Ka-King in plain words and numbers, from the table or from one seat."""

from __future__ import annotations

from typing import Any

from card_envs.core.game import NOBODY
from card_envs.core.standing import counting
from card_envs.games.ku_ka_king.rules import score
from card_envs.games.ku_ka_king.state import CARD_TYPES, CATEGORIES, MORE_ROWS_THAN_PLAYERS, SCORE_COLUMNS
from card_envs.presentation.languages import by_name

_points = counting(score, len(SCORE_COLUMNS))


def _row(number: Any) -> int | None:
    return int(number) or None


def view(state: Any, seat: int | None) -> dict[str, Any]:
    """Everything, or for a seat everything that it may know: what the others have chosen in this reveal is None.

    `unseen` is no secret: anybody who has paid attention can tell which cards have not been seen yet.
    """
    players = int(state["players"])
    rows = range(players + MORE_ROWS_THAN_PLAYERS)
    return {
        "players": players,
        "round": int(state["round_number"]),
        "last_round": bool(state["last_round"]),
        "scored": bool(state["scored"]),
        "to_act": int(state["seat"]) if state["seat"] >= 0 else None,
        "waiting": [player for player in range(players) if state["waiting"][player]],
        "rows": [[CARD_TYPES[card] for card in state["rows"][row][: state["lengths"][row]]] for row in rows],
        "row_taken": [bool(state["row_taken"][row]) for row in rows],
        "choices": [_row(state["choices"][player]) if seat in (None, player) else None for player in range(players)],
        "last_reveal": [_row(state["last_reveal"][player]) for player in range(players)],
        "collections": [by_name(state["collections"][player], CARD_TYPES) for player in range(players)],
        "pile": int(state["pile"]),
        "box": by_name(state["box"], CARD_TYPES),
        "unseen": by_name(state["unseen"], CARD_TYPES),
        "first_scoring": [by_name(state["first_scoring"][player], CATEGORIES) for player in range(players)],
        "points_now": _points(state),
    }


def table_view(state: Any) -> dict[str, Any]:
    """Everything but the choices of a reveal under way: nobody at the table sees one before all are in."""
    shown = view(state, None)
    return {**shown, "choices": [None] * shown["players"]}


def public_view(state: Any) -> dict[str, Any]:
    """What everybody knows: the view of a seat that nobody has."""
    return view(state, NOBODY)


def all_cards(state: Any) -> dict[str, int]:
    """Every card of the game by type, wherever it is: never more and never fewer."""
    counts = state["unseen"] + state["box"] + state["collections"].sum(axis=0)
    for row, length in zip(state["rows"], state["lengths"], strict=True):
        for card in row[:length]:
            counts[card] += 1
    return by_name(counts, CARD_TYPES)


def breakdown(row: dict[str, int]) -> dict[str, Any]:
    """How a player's points came about, from the player's row of the score sheet."""
    return {
        f"{scoring}_scoring": {category: row[f"{scoring} {category}"] for category in CATEGORIES}
        for scoring in ("first", "second")
    }
