"""What a seat of Zum Kuhkuck knows, as numbers from 0 to 1. Of two players, the observer comes first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.core.chance import cards_in
from card_envs.core.compile import compiled
from card_envs.core.layout import Field, Layout
from card_envs.games.zum_kuhkuck.rules import NUMBER_OF_TYPES, announcement, unknown_then
from card_envs.games.zum_kuhkuck.state import (
    ACTIONS,
    ANNOUNCE,
    CARDS,
    DECK,
    DEFAULT_SCORE_TABLE,
    ELECTRICITY,
    ELECTRICITY_CARDS,
    FULL_HAND,
    MOST_OF_A_TYPE,
    MOST_POINTS,
    PLAYERS,
    TYPES,
)

_TYPES = (len(TYPES),)
_SHEETS = (PLAYERS, len(TYPES))
TABLE_SIZE = len(DEFAULT_SCORE_TABLE)

LAYOUT = Layout(
    Field("hand", _TYPES, MOST_OF_A_TYPE, "cards in the own hand, per type"),
    Field("hand_sizes", (PLAYERS,), FULL_HAND, "number of cards in each hand"),
    Field("would_score", _TYPES, MOST_POINTS, "points of announcing now, per colour; 0 where that is not allowed"),
    Field("points", _SHEETS, MOST_POINTS, "points that each player has announced, per colour"),
    Field("announced", _SHEETS, 1, "1 for each colour that a player has announced"),
    Field("pile", (1,), CARDS, "cards in the pile"),
    Field("discards", (1,), CARDS, "cards in the discards"),
    Field("discarded_electricity", (1,), ELECTRICITY_CARDS, "electricity cards in the discards"),
    Field("known_discards", _TYPES, MOST_OF_A_TYPE, "cards in the discards that the seat has seen, per type"),
    Field("unseen", _TYPES, MOST_OF_A_TYPE, "cards in the pile, the other hand or lost by the other player, per type"),
    Field("held", (1,), FULL_HAND, "cards in the other hand since before the last reshuffle"),
    Field("held_lost", (1,), FULL_HAND, "cards held over the last reshuffle that the other player has lost since"),
    Field("unknown_then", _TYPES, MOST_OF_A_TYPE, "cards that the held ones may be, per type; 0 when there are none"),
    Field(
        "hand_then", _TYPES, MOST_OF_A_TYPE, "own hand at the last reshuffle, per type; 0 when there are no held ones"
    ),
    Field("score_table", (TABLE_SIZE,), MOST_POINTS, "points for 5, 6, ... 20 cards"),
)

HAND = LAYOUT["hand"].start
HAND_SIZES = LAYOUT["hand_sizes"].start
WOULD_SCORE = LAYOUT["would_score"].start
POINTS = LAYOUT["points"].start
ANNOUNCED = LAYOUT["announced"].start
PILE = LAYOUT["pile"].start
DISCARDS = LAYOUT["discards"].start
DISCARDED_ELECTRICITY = LAYOUT["discarded_electricity"].start
KNOWN_DISCARDS = LAYOUT["known_discards"].start
UNSEEN = LAYOUT["unseen"].start
HELD = LAYOUT["held"].start
HELD_LOST = LAYOUT["held_lost"].start
UNKNOWN_THEN = LAYOUT["unknown_then"].start
HAND_THEN = LAYOUT["hand_then"].start
SCORE_TABLE = LAYOUT["score_table"].start

# Multiplying is faster than dividing, and exact enough: n * (1 / n) is 1 for every n used here.
_PER_CARD_OF_A_TYPE = 1.0 / MOST_OF_A_TYPE
_PER_CARD_IN_HAND = 1.0 / FULL_HAND
_PER_CARD = 1.0 / CARDS
_PER_ELECTRICITY = 1.0 / ELECTRICITY_CARDS
_PER_POINT = 1.0 / MOST_POINTS


@compiled
def observe(state: Any, seat: Any, out: Any) -> None:
    """Write the observation of one seat."""
    other = 1 - seat
    hand, others_hand, pile = cards_in(state.hand[seat]), cards_in(state.hand[other]), cards_in(state.pile)
    held, held_lost = int(state.held[other]), int(state.held_lost[other])
    # Once all cards held over the reshuffle have been seen, what was known then tells nothing any more.
    remembers = int(held + held_lost > 0)
    out[HAND_SIZES] = hand * _PER_CARD_IN_HAND
    out[HAND_SIZES + 1] = others_hand * _PER_CARD_IN_HAND
    out[PILE] = pile * _PER_CARD
    out[DISCARDS] = (CARDS - pile - hand - others_hand) * _PER_CARD
    out[DISCARDED_ELECTRICITY] = (ELECTRICITY_CARDS - int(state.pile[ELECTRICITY])) * _PER_ELECTRICITY
    out[HELD] = held * _PER_CARD_IN_HAND
    out[HELD_LOST] = held_lost * _PER_CARD_IN_HAND
    for kind in range(NUMBER_OF_TYPES):
        known = int(state.shown[kind]) + int(state.lost[seat, kind])
        in_hand = int(state.hand[seat, kind])
        own, others = int(state.points[seat, kind]), int(state.points[other, kind])
        out[HAND + kind] = in_hand * _PER_CARD_OF_A_TYPE
        out[WOULD_SCORE + kind] = announcement(state, seat, kind, hand) * _PER_POINT
        out[POINTS + kind] = own * _PER_POINT
        out[POINTS + NUMBER_OF_TYPES + kind] = others * _PER_POINT
        out[ANNOUNCED + kind] = own > 0
        out[ANNOUNCED + NUMBER_OF_TYPES + kind] = others > 0
        out[KNOWN_DISCARDS + kind] = known * _PER_CARD_OF_A_TYPE
        out[UNSEEN + kind] = (DECK[kind] - known - in_hand) * _PER_CARD_OF_A_TYPE
        out[UNKNOWN_THEN + kind] = remembers * unknown_then(state, seat, kind) * _PER_CARD_OF_A_TYPE
        out[HAND_THEN + kind] = remembers * int(state.hand_then[seat, kind]) * _PER_CARD_OF_A_TYPE
    for entry in range(TABLE_SIZE):
        out[SCORE_TABLE + entry] = state.score_table[entry] * _PER_POINT


_COLOUR_AXES = {
    **dict.fromkeys(("hand", "would_score", "known_discards", "unseen", "unknown_then", "hand_then"), 0),
    **dict.fromkeys(("points", "announced"), 1),
}


def relabel(order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All colours follow the same rules: where observation and actions come from if they change places."""
    actions = np.arange(len(ACTIONS))
    actions[ANNOUNCE : ANNOUNCE + len(TYPES)] = ANNOUNCE + order
    return LAYOUT.reorder(_COLOUR_AXES, order), actions
