"""A game's functions as plain Python, in which chance does not happen but branches: all outcomes, each with how likely.

Rules draw chance through two functions, `below` and `draw_card`. Copies of the rules (as `compile.specialise` makes
them) name others in their place, which follow a script: the first call of a rule draws the first outcome everywhere,
and the following ones go through all others. So the rules of a game are enumerated as they are, written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from card_envs.core import chance
from card_envs.core.compile import source_function

Result = TypeVar("Result")


class Branches:
    """Chance as a script: which outcome each draw has, of those that are possible there."""

    def __init__(self) -> None:
        self._script: list[int] = []
        self._odds: list[list[float]] = []

    def outcomes(self, play: Callable[[], Result]) -> Iterator[tuple[Result, float]]:
        """What comes of a function, for each way in which chance can turn out, with how likely that is."""
        self._script = []
        while True:
            self._odds = []
            result = play()
            likely = 1.0
            for odds, place in zip(self._odds, self._script, strict=True):
                likely *= odds[place]
            yield result, likely
            while self._script and self._script[-1] + 1 == len(self._odds[len(self._script) - 1]):
                self._script.pop()
            if not self._script:
                return
            self._script[-1] += 1

    def _draw(self, odds: list[float]) -> int:
        """The place of the outcome that the script has here, or the first where it ends."""
        self._odds.append(odds)
        if len(self._odds) > len(self._script):
            self._script.append(0)
        return self._script[len(self._odds) - 1]

    def below(self, state: Any, n: Any) -> int:
        """In the place of chance.below."""
        return self._draw([1.0 / int(n)] * int(n))

    def draw_card(self, state: Any, counts: Any, cards: Any) -> int:
        """In the place of chance.draw_card: one branch per type of card, and not per card."""
        kinds = np.flatnonzero(counts).tolist()
        kind: int = kinds[self._draw([int(counts[one]) / int(cards) for one in kinds])]
        counts[kind] -= 1
        return kind


class PlainCopies:
    """Copies of functions and of all that they call, in plain Python, with branches in the place of chance."""

    def __init__(self, branches: Branches) -> None:
        self._made: dict[FunctionType, Callable[..., Any]] = {
            source_function(chance.below): branches.below,
            source_function(chance.draw_card): branches.draw_card,
        }

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The copy of one function; the same one each time."""
        source = source_function(function)
        if source not in self._made:
            space = dict(source.__globals__)
            copy = FunctionType(source.__code__, space, source.__name__, source.__defaults__, source.__closure__)
            self._made[source] = copy
            for name in source.__code__.co_names:
                if name in space and _is_written_in_python(space[name]):
                    space[name] = self.of(space[name])
        return self._made[source]


def _is_written_in_python(value: object) -> bool:
    return isinstance(value, FunctionType) or hasattr(value, "py_func")
