"""The functions of `card_envs` itself."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from card_envs.core.batch import Batch
from card_envs.games import get_game


def make_batch(
    game: str,
    num_games: int,
    *,
    seed: int | ArrayLike | None = None,
    threads: int | None = 1,
    auto_reset: bool = True,
    **options: Any,
) -> Batch:
    """Many games of one kind at once, all seats of each. See `Batch` for what it offers.

    `threads` is the number of threads that share a step, None for one per core. `options` are the game's own
    (`players`, ...) and the table's: `reward` ("outcome" or "margin") and `illegal_action` ("raise" or "lose").
    """
    return Batch(get_game(game), num_games, seed=seed, threads=threads, auto_reset=auto_reset, **options)
