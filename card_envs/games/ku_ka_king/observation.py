"""What a seat of Ku-Ka-King knows, as numbers from 0 to 1. Seats are counted from the observer on, clockwise.

Only what the others have chosen in the reveal under way is secret, and it is not in here. The largest counts and points
that 1.0 stands for are those of the usual deck or beyond; where another deck allows more, the meaning says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.core.compile import compiled
from card_envs.core.layout import Field, Layout
from card_envs.games.ku_ka_king.rules import (
    COSTS,
    LASTING,
    NUMBER_OF_CATEGORIES,
    counts_with_another,
    fill_worth,
    most_of,
    one_more,
    score_collection,
)
from card_envs.games.ku_ka_king.state import (
    ACTIONS,
    CARDS_USED,
    CHURCH,
    DEFAULT_DECK,
    FEWEST_PLAYERS,
    FULL_ROW,
    KNIGHT,
    MOST_COLLECTED,
    MOST_PLAYERS,
    MOST_ROUNDS,
    MOST_ROWS,
    TYPES,
)

MOST_OF_A_TYPE = max(DEFAULT_DECK)
MOST_POINTS = 60
MOST_WORTH = 30
LARGEST_PILE = CARDS_USED[MOST_PLAYERS] - FULL_ROW * MOST_ROWS
_SEATS = (MOST_PLAYERS,)
_ROWS = (MOST_ROWS,)
_COLLECTIONS = (MOST_PLAYERS, TYPES)
_SCORES = (MOST_PLAYERS, NUMBER_OF_CATEGORIES)
_WORTHS = (MOST_PLAYERS, MOST_ROWS)
_COUNTED = "if cards were scored now"
_OR_MORE = f"{MOST_OF_A_TYPE} or more are 1.0"
_POINTS_OR_MORE = f"{MOST_POINTS} or more are 1.0"
_WORTH_OR_MORE = f"{MOST_WORTH} or more are 1.0"

LAYOUT = Layout(
    Field("players", (MOST_PLAYERS - FEWEST_PLAYERS + 1,), 1, "one of three is 1: 2, 3 or 4 players"),
    Field("round", (1,), MOST_ROUNDS, "number of the round"),
    Field("last_round", (1,), 1, "1 in the last round"),
    Field("scored", (1,), 1, "1 once the first scoring has been done"),
    Field("pile", (1,), LARGEST_PILE, "cards left in the pile"),
    Field("length", _ROWS, FULL_ROW, "number of cards in each row"),
    Field("available", _ROWS, 1, "1 for each row that can be chosen now: it has cards and was not taken in this round"),
    Field("waiting", _SEATS, 1, "1 for each seat that has no row yet in this round"),
    Field("cards", _SEATS, MOST_COLLECTED, "number of cards in front of each seat"),
    Field(
        "last_reveal", (MOST_PLAYERS, MOST_ROWS), 1, "for each seat, 1 for the row that it showed in the last reveal"
    ),
    Field("box", (TYPES,), MOST_OF_A_TYPE, f"cards that are known to be in the box, per type; {_OR_MORE}"),
    Field("unseen", (TYPES,), MOST_OF_A_TYPE, f"cards in the pile or put away unseen, per type; {_OR_MORE}"),
    Field("collections", _COLLECTIONS, MOST_OF_A_TYPE, f"cards in front of each seat, per type; {_OR_MORE}"),
    Field("first_scoring", _SCORES, MOST_POINTS, f"points in the first scoring, per category; {_POINTS_OR_MORE}"),
    Field("standing", _SCORES, MOST_POINTS, f"points if cards were scored now, per category; {_POINTS_OR_MORE}"),
    Field("worth", _WORTHS, MOST_WORTH, f"points that each row would bring each seat, {_COUNTED}; {_WORTH_OR_MORE}"),
    Field("lasting", _WORTHS, MOST_WORTH, "as many of these points as come from cards that no scoring takes away"),
    Field("after_clash", _WORTHS, MOST_WORTH, "points that each row would bring without its outermost card"),
    Field("costs_others", _WORTHS, MOST_WORTH, f"points that all others would lose by it; {_WORTH_OR_MORE}"),
    Field(
        "rows",
        (MOST_ROWS, FULL_ROW, TYPES),
        1,
        "1 for the type of each card: in each row the outermost card first, which is the one that a clash removes",
    ),
)

PLAYERS = LAYOUT["players"].start
ROUND = LAYOUT["round"].start
LAST_ROUND = LAYOUT["last_round"].start
SCORED = LAYOUT["scored"].start
PILE = LAYOUT["pile"].start
LENGTH = LAYOUT["length"].start
AVAILABLE = LAYOUT["available"].start
WAITING = LAYOUT["waiting"].start
CARDS = LAYOUT["cards"].start
LAST_REVEAL = LAYOUT["last_reveal"].start
BOX = LAYOUT["box"].start
UNSEEN = LAYOUT["unseen"].start
COLLECTIONS = LAYOUT["collections"].start
FIRST_SCORING = LAYOUT["first_scoring"].start
STANDING = LAYOUT["standing"].start
WORTH = LAYOUT["worth"].start
LASTING_WORTH = LAYOUT["lasting"].start
AFTER_CLASH = LAYOUT["after_clash"].start
COSTS_OTHERS = LAYOUT["costs_others"].start
ROWS = LAYOUT["rows"].start

# Multiplying is faster than dividing, and exact enough: n * (1 / n) is 1 for every n used here.
_PER_ROUND = 1.0 / MOST_ROUNDS
_PER_PILE_CARD = 1.0 / LARGEST_PILE
_PER_ROW_CARD = 1.0 / FULL_ROW
_PER_COLLECTED = 1.0 / MOST_COLLECTED
_PER_POINT = 1.0 / MOST_POINTS
_EACH = (1 << LASTING) - 1  # the bits of points in what rows are worth, and of those that last; see in_one
# What so many cards of a type are in the observation: looking it up is faster still, for the most frequent numbers.
_CARDS_OBSERVED = np.array([min(n, MOST_OF_A_TYPE) / MOST_OF_A_TYPE for n in range(256)], np.float32)
_WORTH_OBSERVED = np.array([min(n, MOST_WORTH) / MOST_WORTH for n in range(256)], np.float32)


@compiled
def observe_rows(state: Any, player: Any, away: Any, together: Any, worth: Any, out: Any) -> None:
    """What each row would bring a player, and cost all others; `worth` is there to be written in, for a moment.

    `together` has a bit for each card that counts with another one of its row.
    """
    fill_worth(state, player, worth)
    for row in range(MOST_ROWS):
        place, total, before = MOST_ROWS * away + row, np.float32(0), np.float32(0)
        for slot in range(int(state.lengths[row])):
            before, kind = total, int(state.rows[row, slot])
            if together >> (FULL_ROW * row + slot) & 1:
                total += np.float32(one_more(state, player, kind, row, slot))
            else:
                total += worth[kind]
        whole = int(total)
        out[WORTH + place] = _WORTH_OBSERVED[whole & _EACH]
        out[LASTING_WORTH + place] = _WORTH_OBSERVED[whole >> LASTING & _EACH]
        out[AFTER_CLASH + place] = _WORTH_OBSERVED[int(before) & _EACH]
        out[COSTS_OTHERS + place] = _WORTH_OBSERVED[whole >> COSTS & 2 * _EACH + 1]


@compiled
def observe(state: Any, seat: Any, out: Any) -> None:
    """Write the observation of one seat."""
    players = int(state.players)
    out[:] = 0.0
    out[PLAYERS + players - FEWEST_PLAYERS] = 1.0
    out[ROUND] = state.round_number * _PER_ROUND
    out[LAST_ROUND] = state.last_round
    out[SCORED] = state.scored
    out[PILE] = state.pile * _PER_PILE_CARD
    for kind in range(TYPES):
        out[BOX + kind] = _CARDS_OBSERVED[state.box[kind]]
        out[UNSEEN + kind] = _CARDS_OBSERVED[state.unseen[kind]]
    together = 0  # see observe_rows
    for row in range(MOST_ROWS):
        length = int(state.lengths[row])
        out[LENGTH + row] = length * _PER_ROW_CARD
        out[AVAILABLE + row] = length > 0
        for slot in range(FULL_ROW):
            # An empty slot writes a 0 where a card would write a 1, which is faster than asking first.
            card = int(state.rows[row, max(length - 1 - slot, 0)])
            out[ROWS + (row * FULL_ROW + slot) * TYPES + card] = slot < length
            if slot < length:
                together |= counts_with_another(state, row, slot) << (FULL_ROW * row + slot)
    most_churches, most_knights = most_of(state, CHURCH), most_of(state, KNIGHT)
    player = seat
    for away in range(players):
        collection = COLLECTIONS + TYPES * away
        observe_rows(state, player, away, together, out[collection : collection + TYPES], out)
        cards = 0
        for kind in range(TYPES):
            count = int(state.collections[player, kind])
            cards += count
            out[collection + kind] = _CARDS_OBSERVED[state.collections[player, kind]]
        out[CARDS + away] = cards * _PER_COLLECTED
        out[WAITING + away] = state.waiting[player]
        shown = int(state.last_reveal[player])
        out[LAST_REVEAL + MOST_ROWS * away + max(shown - 1, 0)] = shown > 0
        standing = score_collection(state, player, most_churches, most_knights)
        for category in range(NUMBER_OF_CATEGORIES):
            column = NUMBER_OF_CATEGORIES * away + category
            scored = int(state.first_scoring[player, category])
            out[FIRST_SCORING + column] = min(scored, MOST_POINTS) * _PER_POINT
            out[STANDING + column] = min(standing[category], MOST_POINTS) * _PER_POINT
        player = player + 1 if player + 1 < players else 0


_WORTH_FIELDS = ("worth", "lasting", "after_clash", "costs_others")
_ROW_AXES = {"length": 0, "available": 0, "last_reveal": 1, **dict.fromkeys(_WORTH_FIELDS, 1), "rows": 0}


def relabel(order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All rows follow the same rules: where observation and actions come from if they change places."""
    actions = np.arange(len(ACTIONS))
    actions[:MOST_ROWS] = order
    return LAYOUT.reorder(_ROW_AXES, order), actions
