"""King Lui: card types, actions, options and the record of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from card_envs.core.options import whole_number
from card_envs.core.rules import state_dtype

DISHES = ("bread", "cake", "cheese", "chicken", "fruit", "ham", "wine")
EMERALD = len(DISHES)  # the eighth type of card in the supply
CARD_TYPES = (*DISHES, "emerald")
PORTIONS = 15  # of each dish
EMERALDS = 5
CARDS = PORTIONS * len(DISHES) + EMERALDS
FEWEST_PLAYERS, MOST_PLAYERS = 3, 5

# What Emerald can eat: two portions of the king's, in any combination.
PAIRS = np.array([(first, second) for first in range(EMERALD) for second in range(first, EMERALD)], np.int64)

TAKE = 0  # + dish: take all of it from the table
DRAW = len(DISHES)
FEED = DRAW + 1  # + pair
PLACE = FEED + len(PAIRS)
PASS = PLACE + 1
ACTIONS = (
    *(f"take {dish}" for dish in DISHES),
    "draw",
    *(f"feed {DISHES[first]} + {DISHES[second]}" for first, second in PAIRS),
    "place emerald",
    "pass",
)

SCORE_COLUMNS = (*DISHES, "discarded")

STATE = state_dtype(
    ("chef", "u1"),
    ("course", "u1"),  # the first is 1
    ("acted", "u1"),  # players who have acted in this course
    ("emerald_drawn", "u1"),  # 1 while the seat to act decides about an Emerald that it has just drawn
    ("supply", "u1", len(CARD_TYPES)),
    ("table", "u1", len(DISHES)),
    ("table_emeralds", "u1"),
    ("king", "u1", len(DISHES)),
    ("fed", "u1", len(DISHES)),  # out of the game with an Emerald
    ("fed_emeralds", "u1"),
    ("taken", "u1", (MOST_PLAYERS, len(DISHES))),  # from the table, seen by all
    ("drawn", "u1", (MOST_PLAYERS, len(DISHES))),  # from the supply, seen by the player alone
)


@dataclass(frozen=True)
class Options:
    """What a user can choose about a game of King Lui."""

    players: int = 4

    def __post_init__(self) -> None:
        whole_number(self.players, "players of King Lui", FEWEST_PLAYERS, MOST_PLAYERS)

    def fill(self, state: Any) -> None:
        """Nothing but the number of players, which every state has."""
