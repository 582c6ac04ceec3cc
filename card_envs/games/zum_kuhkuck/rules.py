"""The rules of Zum Kuhkuck, in the order in which a game runs.

In turn, a player draws one card, or announces the hand for one of five colours: the more cards, the more points, and
more for cards of that colour. Electricity costs the player the whole hand. Whoever has announced all five colours ends
the game at once. In each colour that both have announced, the better announcement gets a bonus.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from card_envs.core.chance import below, cards_in, draw_card
from card_envs.core.compile import compiled
from card_envs.games.zum_kuhkuck.state import (
    ANNOUNCE,
    BONUS,
    DECK,
    DRAW,
    ELECTRICITY,
    ELECTRICITY_CARDS,
    FEWEST_TO_ANNOUNCE,
    FULL_HAND,
    HAND_IN,
    MOST_OF_A_TYPE,
    PLAYERS,
    POINTS_PER_CARD,
    RESHUFFLE_AT,
    TYPES,
)

NUMBER_OF_TYPES = len(TYPES)

# In how many ways to choose k of n cards of a type, and to draw them one after the other.
_COUNTS = range(MOST_OF_A_TYPE + 1)
CHOOSE = np.array([[math.comb(n, k) for k in _COUNTS] for n in _COUNTS], np.float64)
ARRANGE = np.array([[math.perm(n, k) for k in _COUNTS] for n in _COUNTS], np.float64)


@compiled
def deal(state: Any) -> None:
    """All cards into the pile, and lots for who begins. Hands are empty."""
    for kind in range(NUMBER_OF_TYPES):
        state.pile[kind] = DECK[kind]
    state.pile[ELECTRICITY] = ELECTRICITY_CARDS
    state.seat = below(state, PLAYERS)


@compiled
def legal(state: Any, seat: Any, mask: Any) -> None:
    """Draw, or from five cards on announce an open colour of which there is a card. A full hand must be announced."""
    cards = cards_in(state.hand[seat])
    can_announce = 0
    for kind in range(NUMBER_OF_TYPES):
        scores = announcement(state, seat, kind, cards) > 0
        mask[ANNOUNCE + kind] = scores
        can_announce += scores
    mask[DRAW] = cards < FULL_HAND
    # Only a full hand without a card of an open colour is handed in, face up and for nothing.
    mask[HAND_IN] = cards >= FULL_HAND and can_announce == 0


@compiled
def announcement(state: Any, seat: Any, kind: Any, cards: Any) -> Any:
    """The points that a hand of so many cards would bring for this colour; 0 if it cannot be announced."""
    of_kind = int(state.hand[seat, kind])
    allowed = (cards >= FEWEST_TO_ANNOUNCE) & (of_kind > 0) & (state.points[seat, kind] == 0)
    entry = max(cards - FEWEST_TO_ANNOUNCE, 0)
    return (int(state.score_table[entry]) + POINTS_PER_CARD * of_kind) * allowed


@compiled
def apply(state: Any, action: Any) -> None:
    """One action of the seat to act; then the other player, unless it was the fifth announcement."""
    seat = int(state.seat)
    state.seat = 1 - seat
    if action == DRAW:
        draw(state, seat)
    elif action == HAND_IN:
        show_hand(state, seat)
    else:
        announce(state, seat, action - ANNOUNCE)


@compiled
def draw(state: Any, seat: Any) -> None:
    """One card into the hand. It is dealt with before the pile is reshuffled, if it was the last but two."""
    pile = cards_in(state.pile)
    card = draw_card(state, state.pile, pile)
    if card == ELECTRICITY:
        lose_hand(state, seat)
    else:
        state.hand[seat, card] += 1
    if pile - 1 <= RESHUFFLE_AT:
        reshuffle(state)


@compiled
def lose_hand(state: Any, seat: Any) -> None:
    """All cards of the hand face down to the discards: the other player learns how many, not which."""
    for kind in range(NUMBER_OF_TYPES):
        state.lost[seat, kind] += state.hand[seat, kind]
        state.hand[seat, kind] = 0
    state.held_lost[seat] += state.held[seat]
    state.held[seat] = 0


@compiled
def announce(state: Any, seat: Any, kind: Any) -> None:
    """Note the points and show the hand. A player's fifth announcement ends the game."""
    state.points[seat, kind] = announcement(state, seat, kind, cards_in(state.hand[seat]))
    show_hand(state, seat)
    open_colours = 0
    for each in range(NUMBER_OF_TYPES):
        open_colours += state.points[seat, each] == 0
    if open_colours == 0:
        state.seat = -1


@compiled
def show_hand(state: Any, seat: Any) -> None:
    """All cards of the hand face up to the discards: announced, or handed in, since the other could not check the duty
    to announce otherwise."""
    still_held = state.held[seat] > 0
    for kind in range(NUMBER_OF_TYPES):
        if still_held:
            state.hand_with_held[seat, kind] = state.hand[seat, kind]
        state.shown[kind] += state.hand[seat, kind]
        state.hand[seat, kind] = 0
    state.held[seat] = 0


@compiled
def reshuffle(state: Any) -> None:
    """The discards go back into the pile; hands stay. What lay where is kept, for what the players remember of it."""
    state.pile[ELECTRICITY] = ELECTRICITY_CARDS
    for kind in range(NUMBER_OF_TYPES):
        state.pile[kind] += state.shown[kind]
        state.shown_then[kind] = state.shown[kind]
        state.shown[kind] = 0
    for player in range(PLAYERS):
        for kind in range(NUMBER_OF_TYPES):
            state.pile[kind] += state.lost[player, kind]
            state.lost_then[player, kind] = state.lost[player, kind]
            state.lost[player, kind] = 0
            state.hand_then[player, kind] = state.hand[player, kind]
        state.held[player] = cards_in(state.hand[player])
        state.held_lost[player] = 0


@compiled
def score(state: Any, points: Any, sheet: Any) -> None:
    """What each player announced, and per colour that both announced a bonus for the better one. Equal: for nobody."""
    for player in range(PLAYERS):
        for kind in range(NUMBER_OF_TYPES):
            own, others = int(state.points[player, kind]), int(state.points[1 - player, kind])
            bonus = BONUS if own > others > 0 else 0
            sheet[player, kind] = own
            sheet[player, NUMBER_OF_TYPES + kind] = bonus
            points[player] += own + bonus


@compiled
def redraw_hidden(state: Any, seat: Any) -> None:
    """Draw anew the other player's hand and lost hands, and what the other player remembers of the last reshuffle.

    How many cards lie where is known to both, and where the electricity cards are. Of the time before the last
    reshuffle a seat remembers its hand and what it knew of the discards at that moment, and nothing else.
    """
    other = 1 - seat
    redraw_memory(state, seat, other)
    hand, lost = cards_in(state.hand[other]), cards_in(state.lost[other])
    held, held_lost = int(state.held[other]), int(state.held_lost[other])
    electricity = state.pile[ELECTRICITY]
    state.pile[ELECTRICITY] = 0
    for kind in range(NUMBER_OF_TYPES):
        # The cards held over the reshuffle are all in the hand, or all lost with it, or all seen.
        in_hand = int(state.hand_then[other, kind]) if held > 0 else 0
        in_lost = int(state.hand_then[other, kind]) if held_lost > 0 else 0
        unseen = int(state.pile[kind]) + int(state.hand[other, kind]) + int(state.lost[other, kind])
        state.hand[other, kind] = in_hand
        state.lost[other, kind] = in_lost
        state.pile[kind] = unseen - in_hand - in_lost
    draw_into(state, state.pile, state.hand[other], hand - held)
    draw_into(state, state.pile, state.lost[other], lost - held_lost)
    state.pile[ELECTRICITY] = electricity


@compiled
def draw_into(state: Any, source: Any, target: Any, cards: Any) -> None:
    """Draw so many cards by lot from one stack into another."""
    for _ in range(cards):
        target[draw_card(state, source, cards_in(source))] += 1


@compiled
def redraw_memory(state: Any, seat: Any, other: Any) -> None:
    """Draw anew what the other player held and had lost at the last reshuffle, as far as the seat cannot know it."""
    redraw_hand_then(state, seat, other)
    lost_then = cards_in(state.lost_then[other])
    rest = np.empty(NUMBER_OF_TYPES, np.uint8)
    for kind in range(NUMBER_OF_TYPES):
        rest[kind] = unknown_then(state, seat, kind) - int(state.hand_then[other, kind])
        state.lost_then[other, kind] = 0
    draw_into(state, rest, state.lost_then[other], lost_then)


@compiled
def unknown_then(state: Any, seat: Any, kind: Any) -> Any:
    """Cards of a type of which the seat did not know, at the last reshuffle, whether the other player held them."""
    own = int(state.hand_then[seat, kind]) + int(state.lost_then[seat, kind])
    return DECK[kind] - own - int(state.shown_then[kind])


@compiled
def redraw_hand_then(state: Any, seat: Any, other: Any) -> None:
    """Draw anew the hand that the other player held over the last reshuffle.

    Cards that the seat knew to be in the discards then were not in it. And what has come out of the pile since tells
    about it too: the more cards of a type the seat has seen, the more must have been in the pile. So n cards of a type
    weigh as much as there are ways to hold them, times ways to draw from the pile what the seat has seen of that type.
    """
    weight = np.empty((NUMBER_OF_TYPES, MOST_OF_A_TYPE + 1))  # of so many cards of this type
    weights = np.empty((NUMBER_OF_TYPES + 1, FULL_HAND + 1))  # of so many cards of this and all later types together
    cards = cards_in(state.hand_then[other])
    unseen_yet = int(state.held[other]) + int(state.held_lost[other]) > 0
    for total in range(cards + 1):
        weights[NUMBER_OF_TYPES, total] = total == 0
    for kind in range(NUMBER_OF_TYPES - 1, -1, -1):
        unknown = unknown_then(state, seat, kind)
        own_then = int(state.hand_then[seat, kind])
        seen = int(state.hand[seat, kind]) + int(state.lost[seat, kind]) + int(state.shown[kind])
        shown_with = int(state.hand_with_held[other, kind])
        most = unknown if unseen_yet else min(unknown, shown_with)
        for total in range(cards + 1):
            weights[kind, total] = 0.0
        for n in range(min(cards, MOST_OF_A_TYPE) + 1):
            pile = DECK[kind] - own_then - n
            if n > most:
                weight[kind, n] = 0.0
            elif unseen_yet:
                weight[kind, n] = CHOOSE[unknown, n] * ARRANGE[pile, seen - own_then]
            else:  # they were in a hand that was shown, whose other cards came out of the pile
                weight[kind, n] = CHOOSE[unknown, n] * CHOOSE[pile, shown_with - n]
            for total in range(n, cards + 1):
                weights[kind, total] += weight[kind, n] * weights[kind + 1, total - n]
    for kind in range(NUMBER_OF_TYPES):
        position = below(state, 2**32) / 2.0**32 * weights[kind, cards]
        n = 0
        for fewer in range(min(cards, MOST_OF_A_TYPE)):
            position -= weight[kind, fewer] * weights[kind + 1, cards - fewer]
            if position >= 0.0:
                n = fewer + 1
        state.hand_then[other, kind] = n
        cards -= n
