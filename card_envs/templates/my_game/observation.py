"""What a seat of My Game knows, as numbers from 0 to 1. Seats are counted from the observer on, clockwise."""

from __future__ import annotations

from typing import Any

from card_envs.core.chance import cards_in
from card_envs.core.compile import compiled
from card_envs.core.layout import Field, Layout

from .state import COPIES, FEWEST_PLAYERS, HAND, MOST_PLAYERS, MOST_THROWS, NOTHING, VALUES

# Name, shape, what 1.0 stands for, and what it means. Docs, printing and checkpoints read this table.
LAYOUT = Layout(
    Field("players", (MOST_PLAYERS - FEWEST_PLAYERS + 1,), 1, "one of three is 1: 2, 3 or 4 players"),
    Field("drawn", (VALUES,), 1, "1 for the value of the card about which oneself decides"),
    Field("kept", (VALUES,), COPIES, "cards that oneself has kept, per value"),
    Field("thrown", (VALUES,), COPIES, "cards that oneself has thrown away, per value"),
    Field("cards", (MOST_PLAYERS,), HAND, "how many cards each seat has kept"),
    Field("throws_left", (MOST_PLAYERS,), MOST_THROWS, "how many cards each seat may still throw away"),
    Field("to_act", (MOST_PLAYERS,), 1, "1 for the seat that is to act"),
)

PLAYERS = LAYOUT["players"].start
DRAWN = LAYOUT["drawn"].start
KEPT = LAYOUT["kept"].start
THROWN = LAYOUT["thrown"].start
CARDS = LAYOUT["cards"].start
THROWS_LEFT = LAYOUT["throws_left"].start
TO_ACT = LAYOUT["to_act"].start


@compiled
def observe(state: Any, seat: Any, out: Any) -> None:
    """Write what one seat may know, every entry of it. Nothing here may depend on the others' face-down cards."""
    out[:] = 0.0
    players = int(state.players)
    out[PLAYERS + players - FEWEST_PLAYERS] = 1.0
    if state.seat == seat and state.drawn != NOTHING:
        out[DRAWN + state.drawn] = 1.0
    for value in range(VALUES):
        out[KEPT + value] = state.kept[seat, value] / COPIES
        out[THROWN + value] = state.thrown[seat, value] / COPIES
    for away in range(players):
        player = (seat + away) % players
        out[CARDS + away] = cards_in(state.kept[player]) / HAND
        out[THROWS_LEFT + away] = (int(state.throws) - cards_in(state.thrown[player])) / MOST_THROWS
        out[TO_ACT + away] = state.seat == player
