"""Games under way as a run's state keeps them: plain bytes and arrays, checked before any of them is played on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.core.game import Game
from card_envs.core.options import LARGEST_SEED
from training.state_checks import require


def record_bytes(records: NDArray[Any]) -> NDArray[np.uint8]:
    """Records as rows of bytes, which are the same memory."""
    plain: NDArray[np.uint8] = records.view(np.ndarray).view(np.uint8).reshape(len(records), -1)
    return plain


def check_arrays(saved: Any, own: dict[str, Any]) -> None:
    """The same names as our own games have, and arrays of the same type and shape."""
    require(isinstance(saved, dict) and saved.keys() == own.keys(), "its games are no games")
    for name, array in own.items():
        if isinstance(array, np.ndarray):
            found = saved[name]
            same = isinstance(found, np.ndarray) and (found.dtype, found.shape) == (array.dtype, array.shape)
            require(same, f"its games' {name} must be of the type {array.dtype} and the shape {array.shape}")
    check_bounds(saved, "seeds", 0, LARGEST_SEED)


def check_bounds(saved: dict[str, Any], name: str, low: int, high: int) -> None:
    """Numbers within their bounds, so that nothing is looked up where nothing is."""
    sound = low <= int(saved[name].min()) <= int(saved[name].max()) <= high
    require(sound, f"its games' {name} must be from {low} to {high}")


def check_positions(game: Game, saved: NDArray[np.uint8], players: int, fresh: Any) -> NDArray[np.int64]:
    """Positions that can be: of this table, somebody to act, and every card of a fresh game in its place.

    Returns who is to act.
    """
    states = saved.view(game.record)[:, 0]
    seats: NDArray[np.int64] = states["seat"].astype(np.int64)
    right = (states["players"] == players) & (seats >= 0) & (seats < players)
    require(bool(right.all()), "it has a game of another table")
    deck = _cards(game, fresh)
    require(all(_cards(game, state) == deck for state in states), "it has a game in which cards are missing")
    return seats


def _cards(game: Game, state: Any) -> dict[str, int] | None:
    """All cards of a game, if that can be told; it cannot where a card is of a type that there is not."""
    try:
        return None if game.all_cards is None else game.all_cards(state)
    except IndexError:
        return {}
