"""A position of My Game as plain dictionaries, from the table or from one seat. Text and pictures show nothing else."""

from __future__ import annotations

from typing import Any

from card_envs.core.game import NOBODY

from .state import NOTHING, VALUES


def view(state: Any, seat: int | None) -> dict[str, Any]:
    """Everything, or for a seat everything that it may know: None stands for what is hidden, or not there."""
    to_act = int(state["seat"]) if state["seat"] >= 0 else None
    knows_drawn = seat in (None, to_act) and state["drawn"] != NOTHING
    return {
        "to_act": to_act,
        "drawn": int(state["drawn"]) + 1 if knows_drawn else None,
        "stack": int(state["stack"].sum()),
        "stack_cards": cards(state["stack"]) if seat is None else None,
        "player": [
            {
                "cards": int(state["kept"][player].sum()),
                "kept": cards(state["kept"][player]) if seat in (None, player) else None,
                "throws_left": int(state["throws"]) - int(state["thrown"][player].sum()),
                "thrown": cards(state["thrown"][player]) if seat in (None, player) else None,
            }
            for player in range(int(state["players"]))
        ],
    }


def public_view(state: Any) -> dict[str, Any]:
    """What everybody knows, for spectators: the view of a seat that nobody has."""
    return view(state, NOBODY)


def cards(counts: Any) -> list[int]:
    """The cards of a stack or a hand, from low to high."""
    return [value + 1 for value in range(VALUES) for _ in range(int(counts[value]))]


def all_cards(state: Any) -> dict[str, int]:
    """Every card by value, wherever it is: a check sees to it that none is ever lost or doubled."""
    counts = state["stack"] + state["kept"].sum(axis=0) + state["thrown"].sum(axis=0)
    if state["drawn"] != NOTHING:
        counts[state["drawn"]] += 1
    return {str(value + 1): int(counts[value]) for value in range(VALUES)}
