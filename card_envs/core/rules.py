"""The questions that the engine asks of a game.

`state` is one record. Every state has, whatever the game, the fields of `COMMON_FIELDS`: `stream` (chance), `players`,
and `seat`, the seat to act, which is -1 once the game is over. The functions below are what a game's own must look
like; they say so to readers and type checkers and are never called. A game hands its own over in `Game(rules=...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from card_envs.core.compile import for_loops

COMMON_FIELDS: list[Any] = [("stream", "u8"), ("players", "u1"), ("seat", "i1")]


def state_dtype(*own_fields: Any) -> np.dtype[Any]:
    """The record of a game's state: what every game has, then the game's own fields."""
    return np.dtype([*COMMON_FIELDS, *own_fields], align=True)


def take_nothing_back(state: Any) -> None:
    """The `take_back` of games in which players act one after the other, and all see what was done."""


@dataclass(frozen=True)
class Rules:
    """A game's answers to the engine's questions, as compiled functions. `take_back` is for simultaneous choices."""

    deal: Callable[[Any], None]
    legal: Callable[[Any, Any, Any], None]
    apply: Callable[[Any, Any], None]
    score: Callable[[Any, Any, Any], None]
    redraw_hidden: Callable[[Any, Any], None]
    take_back: Callable[[Any], None] = take_nothing_back

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, for_loops(getattr(self, field.name)))


def deal(state: Any) -> None:
    """Start a game. Options, players and stream are set, everything else is zero."""


def legal(state: Any, seat: Any, mask: Any) -> None:
    """Mark with 1 what the seat may do now. The mask comes filled with zeros."""


def apply(state: Any, action: Any) -> None:
    """Play a legal action of the seat to act, and all that follows by itself."""


def score(state: Any, points: Any, sheet: Any) -> None:
    """Write each player's points and score sheet row. Both come as zeros."""


def redraw_hidden(state: Any, seat: Any) -> None:
    """Draw anew everything that the seat cannot know, true to what it does know."""


def take_back(state: Any) -> None:
    """Go back to the beginning of the simultaneous choice under way: nobody has chosen, and the first is to choose.

    Search does so in imagined games, where a model of the others chooses for them instead.
    """


def observe(state: Any, seat: Any, out: Any) -> None:
    """Write what the seat knows, in [0, 1], into every entry of `out`."""


def choose(lots: Any, observation: Any, mask: Any) -> Any:
    """The game's hand-written player: a legal action from these alone. `lots` has a stream, for drawing lots."""


def arrays_of(handle: Any) -> Any:
    """The arrays of a batch. See core/arrays.py."""
