"""The hand-written player of each game, `games/<game>/bot.py`, for batches of observations."""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from card_envs.core.compile import record_array
from card_envs.core.game import Game
from card_envs.core.options import LARGEST_SEED, check_seed
from card_envs.core.playing import LOTS
from card_envs.errors import ActionTypeError, OptionError


class BotAgent:
    """A decent player that sees only observation and mask. The same seed gives the same lots where it draws any."""

    name = "bot"

    def __init__(self, game: Game, seed: int | None = None) -> None:
        if game.bot is None:
            raise OptionError(f"{game.title} comes without a bot; play against random, or a checkpoint of your own")
        self.game = game
        self.lots = record_array(1, LOTS)
        self.lots[0]["stream"] = secrets.randbelow(LARGEST_SEED) if seed is None else check_seed(seed)

    @property
    def stream(self) -> int:
        """Where its lots come from next; set it to go on from there."""
        return int(self.lots[0]["stream"])

    @stream.setter
    def stream(self, stream: int) -> None:
        self.lots[0]["stream"] = stream

    def __repr__(self) -> str:
        return f"<bot of {self.game.title}>"

    def act(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """One legal action per row."""
        rows, sizes = len(action_mask), (self.game.layout.size, len(self.game.actions))
        if np.shape(observation) != (rows, sizes[0]) or np.shape(action_mask) != (rows, sizes[1]):
            raise ActionTypeError(
                f"the bot of {self.game.title} needs observations of shape (N, {sizes[0]}) and masks of shape "
                f"(N, {sizes[1]}), not {np.shape(observation)} and {np.shape(action_mask)}"
            )
        if not np.any(action_mask, axis=1).all():
            raise ActionTypeError(f"the bot of {self.game.title} was asked in a game in which nothing is legal")
        actions = np.empty(len(action_mask), np.int64)
        seen, masks = np.ascontiguousarray(observation, np.float32), np.ascontiguousarray(action_mask, np.int8)
        self.game.loops.choose_by_bot(self.lots, seen, masks, actions)
        return actions
