"""A position of Zum Kuhkuck in plain words and numbers, from the table or from one seat. Text shows nothing else."""

from __future__ import annotations

from typing import Any

from card_envs.core.compile import uncompiled
from card_envs.core.game import NOBODY
from card_envs.core.standing import counting, readable
from card_envs.games.zum_kuhkuck.rules import announcement, score
from card_envs.games.zum_kuhkuck.state import (
    CARD_TYPES,
    ELECTRICITY,
    ELECTRICITY_CARDS,
    FEWEST_TO_ANNOUNCE,
    PLAYERS,
    SCORE_COLUMNS,
    TYPES,
)
from card_envs.presentation.languages import by_name

_points = counting(score, len(SCORE_COLUMNS))
_announcement = uncompiled(announcement)


def view(state: Any, seat: int | None) -> dict[str, Any]:
    """Everything, or for a seat everything that it may know.

    None for a seat: the other hand, what is in the pile and in the discards, and what the other player knows of these.
    `points_for_cards` is the table of points that lies open for both, by the number of cards; `worth` is what a hand
    would bring now for each colour that can be announced.
    """
    electricity = ELECTRICITY_CARDS - int(state["pile"][ELECTRICITY])
    discards = [*(state["shown"] + state["lost"].sum(axis=0)), electricity]
    return {
        "to_act": int(state["seat"]) if state["seat"] >= 0 else None,
        "pile": int(state["pile"].sum()),
        "discards": int(sum(discards)),
        "electricity_discarded": electricity,
        "hands": [
            {
                "size": int(state["hand"][player].sum()),
                "cards": by_name(state["hand"][player], TYPES) if seat in (None, player) else None,
            }
            for player in range(PLAYERS)
        ],
        "sheets": [
            {name: points or None for name, points in by_name(state["points"][player], TYPES).items()}
            for player in range(PLAYERS)
        ],
        "pile_cards": by_name(state["pile"], CARD_TYPES) if seat is None else None,
        "discard_cards": by_name(discards, CARD_TYPES) if seat is None else None,
        "known_discards": [
            by_name(state["shown"] + state["lost"][player], TYPES) if seat in (None, player) else None
            for player in range(PLAYERS)
        ],
        "points_for_cards": {
            FEWEST_TO_ANNOUNCE + place: int(points) for place, points in enumerate(state["score_table"])
        },
        "worth": [_worth(state, player) if seat in (None, player) else None for player in range(PLAYERS)],
        "points_now": _points(state),
    }


def _worth(state: Any, player: int) -> dict[str, int | None]:
    record, cards = readable(state), int(state["hand"][player].sum())
    return {name: int(_announcement(record, player, kind, cards)) or None for kind, name in enumerate(TYPES)}


def public_view(state: Any) -> dict[str, Any]:
    """What everybody knows: the view of a seat that nobody has."""
    return view(state, NOBODY)


def all_cards(state: Any) -> dict[str, int]:
    """Every card of the game by type, wherever it is: never more and never fewer."""
    elsewhere = state["hand"].sum(axis=0) + state["shown"] + state["lost"].sum(axis=0)
    electricity = int(state["pile"][ELECTRICITY]) + view(state, None)["electricity_discarded"]
    return by_name([*(state["pile"][:ELECTRICITY] + elsewhere), electricity], CARD_TYPES)


def breakdown(row: dict[str, int]) -> dict[str, Any]:
    """How a player's points came about, from the player's row of the score sheet."""
    return {
        "points_per_colour": {name: row[name] for name in TYPES},
        "bonus_per_colour": {name: row[f"{name} bonus"] for name in TYPES},
    }
