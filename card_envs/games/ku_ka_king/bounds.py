"""What no game of Ku-Ka-King goes beyond: the worst margin, and the numbers that the rules rely on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from card_envs.games.ku_ka_king.state import (
    CARDS_FOR_FIRST_SCORING,
    CHURCH,
    FARMER,
    FARMHOUSE,
    FIRST_ANIMAL,
    FULL_ROW,
    KING,
    KNIGHT,
    MOST_PLAYERS,
    MOST_ROWS,
    TYPES,
    VICTORY_2,
    VICTORY_3,
    VICTORY_4,
    WIFE,
    Options,
    most_rounds,
)


def worst_margin(options: Options) -> float:
    """Nothing, while every other player has the best cards there are, in both scorings.

    Before the first scoring nobody had enough cards for it, so that nobody has more than one row more; at the end
    nobody has more than a full row of each round.
    """
    deck = cast(Sequence[int], options.deck)
    first = CARDS_FOR_FIRST_SCORING - 1 + FULL_ROW
    last = FULL_ROW * most_rounds(options.players)
    best = best_collections(deck, max(first, last))
    return -float(best[first] + best[last])


def best_collections(deck: Sequence[int], most: int) -> list[int]:
    """The points of the best collection of 0, 1, 2, ... cards out of this deck, in one scoring."""
    pairs = min(deck[FARMER], deck[WIFE])
    farms = min(pairs, deck[FARMHOUSE])
    # What 0, 1, 2, ... cards of each kind bring.
    worth = [
        [0, *(min((kings - 1) ** 2, 36) for kings in range(1, deck[KING] + 1))],
        [0, 10] if deck[CHURCH] else [0],
        [2 * knights for knights in range(deck[KNIGHT] + 1)],
        [0],
        [0],
    ]
    for points, kind in ((4, VICTORY_4), (3, VICTORY_3), (2, VICTORY_2)):
        worth[3] += [worth[3][-1] + points * (number + 1) for number in range(deck[kind])]
    for _ in range(farms):  # a couple needs two cards, and the farmhouse brings as much with one
        worth[4] += [worth[4][-1], worth[4][-1] + 7, worth[4][-1] + 14]
    for _ in range(pairs - farms):
        worth[4] += [worth[4][-1], worth[4][-1] + 7]
    worth += [[number * (number + 1) // 2 for number in range(deck[kind] + 1)] for kind in range(FIRST_ANIMAL, TYPES)]
    best = [0] * (most + 1)
    for brings in worth:
        best = [
            max(best[cards - own] + brings[own] for own in range(min(cards, len(brings) - 1) + 1))
            for cards in range(most + 1)
        ]
    return best


def possible(states: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of these records the rules can work with: cards that exist, rows that can be chosen, choices still open."""
    lengths, choices = states["lengths"], states["choices"].astype(np.int64)
    seats, to_act = np.arange(MOST_PLAYERS), states["seat"][:, None]
    good = (lengths <= FULL_ROW).all(axis=1) & (states["rows"] < TYPES).all(axis=(1, 2))
    good &= (choices <= MOST_ROWS).all(axis=1) & (states["last_reveal"] <= MOST_ROWS).all(axis=1)
    good &= (states["pile"] <= states["unseen"].sum(axis=1)) & (states["waiting"] <= 1).all(axis=1)
    absent = seats >= states["players"][:, None]
    good &= ~(absent & ((states["waiting"] > 0) | (choices > 0))).any(axis=1)
    # Whoever is to act has no row and has chosen none, nor have those who are asked afterwards.
    good &= (np.where(seats == to_act, states["waiting"], 1) == 1).all(axis=1)
    good &= (np.where((seats >= to_act) & (to_act >= 0), choices, 0) == 0).all(axis=1)
    chosen = np.take_along_axis(lengths, np.clip(choices - 1, 0, MOST_ROWS - 1), axis=1)
    good &= ((choices == 0) | ((chosen > 0) & (states["waiting"] > 0))).all(axis=1)
    return np.asarray(good)
