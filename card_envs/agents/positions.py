"""What an agent that searches may know of the games in which it is to act."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.core.batch import Batch


class Positions:
    """Some games of a batch, as the seat to act in each of them knows them."""

    def __init__(self, batch: Batch, games: NDArray[np.int64]) -> None:
        self._batch, self._games = batch, games
        self.game = batch.game
        self.players = batch.players
        self.observation: NDArray[np.float32] = batch.observation[games]
        self.action_mask: NDArray[np.int8] = batch.action_mask[games]
        self.seat: NDArray[np.int64] = batch.seat[games]

    def __len__(self) -> int:
        return len(self._games)

    def imagine(self, copies: int, seed: int) -> Batch:
        """`copies` games of each position, side by side, in which all that its seat cannot know is drawn anew.

        What others have already chosen in a simultaneous choice is drawn too, each possible choice being as likely as
        any other: who has a model of the others plays those choices by it instead.
        """
        return self._batch.imagine(self._games, copies, seed)
