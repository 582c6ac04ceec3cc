"""Many games as one Gymnasium vector environment, on the batch engine: `gym.make_vec(id, num_envs=...)`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from card_envs.core.batch import MOST_GAMES
from card_envs.core.options import whole_number
from card_envs.envs.one_seat import OneSeat, check_seeds
from card_envs.errors import OptionError
from card_envs.games import get_game

Stepped = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class CardVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """The own seat of many games. A game that ends starts anew in the same step (AutoresetMode.SAME_STEP).

    `infos["action_mask"]` and `action_masks()` are one (N, A) array. Where a game has ended, `infos["final_obs"]` and
    `infos["final_info"]` tell of it, as Gymnasium documents them.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012  # Gymnasium's own form

    def __init__(
        self, game: str, num_envs: int = 1, *, render_mode: None = None, seat: int | str = "random", **options: Any
    ) -> None:
        if render_mode is not None:
            raise OptionError("a vector environment draws nothing; use gym.make for one game with a render_mode")
        self.game = get_game(game)
        self.num_envs = whole_number(num_envs, "num_envs", 1, MOST_GAMES)
        self._games = OneSeat(self.game, num_envs, seat=seat, **options)
        self.single_observation_space = spaces.Box(0.0, 1.0, (self.game.layout.size,), np.float32)
        self.single_action_space = spaces.Discrete(len(self.game.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all = np.ones(num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start all games; with `options={"reset_mask": ...}` only those that it marks."""
        mask = self._reset_mask(options)
        seeds = check_seeds(seed, self.num_envs)
        games = np.flatnonzero(mask)
        self._games.reset(None if seeds is None else seeds[games], games)
        return self._games.batch.observation.copy(), self._infos(mask)

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        mask: Any = (options or {}).get("reset_mask")
        if mask is None:
            return self._all
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise OptionError(f"reset_mask must be an array of {self.num_envs} booleans, not {mask!r}")
        return mask

    def action_masks(self) -> NDArray[np.int8]:
        """1 for each legal action of each game."""
        self._games.must_have_begun()
        return self._games.batch.action_mask.copy()

    def _infos(self, present: NDArray[np.bool_]) -> dict[str, Any]:
        return {
            "action_mask": self.action_masks(),
            "_action_mask": present.copy(),
            "seat": self._games.own.copy(),
            "_seat": present.copy(),
        }

    def step(self, actions: NDArray[np.int64]) -> Stepped:
        """Play one own action in every game; the others play on, and finished games start anew."""
        games = self._games
        games.step(actions)
        rewards, over = games.rewards.astype(np.float64), games.done.copy()
        ended = np.flatnonzero(over)
        final = self._final(ended, np.asarray(actions)) if ended.size else {}
        if ended.size:
            games.reset(games=ended)
        infos = self._infos(self._all) | final
        return games.batch.observation.copy(), rewards, over, np.zeros(self.num_envs, np.bool_), infos

    def _final(self, ended: NDArray[np.int64], actions: NDArray[np.int64]) -> dict[str, Any]:
        games, marked = self._games, np.zeros(self.num_envs, np.bool_)
        marked[ended] = True
        last = np.full(self.num_envs, None, dtype=object)
        for game, seen in zip(ended, games.final_observations(ended), strict=True):
            last[game] = seen
        info = self._infos(marked)
        info["action_mask"][:] = 0
        everyone, batch = np.arange(self.num_envs), games.batch
        sheet = np.where(marked[:, None], batch.score_sheet[everyone, games.own], 0)
        results = {
            "points": np.where(marked, batch.points[everyone, games.own], 0),
            "rank": np.where(marked, batch.ranks[everyone, games.own], 0),
            **self.game.breakdown(dict(zip(self.game.score_columns, sheet.T, strict=True))),
        }
        info |= _marked(results, marked)
        illegal = ended[batch.illegal[ended]]
        if illegal.size:
            reasons, guilty = np.full(self.num_envs, None, dtype=object), np.zeros(self.num_envs, np.bool_)
            for game in illegal:
                reasons[game] = games.why_lost(game, int(actions[game]))
            guilty[illegal] = True
            info |= {"illegal_action": reasons, "_illegal_action": guilty}
        info["seat"] = np.where(marked, info["seat"], 0)
        return {"final_obs": last, "_final_obs": marked, "final_info": info, "_final_info": marked.copy()}

    def __repr__(self) -> str:
        return f"<{self.game.id} num_envs={self.num_envs} {self._games}>"

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing is held open."""


def _marked(values: dict[str, Any], present: NDArray[np.bool_]) -> dict[str, Any]:
    """Each value with Gymnasium's mask beside it, which tells for which games it is meant."""
    marked: dict[str, Any] = {}
    for name, value in values.items():
        marked[name] = _marked(value, present) if isinstance(value, dict) else value
        marked[f"_{name}"] = present.copy()
    return marked
