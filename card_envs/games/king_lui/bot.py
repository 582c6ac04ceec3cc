"""King Lui's hand-written player: it weighs what each action does for its own points and against the others'.

A dish is judged by what it will be worth at the end of the game: the own portions times those that the king will then
have, and nothing should he have fewer. How many more he gets is a guess, which the unseen portions and the courses to
come allow. Each dish is judged by itself, so that one look at the seven dishes is enough for all 38 actions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.core.compile import compiled
from card_envs.games.king_lui.observation import (
    EMERALD_DRAWN,
    FED_EMERALDS,
    HAND,
    KING,
    PLAYERS,
    SUPPLY,
    TABLE,
    TABLE_EMERALDS,
    TAKEN,
    TO_ACT,
    UNSEEN,
)
from card_envs.games.king_lui.rules import NUMBER_OF_DISHES
from card_envs.games.king_lui.state import (
    CARDS,
    DRAW,
    EMERALDS,
    FEED,
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    PASS,
    PLACE,
    PORTIONS,
    TAKE,
)

# Of the portions still to be laid out, the king is expected to get this share. Among such players he gets less, but
# whoever holds a dish will rather leave it to him from now on, so that some hope is sounder than the plain share.
KINGS_SHARE = 0.5
# Feeding must be better than all else by so many points: it takes from two dishes only, and the king may get more.
PATIENCE = 2.0
# Drawing counts for more than its points while there are courses to come: `worth` judges as if this were the last
# card, but a single portion too many can still be mended by leaving that dish to the king.
HOPE = 1.0

STEPS = 8  # the king's expected portions are rounded to eighths
_IMPOSSIBLE = -1e9


def _outlook() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The chance that the king gets n or more further portions, and the sum of those numbers times their chances.

    One row per expected number of portions, one column per n. Poisson's law: many cards, each with a small chance.
    """
    rows = int(PORTIONS * KINGS_SHARE * STEPS) + 2
    chance, portions = np.zeros((rows, PORTIONS + 1)), np.zeros((rows, PORTIONS + 1))
    for row in range(rows):
        mean = row / STEPS
        law = [math.exp(-mean) * mean**n / math.factorial(n) for n in range(PORTIONS + 1)]
        for needed in range(PORTIONS + 1):
            chance[row, needed] = sum(law[needed:])
            portions[row, needed] = sum(n * law[n] for n in range(needed, PORTIONS + 1))
    return chance, portions


GETS, GETS_PORTIONS = _outlook()


@compiled
def count(observation: Any, field: Any, scale: Any) -> Any:
    """A number of cards, as it was before it was scaled."""
    return int(observation[field] * scale + 0.5)


@compiled
def worth(portions: Any, king: Any, outlook: Any) -> Any:
    """The points that portions of a dish will make: times the king's, and nothing if he ends up with fewer."""
    needed = portions - king if portions > king else 0
    return portions * (king * GETS[outlook, needed] + GETS_PORTIONS[outlook, needed])


@compiled
def lead(observation: Any, players: Any, dish: Any, king: Any, outlook: Any) -> Any:
    """By how much the own points with a dish exceed the mean of the others', if the king has `king` portions now."""
    others = 0.0
    for away in range(1, players):
        taken = count(observation, TAKEN + NUMBER_OF_DISHES * away + dish, PORTIONS)
        others += worth(taken, king, outlook)
    own = worth(count(observation, HAND + dish, PORTIONS), king, outlook)
    return own - others / (players - 1)


@compiled
def chance_left(dishes: Any, followers: Any) -> Any:
    """That a dish reaches the king: each player to come takes any of the dishes or none, as likely as not."""
    chance = 1.0
    for _ in range(followers):
        chance *= dishes / (dishes + 1.0)
    return chance


@compiled
def growth_per_portion(observation: Any, players: Any, supply: Any, unseen: Any) -> Any:
    """How many portions the king will get for each unseen one of a dish."""
    if unseen == 0:
        return 0.0
    laid_out = supply // (2 * players) * 2 * players
    return KINGS_SHARE * laid_out * chance_of_portion(observation, supply) / unseen


@compiled
def chance_of_portion(observation: Any, supply: Any) -> Any:
    """That a card of the supply is no Emerald."""
    emeralds = EMERALDS
    for field in (TABLE_EMERALDS, FED_EMERALDS):
        emeralds -= count(observation, field, EMERALDS)
    emeralds -= count(observation, EMERALD_DRAWN, 1)
    return (supply - emeralds) / supply if supply > 0 else 0.0


@compiled
def outlook_of(observation: Any, dish: Any, growth: Any) -> Any:
    """The row of GETS for what the king will still get of a dish after this course."""
    return int(count(observation, UNSEEN + dish, PORTIONS) * growth * STEPS + 0.5)


@compiled
def best_feeding(observation: Any, players: Any, growth: Any) -> tuple[Any, Any]:
    """The feeding that hurts the others most and oneself least, and what it wins in points."""
    first, second, double = -1, -1, -1
    first_wins, second_wins, double_wins = _IMPOSSIBLE, _IMPOSSIBLE, _IMPOSSIBLE
    for dish in range(NUMBER_OF_DISHES):
        king = count(observation, KING + dish, PORTIONS)
        if king == 0:
            continue
        outlook = outlook_of(observation, dish, growth)
        now = lead(observation, players, dish, king, outlook)
        wins = lead(observation, players, dish, king - 1, outlook) - now
        if wins > first_wins:
            second, second_wins = first, first_wins
            first, first_wins = dish, wins
        elif wins > second_wins:
            second, second_wins = dish, wins
        if king >= 2:
            wins = lead(observation, players, dish, king - 2, outlook) - now
            if wins > double_wins:
                double, double_wins = dish, wins
    if double >= 0 and double_wins > first_wins + second_wins:
        return feeding(double, double), double_wins
    if second < 0:
        return -1, _IMPOSSIBLE
    return feeding(min(first, second), max(first, second)), first_wins + second_wins


@compiled
def feeding(first: Any, second: Any) -> Any:
    """The action that feeds these two dishes; PAIRS lists (0, 0) to (0, 6), (1, 1) to (1, 6), and so on."""
    return FEED + first * NUMBER_OF_DISHES - first * (first - 1) // 2 + second - first


@compiled
def choose(lots: Any, observation: Any, mask: Any) -> Any:
    """The action after which the own points are expected to be furthest above the mean of the others'."""
    players = FEWEST_PLAYERS
    for more in range(1, MOST_PLAYERS - FEWEST_PLAYERS + 1):
        players += more * count(observation, PLAYERS + more, 1)
    supply = count(observation, SUPPLY, CARDS)
    unseen, dishes, followers = 0, 0, 0
    for dish in range(NUMBER_OF_DISHES):
        unseen += count(observation, UNSEEN + dish, PORTIONS)
        dishes += observation[TABLE + dish] > 0.0
    for away in range(1, players):
        followers += observation[TO_ACT + away] > 0.5
    growth = growth_per_portion(observation, players, supply, unseen)

    feed, feeding_wins = -1, _IMPOSSIBLE
    if observation[TABLE_EMERALDS] > 0.0 or observation[EMERALD_DRAWN] > 0.0:
        feed, feeding_wins = best_feeding(observation, players, growth)
    if mask[PLACE]:
        return feed if feeding_wins > 0.0 else PLACE

    # One dish taken, one dish fewer for those to come.
    left_if_taken = chance_left(dishes - 1, followers)
    left_if_not = chance_left(dishes, followers)
    take, taking_wins, leaving_wins, drawing_wins = -1, _IMPOSSIBLE, 0.0, 0.0
    for dish in range(NUMBER_OF_DISHES):
        king, hand = count(observation, KING + dish, PORTIONS), count(observation, HAND + dish, PORTIONS)
        outlook = outlook_of(observation, dish, growth)
        so_far = worth(hand, king, outlook)
        table = count(observation, TABLE + dish, PORTIONS)
        if table > 0:
            kings_gain = lead(observation, players, dish, king + table, outlook)
            kings_gain -= lead(observation, players, dish, king, outlook)
            leaving_wins += kings_gain
            wins = worth(hand + table, king, outlook) - so_far - left_if_taken * kings_gain
            if wins > taking_wins:
                take, taking_wins = dish, wins
        share = count(observation, UNSEEN + dish, PORTIONS)
        if share > 0:
            drawing_wins += share * (worth(hand + 1, king, outlook) - so_far) / unseen

    action, best = PASS, _IMPOSSIBLE
    if take >= 0:
        action, best = TAKE + take, taking_wins + left_if_taken * leaving_wins
    if mask[DRAW]:
        wins = drawing_wins * chance_of_portion(observation, supply) + left_if_not * leaving_wins
        if supply >= 2 * players:
            wins += HOPE
        if wins > best:
            action, best = DRAW, wins
    if feed >= 0 and mask[feed] and feeding_wins - PATIENCE + left_if_not * leaving_wins > best:
        action = feed
    return action
