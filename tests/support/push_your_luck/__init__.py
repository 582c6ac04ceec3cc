"""Push your luck: two players, one after the other, and nothing is hidden. All of it can be solved.

Whoever is to act draws for 3 points, or stops and keeps them; three draws in ten lose all points of the run and end it.
Then the other does the same, knowing what is to be beaten. The higher number wins; equal numbers share the win.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from card_envs.core.batch import Batch
from card_envs.core.chance import below
from card_envs.core.compile import compiled
from card_envs.core.game import Game
from card_envs.core.layout import Field, Layout
from card_envs.core.options import one_of
from card_envs.core.rules import Rules, state_dtype

DRAW, STOP = 0, 1
BRINGS, MOST, LOSES = 3, 18, 3  # in ten
STEPS = MOST // BRINGS + 1
BOT_STOPS = 6
STATE = state_dtype(("pot", "u1"), ("kept", "u1", 2))
LAYOUT = Layout(
    Field("seat", (2,), 1, "1 for the own seat"),
    Field("pot", (STEPS,), 1, "1 for the points at stake"),
    Field("kept", (2, STEPS), 1, "1 for the points that each has kept, oneself first"),
)


@dataclass(frozen=True)
class Options:
    players: int = 2

    def __post_init__(self) -> None:
        one_of(self.players, "players", (2,))

    def fill(self, state: Any) -> None:
        """There is nothing to choose."""


@compiled
def deal(state: Any) -> None:
    state.seat = 0


@compiled
def legal(state: Any, seat: Any, mask: Any) -> None:
    mask[DRAW] = 1
    mask[STOP] = 1


@compiled
def apply(state: Any, action: Any) -> None:
    if action == DRAW:
        if below(state, 10) >= LOSES:
            state.pot += BRINGS
            if state.pot < MOST:
                return
        else:
            state.pot = 0
    state.kept[state.seat] = state.pot
    state.pot = 0
    state.seat = 1 if state.seat == 0 else -1


@compiled
def observe(state: Any, seat: Any, out: Any) -> None:
    out[:] = 0.0
    out[seat] = 1.0
    out[2 + int(state.pot) // BRINGS] = 1.0
    out[2 + STEPS + int(state.kept[seat]) // BRINGS] = 1.0
    out[2 + 2 * STEPS + int(state.kept[1 - seat]) // BRINGS] = 1.0


@compiled
def score(state: Any, points: Any, sheet: Any) -> None:
    for player in range(points.size):
        points[player] = state.kept[player]


@compiled
def redraw_hidden(state: Any, seat: Any) -> None:
    """Nothing is hidden."""


@compiled
def choose(lots: Any, observation: Any, mask: Any) -> Any:
    """Stops with 6 points, whatever is to be beaten."""
    return DRAW if observation[2] > 0 or observation[3] > 0 else STOP


GAME = Game(
    name="push_your_luck",
    title="Push your luck",
    version=0,
    home=__name__,
    players=(2,),
    record=STATE,
    options=Options,
    actions=("draw", "stop"),
    rules=Rules(deal, legal, apply, score, redraw_hidden),
    layout=LAYOUT,
    observe=observe,
    bot=choose,
    score_columns=("points",),
    view=lambda state, seat: {"to_act": int(state["seat"])},
)


Place = tuple[int, int, int]  # seat, points at stake, points that the first has kept
PLACES: list[Place] = [
    *((0, pot, 0) for pot in range(0, MOST, BRINGS)),
    *((1, pot, kept) for kept in range(0, MOST + 1, BRINGS) for pot in range(0, MOST, BRINGS)),
]
Play = dict[Place, float]  # how likely to draw in each place


def batch_of_places() -> Batch:
    """One game in each position that there is."""
    batch = Batch(GAME, len(PLACES), seed=0, auto_reset=False)
    for game, (seat, pot, kept) in enumerate(PLACES):
        batch.states["seat"][game], batch.states["pot"][game] = seat, pot
        batch.states["kept"][game, 0] = kept
    batch.show()
    return batch


def action_values(play: Play) -> dict[tuple[Place, int], float]:
    """What the seat to act gets for each action, if everybody plays so from then on: by going through all of it."""

    @functools.cache
    def value(place: Place) -> float:
        return play[place] * after(place, DRAW) + (1 - play[place]) * after(place, STOP)

    @functools.cache
    def after(place: Place, action: int) -> float:
        seat, pot, kept = place
        if action == STOP:
            return ends(seat, pot, kept)
        grown = pot + BRINGS
        on = ends(seat, grown, kept) if grown == MOST else value((seat, grown, kept))
        return (1 - LOSES / 10) * on + LOSES / 10 * ends(seat, 0, kept)

    def ends(seat: int, pot: int, kept: int) -> float:
        return float(np.sign(pot - kept)) if seat == 1 else -value((1, 0, pot))

    return {(place, action): after(place, action) for place in PLACES for action in (DRAW, STOP)}


BOT: Play = {place: float(place[1] < BOT_STOPS) for place in PLACES}
RANDOM: Play = dict.fromkeys(PLACES, 0.5)


def improved(play: Play) -> Play:
    """The better action in each place, if everybody plays so from then on."""
    values = action_values(play)
    return {place: float(values[place, DRAW] > values[place, STOP]) for place in PLACES}


def start_value(play: Play, other: Play) -> float:
    """What whoever plays so gets against the other, half of the time as the first."""
    first = {place: (play if place[0] == 0 else other)[place] for place in PLACES}
    second = {place: (other if place[0] == 0 else play)[place] for place in PLACES}
    start = (0, 0, 0)

    def value(mixed: Play) -> float:
        values = action_values(mixed)
        return mixed[start] * values[start, DRAW] + (1 - mixed[start]) * values[start, STOP]

    return (value(first) - value(second)) / 2
