"""Many games as a Stable-Baselines3 VecEnv on the batch engine. Needs the extra `train`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from card_envs.core.batch import MOST_GAMES
from card_envs.core.options import whole_number
from card_envs.envs.one_seat import OneSeat, check_seeds
from card_envs.errors import OptionError
from card_envs.extras import need
from card_envs.games import get_game

need("card_envs.envs.sb3", "stable_baselines3", "train")
from stable_baselines3.common.vec_env import VecEnv  # noqa: E402  # after the sentence for those who do not have it

Indices = None | int | Iterable[int]


class CardVecEnv(VecEnv):
    """The own seat of many games. `action_masks()` is one (N, A) array; a game that ends starts anew in the same step.

    The info of a game that has ended holds `terminal_observation`, `episode` (reward, own decisions, seconds, as
    Monitor gives them) and the own result.
    """

    def __init__(self, game: str, num_envs: int, *, seed: int | None = None, **options: Any) -> None:
        self.game = get_game(game)
        self._games = OneSeat(self.game, whole_number(num_envs, "num_envs", 1, MOST_GAMES), **options)
        self.render_mode = None
        self._pending: NDArray[np.int64] | None = None
        self._started = time.time()
        super().__init__(
            num_envs,
            spaces.Box(0.0, 1.0, (self.game.layout.size,), np.float32),
            spaces.Discrete(len(self.game.actions)),
        )
        if seed is not None:
            self.seed(seed)

    def reset(self) -> NDArray[np.float32]:
        """Start all games."""
        seeds = None if any(seed is None for seed in self._seeds) else check_seeds(self._seeds, self.num_envs)
        self._games.reset(seeds)
        self._started = time.time()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return self._games.batch.observation.copy()

    def action_masks(self) -> NDArray[np.int8]:
        """1 for each legal action of each game."""
        return self._games.masks()

    def set_opponents(self, opponents: Any) -> None:
        """Who sits opposite in games that start from now on; games under way keep their players."""
        self._games.set_opponents(opponents)

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Remember the actions; the games are fast enough to be played in step_wait."""
        self._pending = actions

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions; the others play on, and finished games start anew."""
        if self._pending is None:
            raise OptionError("step_wait() has no actions to play; call step_async(actions) first, or step(actions)")
        actions, self._pending = self._pending, None
        games = self._games
        games.step(actions)
        rewards, done = games.rewards.copy(), games.done.copy()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(done)
        if ended.size:
            seconds = round(time.time() - self._started, 6)
            for game, last in zip(ended, games.final_observations(ended), strict=True):
                infos[game] = {
                    "terminal_observation": last,
                    "TimeLimit.truncated": False,
                    "episode": {"r": float(rewards[game]), "l": int(games.lengths[game]), "t": seconds},
                    **games.result(int(game), int(actions[game])),
                }
            games.reset(games=ended)
        return games.batch.observation.copy(), rewards, done, infos

    def close(self) -> None:
        """Nothing is held open."""

    def _chosen(self, indices: Indices) -> Sequence[int]:
        return list(self._get_indices(indices))

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of this environment, which all its games share."""
        return [getattr(self, attr_name)] * len(self._chosen(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Refused: all games share one engine, so there is nothing to set in some of them."""
        raise OptionError(f"cannot set {attr_name!r}: the games of this environment share one engine; make another one")

    def env_method(self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any) -> Any:
        """A method of this environment; of `action_masks` the rows of the chosen games."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        chosen = self._chosen(indices)
        return result[chosen] if method_name == "action_masks" else [result] * len(chosen)

    def env_is_wrapped(self, wrapper_class: Any, indices: Indices = None) -> list[bool]:
        """Episode statistics are built in, which is what Stable-Baselines3 wants of Monitor; nothing else wraps."""
        from stable_baselines3.common.monitor import Monitor

        return [wrapper_class is Monitor] * len(self._chosen(indices))


def make_sb3_vec_env(game: str, num_envs: int = 256, *, seed: int | None = None, **options: Any) -> CardVecEnv:
    """Games for Stable-Baselines3, sb3-contrib's MaskablePPO above all.

    `options` are those of `gym.make`: `players`, `seat`, `opponents`, `reward`, `illegal_action`, `threads`, ...
    """
    return CardVecEnv(game, num_envs, seed=seed, **options)
