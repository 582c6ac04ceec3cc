"""The rules of Ku-Ka-King, in the order in which a game runs.

In each round every player gets one of the rows of cards that lie on the table. All choose at the same time: whoever is
alone on a row takes it; a row that several want loses its outermost card, and they choose again. Twice in a game, once
somebody has enough cards and once at the end, everybody scores the cards collected.
"""

from __future__ import annotations

from typing import Any

from card_envs.core.chance import below, cards_in, draw_card
from card_envs.core.compile import compiled
from card_envs.games.ku_ka_king.state import (
    CARDS_FOR_FIRST_SCORING,
    CARDS_USED,
    CATEGORIES,
    CHURCH,
    FARMER,
    FARMHOUSE,
    FIRST_ANIMAL,
    FIRST_RED_CROSS,
    FULL_ROW,
    KING,
    KNIGHT,
    LAST_RED_CROSS,
    MORE_ROWS_THAN_PLAYERS,
    MOST_PLAYERS,
    MOST_ROWS,
    TYPES,
    VICTORY_2,
    VICTORY_3,
    VICTORY_4,
    WAIT,
    WIFE,
)

NUMBER_OF_CATEGORIES = len(CATEGORIES)
VALUE_2, VALUE_3, VALUE_4 = 2, 3, 4  # of cards with victory points
LASTING, COSTS = 7, 14  # from which bit on they stand in what rows are worth; see in_one
_BITS = 4  # for the number of players on one row, in a tally of all rows


@compiled
def deal(state: Any) -> None:
    """Count the cards that are used into the pile and lay out the first round. Who is first does not matter here."""
    state.pile = CARDS_USED[int(state.players)]
    begin_round(state)


@compiled
def begin_round(state: Any) -> None:
    """Fill all rows; then everyone is without a row. An empty pile makes it the last round."""
    refill(state)
    state.last_round = state.pile == 0
    state.round_number += 1
    for row in range(MOST_ROWS):
        state.row_taken[row] = 0
    for seat in range(state.players):
        state.waiting[seat] = 1
    state.seat = 0


@compiled
def refill(state: Any) -> None:
    """Row 1 first, new cards outside. Cards that the pile lacks come from the box, as long as there are any."""
    pile = int(state.pile)
    unseen = cards_in(state.unseen)
    for row in range(int(state.players) + MORE_ROWS_THAN_PLAYERS):
        for place in range(int(state.lengths[row]), FULL_ROW):
            if pile > 0:
                state.rows[row, place] = draw_card(state, state.unseen, unseen)
                pile -= 1
                unseen -= 1
            else:
                shuffle_box(state)
                box = cards_in(state.box)
                if box == 0:
                    break
                state.rows[row, place] = draw_card(state, state.box, box)
            state.lengths[row] = place + 1
    state.pile = pile


@compiled
def shuffle_box(state: Any) -> None:
    """With the pile gone, whatever is still unseen was put away at the start: it is mixed with the rest of the box."""
    for kind in range(TYPES):
        state.box[kind] += state.unseen[kind]
        state.unseen[kind] = 0


@compiled
def legal(state: Any, seat: Any, mask: Any) -> None:
    """A row that still has cards (a row taken has none); whoever has a row or has chosen one can only wait."""
    must_choose = state.waiting[seat] > 0 and state.choices[seat] == 0
    for row in range(MOST_ROWS):
        mask[row] = must_choose and state.lengths[row] > 0
    mask[WAIT] = not must_choose


@compiled
def apply(state: Any, action: Any) -> None:
    """A secret choice. When the last seat that has to choose has chosen, all choices are revealed."""
    seat = int(state.seat)
    state.choices[seat] = action + 1
    for other in range(seat + 1, MOST_PLAYERS):
        if state.waiting[other]:
            state.seat = other
            return
    reveal(state)


@compiled
def reveal(state: Any) -> None:
    """Alone on a row: take it. Several on a row: its outermost card goes to the box, and they choose again."""
    tally = 0
    for seat in range(MOST_PLAYERS):
        choice = int(state.choices[seat])
        state.last_reveal[seat] = choice
        if choice > 0:
            tally += 1 << _BITS * (choice - 1)
    for seat in range(MOST_PLAYERS):
        choice = int(state.choices[seat])
        state.choices[seat] = 0
        if choice > 0 and players_on(tally, choice - 1) == 1:
            take_row(state, seat, choice - 1)
    rows_left = 0
    for row in range(MOST_ROWS):
        if players_on(tally, row) > 1:
            lose_outermost(state, row)
        rows_left += state.lengths[row] > 0
    seat = first_waiting(state)
    # With one row left or none, those who still wait could only clash for ever. They get nothing in this round.
    if seat >= 0 and rows_left > 1:
        state.seat = seat
    else:
        end_round(state)


@compiled
def players_on(tally: Any, row: Any) -> Any:
    """How many players chose this row."""
    return (tally >> _BITS * row) & ((1 << _BITS) - 1)


@compiled
def take_row(state: Any, seat: Any, row: Any) -> None:
    """All cards of the row, face up in front of the player, who is done for this round."""
    for place in range(state.lengths[row]):
        state.collections[seat, state.rows[row, place]] += 1
    state.lengths[row] = 0
    state.row_taken[row] = 1
    state.waiting[seat] = 0


@compiled
def lose_outermost(state: Any, row: Any) -> None:
    """One card, however many players wanted the row."""
    state.lengths[row] -= 1
    state.box[state.rows[row, int(state.lengths[row])]] += 1


@compiled
def first_waiting(state: Any) -> Any:
    """The lowest seat without a row in this round, or -1."""
    for seat in range(MOST_PLAYERS):
        if state.waiting[seat]:
            return seat
    return -1


@compiled
def end_round(state: Any) -> None:
    """After the last round the game is over; else the first scoring if it is due, then the next round."""
    if state.last_round:
        for seat in range(MOST_PLAYERS):
            state.waiting[seat] = 0
        state.seat = -1
        return
    if not state.scored and most_cards(state) >= CARDS_FOR_FIRST_SCORING:
        score_first(state)
    begin_round(state)


@compiled
def most_cards(state: Any) -> Any:
    """The size of the largest collection."""
    most = 0
    for seat in range(MOST_PLAYERS):
        most = max(most, cards_in(state.collections[seat]))
    return most


@compiled
def score_first(state: Any) -> None:
    """Everybody scores; then all cards with a red cross go back to the box."""
    state.scored = 1
    most_churches, most_knights = most_of(state, CHURCH), most_of(state, KNIGHT)
    for seat in range(MOST_PLAYERS):
        scores = score_collection(state, seat, most_churches, most_knights)
        for category in range(NUMBER_OF_CATEGORIES):
            state.first_scoring[seat, category] = scores[category]
    for seat in range(MOST_PLAYERS):
        for kind in range(FIRST_RED_CROSS, LAST_RED_CROSS + 1):
            state.box[kind] += state.collections[seat, kind]
            state.collections[seat, kind] = 0


@compiled
def score_collection(state: Any, seat: Any, most_churches: Any, most_knights: Any) -> Any:
    """Points of the cards in front of one player, one number per category in the order of CATEGORIES."""
    cards = state.collections[seat]
    victory_points = (  # what is written on the cards
        VALUE_2 * int(cards[VICTORY_2]) + VALUE_3 * int(cards[VICTORY_3]) + VALUE_4 * int(cards[VICTORY_4])
    )
    animals = 0
    for kind in range(FIRST_ANIMAL, TYPES):
        animals += animal_points(int(cards[kind]))
    return (
        king_points(int(cards[KING])),
        church_points(int(cards[CHURCH]), most_churches),
        victory_points,
        knight_points(int(cards[KNIGHT]), most_knights),
        animals,
        farm_points(int(cards[FARMER]), int(cards[WIFE]), int(cards[FARMHOUSE])),
    )


@compiled
def king_points(kings: Any) -> Any:
    """0, 1, 4, 9, ... and never more than for seven."""
    rising = max(kings - 1, 0)
    return min(rising * rising, 36)


@compiled
def church_points(churches: Any, most: Any) -> Any:
    """10 for the most, and for each who has as many; nothing for having none."""
    return 10 * (churches == max(most, 1))


@compiled
def knight_points(knights: Any, most: Any) -> Any:
    """1 each, for whoever has the most (or as many) 2 each."""
    return knights * (1 + (knights == most))


@compiled
def animal_points(alike: Any) -> Any:
    """Each kind by itself: 1, 3, 6, 10, 15."""
    return alike * (alike + 1) // 2


@compiled
def farm_points(farmers: Any, wives: Any, farmhouses: Any) -> Any:
    """7 for each pair of farmer and wife, and 7 more with a farmhouse of their own."""
    pairs = min(farmers, wives)
    return 7 * (pairs + min(pairs, farmhouses))


@compiled
def fill_worth(state: Any, seat: Any, worth: Any) -> None:
    """For each type of card, what one more of them would mean if cards were scored now; see `in_one`."""
    for kind in range(VICTORY_2):
        worth[kind] = one_more(state, seat, kind, 0, 0)
    worth[VICTORY_2], worth[VICTORY_3], worth[VICTORY_4] = VALUE_2, VALUE_3, VALUE_4
    for kind in range(FIRST_ANIMAL, TYPES):
        count = int(state.collections[seat, kind])
        worth[kind] = in_one(animal_points(count + 1) - animal_points(count), True, 0)


@compiled
def in_one(points: Any, lasts: Any, costs: Any) -> Any:
    """One number for what cards bring, as many of these points as stay after the first scoring, and what all others
    lose by it, so that all three are added at once: nobody has so many cards that they would run into each other.
    """
    return points + (points << LASTING if lasts else 0) + (costs << COSTS)


@compiled
def one_more(state: Any, seat: Any, kind: Any, row: Any, place: Any) -> Any:
    """What one more card of a type would mean to a player who has the cards of a row before this place."""
    if kind == VICTORY_2:
        return VALUE_2
    if kind == VICTORY_3:
        return VALUE_3
    if kind == VICTORY_4:
        return VALUE_4
    if FARMER <= kind <= FARMHOUSE:
        farmers, wives = held(state, seat, FARMER, row, place), held(state, seat, WIFE, row, place)
        farmhouses = held(state, seat, FARMHOUSE, row, place)
        farm = farm_points(farmers + (kind == FARMER), wives + (kind == WIFE), farmhouses + (kind == FARMHOUSE))
        return farm - farm_points(farmers, wives, farmhouses)
    count = held(state, seat, kind, row, place)
    if kind >= FIRST_ANIMAL:
        return in_one(animal_points(count + 1) - animal_points(count), True, 0)
    if kind == KING:
        return in_one(king_points(count + 1) - king_points(count), True, 0)
    most, having = 0, 0  # among the others
    for other in range(MOST_PLAYERS):
        theirs = int(state.collections[other, kind])
        if other != seat:
            having = (theirs >= most) + having * (theirs <= most)
            most = max(most, theirs)
    behind = having * (count == most and most > 0)  # so many of the others fall behind
    if kind == KNIGHT:
        points = knight_points(count + 1, max(most, count + 1)) - knight_points(count, max(most, count))
        return in_one(points, True, behind * most)
    points = church_points(count + 1, max(most, count + 1)) - church_points(count, max(most, count))
    return in_one(points, False, behind * church_points(1, 1))


@compiled
def held(state: Any, seat: Any, kind: Any, row: Any, length: Any) -> Any:
    """How many cards of a type a player would have with so many cards of a row."""
    count = int(state.collections[seat, kind])
    for place in range(length):
        count += state.rows[row, place] == kind
    return count


@compiled
def counts_with_another(state: Any, row: Any, place: Any) -> Any:
    """Whether a row's card brings something together with one before it: two alike, or two of a farm."""
    kind, found = int(state.rows[row, place]), False
    for before in range(place):
        other = int(state.rows[row, before])
        found |= kind == other or (FARMER <= kind <= FARMHOUSE and FARMER <= other <= FARMHOUSE)
    return found


@compiled
def most_of(state: Any, kind: Any) -> Any:
    """How many cards of a type that player has who has the most."""
    most = 0
    for seat in range(MOST_PLAYERS):
        most = max(most, int(state.collections[seat, kind]))
    return most


@compiled
def score(state: Any, points: Any, sheet: Any) -> None:
    """Both scorings, category by category. If the pile ran out before the first was due, there is only the second."""
    most_churches, most_knights = most_of(state, CHURCH), most_of(state, KNIGHT)
    for player in range(points.size):
        scores = score_collection(state, player, most_churches, most_knights)
        for category in range(NUMBER_OF_CATEGORIES):
            sheet[player, category] = state.first_scoring[player, category]
            sheet[player, NUMBER_OF_CATEGORIES + category] = scores[category]
            points[player] += sheet[player, category] + scores[category]


@compiled
def take_back(state: Any) -> None:
    """Nobody has chosen yet in the reveal under way, and the first of those who wait is to choose."""
    for seat in range(MOST_PLAYERS):
        state.choices[seat] = 0
    if state.seat >= 0:
        state.seat = first_waiting(state)


@compiled
def redraw_hidden(state: Any, seat: Any) -> None:
    """What the others have chosen in the reveal under way, each row with cards being equally likely.

    Everybody can work out which cards are still unseen; their order is chance to come, which is drawn when it comes.
    """
    rows_left = 0
    for row in range(MOST_ROWS):
        rows_left += state.lengths[row] > 0
    for other in range(MOST_PLAYERS):
        if other != seat and state.choices[other] > 0:
            to_skip = below(state, rows_left)
            for row in range(MOST_ROWS):
                if state.lengths[row] > 0:
                    if to_skip == 0:
                        state.choices[other] = row + 1
                    to_skip -= 1
