"""Positions of Zum Kuhkuck for tests: hands by card name."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.games.zum_kuhkuck.state import DECK, TYPES
from tests.support.positions import Position

NONE = [0] * 5
ALL_ELECTRICITY = [0, 0, 0, 0, 0, 5]


def cards(boots: int = 0, bell: int = 0, stool: int = 0, churn: int = 0, brush: int = 0) -> list[int]:
    return [boots, bell, stool, churn, brush]


def named(counts: list[int]) -> dict[str, int]:
    return dict(zip(TYPES, counts, strict=True))


def position(hand: list[int], other: list[int] = NONE, **fields: Any) -> Position:
    """Seat 0 to act with this hand. All other cards are in the pile unless told."""
    options = {"score_table": fields.pop("score_table")} if "score_table" in fields else {}
    elsewhere = np.sum([hand, other, fields.get("shown", NONE), *fields.get("lost", [NONE])], axis=0)
    fields = {"pile": [*(DECK - elsewhere), 5], **fields}
    return Position("zum_kuhkuck", **options).set(seat=0, hand=[hand, other], **fields)


def announcements(game: Position) -> set[str]:
    return {action for action in game.legal if action.startswith("announce")}


def end(points: list[list[int]], hand: list[int], announce: str) -> Position:
    """The last announcement of seat 0, on sheets that are full but for it."""
    game = position(hand, points=points).play(f"announce {announce}")
    assert game.to_act is None
    return game
