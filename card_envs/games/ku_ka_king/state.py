"""Ku-Ka-King: card types, actions, options and the record of a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from card_envs.core.options import whole_number
from card_envs.core.rules import state_dtype
from card_envs.errors import OptionError

ANIMALS = ("sheep", "horse", "pig", "cow", "goat", "goose", "chicken", "rabbit")
CARD_TYPES = (
    *("king", "knight", "church", "farmer", "farmer's wife", "farmhouse"),
    *("victory 2", "victory 3", "victory 4"),
    *ANIMALS,
)
KING, KNIGHT, CHURCH, FARMER, WIFE, FARMHOUSE, VICTORY_2, VICTORY_3, VICTORY_4, FIRST_ANIMAL = range(10)
TYPES = len(CARD_TYPES)
# The types with a red cross stand together: their cards go back to the box after the first scoring.
FIRST_RED_CROSS, LAST_RED_CROSS = CHURCH, VICTORY_4

CARDS = 112
DEFAULT_DECK = (10, 12, 8, 8, 8, 8, 6, 6, 6, *(5 for _ in ANIMALS))  # in the order of CARD_TYPES
CARDS_USED = (0, 0, 80, 102, 112)  # by number of players; the others are put away unseen
FEWEST_PLAYERS, MOST_PLAYERS = 2, 4
MORE_ROWS_THAN_PLAYERS = 4
MOST_ROWS = MOST_PLAYERS + MORE_ROWS_THAN_PLAYERS
FULL_ROW = 3
CARDS_FOR_FIRST_SCORING = 13


def most_rounds(players: int) -> int:
    """Each round but the last takes at least one full row per player off the table, and refilling ends the game when
    the pile is empty.
    """
    pile = CARDS_USED[players] - FULL_ROW * (players + MORE_ROWS_THAN_PLAYERS)
    return 1 + -(-pile // (FULL_ROW * players))


# At most 12 rounds (with 2 players), so that nobody ever has more than 36 cards.
MOST_ROUNDS = max(most_rounds(players) for players in range(FEWEST_PLAYERS, MOST_PLAYERS + 1))
MOST_COLLECTED = FULL_ROW * MOST_ROUNDS

WAIT = MOST_ROWS
ACTIONS = (*(f"row {row}" for row in range(1, MOST_ROWS + 1)), "wait")

CATEGORIES = ("kings", "churches", "victory points", "knights", "animals", "farm")
SCORE_COLUMNS = tuple(f"{scoring} {category}" for scoring in ("first", "second") for category in CATEGORIES)

STATE = state_dtype(
    ("round_number", "u1"),  # the first is 1; NumPy's records have a method called round
    ("last_round", "u1"),
    ("scored", "u1"),  # 1 once the first scoring has been done
    ("pile", "u1"),  # number of cards in it; which ones is decided when they are drawn
    ("rows", "u1", (MOST_ROWS, FULL_ROW)),  # card types, innermost first; only the first `lengths` of a row count
    ("lengths", "u1", MOST_ROWS),
    ("row_taken", "u1", MOST_ROWS),  # in this round
    ("waiting", "u1", MOST_PLAYERS),  # 1 for each seat that has no row yet in this round
    ("choices", "u1", MOST_PLAYERS),  # row number from 1 on, made in the reveal under way; secret until all are in
    ("last_reveal", "u1", MOST_PLAYERS),  # row number from 1 on that each seat has shown last
    ("collections", "u1", (MOST_PLAYERS, TYPES)),
    ("box", "u1", TYPES),  # what went there face up; all of the box once cards of the last refill come from it
    ("unseen", "u1", TYPES),  # in the pile or put away unseen; the deck, before anything is laid out
    ("first_scoring", "u2", (MOST_PLAYERS, len(CATEGORIES))),
)


@dataclass(frozen=True)
class Options:
    """What a user can choose about a game of Ku-Ka-King. A deck may be given by name: types left out have no cards."""

    players: int = 4
    deck: Mapping[str, int] | Iterable[int] = DEFAULT_DECK

    def __post_init__(self) -> None:
        whole_number(self.players, "players of Ku-Ka-King", FEWEST_PLAYERS, MOST_PLAYERS)
        object.__setattr__(self, "deck", check_deck(self.deck))

    def fill(self, state: Any) -> None:
        """Before the first card is laid out, nobody has seen any card of the deck."""
        state["unseen"] = self.deck


def check_deck(deck: Any) -> tuple[int, ...]:
    """The number of cards of each type in the order of CARD_TYPES, or an OptionError."""
    if isinstance(deck, Mapping):
        for name in deck:
            if name not in CARD_TYPES:
                raise OptionError(f"deck of Ku-Ka-King has no cards {name!r}: it has {', '.join(CARD_TYPES)}")
        deck = [deck.get(name, 0) for name in CARD_TYPES]
    if isinstance(deck, str) or not isinstance(deck, Iterable) or len(deck := tuple(deck)) != TYPES:
        raise OptionError(
            f"deck of Ku-Ka-King must be numbers of cards by name, or {TYPES} numbers in the order "
            f"{', '.join(CARD_TYPES)}, not {deck!r}"
        )
    counts = tuple(
        whole_number(count, f"deck of Ku-Ka-King: number of cards {name!r}", 0, CARDS)
        for name, count in zip(CARD_TYPES, deck, strict=True)
    )
    if sum(counts) != CARDS:
        raise OptionError(f"deck of Ku-Ka-King must have {CARDS} cards in all, not {sum(counts)}")
    return counts
