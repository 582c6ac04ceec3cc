"""What no game of King Lui goes beyond: the worst margin, and the numbers that the rules rely on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.games.king_lui.state import DISHES, EMERALDS, PORTIONS, Options


def worst_margin(options: Options) -> float:
    """Nothing, while the others share the most that all dishes can bring: half of the portions with the king."""
    most_of_a_dish = (PORTIONS // 2) * (PORTIONS - PORTIONS // 2)
    return -len(DISHES) * most_of_a_dish / (options.players - 1)


def possible(states: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of these records the rules can work with: no more cards than there are, and a chef at the table."""
    good = (states["chef"] < states["players"]) & (states["emerald_drawn"] <= 1)
    good &= (states["acted"] < states["players"]) | (states["seat"] < 0)
    good &= (states["supply"][:, -1] <= EMERALDS) & (states["table_emeralds"] <= EMERALDS)
    for stack in (states["supply"][:, :-1], *(states[name] for name in ("table", "king", "fed", "taken", "drawn"))):
        good &= (stack <= PORTIONS).reshape(len(states), -1).all(axis=1)
    return np.asarray(good)
