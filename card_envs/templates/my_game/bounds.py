"""What no game of My Game goes beyond: the worst margin, and the numbers that the rules rely on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .state import HAND, VALUES, Options


def worst_margin(options: Options) -> float:
    """The lowest cards in the own hand, the highest in all others. An illegal action costs as much."""
    return -float(HAND * (VALUES - 1))


def possible(states: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of these records the rules can work with: the card about which somebody decides is one of ours."""
    return np.asarray((states["drawn"] < VALUES) & ((states["drawn"] >= 0) | (states["seat"] < 0)))
