"""Equilibria of small games in which all choose at once, approached round by round, compiled.

For two who win from each other what both can win there is one, in effect, and regret matching plus finds it. Where
there are more seats there are several, in which one seat gets what another one wants as well, and nobody can tell which
of them the others play but by what they are used to do: so habits are followed, as far as that costs little.
"""

from __future__ import annotations

import math
from typing import Any

from card_envs.core.compile import inner

FORGOTTEN = 0.1  # part of a habit: otherwise what it gains here and there would grow into certainty


@inner
def match(regret: Any, count: Any, likely: Any) -> None:
    """Each choice as likely as it is regretted; all alike if none is."""
    total = 0.0
    for k in range(count):
        total += regret[k]
    for k in range(count):
        likely[k] = regret[k] / total if total > 0 else 1.0 / count


@inner
def solve(worth: Any, legal: Any, rounds: Any, room: Any, likely: Any) -> None:
    """How likely each choice is in equilibrium, for both of two, into `likely`: the late rounds count most.

    `worth` is what pairs are worth to the first, which the other loses. The other answers what the first one's choices
    have just become, which comes nearer in so many rounds than if both moved at once. `legal` has the numbers of the
    choices that there are; `room` is there to be written in.
    """
    count = legal.size
    regret, now, gain = room[0], room[1], room[2, 0]
    for seat in range(2):
        for k in range(count):
            regret[seat, k] = 0.0
            now[seat, k] = 1.0 / count
            likely[seat, legal[k]] = 0.0
    total = 0.0
    for number in range(rounds):
        weight = number + 1.0
        total += weight
        for seat in range(2):
            value = 0.0
            for i in range(count):
                gain[i] = 0.0
                for j in range(count):
                    pair = worth[legal[i], legal[j]] if seat == 0 else -worth[legal[j], legal[i]]
                    gain[i] += pair * now[1 - seat, j]
                value += gain[i] * now[seat, i]
            for i in range(count):
                regret[seat, i] = max(regret[seat, i] + gain[i] - value, 0.0)
            match(regret[seat], count, now[seat])
            for k in range(count):
                likely[seat, legal[k]] += weight * now[seat, k]
    for seat in range(2):
        for k in range(count):
            likely[seat, legal[k]] /= total


@inner
def settle(worth: Any, habit: Any, ease: Any, seats: Any, legal: Any, rounds: Any, room: Any, likely: Any) -> None:
    """How likely each choice of each of these `seats` is where all leave their habits for what is worth more.

    `worth` has three arrays: what a seat's choices are worth alone; what is added if others make the same choice; and
    what is added by a choice of another seat, by own seat, other seat, own choice, other choice. `habit` has logits.
    What is worth `ease` more than another choice is e times as likely beside it as by habit. All seats move together,
    by what their choices were worth in the mean of all rounds, of which the late ones count most.
    """
    count = legal.size
    now, before, mean, gain, free = room[0], room[1], room[2], room[3, 0], room[3, 1]
    for seat in seats:
        for k in range(count):
            mean[seat, k] = 0.0
        lean(habit[seat], legal, mean[seat], ease, now[seat])
    total = 0.0
    for number in range(rounds):
        weight = number + 1.0
        total += weight
        before[:] = now
        for seat in seats:
            fill_gain(worth, seats, legal, seat, before, gain, free)
            for i in range(count):
                mean[seat, i] += (gain[i] - mean[seat, i]) * (weight / total)
            lean(habit[seat], legal, mean[seat], ease, now[seat])
    for seat in seats:
        for k in range(count):
            likely[seat, legal[k]] = now[seat, k]


@inner
def lean(habit: Any, legal: Any, worth: Any, ease: Any, likely: Any) -> None:
    """How likely each choice is by habit, and by what it is worth."""
    highest, total = -math.inf, 0.0
    for k in range(legal.size):
        likely[k] = (1.0 - FORGOTTEN) * habit[legal[k]] + worth[k] / ease
        highest = max(highest, likely[k])
    for k in range(legal.size):
        likely[k] = math.exp(likely[k] - highest)
        total += likely[k]
    for k in range(legal.size):
        likely[k] /= total


@inner
def fill_gain(worth: Any, seats: Any, legal: Any, own: Any, now: Any, gain: Any, free: Any) -> None:
    """What each choice of a seat is worth, where the others make theirs as likely as `now` says."""
    alone, met, beside = worth
    count = legal.size
    for i in range(count):
        gain[i], free[i] = alone[own, legal[i]], 1.0
    for other in seats:
        if other != own:
            for i in range(count):
                free[i] *= 1.0 - now[other, i]
                row = beside[own, other, legal[i]]
                for j in range(count):
                    gain[i] += row[legal[j]] * now[other, j]
    for i in range(count):
        gain[i] += met[own, legal[i]] * (1.0 - free[i])
