"""Many games as one Gymnasium vector environment, on the batch engine: `gym.make_vec(id, num_envs=...)`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from card_envs.core.batch import MOST_GAMES
from card_envs.core.batch_input import check_actions
from card_envs.core.options import whole_number
from card_envs.envs.one_game import MOST_CYCLES
from card_envs.envs.one_seat import OneSeat, check_seeds
from card_envs.errors import GameOverError, OptionError
from card_envs.games import get_game

Stepped = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class CardVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """The own seat of many games. `infos["action_mask"]` and `action_masks()` are one (N, A) array.

    A game that ends starts anew in the same step, and `infos["final_obs"]` and `infos["final_info"]` tell of it, as
    Gymnasium documents them; `autoreset_mode` NEXT_STEP and DISABLED are its other ways. `max_episode_steps` cuts games
    off after so many own decisions. The mask of a game that is over is all ones, since nothing can be played any more.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        render_mode: None = None,
        seat: int | str = "random",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        max_episode_steps: int | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise OptionError("a vector environment draws nothing; use gym.make for one game with a render_mode")
        self.game = get_game(game)
        self.num_envs = whole_number(num_envs, "num_envs", 1, MOST_GAMES)
        self._mode = _autoreset(autoreset_mode)
        self._longest = (
            None if max_episode_steps is None else whole_number(max_episode_steps, "max_episode_steps", 1, MOST_CYCLES)
        )
        self.metadata = {"autoreset_mode": self._mode, "render_modes": []}
        self._games = OneSeat(self.game, num_envs, seat=seat, **options)
        self.single_observation_space = spaces.Box(0.0, 1.0, (self.game.layout.size,), np.float32)
        self.single_action_space = spaces.Discrete(len(self.game.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all = np.ones(num_envs, np.bool_)
        self._ended = np.zeros(num_envs, np.bool_)  # and not begun anew yet

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start all games; with `options={"reset_mask": ...}` only those that it marks."""
        mask = self._reset_mask(options)
        seeds = check_seeds(seed, self.num_envs)
        games = np.flatnonzero(mask)
        self._games.reset(None if seeds is None else seeds[games], games)
        self._ended[games] = False
        return self._seen(), self._infos(mask)

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        mask: Any = (options or {}).get("reset_mask")
        if mask is None:
            return self._all
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise OptionError(f"reset_mask must be an array of {self.num_envs} booleans, not {mask!r}")
        return mask

    def _seen(self) -> NDArray[np.float32]:
        seen, over = self._games.batch.observation.copy(), np.flatnonzero(self._games.done)
        if over.size:
            seen[over] = self._games.final_observations(over)
        return seen

    def action_masks(self) -> NDArray[np.int8]:
        """1 for each legal action of each game."""
        return self._games.masks()

    def _infos(self, present: NDArray[np.bool_]) -> dict[str, Any]:
        return {
            "action_mask": self.action_masks(),
            "_action_mask": present.copy(),
            "seat": self._games.own.copy(),
            "_seat": present.copy(),
        }

    def step(self, actions: NDArray[np.int64]) -> Stepped:
        """Play one own action in every game, and let the others play on."""
        games = self._games
        if self._ended.any():
            self._step_and_begin(actions)
        else:
            games.step(actions)
        rewards, over = games.rewards.astype(np.float64), games.done.copy()
        cut = np.zeros(self.num_envs, np.bool_) if self._longest is None else games.lengths >= self._longest
        self._ended = over | cut
        told: dict[str, Any] = {}
        if self._mode is not AutoresetMode.SAME_STEP:
            told = self._results(over, actions)
        elif self._ended.any():
            told = self._final(over, actions)
            games.reset(games=np.flatnonzero(self._ended))
            self._ended = np.zeros(self.num_envs, np.bool_)
        return self._seen(), rewards, over, cut, self._infos(self._all) | told

    def _step_and_begin(self, actions: Any) -> None:
        """Games that ended in the step before begin now, whatever was chosen for them; the others go on."""
        if self._mode is AutoresetMode.DISABLED:
            over = ", ".join(map(str, np.flatnonzero(self._ended)[:5]))
            raise GameOverError(
                f"game {over} has ended, and autoreset_mode is DISABLED; start it anew with "
                f"reset(options={{'reset_mask': ...}})"
            )
        going = np.flatnonzero(~self._ended)
        if going.size:
            self._games.step(check_actions(actions, self.num_envs)[going], going)
        self._games.reset(games=np.flatnonzero(self._ended))

    def _final(self, over: NDArray[np.bool_], actions: Any) -> dict[str, Any]:
        """What is told of games that end in a step in which they also begin anew."""
        marked, last = self._ended, np.full(self.num_envs, None, dtype=object)
        ended = np.flatnonzero(marked)
        for game, seen in zip(ended, self._seen()[ended], strict=True):
            last[game] = seen
        info = self._infos(marked)
        info["action_mask"][~marked] = 0
        info["seat"] = np.where(marked, info["seat"], 0)
        info |= self._results(over, actions)
        return {"final_obs": last, "_final_obs": marked, "final_info": info, "_final_info": marked.copy()}

    def _results(self, over: NDArray[np.bool_], actions: Any) -> dict[str, Any]:
        """Points, rank and breakdown of games that are over, and why, if by an illegal action."""
        if not over.any():
            return {}
        games, batch, everyone = self._games, self._games.batch, np.arange(self.num_envs)
        sheet = np.where(over[:, None], batch.score_sheet[everyone, games.own], 0)
        results = {
            "points": np.where(over, batch.points[everyone, games.own], 0),
            "rank": np.where(over, batch.ranks[everyone, games.own], 0),
            **self.game.breakdown(dict(zip(self.game.score_columns, sheet.T, strict=True))),
        }
        told = _marked(results, over)
        guilty = over & batch.illegal
        if guilty.any():
            reasons = np.full(self.num_envs, None, dtype=object)
            for game in np.flatnonzero(guilty).tolist():
                reasons[game] = games.why_lost(game, int(np.asarray(actions)[game]))
            told |= {"illegal_action": reasons, "_illegal_action": guilty}
        return told

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


def _autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    """One of Gymnasium's modes, itself or by name (`NextStep`, as Gymnasium writes it, or `NEXT_STEP`)."""
    for known in AutoresetMode:
        if mode is known or mode in (known.value, known.name):
            return known
    raise OptionError(f"autoreset_mode must be one of {', '.join(one.name for one in AutoresetMode)}, not {mode!r}")
