"""Zum Kuhkuck's hand-written player: it plays for the win, not for points.

Before each turn it asks one question: are the chances to win the game better with this announcement, or with some more
cards first? Chances come from the lead in points, and from how many announcements the player nearer to the end still
needs. So a player who is far behind and short of time risks much, and a player who is ahead brings the hand home.
"""

from __future__ import annotations

import math
from typing import Any

from card_envs.core.compile import compiled
from card_envs.games.zum_kuhkuck.observation import (
    DISCARDED_ELECTRICITY,
    HAND,
    HAND_SIZES,
    PILE,
    POINTS,
    SCORE_TABLE,
    UNSEEN,
    WOULD_SCORE,
)
from card_envs.games.zum_kuhkuck.rules import NUMBER_OF_TYPES
from card_envs.games.zum_kuhkuck.state import (
    ANNOUNCE,
    BONUS,
    CARDS,
    DRAW,
    ELECTRICITY_CARDS,
    FEWEST_TO_ANNOUNCE,
    FULL_HAND,
    HAND_IN,
    MOST_OF_A_TYPE,
    MOST_POINTS,
    POINTS_PER_CARD,
    RESHUFFLE_AT,
)

SWING = 15.0  # points by which a lead can easily change per announcement to come; an announcement brings about 20
TURN_WORTH = 0.5  # points that a turn is worth to the other, who gets one for each card drawn here
USUAL_CARDS, USUAL_OF_A_COLOUR = 10, 3  # a middling announcement: a better one is hard to beat
USUAL_SPREAD = 15.0  # an announcement so far from the usual wins or loses its bonus, if the other plays that colour
BONUS_TO_COME = 0.3  # of a bonus, while the other has not announced the colour: the game may well end before that
GUESS = 3.0  # points by which a hand planned some cards ahead can miss what it is expected to bring


@compiled
def read(observation: Any, at: Any, scale: Any) -> Any:
    """A whole number from the observation."""
    return int(observation[at] * scale + 0.5)


@compiled
def points_of(observation: Any, player: Any, kind: Any) -> Any:
    """What a player has announced for a colour, 0 if it is open. Player 0 is the own seat, 1 the other."""
    return read(observation, POINTS + NUMBER_OF_TYPES * player + kind, MOST_POINTS)


@compiled
def open_colours(observation: Any, player: Any) -> Any:
    """How many announcements a player still needs to end the game."""
    number = 0
    for kind in range(NUMBER_OF_TYPES):
        number += points_of(observation, player, kind) == 0
    return number


@compiled
def settled_bonus(points: Any, others: Any) -> Any:
    """The bonus, or minus the other's, for a colour as it stands."""
    if points == others or points == 0 or others == 0:
        return 0
    return BONUS if points > others else -BONUS


@compiled
def lead(observation: Any) -> Any:
    """How many points the own seat would win by, were the game over now."""
    total = 0
    for kind in range(NUMBER_OF_TYPES):
        own, others = points_of(observation, 0, kind), points_of(observation, 1, kind)
        total += own - others + settled_bonus(own, others)
    return total


@compiled
def expected_bonus(points: Any, others: Any, usual: Any, doubt: Any) -> Any:
    """A lower announcement than the other's gives 10 points away; while there is none, a high one will be hard to beat.

    `doubt` is by how many points `points` may be wrong; 1 when they are sure.
    """
    if others > 0:
        return BONUS * min(1.0, max(-1.0, (points - others) / doubt))
    return BONUS * BONUS_TO_COME * min(1.0, max(-1.0, (points - usual) / USUAL_SPREAD))


@compiled
def chances(ahead: Any, own_open: Any, others_open: Any) -> Any:
    """The chances to win, from 0 to 1, with an empty hand: a lead is safer the sooner the game can end."""
    safety = ahead / (SWING * min(own_open, others_open))
    return 0.5 + 0.5 * safety / math.sqrt(1.0 + safety * safety)


@compiled
def planned_gain(observation: Any, cards: Any, more: Any, unseen: Any, usual: Any) -> Any:
    """What the hand is expected to bring after so many more cards, in the colour that is then best."""
    base = read(observation, SCORE_TABLE + cards + more - FEWEST_TO_ANNOUNCE, MOST_POINTS)
    best = -1000.0
    for kind in range(NUMBER_OF_TYPES):
        if points_of(observation, 0, kind) == 0:
            share = read(observation, UNSEEN + kind, MOST_OF_A_TYPE) / unseen
            of_kind = read(observation, HAND + kind, MOST_OF_A_TYPE) + more * share
            points = base + POINTS_PER_CARD * of_kind
            gain = points + expected_bonus(points, points_of(observation, 1, kind), usual, GUESS)
            best = max(best, gain)
    return best


@compiled
def danger(observation: Any, drawn: Any, cards: Any, others_cards: Any) -> Any:
    """The chance of electricity after so many draws without it, while the other player draws as well."""
    pile = read(observation, PILE, CARDS)
    if pile - 2 * drawn > RESHUFFLE_AT:
        return (ELECTRICITY_CARDS - read(observation, DISCARDED_ELECTRICITY, ELECTRICITY_CARDS)) / (pile - drawn)
    return ELECTRICITY_CARDS / (CARDS - cards - others_cards)  # all five are back after a reshuffle


@compiled
def chances_of_drawing(
    observation: Any, cards: Any, others_cards: Any, ahead: Any, own_open: Any, others_open: Any, usual: Any
) -> Any:
    """The best plan of the kind "so many more cards, then announce": if electricity comes first, the hand is gone."""
    unseen = 0
    for kind in range(NUMBER_OF_TYPES):
        unseen += read(observation, UNSEEN + kind, MOST_OF_A_TYPE)
    unseen = max(unseen, 1)
    best, survives = 0.0, 1.0
    for more in range(1, FULL_HAND - cards + 1):
        survives *= 1.0 - danger(observation, more - 1, cards, others_cards)
        if cards + more >= FEWEST_TO_ANNOUNCE:
            gain = planned_gain(observation, cards, more, unseen, usual)
            then = ahead - TURN_WORTH * more
            announced, lost = chances(then + gain, own_open - 1, others_open), chances(then, own_open, others_open)
            best = max(best, survives * announced + (1.0 - survives) * lost)
    return best


@compiled
def last_announcement(observation: Any, mask: Any, ahead: Any) -> Any:
    """With one colour open: end the game if that does not lose it, and never otherwise."""
    for kind in range(NUMBER_OF_TYPES):
        if mask[ANNOUNCE + kind] != 0:
            points = read(observation, WOULD_SCORE + kind, MOST_POINTS)
            result = ahead + points + settled_bonus(points, points_of(observation, 1, kind))
            if result >= 0 or mask[DRAW] == 0:
                return ANNOUNCE + kind
    return DRAW


@compiled
def choose(lots: Any, observation: Any, mask: Any) -> Any:
    """Announce the best colour, or draw if that promises better chances to win."""
    cards, others_cards = read(observation, HAND_SIZES, FULL_HAND), read(observation, HAND_SIZES + 1, FULL_HAND)
    if mask[HAND_IN] != 0:
        return HAND_IN
    if cards < FEWEST_TO_ANNOUNCE:
        return DRAW
    ahead, own_open, others_open = lead(observation), open_colours(observation, 0), open_colours(observation, 1)
    if own_open == 1:
        return last_announcement(observation, mask, ahead)
    usual_base = read(observation, SCORE_TABLE + USUAL_CARDS - FEWEST_TO_ANNOUNCE, MOST_POINTS)
    usual = usual_base + POINTS_PER_CARD * USUAL_OF_A_COLOUR
    announce, best = DRAW, -1.0
    for kind in range(NUMBER_OF_TYPES):
        if mask[ANNOUNCE + kind] != 0:
            points = read(observation, WOULD_SCORE + kind, MOST_POINTS)
            gain = points + expected_bonus(points, points_of(observation, 1, kind), usual, 1.0)
            value = chances(ahead + gain, own_open - 1, others_open)
            if value > best:
                announce, best = ANNOUNCE + kind, value
    if mask[DRAW] == 0:
        return announce
    draw = chances_of_drawing(observation, cards, others_cards, ahead, own_open, others_open, usual)
    return DRAW if draw >= best else announce
