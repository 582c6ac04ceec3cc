"""What choices are worth, put together from what a network says of them, compiled; agents/duel.py says how."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from card_envs.core.compile import inner

OWN, OTHERS, SAME, FIRST_PAIR = range(4)  # for two: a, b and d of a choice, and where its u begins; its v follows
ALONE, MET, FIRST_BESIDE = range(3)  # for more, of each seat: a and d of a choice, and where u and v begin
TWO = 2  # seats
DUEL_FORM = types.Tuple((*[types.int64] * 3, types.boolean))  # type: ignore[no-untyped-call]  # see Duel.form


@inner
def fill_pairs(outputs: Any, value: Any, choices: Any, rank: Any, bounded: Any, beside: Any) -> None:
    """At a table of two, what each pair of choices is worth to whoever sees this, and takes from the other."""
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
            beside[0, 1, i, j] = math.tanh(more) if bounded else more
            beside[1, 0, j, i] = -beside[0, 1, i, j]


@inner
def fill_sums(outputs: Any, seats: Any, choices: Any, rank: Any, alone: Any, met: Any, beside: Any) -> None:
    """Where there are more seats, what each choice is worth to each of them, and more beside each other choice."""
    each = (FIRST_BESIDE + 2 * rank) * choices
    for seat in range(seats):
        for i in range(choices):
            alone[seat, i] = outputs[seat * each + ALONE * choices + i]
            met[seat, i] = outputs[seat * each + MET * choices + i]
        for other in range(seats):
            for i in range(choices):
                for j in range(choices):
                    more = 0.0
                    for k in range(rank if i != j else 0):
                        u = seat * each + (FIRST_BESIDE + k) * choices + i
                        v = other * each + (FIRST_BESIDE + rank + k) * choices + j
                        more += np.float64(outputs[u]) * np.float64(outputs[v])
                    beside[seat, other, i, j] = more


@inner
def room_for_worth(seats: Any, choices: Any) -> Any:
    """What `fill_worth` fills: worth alone, if others make the same choice, and beside each choice of each other."""
    return np.zeros((seats, choices)), np.zeros((seats, choices)), np.zeros((seats, seats, choices, choices))


@inner
def fill_worth(outputs: Any, value: Any, form: Any, worth: Any) -> None:
    """What choices are worth, from the network's numbers and V. At a table of two all is in what pairs are worth."""
    seats, choices, rank, bounded = form
    alone, met, beside = worth
    if seats == TWO:
        fill_pairs(outputs, value, choices, rank, bounded, beside)
    else:
        fill_sums(outputs, seats, choices, rank, alone, met, beside)
