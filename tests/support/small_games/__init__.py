"""Small games with known best policies, as variants of one: what can be learned must be learned there.

matching    Two seats choose high or low, unseen. The guesser (seat 1) has 2 points if both are high, 1 if both are low;
            otherwise the hider has 1. In equilibrium both play high with probability 2/5.
luck        Each of two seats draws for 3 points a time, loses all with chance 3/10, and may stop before. It is best to
            draw with 6 points or fewer and to stop with 9 or more.
one_seat    Seat 1 of three sees a hint, and wins if it follows it. Nobody else can do anything.
watched     Matching, watched by a third seat, who has 1 point for choosing low. Who has more than the mean of the two
            others plays high with probability 3/8 as the hider, 3/7 as the guesser, and never as the third.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from card_envs.core.chance import below
from card_envs.core.compile import compiled
from card_envs.core.game import Game
from card_envs.core.layout import Field, Layout
from card_envs.core.options import one_of
from card_envs.core.rules import Rules, state_dtype

RULES = ("matching", "luck", "one_seat", "watched")
MATCHING, LUCK, ONE_SEAT, WATCHED = range(4)
FIRST, SECOND = 0, 1  # high or low; draw or stop; follow hint 0 or hint 1
MOST_PLAYERS = 3
DRAW_BRINGS, MOST_POT = 3, 30
STATE = state_dtype(("rule", "u1"), ("hint", "u1"), ("pot", "u1"), ("chosen", "u1", 3), ("pots", "u1", 3))
LAYOUT = Layout(
    Field("seat", (MOST_PLAYERS,), 1, "1 for the own seat"),
    Field("hint", (2,), 1, "which action wins; for seat 1 of one_seat only"),
    Field("pot", (MOST_POT // DRAW_BRINGS + 1,), 1, "1 for the own points at stake, by number of draws"),
)


@dataclass(frozen=True)
class Options:
    players: int = 2
    rule: str = "matching"

    def __post_init__(self) -> None:
        one_of(self.rule, "rule", RULES)
        one_of(self.players, f"players of {self.rule}", (3,) if self.rule in ("one_seat", "watched") else (2,))

    def fill(self, state: Any) -> None:
        state["rule"] = RULES.index(self.rule)


@compiled
def deal(state: Any) -> None:
    state.seat = 0
    state.hint = below(state, 2)


@compiled
def legal(state: Any, seat: Any, mask: Any) -> None:
    mask[FIRST] = 1
    mask[SECOND] = 1


@compiled
def apply(state: Any, action: Any) -> None:
    if state.rule == LUCK and action == FIRST:
        if below(state, 10) >= 3:
            state.pot += DRAW_BRINGS
            if state.pot < MOST_POT:
                return
        else:
            state.pot = 0
    state.chosen[state.seat] = action
    state.pots[state.seat] = state.pot
    state.pot = 0
    state.seat = int(state.seat) + 1 if int(state.seat) + 1 < int(state.players) else -1


@compiled
def observe(state: Any, seat: Any, out: Any) -> None:
    out[:] = 0.0
    out[seat] = 1.0
    if state.rule == ONE_SEAT and seat == 1:
        out[3 + int(state.hint)] = 1.0
    out[5 + (int(state.pot) // DRAW_BRINGS if seat == state.seat else 0)] = 1.0


@compiled
def score(state: Any, points: Any, sheet: Any) -> None:
    if state.rule == MATCHING or state.rule == WATCHED:
        if state.chosen[0] != state.chosen[1]:
            points[0] = 1
        else:
            points[1] = 2 if state.chosen[0] == FIRST else 1
        if state.rule == WATCHED:
            points[2] = state.chosen[2]
    elif state.rule == LUCK:
        for player in range(points.size):
            points[player] = state.pots[player]
    elif state.chosen[1] == state.hint:
        points[1] = 1


@compiled
def redraw_hidden(state: Any, seat: Any) -> None:
    """Not needed here."""


@compiled
def choose(lots: Any, observation: Any, mask: Any) -> Any:
    return FIRST


GAME = Game(
    name="small_games",
    title="Small games",
    version=0,
    home=__name__,
    players=(2, 3),
    record=STATE,
    options=Options,
    actions=("first", "second"),
    rules=Rules(deal, legal, apply, score, redraw_hidden),
    layout=LAYOUT,
    observe=observe,
    bot=choose,
    score_columns=("points",),
    view=lambda state, seat: {"to_act": int(state["seat"])},
)
