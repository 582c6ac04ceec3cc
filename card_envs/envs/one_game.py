"""One game with everything that its AEC and its Parallel environment have in common: spaces, names, views, pictures."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.core.layout import Layout
from card_envs.core.options import MaskPlace, one_of, whole_number
from card_envs.drawing.look import Look
from card_envs.drawing.picture import Picture
from card_envs.envs.rendering import RENDER_FPS, RENDER_MODES, Renderer
from card_envs.errors import GameOverError
from card_envs.presentation.languages import LANGUAGES

Observation = Any  # {"observation": ..., "action_mask": ...}, or the first of these alone where masks are in `infos`
MOST_CYCLES = 2**31


class OneGame:
    """A table at which one game is played. Observations are {"observation": float32 in [0, 1], "action_mask": int8}.

    With `action_mask="info"` they are the first of these, a flat array; masks are in `infos[agent]["action_mask"]`.

    It checks every call itself, so that `env()` and `raw_env()` are the same: an action of a wrong type, an illegal
    one, a step before the first reset or after the end is refused with one sentence, and the game stays as it was.
    """

    metadata: dict[str, Any]
    agents: list[str]
    possible_agents: list[str]

    def __init__(
        self,
        game: Game,
        *,
        render_mode: str | None = None,
        language: str = "en",
        max_cycles: int | None = None,
        action_mask: str = "observation",
        actions: Sequence[str] = (),
        **options: Any,
    ) -> None:
        game.refuse_unknown(options, ("render_mode", "language", "max_cycles", "action_mask"))
        self.game = game
        self.actions = tuple(actions) or game.actions
        self._masks_in_info = one_of(action_mask, "action_mask", get_args(MaskPlace)) == "info"
        self._renderer = Renderer(render_mode, game.title)
        self.render_mode = render_mode
        self.language = one_of(language, "language", LANGUAGES)
        self.max_cycles = None if max_cycles is None else whole_number(max_cycles, "max_cycles", 1, MOST_CYCLES)
        self.metadata = {
            "name": game.key,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": game.simultaneous,
            "render_fps": RENDER_FPS,
        }
        self._batch = Batch(game, 1, auto_reset=False, **options)
        self.options = self._batch.options
        self.common_options = self._batch.common_options
        self.possible_agents = [f"player_{seat}" for seat in range(self._batch.players)]
        self.agents = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_spaces = {agent: self._make_observation_space() for agent in self.possible_agents}
        self._action_spaces = {agent: spaces.Discrete(len(self.actions)) for agent in self.possible_agents}
        self._decisions = [0] * self._batch.players
        self._has_begun = False

    @property
    def layout(self) -> Layout:
        """The observation's fields by name: `layout["..."]` is a slice."""
        return self.game.layout

    @property
    def game_seed(self) -> int:
        """The seed of the game under way."""
        return int(self._batch.seeds[0])

    def _make_observation_space(self) -> spaces.Dict | spaces.Box:
        seen = spaces.Box(0.0, 1.0, (self.layout.size,), np.float32)
        if self._masks_in_info:
            return seen
        return spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (len(self.actions),), np.int8)})

    def observation_space(self, agent: str) -> spaces.Dict | spaces.Box:
        """The same for all players."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The same for all players."""
        return self._action_spaces[agent]

    def _seen(self, observation: NDArray[np.float32], mask: NDArray[np.int8]) -> Observation:
        """An observation as it was asked for: with the mask, or without."""
        return observation if self._masks_in_info else {"observation": observation, "action_mask": mask}

    def state(self) -> NDArray[np.float32]:
        """All players' observations together, for training that may see everything."""
        self._must_have_begun("state")
        return np.concatenate([self._batch.observe(0, seat)[0] for seat in self._seats.values()])

    @property
    def state_space(self) -> spaces.Box:
        """The space of `state()`."""
        return spaces.Box(0.0, 1.0, (len(self.possible_agents) * self.layout.size,), np.float32)

    def describe_action(self, action: int) -> str:
        """An action by name."""
        return self.game.describe_action(action, self.actions)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """The position in words and numbers: everything, or what one seat may know."""
        self._must_have_begun("view")
        if seat is not None:
            seat = whole_number(seat, "seat", 0, self._batch.players - 1)
        state = self._batch.states[0]
        return self.game.table(state) if seat is None else self.game.view(state, seat)

    def to_text(self, seat: int | None = None, language: str | None = None) -> str:
        """The position as text: the whole table, or what one seat may see."""
        chosen = one_of(language or self.language, "language", LANGUAGES)
        return self.game.to_text(self.view(seat), chosen)

    def to_svg(
        self, seat: int | None = None, language: str | None = None, *, theme: str = "light", shape: str = "wide"
    ) -> Picture:
        """The position as a picture: the whole table, or what one seat may see. `theme` is light, dark or auto.

        `shape` is wide, or tall for a phone.
        """
        look = Look(language=language or self.language, theme=theme, shape=shape, seat=seat)
        return Picture(self.game.drawing(self.view(seat), look))

    def _repr_svg_(self) -> str | None:
        return self.to_svg() if self._has_begun else None

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table as text (render_mode "ansi"), as pixels ("rgb_array"), or in a window ("human")."""
        return self._renderer.show(self.to_text, self.to_svg)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def _start(self, seed: int | None) -> None:
        """Begin a game for everyone."""
        self._batch.reset(seed)
        self._has_begun = True
        self.agents = self.possible_agents[:]
        self._decisions = [0] * self._batch.players

    def _play(self, action: int) -> None:
        """One action of the seat to act."""
        if self.max_cycles is not None:
            self._decisions[self._batch.seat[0]] += 1
        self._batch.step_one(action)

    @property
    def _out_of_cycles(self) -> bool:
        """Would someone now have to decide more often than `max_cycles` allows?"""
        if self.max_cycles is None:
            return False
        seat = self._batch.seat[0]
        return bool(seat >= 0 and self._decisions[seat] >= self.max_cycles)

    def _final_infos(self, offences: Mapping[str, int]) -> dict[str, dict[str, Any]]:
        """Points, rank and breakdown for everyone; and why, if illegal actions ended the game: whose, and which."""
        infos = dict(zip(self.possible_agents, self._batch.result(0), strict=True))
        if self._batch.illegal[0]:
            for info in infos.values():
                info["illegal_action"] = "; ".join(lost_by(who, what, self.actions) for who, what in offences.items())
        return infos

    def _final_rewards(self) -> dict[str, float]:
        return dict(zip(self.possible_agents, map(float, self._batch.rewards[0]), strict=True))

    def _must_have_begun(self, call: str) -> None:
        if not self._has_begun:
            raise GameOverError(f"no game has begun; call reset() before {call}()")

    def _must_go_on(self, call: str) -> None:
        self._must_have_begun(call)
        if not self.agents:
            raise GameOverError(f"this game of {self.game.title} is over; call reset() to start another")

    def _describe(self, maker: str) -> str:
        """How an environment like this is made."""
        chosen = self._batch.chosen | ({"action_mask": "info"} if self._masks_in_info else {})
        text = ", ".join(f"{name}={value!r}" for name, value in chosen.items())
        if importlib.util.find_spec(f"card_envs.{self.game.key}"):
            return f"{self.game.key}.{maker}({text})"
        return f"card_envs.make_{maker}({self.game.key!r}, {text})"


def lost_by(offender: str, action: int, actions: Sequence[str]) -> str:
    """What to say of a game that an illegal action ended."""
    name = actions[action] if 0 <= action < len(actions) else str(action)
    return f"{offender} lost by an illegal action: {name}"
