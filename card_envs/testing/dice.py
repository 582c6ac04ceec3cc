"""The chance of a seeded game in plain Python, for referees. It shares no code with the engine's `core/chance.py`."""

from __future__ import annotations

from typing import TypeVar

Card = TypeVar("Card")
WORD = 2**64
GAMMA = 0x9E3779B97F4A7C15


def _mix(number: int) -> int:
    """Scramble a 64-bit number: the output function of splitmix64."""
    number %= WORD
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % WORD
    number = (number ^ number >> 27) * 0x94D049BB133111EB % WORD
    return number ^ number >> 31


class Dice:
    """The one source of chance of a game; the same seed gives the same game as the engine plays."""

    def __init__(self, seed: int) -> None:
        self._stream = _mix(seed + GAMMA)

    def below(self, n: int) -> int:
        """A number from 0 to n - 1: what `chance.below(state, n)` gives."""
        self._stream = (self._stream + GAMMA) % WORD
        return (_mix(self._stream) >> 32) * n >> 32

    def draw(self, stack: list[Card]) -> Card:
        """Take a card out of a stack that is kept sorted in the order of the game's types: what `draw_card` gives."""
        return stack.pop(self.below(len(stack)))
