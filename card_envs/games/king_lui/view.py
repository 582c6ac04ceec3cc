"""A position of King Lui in plain words and numbers, from the table or from one seat. Text shows nothing else."""

from __future__ import annotations

from typing import Any

from card_envs.core.game import NOBODY
from card_envs.core.standing import counting
from card_envs.games.king_lui.rules import score
from card_envs.games.king_lui.state import CARD_TYPES, DISHES, EMERALD, SCORE_COLUMNS
from card_envs.presentation.languages import by_name

_points = counting(score, len(SCORE_COLUMNS))


def view(state: Any, seat: int | None) -> dict[str, Any]:
    """Everything, or for a seat everything that it may know: what the others drew and what is in the supply is None.

    When the game is over, all hands are turned over. `points_now` counts of each hand what this view shows of it.
    """
    players = int(state["players"])
    open_hands = [seat in (None, player) or state["seat"] < 0 for player in range(players)]
    return {
        "players": players,
        "course": int(state["course"]),
        "chef": int(state["chef"]),
        "to_act": int(state["seat"]) if state["seat"] >= 0 else None,
        "emerald_drawn": bool(state["emerald_drawn"]),
        "table": by_name(state["table"], DISHES),
        "table_emeralds": int(state["table_emeralds"]),
        "king": by_name(state["king"], DISHES),
        "fed": by_name(state["fed"], DISHES),
        "fed_emeralds": int(state["fed_emeralds"]),
        "supply": int(state["supply"].sum()),
        "supply_cards": by_name(state["supply"], CARD_TYPES) if seat is None else None,
        "hands": [
            {
                "taken": by_name(state["taken"][player], DISHES),
                "drawn": by_name(state["drawn"][player], DISHES) if open_hands[player] else None,
                "drawn_count": int(state["drawn"][player].sum()),
            }
            for player in range(players)
        ],
        "points_now": _points(_as_seen(state, open_hands)),
    }


def _as_seen(state: Any, open_hands: list[bool]) -> Any:
    """The position without cards that nobody has seen but their owner."""
    seen = state.copy()
    for player, is_open in enumerate(open_hands):
        if not is_open:
            seen["drawn"][player] = 0
    return seen


def public_view(state: Any) -> dict[str, Any]:
    """What everybody knows: the view of a seat that nobody has."""
    return view(state, NOBODY)


def all_cards(state: Any) -> dict[str, int]:
    """Every card of the game by type, wherever it is: never more and never fewer."""
    dishes = state["supply"][:EMERALD] + state["table"] + state["king"] + state["fed"]
    dishes = dishes + state["taken"].sum(axis=0) + state["drawn"].sum(axis=0)
    fed_or_laid_out = int(state["table_emeralds"]) + int(state["fed_emeralds"]) + int(state["emerald_drawn"])
    return by_name([*dishes, int(state["supply"][EMERALD]) + fed_or_laid_out], CARD_TYPES)


def breakdown(row: dict[str, int]) -> dict[str, Any]:
    """How a player's points came about, from the player's row of the score sheet."""
    return {"points_per_dish": {dish: row[dish] for dish in DISHES}, "discarded": row["discarded"]}
