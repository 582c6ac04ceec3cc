"""One seat of many games, opponents on the others: what the Gymnasium and Stable-Baselines3 adapters share."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.seating import Opponents, Seating
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.core.options import LARGEST_SEED, check_seed, non_default, whole_number
from card_envs.envs.one_game import lost_by
from card_envs.errors import GameOverError, OptionError

ONE_SEAT_OPTIONS = ("seat", "opponents", "threads")


class OneSeat:
    """The own seat of `num_games` games. After `reset` and `step` it is to act in every game that is not over."""

    def __init__(
        self,
        game: Game,
        num_games: int,
        *,
        seat: int | str = "random",
        opponents: Any = "random",
        threads: int | None = 1,
        illegal_action: str = "lose",
        **options: Any,
    ) -> None:
        game.refuse_unknown(options, ONE_SEAT_OPTIONS)
        self.batch = Batch(game, num_games, auto_reset=False, threads=threads, illegal_action=illegal_action, **options)
        self.seat = seat if seat == "random" else whole_number(seat, "seat (a number or 'random')", 0, self.players - 1)
        self._seating = Seating(self.batch)
        self.set_opponents(opponents)
        self.own = np.zeros(num_games, np.int64)
        self.rewards = np.zeros(num_games, np.float32)
        self.lengths = np.zeros(num_games, np.int64)  # own decisions in the game under way, or in the one just ended
        self._everyone = np.arange(num_games)
        self._has_seed = False

    def set_opponents(self, opponents: Any) -> None:
        """Who sits on the other seats of games that start from now on. Games under way keep their players."""
        self._opponents = Opponents(self._seating, opponents)
        self._named = opponents

    def __str__(self) -> str:
        batch = self.batch
        chosen = {"players": batch.players, **non_default(batch.options), "seat": self.seat, "opponents": self._named}
        chosen |= {"reward": batch.common_options.reward, "illegal_action": batch.common_options.illegal_action}
        return " ".join(f"{name}={value}" for name, value in chosen.items())

    def must_have_begun(self) -> None:
        """Refuse what makes sense only once opponents sit at the table."""
        if not self._has_seed:
            raise GameOverError(f"no game of {self.batch.game.title} is under way; call reset() first")

    @property
    def players(self) -> int:
        """How many play."""
        return self.batch.players

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which games are over."""
        return self.batch.done

    def reset(self, seeds: NDArray[np.int64] | None = None, games: NDArray[np.int64] | None = None) -> None:
        """Start games: from one seed each, or from the seed that follows each game's last."""
        games = self._everyone if games is None else games
        if seeds is None and not self._has_seed:
            first = secrets.randbelow(LARGEST_SEED - self.batch.num_games)
            seeds = first + self._everyone[games]
        self._has_seed = True
        self.batch.reset(seeds, games)
        self._seating.start_lots(games)
        if self.seat == "random":
            self.own[games] = (self._seating.draw_lots(games) * self.players).astype(np.int64)
        else:
            self.own[games] = self.seat
        self._opponents.sit_down(games, self.own[games])
        self.rewards[games] = 0
        self.lengths[games] = 0
        self._seating.play_on(games)

    def step(self, actions: Any, games: NDArray[np.int64] | None = None) -> None:
        """Play one own action in each game, and let the opponents play on."""
        self.must_have_begun()
        games = self._everyone if games is None else games
        self.batch.step(actions, games)
        self.lengths[games] += 1
        self._seating.play_on(games)
        self.rewards[games] = self.batch.rewards[games, self.own[games]]

    def step_one(self, action: int) -> None:
        """What `step` does, for a single game and with less to check."""
        self.batch.step_one(action)
        self.lengths[0] += 1
        self._seating.play_on(self._everyone)
        self.rewards[0] = self.batch.rewards[0, self.own[0]]

    def masks(self) -> NDArray[np.int8]:
        """1 for each legal action of each game; all ones once it is over: a mask of zeros has no logarithm."""
        self.must_have_begun()
        masks = self.batch.action_mask.copy()
        masks[self.done] = 1
        return masks

    def final_observations(self, games: NDArray[np.int64]) -> NDArray[np.float32]:
        """What the own seat sees of games that are over."""
        return self.batch.observe_seats(games, self.own[games])[0]

    def result(self, game: int, action: int) -> dict[str, Any]:
        """The own result of a game that is over, and why if an illegal action ended it."""
        result = self.batch.seat_result(game, int(self.own[game]))
        if self.batch.illegal[game]:
            result["illegal_action"] = self.why_lost(game, action)
        return result

    def why_lost(self, game: int, action: int) -> str:
        """What to say of a game that was lost by an illegal own action."""
        return lost_by(f"player_{self.own[game]}", action, self.batch.game.actions)


def check_seeds(seed: Any, num_games: int) -> NDArray[np.int64] | None:
    """Gymnasium's ways to seed a vector: one number for seed, seed + 1, ..., or one (None: any) for each game."""
    if seed is None:
        return None
    if isinstance(seed, list | tuple | np.ndarray):
        if len(seed) != num_games:
            raise OptionError(f"seed must be one number or {num_games} of them, not {len(seed)}")
        chosen = [secrets.randbelow(LARGEST_SEED) if one is None else check_seed(one) for one in seed]
        return np.array(chosen, np.int64)
    return whole_number(seed, "seed", 0, LARGEST_SEED - num_games + 1) + np.arange(num_games)
