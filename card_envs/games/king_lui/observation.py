"""What a seat of King Lui knows, as numbers from 0 to 1. Seats are counted from the observer on, clockwise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.core.chance import cards_in
from card_envs.core.compile import compiled
from card_envs.core.layout import Field, Layout
from card_envs.games.king_lui.rules import NUMBER_OF_DISHES, dish_points
from card_envs.games.king_lui.state import (
    ACTIONS,
    CARDS,
    DISHES,
    EMERALDS,
    FEED,
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    PAIRS,
    PORTIONS,
    TAKE,
)

MOST_COURSES = CARDS // (2 * FEWEST_PLAYERS)
_DISHES = (len(DISHES),)
_SEATS = (MOST_PLAYERS,)
MOST_POINTS = PORTIONS // 2 * (PORTIONS - PORTIONS // 2)  # of one dish: a player has fewer portions than the king
_NOW = "if the meal ended now, for all portions of the own hand and those that others took openly"

LAYOUT = Layout(
    Field("players", (MOST_PLAYERS - FEWEST_PLAYERS + 1,), 1, "one of three is 1: 3, 4 or 5 players"),
    Field("course", (1,), MOST_COURSES, "number of the course"),
    Field("supply", (1,), CARDS, "cards left in the supply"),
    Field("king", _DISHES, PORTIONS, "portions that the king has, per dish"),
    Field("table", _DISHES, PORTIONS, "portions on the table, per dish"),
    Field("hand", _DISHES, PORTIONS, "portions in the own hand, per dish"),
    Field("fed", _DISHES, PORTIONS, "portions that Emeralds have eaten, per dish"),
    Field("unseen", _DISHES, PORTIONS, "portions in the supply or drawn unseen by others, per dish"),
    Field("taken", (MOST_PLAYERS, len(DISHES)), PORTIONS, "portions that each seat took openly, per dish"),
    Field("standing", (MOST_PLAYERS, len(DISHES)), MOST_POINTS, f"points of each seat, per dish, {_NOW}"),
    Field(
        "with_table", _DISHES, MOST_POINTS, "points that the own hand and the table's portions would bring, per dish"
    ),
    Field("drawn", _SEATS, MOST_COURSES, "number of portions that each seat drew unseen"),
    Field("to_act", _SEATS, 1, "1 for each seat that has still to act in this course"),
    Field("chef", _SEATS, 1, "1 for the chef of this course"),
    Field("table_emeralds", (1,), EMERALDS, "Emeralds on the table"),
    Field("fed_emeralds", (1,), EMERALDS, "Emeralds out of the game"),
    Field("emerald_drawn", (1,), 1, "1 while the seat to act decides about an Emerald that it has drawn"),
)

PLAYERS = LAYOUT["players"].start
COURSE = LAYOUT["course"].start
SUPPLY = LAYOUT["supply"].start
KING = LAYOUT["king"].start
TABLE = LAYOUT["table"].start
HAND = LAYOUT["hand"].start
FED = LAYOUT["fed"].start
UNSEEN = LAYOUT["unseen"].start
TAKEN = LAYOUT["taken"].start
STANDING = LAYOUT["standing"].start
WITH_TABLE = LAYOUT["with_table"].start
DRAWN = LAYOUT["drawn"].start
TO_ACT = LAYOUT["to_act"].start
CHEF = LAYOUT["chef"].start
TABLE_EMERALDS = LAYOUT["table_emeralds"].start
FED_EMERALDS = LAYOUT["fed_emeralds"].start
EMERALD_DRAWN = LAYOUT["emerald_drawn"].start


# Multiplying is faster than dividing, and exact enough: n * (1 / n) is 1 for every n used here.
_PER_PORTION = 1.0 / PORTIONS
_PER_EMERALD = 1.0 / EMERALDS
_PER_COURSE = 1.0 / MOST_COURSES
_PER_CARD = 1.0 / CARDS
_PER_POINT = 1.0 / MOST_POINTS


@compiled
def observe(state: Any, seat: Any, out: Any) -> None:
    """Write the observation of one seat."""
    players = int(state.players)
    out[:] = 0.0
    out[PLAYERS + players - FEWEST_PLAYERS] = 1.0
    out[COURSE] = state.course * _PER_COURSE
    out[SUPPLY] = cards_in(state.supply) * _PER_CARD
    out[TABLE_EMERALDS] = state.table_emeralds * _PER_EMERALD
    out[FED_EMERALDS] = state.fed_emeralds * _PER_EMERALD
    out[EMERALD_DRAWN] = state.emerald_drawn
    for dish in range(NUMBER_OF_DISHES):
        out[KING + dish] = state.king[dish] * _PER_PORTION
        out[TABLE + dish] = state.table[dish] * _PER_PORTION
        out[FED + dish] = state.fed[dish] * _PER_PORTION
        hand, kings = int(state.taken[seat, dish]) + int(state.drawn[seat, dish]), int(state.king[dish])
        out[HAND + dish] = hand * _PER_PORTION
        out[STANDING + dish] = dish_points(hand, kings) * _PER_POINT
        out[WITH_TABLE + dish] = dish_points(hand + int(state.table[dish]), kings) * _PER_POINT
        # Whatever is nowhere to be seen: in the supply, or drawn by another player.
        seen = int(state.king[dish]) + int(state.table[dish]) + int(state.fed[dish]) + int(state.drawn[seat, dish])
        for player in range(players):
            seen += int(state.taken[player, dish])
        out[UNSEEN + dish] = (PORTIONS - seen) * _PER_PORTION
    after_chef = (seat - int(state.chef) + players) % players
    player = seat
    for away in range(players):
        drawn = 0
        for dish in range(NUMBER_OF_DISHES):
            out[TAKEN + NUMBER_OF_DISHES * away + dish] = state.taken[player, dish] * _PER_PORTION
            drawn += int(state.drawn[player, dish])
            if away > 0:
                points = dish_points(int(state.taken[player, dish]), int(state.king[dish]))
                out[STANDING + NUMBER_OF_DISHES * away + dish] = points * _PER_POINT
        out[DRAWN + away] = drawn * _PER_COURSE
        out[TO_ACT + away] = after_chef >= state.acted
        out[CHEF + away] = after_chef == 0
        player = player + 1 if player + 1 < players else 0
        after_chef = after_chef + 1 if after_chef + 1 < players else 0


_DISH_AXES = {"king": 0, "table": 0, "hand": 0, "fed": 0, "unseen": 0, "taken": 1, "standing": 1, "with_table": 0}


def relabel(order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Dishes differ in nothing but their names: where observation and actions come from if they change places."""
    actions = np.arange(len(ACTIONS))
    actions[TAKE : TAKE + len(DISHES)] = TAKE + order
    number = {(int(first), int(second)): FEED + pair for pair, (first, second) in enumerate(PAIRS)}
    for (first, second), action in number.items():
        actions[action] = number[min(order[first], order[second]), max(order[first], order[second])]
    return LAYOUT.reorder(_DISH_AXES, order), actions
