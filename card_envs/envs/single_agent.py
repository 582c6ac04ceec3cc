"""A game as a Gymnasium environment: one seat is yours, opponents play the others."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from card_envs.core.layout import Layout
from card_envs.core.options import one_of
from card_envs.drawing.look import Look
from card_envs.drawing.picture import Picture
from card_envs.envs.one_seat import ONE_SEAT_OPTIONS, OneSeat, check_seeds
from card_envs.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from card_envs.errors import GameOverError
from card_envs.games import get_game
from card_envs.presentation.languages import LANGUAGES


class SingleAgentEnv(gym.Env[NDArray[np.float32], np.int64]):
    """Observation: the flat array. Mask of legal actions: `info["action_mask"]` and `action_masks()`.

    The reward of a step is what came from the own decision up to the next one; it is the own seat's. An illegal
    action loses the game (-1, said in `info`), unless `illegal_action="raise"`.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012  # Gymnasium's own form

    def __init__(
        self,
        game: str,
        *,
        seat: int | str = "random",
        opponents: Any = "random",
        render_mode: str | None = None,
        language: str = "en",
        **options: Any,
    ) -> None:
        self.render_mode = render_mode
        self.language = one_of(language, "language", LANGUAGES)
        self.game = get_game(game)
        self._renderer = Renderer(render_mode, self.game.title)
        self.game.refuse_unknown(options, (*ONE_SEAT_OPTIONS, "render_mode", "language"))
        self._games = OneSeat(self.game, 1, seat=seat, opponents=opponents, **options)
        self.observation_space = spaces.Box(0.0, 1.0, (self.game.layout.size,), np.float32)
        self.action_space = spaces.Discrete(len(self.game.actions))
        self._under_way = False

    @property
    def layout(self) -> Layout:
        """The observation's fields by name."""
        return self.game.layout

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a game and play it up to the first own decision."""
        super().reset(seed=seed)
        self._games.reset(check_seeds(seed, 1))
        self._under_way = True
        if self.render_mode == "human":
            self.render()
        return self._games.batch.observation[0].copy(), self._info()

    def action_masks(self) -> NDArray[np.int8]:
        """1 for each legal action, and for all once the game is over: what sb3-contrib asks for."""
        mask: NDArray[np.int8] = self._games.masks()[0]
        return mask

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "seat": int(self._games.own[0])}

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play one own action, and all that the others do until the next own decision or the end."""
        if not self._under_way:
            raise GameOverError(f"no game of {self.game.title} is under way; call reset() first")
        number = self.game.action_number("an action", action)
        games = self._games
        games.step_one(number)
        over = bool(games.done[0])
        info = self._info()
        if over:
            self._under_way = False
            info |= games.result(0, number)
        observation = games.final_observations(np.array([0]))[0] if over else games.batch.observation[0].copy()
        if self.render_mode == "human":
            self.render()
        return observation, float(games.rewards[0]), over, False, info

    def view(self) -> dict[str, Any]:
        """What the own seat may know, in words and numbers."""
        self._games.must_have_begun()
        return self.game.view(self._games.batch.states[0], int(self._games.own[0]))

    def to_text(self, language: str | None = None) -> str:
        """What the own seat may see, as text."""
        return self.game.to_text(self.view(), one_of(language or self.language, "language", LANGUAGES))

    def to_svg(self, language: str | None = None, *, theme: str = "light", shape: str = "wide") -> Picture:
        """What the own seat may see, as a picture. `theme` is light, dark or auto; `shape` is wide or tall."""
        view = self.view()
        look = Look(language=language or self.language, theme=theme, shape=shape, seat=int(self._games.own[0]))
        return Picture(self.game.drawing(view, look))

    def render(self) -> Any:
        """What the own seat may see: as text (render_mode "ansi"), as pixels ("rgb_array"), in a window ("human")."""
        return self._renderer.show(self.to_text, self.to_svg)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def describe_action(self, action: int) -> str:
        """An action by name."""
        return self.game.describe_action(action)

    def __repr__(self) -> str:
        return f"<{self.game.id} {self._games}>"
