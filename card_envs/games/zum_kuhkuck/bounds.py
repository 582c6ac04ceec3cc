"""What no game of Zum Kuhkuck goes beyond: the worst margin, and the numbers that the rules rely on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.games.zum_kuhkuck.state import (
    BONUS,
    DECK,
    ELECTRICITY,
    ELECTRICITY_CARDS,
    FULL_HAND,
    PLAYERS,
    POINTS_PER_CARD,
    Options,
)


def worst_margin(options: Options) -> float:
    """All five colours announced by the other, each with a full hand that holds all cards of the colour.

    A bonus needs an announcement of one's own, which brings at least one card of the colour and the table's lowest
    entry; where that is less than the bonus, being beaten in the colour is worse than leaving it open.
    """
    best, least = max(options.score_table), min(options.score_table) + POINTS_PER_CARD
    announced = len(DECK) * best + POINTS_PER_CARD * int(DECK.sum())
    return -float(announced + len(DECK) * max(BONUS - least, 0))


def possible(states: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of these records the rules can work with: no more cards than there are, now and at the last reshuffle."""
    wide = {name: states[name].astype(np.int64) for name in states.dtype.names or () if name != "stream"}
    there = wide["pile"][:, :ELECTRICITY] + wide["shown"] + (wide["hand"] + wide["lost"]).sum(axis=1)
    good = (there <= DECK).all(axis=1) & (wide["pile"][:, ELECTRICITY] <= ELECTRICITY_CARDS)
    good &= (wide["hand"].sum(axis=2) <= FULL_HAND).all(axis=1)
    then, held, held_lost = wide["hand_then"], wide["held"], wide["held_lost"]
    good &= ((held == 0) | (held_lost == 0)).all(axis=1)
    good &= (then.sum(axis=2) <= FULL_HAND).all(axis=1)
    good &= (wide["shown_then"] + (then + wide["lost_then"]).sum(axis=1) <= DECK).all(axis=1)
    for player in range(PLAYERS):
        # What was held then is in the hand, lost or shown since, and no card was in two hands.
        now = wide["hand"][:, player] + wide["lost"][:, player] + wide["shown"]
        good &= (then[:, player] <= now).all(axis=1)
        for since, where in ((held, "hand"), (held_lost, "lost")):
            all_there = (then[:, player] <= wide[where][:, player]).all(axis=1)
            good &= (since[:, player] == 0) | (all_there & (since[:, player] == then[:, player].sum(axis=1)))
        good &= (held[:, player] + held_lost[:, player] > 0) | (
            then[:, player] <= wide["hand_with_held"][:, player]
        ).all(axis=1)
        others = DECK - wide["hand_with_held"][:, player] - then[:, 1 - player]
        good &= (others >= 0).all(axis=1)
    return np.asarray(good)
