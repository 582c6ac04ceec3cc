"""The rules of My Game, in the order in which a game runs.

In turn everybody draws a card that the others do not see, and keeps it or throws it away, face down either way. Whoever
has three cards is done. When all are, the highest total wins; between equals whoever threw away fewer cards.

These functions are compiled. They read and write fields of one record and small arrays, and make no Python objects.
"""

from __future__ import annotations

from typing import Any

from card_envs.core.chance import below, cards_in, draw_card
from card_envs.core.compile import compiled

from .state import COPIES, HAND, KEEP, NOTHING, THROW, VALUES


@compiled
def deal(state: Any) -> None:
    """Shuffle the stack and draw lots for who begins. Options and players are set, everything else is zero."""
    for value in range(VALUES):
        state.stack[value] = COPIES
    state.seat = below(state, state.players)
    draw(state)


@compiled
def draw(state: Any) -> None:
    """The seat to act draws a card."""
    state.drawn = draw_card(state, state.stack, cards_in(state.stack))


@compiled
def legal(state: Any, seat: Any, mask: Any) -> None:
    """A card can always be kept; thrown away only until the throws are used up. The mask comes filled with zeros."""
    mask[KEEP] = 1
    mask[THROW] = cards_in(state.thrown[seat]) < state.throws


@compiled
def apply(state: Any, action: Any) -> None:
    """Play a legal action of the seat to act, and all that follows by itself."""
    if action == KEEP:
        state.kept[state.seat, state.drawn] += 1
    else:
        state.thrown[state.seat, state.drawn] += 1
    next_turn(state)


@compiled
def next_turn(state: Any) -> None:
    """Clockwise to the next player who needs cards; when nobody does, the game is over."""
    last, players = int(state.seat), int(state.players)  # int(): small numbers are made wide before arithmetic
    for away in range(1, players + 1):
        player = (last + away) % players
        if cards_in(state.kept[player]) < HAND:
            state.seat = player
            draw(state)
            return
    state.seat = -1
    state.drawn = NOTHING


@compiled
def score(state: Any, points: Any, sheet: Any) -> None:
    """The points of each player, and the score sheet, whose one column breaks ties. Both come as zeros."""
    for player in range(points.size):
        for value in range(VALUES):
            points[player] += (value + 1) * int(state.kept[player, value])
        sheet[player, 0] = cards_in(state.thrown[player])


@compiled
def redraw_hidden(state: Any, seat: Any) -> None:
    """Whatever this seat cannot know goes back into the stack and is drawn anew: all face-down cards of the others.

    What the seat observes must stay as it is, so everybody has as many cards afterwards as before.
    """
    hidden_card = state.drawn != NOTHING and state.seat != seat
    for player in range(state.players):
        if player != seat:
            put_back(state, state.kept[player])
            put_back(state, state.thrown[player])
    if hidden_card:
        state.stack[state.drawn] += 1
    for player in range(state.players):
        if player != seat:
            draw_again(state, state.kept[player])
            draw_again(state, state.thrown[player])
    if hidden_card:
        draw(state)


@compiled
def put_back(state: Any, cards: Any) -> None:
    """Into the stack; `cards` stays as it is, as a reminder of how many there were."""
    for value in range(VALUES):
        state.stack[value] += cards[value]


@compiled
def draw_again(state: Any, cards: Any) -> None:
    """As many cards as there were."""
    number = cards_in(cards)
    cards[:] = 0
    for _ in range(number):
        cards[draw_card(state, state.stack, cards_in(state.stack))] += 1
