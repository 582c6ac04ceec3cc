"""What choices are worth, put together from what a network says of them, compiled; agents/duel.py says how."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from card_envs.core.compile import inner

OWN, OTHERS, SAME, FIRST_PAIR = range(4)  # for two: a, b and d of a choice, and where its u begins; its v follows
ALONE, MET, HABIT, FIRST_BESIDE = range(4)  # for more, of each seat: a, d and h, and where u and v begin
TWO = 2  # seats
DUEL_FORM = types.Tuple((*[types.int64] * 3, types.boolean, types.float64))  # type: ignore[no-untyped-call]


@inner
def fill_pairs(outputs: Any, value: Any, choices: Any, rank: Any, bounded: Any, worth: Any) -> None:
    """At a table of two, what each pair of choices is worth to whoever sees this."""
    for i in range(choices):
        for j in range(choices):
            more = np.float64(value) + np.float64(outputs[OWN * choices + i])
            more -= np.float64(outputs[OTHERS * choices + j])
            if i == j:
                more += np.float64(outputs[SAME * choices + i])
            else:
                for k in range(rank):
                    u, v = FIRST_PAIR + k, FIRST_PAIR + rank + k
                    more += np.float64(outputs[u * choices + i]) * np.float64(outputs[v * choices + j])
            worth[i, j] = math.tanh(more) if bounded else more


@inner
def room_for_sums(seats: Any, choices: Any) -> Any:
    """What `fill_sums` fills: worth alone, if others make the same choice, and beside each choice of each other."""
    return np.zeros((seats, choices)), np.zeros((seats, choices)), np.zeros((seats, seats, choices, choices))


@inner
def fill_sums(outputs: Any, seats: Any, choices: Any, rank: Any, worth: Any, habit: Any) -> None:
    """Where there are more seats, what each choice is worth to each of them, and what each is used to do."""
    alone, met, beside = worth
    each = (FIRST_BESIDE + 2 * rank) * choices
    for seat in range(seats):
        for i in range(choices):
            alone[seat, i] = outputs[seat * each + ALONE * choices + i]
            met[seat, i] = outputs[seat * each + MET * choices + i]
            habit[seat, i] = outputs[seat * each + HABIT * choices + i]
        for other in range(seats):
            for i in range(choices):
                for j in range(choices):
                    more = 0.0
                    for k in range(rank if i != j else 0):
                        u = seat * each + (FIRST_BESIDE + k) * choices + i
                        v = other * each + (FIRST_BESIDE + rank + k) * choices + j
                        more += np.float64(outputs[u]) * np.float64(outputs[v])
                    beside[seat, other, i, j] = more
