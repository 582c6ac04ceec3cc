"""My Game: cards, actions, options and the record of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from card_envs.core.options import whole_number
from card_envs.core.rules import state_dtype

VALUES = 10  # cards are worth 1 to 10; in arrays the card with value 1 has the place 0
COPIES = 4  # of each value
HAND = 3  # whoever has so many cards is done
FEWEST_PLAYERS, MOST_PLAYERS = 2, 4
MOST_THROWS = VALUES * COPIES // MOST_PLAYERS - HAND  # so that the stack is enough for everybody
NOTHING = -1  # in the place of a card: there is none

# Actions are numbers; people see their names.
KEEP, THROW = 0, 1
ACTIONS = ("keep", "throw away")

# One game is one record of small numbers. Every record also has `stream` (chance), `players` and `seat` (who is to
# act, -1 once the game is over). Arrays are as long as the largest table needs.
STATE = state_dtype(
    ("throws", "u1"),  # how many cards each player may throw away: an option, which the rules read here
    ("stack", "u1", VALUES),  # a face-down stack is a number of cards per value; chance is drawn when it happens
    ("drawn", "i1"),  # the card about which the seat to act decides, seen by nobody else
    ("kept", "u1", (MOST_PLAYERS, VALUES)),  # face down, known to their owner
    ("thrown", "u1", (MOST_PLAYERS, VALUES)),  # face down too: only who threw them away knows them
)


@dataclass(frozen=True)
class Options:
    """What a user can choose about a game of My Game."""

    players: int = 2
    throws: int = 3

    def __post_init__(self) -> None:
        whole_number(self.players, "players of My Game", FEWEST_PLAYERS, MOST_PLAYERS)
        whole_number(self.throws, "throws of My Game", 0, MOST_THROWS)

    def fill(self, state: Any) -> None:
        """Write the options into a state; `players` is there already."""
        state["throws"] = self.throws
