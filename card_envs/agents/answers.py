"""What an agent answers: a whole number for each row, and whether it is a legal action there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.errors import IllegalActionError


def check_form(name: str, answered: Any, rows: int) -> NDArray[Any]:
    """One whole number per row, or an IllegalActionError. Whether they are actions is another question."""
    actions = np.asarray(answered)
    if actions.shape != (rows,) or actions.dtype.kind not in "iu":
        raise IllegalActionError(
            f"the agent {name} must give {rows} whole numbers, one action per row, "
            f"not an array of shape {actions.shape} and type {actions.dtype}"
        )
    return actions


def legal_rows(actions: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.bool_]:
    """In which rows the number is an action that the mask allows."""
    known = (actions >= 0) & (actions < mask.shape[1])
    legal: NDArray[np.bool_] = known & (mask[np.arange(len(mask)), np.where(known, actions, 0)] != 0)
    return legal
