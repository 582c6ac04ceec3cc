"""Zum Kuhkuck: card types, actions, options and the record of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from card_envs.core.options import whole_number
from card_envs.core.rules import state_dtype
from card_envs.errors import OptionError

TYPES = ("boots", "bell", "milking stool", "milk churn", "brush")
COLOURS = ("red", "yellow", "green", "blue", "purple")  # of these types; players announce a colour
ELECTRICITY = len(TYPES)  # the sixth type of card in the pile
CARD_TYPES = (*TYPES, "electricity")
MOST_OF_A_TYPE = 11
DECK = np.array((11, 11, 11, 11, 10), np.int64)  # without electricity
ELECTRICITY_CARDS = 5
CARDS = int(DECK.sum()) + ELECTRICITY_CARDS
PLAYERS = 2

FEWEST_TO_ANNOUNCE, FULL_HAND = 5, 20
RESHUFFLE_AT = 2  # cards left in the pile
POINTS_PER_CARD = 2  # of the colour announced, besides what the table gives for the number of cards
BONUS = 10
DEFAULT_SCORE_TABLE = (4, 5, 7, 9, 12, 15, 18, 21, 24, 27, 30, 35, 40, 45, 50, 55)
LARGEST_TABLE_ENTRY = 200
MOST_POINTS = LARGEST_TABLE_ENTRY + POINTS_PER_CARD * MOST_OF_A_TYPE  # of one announcement

DRAW = 0
ANNOUNCE = 1  # + type
HAND_IN = ANNOUNCE + len(TYPES)
ACTIONS = ("draw", *(f"announce {name}" for name in TYPES), "hand in")

SCORE_COLUMNS = (*TYPES, *(f"{name} bonus" for name in TYPES))

_TYPES = len(TYPES)
STATE = state_dtype(
    ("score_table", "u1", len(DEFAULT_SCORE_TABLE)),  # for 5, 6, ... 20 cards
    ("pile", "u1", len(CARD_TYPES)),  # an electricity card that is not here lies in the discards
    ("hand", "u1", (PLAYERS, _TYPES)),
    ("points", "u1", (PLAYERS, _TYPES)),  # announced; 0 is an open colour, because an announcement brings 2 at least
    # The discards, by who has seen them.
    ("shown", "u1", _TYPES),  # announced or handed in: both players
    ("lost", "u1", (PLAYERS, _TYPES)),  # with electricity: the player who had them, and nobody else
    # What the players remember of the last reshuffle: their hands, and the discards just before it, as above.
    ("hand_then", "u1", (PLAYERS, _TYPES)),
    ("shown_then", "u1", _TYPES),
    ("lost_then", "u1", (PLAYERS, _TYPES)),
    # Cards of the hand then that the other player has not seen since: in the hand still, or lost.
    ("held", "u1", PLAYERS),
    ("held_lost", "u1", PLAYERS),
    ("hand_with_held", "u1", (PLAYERS, _TYPES)),  # the hand in which the other player has seen them
)


@dataclass(frozen=True)
class Options:
    """What a user can choose about a game of Zum Kuhkuck: the points for 5, 6, ... 20 cards."""

    players: int = PLAYERS
    score_table: tuple[int, ...] = DEFAULT_SCORE_TABLE

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", whole_number(self.players, "players of Zum Kuhkuck", PLAYERS, PLAYERS))
        object.__setattr__(self, "score_table", _check_table(self.score_table))

    def fill(self, state: Any) -> None:
        """The table of points; every state has the number of players."""
        state["score_table"] = self.score_table


def _check_table(table: Any) -> tuple[int, ...]:
    if not isinstance(table, list | tuple | range | np.ndarray) or len(table) != len(DEFAULT_SCORE_TABLE):
        raise OptionError(
            f"score_table must be a list of {len(DEFAULT_SCORE_TABLE)} whole numbers, the points for "
            f"{FEWEST_TO_ANNOUNCE}, {FEWEST_TO_ANNOUNCE + 1}, ... {FULL_HAND} cards, not {table!r}"
        )
    return tuple(
        whole_number(points, f"score_table's entry for {cards} cards", 0, LARGEST_TABLE_ENTRY)
        for cards, points in enumerate(table, FEWEST_TO_ANNOUNCE)
    )
