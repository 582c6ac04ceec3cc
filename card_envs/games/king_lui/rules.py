"""The rules of King Lui, in the order in which a game runs.

A game is a row of courses. In each, the chef lays out two cards per player, everyone from the chef on acts once, and
the king gets what is left on the table. At the end a portion is worth as many points as the king has portions of that
dish, but whoever has more of a dish than the king loses all of it.
"""

from __future__ import annotations

from typing import Any

from card_envs.core.chance import below, cards_in, draw_card
from card_envs.core.compile import compiled
from card_envs.games.king_lui.state import (
    DISHES,
    DRAW,
    EMERALD,
    EMERALDS,
    FEED,
    PAIRS,
    PASS,
    PLACE,
    PORTIONS,
    TAKE,
)

NUMBER_OF_DISHES = len(DISHES)


@compiled
def deal(state: Any) -> None:
    """Fill the supply, draw lots for the first chef and lay out the first course."""
    for dish in range(NUMBER_OF_DISHES):
        state.supply[dish] = PORTIONS
    state.supply[EMERALD] = EMERALDS
    state.chef = below(state, state.players)
    lay_out_course(state)


@compiled
def lay_out_course(state: Any) -> None:
    """Two cards per player, face up; Emeralds beside the dishes. Too few cards left: the game is over."""
    supply = cards_in(state.supply)
    course = 2 * int(state.players)
    if supply < course:
        state.seat = -1
        return
    for laid_out in range(course):
        card = draw_card(state, state.supply, supply - laid_out)
        if card == EMERALD:
            state.table_emeralds += 1
        else:
            state.table[card] += 1
    state.course += 1
    state.acted = 0
    state.seat = state.chef


@compiled
def legal(state: Any, seat: Any, mask: Any) -> None:
    """Take a dish, draw, or feed an Emerald that lies on the table. A drawn Emerald is fed or placed at once."""
    if state.emerald_drawn:
        allow_feeding(state, mask)
        mask[PLACE] = 1
        return
    for dish in range(NUMBER_OF_DISHES):
        mask[TAKE + dish] = state.table[dish] > 0
    dishes_left = cards_in(state.table) > 0
    supply_left = cards_in(state.supply) > 0
    mask[DRAW] = supply_left
    # Without a dish on the table drawing is a duty, even beside an Emerald that could be fed. Only an empty supply
    # lifts it.
    if dishes_left or not supply_left:
        can_feed = state.table_emeralds > 0 and cards_in(state.king) >= 2
        if can_feed:
            allow_feeding(state, mask)
        elif not dishes_left:
            mask[PASS] = 1


@compiled
def allow_feeding(state: Any, mask: Any) -> None:
    """Any two portions that the king has, in the order of PAIRS."""
    action = FEED
    for first in range(NUMBER_OF_DISHES):
        mask[action] = state.king[first] >= 2
        action += 1
        for second in range(first + 1, NUMBER_OF_DISHES):
            mask[action] = state.king[first] > 0 and state.king[second] > 0
            action += 1


@compiled
def apply(state: Any, action: Any) -> None:
    """One action of the seat to act; then the next player, or the next course."""
    seat = state.seat
    if action < DRAW:
        take_dish(state, seat, action - TAKE)
    elif action == DRAW:
        draw_portion(state, seat)
        if state.emerald_drawn:
            return  # the same player decides at once
    elif action < PLACE:
        feed_emerald(state, action - FEED)
    elif action == PLACE:
        state.emerald_drawn = 0
        state.table_emeralds += 1
    end_turn(state)


@compiled
def take_dish(state: Any, seat: Any, dish: Any) -> None:
    """All portions of one dish, never just some of them."""
    state.taken[seat, dish] += state.table[dish]
    state.table[dish] = 0


@compiled
def draw_portion(state: Any, seat: Any) -> None:
    """One card from the supply, unseen by the others unless it is an Emerald."""
    card = draw_card(state, state.supply, cards_in(state.supply))
    if card != EMERALD:
        state.drawn[seat, card] += 1
    elif cards_in(state.king) >= 2:
        state.emerald_drawn = 1
    else:
        state.table_emeralds += 1  # it cannot be fed, so there is nothing to decide


@compiled
def feed_emerald(state: Any, pair: Any) -> None:
    """An Emerald and two of the king's portions leave the game."""
    for which in range(2):
        dish = PAIRS[pair, which]
        state.king[dish] -= 1
        state.fed[dish] += 1
    if state.emerald_drawn:
        state.emerald_drawn = 0
    else:
        state.table_emeralds -= 1
    state.fed_emeralds += 1


@compiled
def end_turn(state: Any) -> None:
    """Clockwise to the next player; after the last one the king is served and the next chef lays out."""
    state.acted += 1
    if state.acted < state.players:
        state.seat = (int(state.seat) + 1) % int(state.players)
        return
    serve_king(state)
    last_chef = state.chef
    state.chef = (int(state.chef) + 1) % int(state.players)
    lay_out_course(state)
    if state.seat < 0:
        state.chef = last_chef  # no further course, no further chef


@compiled
def serve_king(state: Any) -> None:
    """The king gets every dish that is left; Emeralds stay on the table."""
    for dish in range(NUMBER_OF_DISHES):
        state.king[dish] += state.table[dish]
        state.table[dish] = 0


@compiled
def score(state: Any, points: Any, sheet: Any) -> None:
    """Points per dish, and as the sheet's last column the cards discarded, of which fewer are better between equals."""
    for player in range(points.size):
        for dish in range(NUMBER_OF_DISHES):
            portions = int(state.taken[player, dish]) + int(state.drawn[player, dish])
            kings = int(state.king[dish])
            if portions > kings:
                sheet[player, NUMBER_OF_DISHES] += portions
            sheet[player, dish] = dish_points(portions, kings)
            points[player] += sheet[player, dish]


@compiled
def dish_points(portions: Any, kings: Any) -> Any:
    """Each portion counts as many as the king has; whoever has more of a dish than he has discards them all."""
    return portions * kings if portions <= kings else 0


@compiled
def redraw_hidden(state: Any, seat: Any) -> None:
    """The others' drawn portions go back to the supply, and each other player draws as many again.

    A drawn Emerald is always shown, so that no Emerald is among them and how many the supply holds is known.
    """
    emeralds = state.supply[EMERALD]
    state.supply[EMERALD] = 0
    for player in range(state.players):
        if player != seat:
            for dish in range(NUMBER_OF_DISHES):
                state.supply[dish] += state.drawn[player, dish]
    for player in range(state.players):
        if player != seat:
            portions = cards_in(state.drawn[player])
            for dish in range(NUMBER_OF_DISHES):
                state.drawn[player, dish] = 0
            for _ in range(portions):
                dish = draw_card(state, state.supply, cards_in(state.supply))
                state.drawn[player, dish] += 1
    state.supply[EMERALD] = emeralds
