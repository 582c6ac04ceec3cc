"""Equilibria of small games in which all choose at once, approached by regret matching plus, compiled.

What a choice is worth to a seat is the sum of what it is worth by itself and beside the choice of each other seat, and
of what it means that anybody else, however many, chooses the same. At tables of two that says everything; where there
are more, it leaves out what only three choices together would bring.
"""

from __future__ import annotations

from typing import Any

from card_envs.core.compile import inner


@inner
def match(regret: Any, count: Any, likely: Any) -> None:
    """Each choice as likely as it is regretted; all alike if none is."""
    total = 0.0
    for k in range(count):
        total += regret[k]
    for k in range(count):
        likely[k] = regret[k] / total if total > 0 else 1.0 / count


@inner
def solve(worth: Any, seats: Any, legal: Any, rounds: Any, together: Any, room: Any, likely: Any) -> None:
    """How likely each choice of each of these `seats` is in equilibrium, into `likely`: the late rounds count most.

    `worth` has three arrays: what a seat's choices are worth alone; what is added if others make the same choice; and
    what is added by a choice of another seat, by own seat, other seat, own choice, other choice. `legal` has the
    numbers of the choices that there are, which are everybody's; `room` is there to be written in.

    In each round a seat answers what the one before has just become, which comes nearer in so many rounds than if all
    move `together`. But where not all is won from each other there are several equilibria, in which one seat gets what
    another one wants as well: whoever moves first takes it. There all must move together, or each seat, which counts
    itself as the first, would play another equilibrium than its neighbour.
    """
    count = legal.size
    regret, now, before, gain, free = room[0], room[1], room[2], room[3, 0], room[3, 1]
    for seat in seats:
        for k in range(count):
            regret[seat, k] = 0.0
            now[seat, k] = 1.0 / count
            likely[seat, legal[k]] = 0.0
    total = 0.0
    for number in range(rounds):
        weight = number + 1.0
        total += weight
        if together:
            before[:] = now
        answered = before if together else now
        for seat in seats:
            fill_gain(worth, seats, legal, seat, answered, gain, free)
            value = 0.0
            for i in range(count):
                value += gain[i] * answered[seat, i]
            for i in range(count):
                regret[seat, i] = max(regret[seat, i] + gain[i] - value, 0.0)
            match(regret[seat], count, now[seat])
            for k in range(count):
                likely[seat, legal[k]] += weight * now[seat, k]
    for seat in seats:
        for k in range(count):
            likely[seat, legal[k]] /= total


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
