"""What has happened in games of a batch, move by move: whoever tells a game to somebody needs it.

Nothing is written down unless somebody asks for it (`Batch.follow`), for it takes longer than most moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.core.compile import copy_bytes


@dataclass
class Page:
    """One game since it began, or since it was first followed: the position before each move and now, and the moves
    as pairs of seat and action. `heard` is what a seat has heard of it so far (presentation/history.py), made once.
    """

    states: list[NDArray[Any]]
    moves: list[tuple[int, int]] = field(default_factory=list)
    heard: dict[int, list[Any]] = field(default_factory=dict)


class Journal:
    """The pages of the games that are followed, by their numbers."""

    def __init__(self) -> None:
        self.pages: dict[int, Page] = {}

    def follow(self, games: Iterable[int], states: NDArray[Any]) -> None:
        """Write down these games from here on."""
        for game in games:
            self.pages[game] = Page([copy_bytes(states[game : game + 1])])

    def begin(self, games: Iterable[int], states: NDArray[Any]) -> None:
        """These games have begun anew; those that are followed get a new page."""
        self.follow([game for game in games if game in self.pages], states)

    def moved(
        self, games: Iterable[int], actions: Iterable[Any], states: NDArray[Any], ended: NDArray[np.bool_]
    ) -> None:
        """An action has been played in each of these games, and has `ended` some of the batch's games."""
        for game, action in zip(games, actions, strict=True):
            page = self.pages.get(game)
            if page is None:
                continue
            seat = int(page.states[-1]["seat"][0])
            if ended[game] and int(states[game]["seat"]) >= 0:  # which has begun anew by itself
                self.follow([game], states)
            else:
                page.moves.append((seat, int(action)))
                page.states.append(copy_bytes(states[game : game + 1]))

    def copy(self) -> Journal:
        """The same so far, to be written on by itself."""
        twin = Journal()
        twin.pages = {game: Page(list(page.states), list(page.moves)) for game, page in self.pages.items()}
        return twin
