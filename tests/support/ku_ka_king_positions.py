"""Positions of Ku-Ka-King for tests: rows and collections by card name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from card_envs.games.ku_ka_king.state import CARD_TYPES, MOST_ROWS
from tests.support.positions import Position

TIM, SARAH, LINUS = range(3)
RED_CROSS = {"church", "farmer", "farmer's wife", "farmhouse", "victory 2", "victory 3", "victory 4"}
Cards = Mapping[str, int]


def counts(cards: Cards) -> list[int]:
    assert set(cards) <= set(CARD_TYPES)
    return [cards.get(kind, 0) for kind in CARD_TYPES]


def has(cards: Cards) -> dict[str, int]:
    """The counts of all types as a view shows them."""
    return dict(zip(CARD_TYPES, counts(cards), strict=True))


def lay_out(rows: Sequence[Sequence[str]]) -> dict[str, Any]:
    """State fields for rows of cards, innermost first; rows that are not given have no cards."""
    cards = np.zeros((MOST_ROWS, 3), np.uint8)
    lengths = np.zeros(MOST_ROWS, np.uint8)
    for row, names in enumerate(rows):
        lengths[row] = len(names)
        cards[row, : len(names)] = [CARD_TYPES.index(name) for name in names]
    return {"rows": cards, "lengths": lengths}


def position(
    players: int = 3,
    rows: Sequence[Sequence[str]] | None = None,
    collections: Sequence[Cards] = (),
    box: Cards | None = None,
    unseen: Cards | None = None,
    **fields: Any,
) -> Position:
    """A game at the start of a round, in which what is given replaces what was dealt."""
    if rows is not None:
        fields |= lay_out(rows)
    if box is not None:
        fields["box"] = counts(box)
    if unseen is not None:
        fields["unseen"] = counts(unseen)
    fields["collections"] = [counts(cards) for cards in [*collections, *[{}] * (4 - len(collections))]]
    return Position("ku_ka_king", players=players).set(**fields)


def end(*collections: Cards, **fields: Any) -> Position:
    """A game that ends with these collections: in its last round everyone wants the first of two single cards."""
    players = max(len(collections), 2)
    game = position(players, rows=[["pig"], ["pig"]], collections=collections, last_round=1, **fields)
    return game.play(*["row 1"] * players)


def second(game: Position, category: str) -> list[int]:
    return [player["second_scoring"][category] for player in game.result]
