"""What a batch is given, checked and in the form that its loops take: contiguous, of one type, and its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from card_envs.core.game import Game
from card_envs.core.loops import SHARED
from card_envs.core.options import LARGEST_SEED, check_seed
from card_envs.errors import ActionTypeError, OptionError


def make_seeds(seed: int | ArrayLike, count: int) -> NDArray[np.int64]:
    """One seed per game: those given, or made from one number."""
    if np.ndim(seed) == 0:
        made = np.empty(count, np.int64)
        SHARED.fill_seeds(check_seed(seed), made)
        return made
    seeds = np.asarray(seed)
    whole = seeds.shape == (count,) and seeds.dtype.kind in "iu"
    if not whole or (count and not 0 <= int(seeds.min()) <= int(seeds.max()) <= LARGEST_SEED):
        raise OptionError(
            f"seed must be one whole number, or {count} of them, none negative or above {LARGEST_SEED}, "
            f"not an array of shape {seeds.shape} and type {seeds.dtype}"
        )
    return seeds.astype(np.int64)


def check_list(games: ArrayLike) -> NDArray[np.int64]:
    """A list of games' numbers. Whether there are such games is another question."""
    listed = np.asarray(games)
    if listed.ndim != 1 or listed.dtype.kind not in "iu":
        raise ActionTypeError(
            f"games must be a flat array of game numbers, not an array of shape {listed.shape} and type {listed.dtype}"
        )
    return listed.astype(np.int64)


def check_seats(seats: ArrayLike, count: int, players: int) -> NDArray[np.int64]:
    """One seat for all games, or one for each."""
    given = np.asarray(seats)
    if given.dtype.kind not in "iu" or given.shape not in ((), (count,)) or ((given < 0) | (given >= players)).any():
        raise OptionError(f"seats must be whole numbers from 0 to {players - 1}, one or one per game, not {seats!r}")
    return np.full(count, given, np.int64)


def check_actions(actions: ArrayLike, count: int) -> NDArray[Any]:
    """One whole number per game. Whether it is an action, and legal, is checked by the step itself."""
    moves = np.asarray(actions)
    if moves.shape != (count,) or moves.dtype.kind not in "iu":
        raise ActionTypeError(
            f"step needs {count} whole numbers, one action per game, "
            f"not an array of shape {moves.shape} and type {moves.dtype}"
        )
    return moves


def check_states(game: Game, players: int, states: NDArray[Any], listed: NDArray[np.int64]) -> None:
    """Refuse records that were changed from outside to what no game of this kind at this table can be."""
    given = np.asarray(states[listed])
    good = (given["players"] == players) & (given["seat"] >= -1) & (given["seat"] < players)
    if good.all() and game.possible is not None:
        good = game.possible(given)
    if not good.all():
        number = int(listed[np.flatnonzero(~good)[0]])
        raise OptionError(
            f"states[{number}] is no position of {game.title} with {players} players; set it to one before show(), "
            f"for example to a copy of another game's state"
        )


def check_room(
    out: tuple[NDArray[np.float32], NDArray[np.int8]] | None, count: int, inputs: int, actions: int
) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Where observations and masks are to be written: in arrays that were given, or in new ones."""
    if out is None:
        return np.empty((count, inputs), np.float32), np.empty((count, actions), np.int8)
    shapes = (count, inputs), (count, actions)
    given: list[tuple[NDArray[Any], tuple[int, int], type]] = [
        (out[0], shapes[0], np.float32),
        (out[1], shapes[1], np.int8),
    ]
    for array, shape, dtype in given:
        if array.shape != shape or array.dtype != dtype or not array.flags.carray:
            raise OptionError(f"out must be writable arrays of the shapes {shapes}, float32 and int8, in C order")
    return out
