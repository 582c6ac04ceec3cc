"""Ku-Ka-King's hand-written player: what is each row worth to each of us, and who else will point at it?

It values every row for every player who still needs one, then thinks a few times around the table: what the others
want is not worth wanting as much, unless it hurts them more than us to quarrel about it. Between rows that are about
as good it draws lots, for a player who can be foreseen is clashed with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.core.chance import below
from card_envs.core.compile import compiled
from card_envs.games.ku_ka_king.observation import (
    CARDS,
    COLLECTIONS,
    LARGEST_PILE,
    LAST_ROUND,
    MOST_OF_A_TYPE,
    PILE,
    PLAYERS,
    ROWS,
    SCORED,
    UNSEEN,
    WAITING,
)
from card_envs.games.ku_ka_king.state import (
    CARDS_FOR_FIRST_SCORING,
    CHURCH,
    FARMER,
    FARMHOUSE,
    FEWEST_PLAYERS,
    FIRST_ANIMAL,
    FULL_ROW,
    KING,
    KNIGHT,
    MOST_COLLECTED,
    MOST_PLAYERS,
    MOST_ROWS,
    TYPES,
    VICTORY_2,
    WAIT,
    WIFE,
)

CARDS_LOST_TO_CLASHES = 0.8  # per round, which shortens the game a little
# Of most cards to come a player gets a fair share. Of kings more, for each is worth more than the one before, so who
# has some goes for the next; but not with two players, where the rival sees to it.
EAGER_FOR_KINGS = 1.8
# How far a lead in churches or knights can still be turned: by the choice under way, and by each round to come.
SWING_NOW = 0.3
SWING_PER_ROUND = 0.4
CHURCH_POINTS = 25.0  # ten for having the most, ten that a rival does not have, and each church is one less to be had
# What is left, after a clash, of what a player could expect. Who fears clashes less gets more of the good rows from
# those who fear them, and less from its like: so neither very bold nor very shy.
CLASH_OF_TWO = 0.8
CLASH = 0.95  # with more players: some of them are out of the way after a clash
THOUGHTS = 6  # times around the table about a single rival; with more of them nobody can be seen through as far
HESITATION = 0.15  # points by which a row may be worse and still be chosen fairly often
LOTS = 1 << 20


@compiled
def read(observation: Any, entry: Any, scale: Any) -> Any:
    """A whole number from the observation, as a float: all reckoning here is done in 64 bits."""
    return float(int(float(observation[entry]) * scale + 0.5))


@compiled
def rounds_to_come(observation: Any, players: Any) -> Any:
    """How many rounds follow this one before the next scoring, and before the last one."""
    if observation[LAST_ROUND] > 0:
        return 0.0, 0.0
    pile = read(observation, PILE, LARGEST_PILE)
    before_end = max(pile / (FULL_ROW * players + CARDS_LOST_TO_CLASHES), 1.0)
    if observation[SCORED] > 0:
        return before_end, before_end
    largest = 0.0
    for player in range(players):
        largest = max(largest, read(observation, CARDS + player, MOST_COLLECTED))
    missing = max(CARDS_FOR_FIRST_SCORING - FULL_ROW - int(largest), 0)
    return min(float((missing + FULL_ROW - 1) // FULL_ROW), before_end), before_end


@compiled
def lay_out(observation: Any, mask: Any, table: Any, share: Any) -> None:
    """Read the cards of each row (-1: none), and how many of each type a fair share of three cards to come holds."""
    total = 0.0
    for kind in range(TYPES):
        share[kind] = read(observation, UNSEEN + kind, MOST_OF_A_TYPE)
        total += share[kind]
    for row in range(MOST_ROWS):
        for place in range(FULL_ROW * row, FULL_ROW * (row + 1)):
            card = -1
            if mask[row]:
                # One type has a 1, the others have zeros: adding up all is faster than looking for it.
                for kind in range(TYPES):
                    card += (kind + 1) * (observation[ROWS + place * TYPES + kind] > 0)
            table[place] = card
            if card >= 0:
                share[card] += 1.0
                total += 1.0
    for kind in range(TYPES):
        share[kind] *= FULL_ROW / max(total, 1.0)


@compiled
def most_among_others(observation: Any, players: Any, player: Any, kind: Any) -> Any:
    """How many cards of a type that rival of a player has who has the most."""
    most = 0.0
    for other in range(players):
        if other != player:
            most = max(most, read(observation, COLLECTIONS + TYPES * other + kind, MOST_OF_A_TYPE))
    return most


@compiled
def chance_of_most(lead: Any, rounds: Any) -> Any:
    """How likely it is to have the most, or as many, at a scoring so many rounds away. Equal is good enough."""
    swing = SWING_NOW + SWING_PER_ROUND * rounds
    return min(max((lead + 1.0 + swing) / (1.0 + 2.0 * swing), 0.0), 1.0)


@compiled
def king_points(kings: Any) -> Any:
    """The points of a number of kings, which may be a fraction where kings are only expected."""
    rising = max(kings - 1.0, 0.0)
    return min(rising * rising, 36.0)


@compiled
def farm_points(farmers: Any, wives: Any, farmhouses: Any) -> Any:
    """The points of a farm; as above, of expected cards."""
    couples = min(farmers, wives)
    return 7.0 * (couples + min(couples, farmhouses))


@compiled
def church_points(churches: Any, most: Any, rounds: Any) -> Any:
    """What a number of churches will bring, when a rival has `most`; none never bring anything."""
    return CHURCH_POINTS * chance_of_most(churches - most, rounds) if churches + rounds > 0 else 0.0


@compiled
def knight_points(knights: Any, expected: Any, most: Any, rounds: Any) -> Any:
    """What the knights, with those that are expected, will bring, when a rival has `most`."""
    return (knights + expected) * (1.0 + chance_of_most(knights - most, rounds))


@compiled
def gain(held: Any, kind: Any, share: Any, rounds: Any, churches: Any, knights: Any) -> Any:
    """What one more card of a type adds to the points that a player can expect at a scoring some rounds away.

    `held` counts the player's cards; `churches` and `knights` are the most that a rival has.
    """
    now = held[kind]
    then = now + rounds * share[kind]
    if kind >= FIRST_ANIMAL:
        return then + 1.0
    if kind >= VICTORY_2:
        return kind - VICTORY_2 + 2.0
    if kind == KING:
        return king_points(then + 1.0) - king_points(then)
    if kind == KNIGHT:
        expected = then - now
        return knight_points(now + 1.0, expected, knights, rounds) - knight_points(now, expected, knights, rounds)
    if kind == CHURCH:
        return church_points(now + 1.0, churches, rounds) - church_points(now, churches, rounds)
    farmers = held[FARMER] + rounds * share[FARMER]
    wives = held[WIFE] + rounds * share[WIFE]
    farmhouses = held[FARMHOUSE] + rounds * share[FARMHOUSE]
    more = farm_points(farmers + (kind == FARMER), wives + (kind == WIFE), farmhouses + (kind == FARMHOUSE))
    return more - farm_points(farmers, wives, farmhouses)


@compiled
def appraise(observation: Any, mask: Any, players: Any, worth: Any) -> None:
    """The worth in points of each row that can be chosen, for each player who has none yet.

    Kings, knights and animals taken before the first scoring count twice: they stay for the second.
    """
    table = np.empty(MOST_ROWS * FULL_ROW, np.int64)
    counts = np.empty((2, TYPES))
    share, held = counts[0], counts[1]
    lay_out(observation, mask, table, share)
    if players > 2:
        share[KING] *= EAGER_FOR_KINGS
    soon, late = rounds_to_come(observation, players)
    for player in range(players):
        if player > 0 and observation[WAITING + player] == 0:
            continue
        for kind in range(TYPES):
            held[kind] = read(observation, COLLECTIONS + TYPES * player + kind, MOST_OF_A_TYPE)
        churches = most_among_others(observation, players, player, CHURCH)
        knights = most_among_others(observation, players, player, KNIGHT)
        for row in range(MOST_ROWS):
            if mask[row] == 0:
                continue
            points = 0.0
            for place in range(FULL_ROW * row, FULL_ROW * (row + 1)):
                kind = table[place]
                if kind >= 0:
                    points += gain(held, kind, share, soon, churches, knights)
                    if late > soon and (kind < CHURCH or kind >= FIRST_ANIMAL):
                        points += gain(held, kind, share, late, churches, knights)
                    held[kind] += 1.0
            for place in range(FULL_ROW * row, FULL_ROW * (row + 1)):
                if table[place] >= 0:
                    held[table[place]] -= 1.0
            worth[player, row] = points


@compiled
def lean(observation: Any, mask: Any, players: Any, value: Any, wish: Any, hope: Any) -> None:
    """How likely each player is to choose each row, from what choosing it is worth, and what is left after a clash."""
    for player in range(players):
        if player > 0 and observation[WAITING + player] == 0:
            continue
        best = -1e9
        for row in range(MOST_ROWS):
            if mask[row]:
                best = max(best, value[player, row])
        total, expected = 0.0, 0.0
        for row in range(MOST_ROWS):
            if mask[row]:
                # Nearly exp(-behind / HESITATION), from operations that give the same bits on every machine.
                weight = 1.0 / (1.0 + (best - value[player, row]) * (1.0 / (16.0 * HESITATION)))
                weight *= weight
                weight *= weight
                weight *= weight
                weight *= weight
                wish[player, row] = weight
                total += weight
                expected += weight * value[player, row]
        per_weight = 1.0 / total
        for row in range(MOST_ROWS):
            wish[player, row] *= per_weight
        hope[player] = (CLASH_OF_TWO if players == 2 else CLASH) * expected * per_weight


@compiled
def weigh(observation: Any, mask: Any, players: Any, worth: Any, wish: Any, hope: Any, value: Any) -> None:
    """What choosing each row is worth to each player, with the others leaning towards the rows as they do.

    Alone, the row; in a clash, what can be hoped for afterwards. With two players, what the rival loses by the clash is
    won; with more, two who quarrel make a present to the others.
    """
    for player in range(players):
        if player > 0 and observation[WAITING + player] == 0:
            continue
        for row in range(MOST_ROWS):
            if mask[row]:
                alone = 1.0
                for other in range(players):
                    if other != player:
                        alone *= 1.0 - wish[other, row]
                second_thought = alone * worth[player, row] + (1.0 - alone) * hope[player]
                if players == 2:
                    second_thought += (1.0 - alone) * (worth[1 - player, row] - hope[1 - player])
                # Halfway only: if all turned away from a row at once, all would meet again on the next.
                value[player, row] += 0.5 * (second_thought - value[player, row])


@compiled
def choose(lots: Any, observation: Any, mask: Any) -> Any:
    """Draw lots between the rows as far as each is worth choosing."""
    if mask[WAIT]:
        return WAIT
    players = FEWEST_PLAYERS
    while players < MOST_PLAYERS and observation[PLAYERS + players - FEWEST_PLAYERS] == 0:
        players += 1
    worth = np.zeros((MOST_PLAYERS, MOST_ROWS))
    wish = np.zeros((MOST_PLAYERS, MOST_ROWS))
    hope = np.zeros(MOST_PLAYERS)
    appraise(observation, mask, players, worth)
    # Everybody wants what is worth most, sees what the others want, and thinks again.
    value = worth.copy()
    lean(observation, mask, players, value, wish, hope)
    for _ in range(THOUGHTS // (players - 1)):
        weigh(observation, mask, players, worth, wish, hope, value)
        lean(observation, mask, players, value, wish, hope)
    lot = below(lots, LOTS) / LOTS
    action = WAIT
    for row in range(MOST_ROWS):
        if mask[row] and lot >= 0.0:
            action = row
            lot -= wish[0, row]
    return action
