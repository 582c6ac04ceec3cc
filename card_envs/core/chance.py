"""Chance: one splitmix64 stream per game, kept in the game's record.

The same seed gives the same game on every machine, because only integers modulo 2**64 are involved. `below` takes
the upper 32 bits times n, whose bias is under n / 2**32: less than one in thirty million for the largest deck.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.core.compile import compiled, wrapping

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_SUCCESSOR = np.uint64(0xD1B54A32D192ED03)
_LOTS = np.uint64(0xA0761D6478BD642F)
_BATCH = np.uint64(0xE7037ED1A0B428DB)
_ROUNDS = (np.uint64(0x8EBC6AF09C88C6E3), np.uint64(0x589965CC75374CC3), np.uint64(0x1D8E4E27C47D124F))
_1, _27, _30, _31, _32 = (np.uint64(bits) for bits in (1, 27, 30, 31, 32))


@wrapping
def mix(value: Any) -> Any:
    """Splitmix64's finaliser: a bijection of 64-bit numbers that looks random."""
    value = (value ^ (value >> _30)) * _FIRST
    value = (value ^ (value >> _27)) * _SECOND
    return value ^ (value >> _31)


@wrapping
def one_way(value: Any) -> Any:
    """A number that does not tell from which it was made: each round adds what it began with to what it mixed.

    Whoever has it must try all numbers that it may have been made from. It is no cryptography, and it does not hide a
    seed that can be guessed.
    """
    for constant in _ROUNDS:
        value = mix(value ^ constant) + value
    return value


@wrapping
def start_stream(state: Any, seed: Any) -> None:
    """Begin the game's stream of random numbers."""
    state.stream = mix(np.uint64(seed) + GAMMA)


@wrapping
def start_lots_stream(lots: Any, seed: Any) -> None:
    """Begin the stream from which the players of a game draw lots: from the game's seed, and unrelated to its cards.

    Agents see their lots, and a few of them tell the stream. The way from there to the game's own is closed.
    """
    lots.stream = one_way(mix(np.uint64(seed) + GAMMA) ^ _LOTS)


@wrapping
def next_seed(seed: Any) -> Any:
    """The seed of the game that follows a game with this seed: 63 bits, so that it is a plain non-negative integer."""
    return np.int64(mix(np.uint64(seed) ^ _SUCCESSOR) >> _1)


@wrapping
def nth_seed(seed: Any, index: Any) -> Any:
    """The seed of game `index` in a batch: game 0 plays the batch's own seed, the others are unrelated to it."""
    if index == 0:
        return np.int64(seed)
    first = mix(mix(np.uint64(seed) + GAMMA) ^ _BATCH)
    return np.int64(mix(first + np.uint64(index) * GAMMA) >> _1)


@wrapping
def below(state: Any, n: Any) -> Any:
    """A random whole number from 0 to n - 1; advances the game's stream by one."""
    state.stream = state.stream + GAMMA
    return np.int64(((mix(state.stream) >> _32) * np.uint64(n)) >> _32)


@compiled
def cards_in(counts: Any) -> Any:
    """How many cards there are in a stack that is kept as a count per type."""
    total = 0
    for kind in range(counts.size):
        total += int(counts[kind])
    return total


@compiled
def draw_card(state: Any, counts: Any, cards: Any) -> Any:
    """Draw one of `cards` cards from a face-down stack that is kept as a count per type. There must be at least one."""
    position = below(state, cards)
    kind, passed = 0, 0
    # No early exit: the loop is short, and a branch that chance decides would be guessed wrong half the time.
    for lower in range(counts.size - 1):
        passed += int(counts[lower])
        kind += position >= passed
    counts[kind] -= 1
    return kind
