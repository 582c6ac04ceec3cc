"""A game as a PettingZoo AEC environment: players act one after the other."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from card_envs.core.batch import Batch
from card_envs.core.errors import ActionTypeError, GameOverError, OptionError
from card_envs.core.game import Game
from card_envs.core.layout import Layout
from card_envs.core.options import check_seed, non_default, one_of
from card_envs.text import LANGUAGES

Observation = dict[str, NDArray[Any]]
RENDER_MODES = ("ansi", "human")


class CardGameEnv(AECEnv[str, Observation, int | None]):
    """One game at a time. Observations are {"observation": float32 in [0, 1], "action_mask": int8}.

    It checks every call itself, so that `env()` and `raw_env()` are the same: an action of a wrong type, an illegal
    one, a step before the first reset or after the end is refused with one sentence, and the game stays as it was.
    """

    def __init__(self, game: Game, *, render_mode: str | None = None, language: str = "en", **options: Any) -> None:
        super().__init__()
        self.game = game
        self.render_mode = one_of(render_mode, "render_mode", (None, *RENDER_MODES))
        self.language = one_of(language, "language", LANGUAGES)
        self.metadata = {
            "name": game.module,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self._batch = Batch(game, 1, auto_reset=False, **options)
        self.options = self._batch.options
        self.table_options = self._batch.table_options
        self.possible_agents = [f"player_{seat}" for seat in range(self._batch.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._spaces = {agent: observation_space(game) for agent in self.possible_agents}
        self._action_spaces = {agent: spaces.Discrete(len(game.actions)) for agent in self.possible_agents}
        self._has_begun = False
        self.agents: list[str] = []

    @property
    def layout(self) -> Layout:
        """The observation's fields by name: `layout["..."]` is a slice."""
        return self.game.layout

    def observation_space(self, agent: str) -> spaces.Dict:
        """The same for all players."""
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The same for all players."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game. Without a seed: the one that follows the last game's. `options` are accepted and not used."""
        self._batch.reset(None if seed is None else check_seed(seed))
        self._has_begun = True
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[self._batch.seat[0]]
        if self.render_mode == "human":
            self.render()

    @property
    def seed(self) -> int:
        """The seed of the game under way."""
        return int(self._batch.seeds[0])

    def observe(self, agent: str) -> Observation:
        """What a player sees now; the mask is all zeros for whoever is not to act."""
        self._must_have_begun("observe")
        if agent not in self._seats:
            raise OptionError(f"there is no {agent!r}; the players are {', '.join(self.possible_agents)}")
        seat, batch = self._seats[agent], self._batch
        if seat == batch.seat[0]:
            return {"observation": batch.observation[0].copy(), "action_mask": batch.action_mask[0].copy()}
        return {
            "observation": batch.observe(0, seat)[0],
            "action_mask": np.zeros(len(self.game.actions), np.int8),
        }

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last turn, termination, truncation and info of the player to act."""
        self._must_go_on("last")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def state(self) -> NDArray[np.float32]:
        """All players' observations together, for training that may see everything."""
        self._must_have_begun("state")
        return np.concatenate([self._batch.observe(0, seat)[0] for seat in self._seats.values()])

    @property
    def state_space(self) -> spaces.Box:
        """The space of `state()`."""
        return spaces.Box(0.0, 1.0, (len(self.possible_agents) * self.layout.size,), np.float32)

    def step(self, action: int | None) -> None:
        """Play an action of the player to act; None for a player whose game has ended."""
        self._must_go_on("step")
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise GameOverError(
                    f"this game of {self.game.title} is over: step(None) lets {agent} leave, reset() starts another; "
                    f"it was given {action!r}"
                )
            self._was_dead_step(None)
            return
        number = self._action_number(action)
        self._batch.step_one(number)
        self._cumulative_rewards[agent] = 0.0
        if self._batch.done[0]:
            self._end_game(agent, number)
        else:
            self.agent_selection = self.possible_agents[self._batch.seat[0]]
        if self.render_mode == "human":
            self.render()

    def _action_number(self, action: Any) -> int:
        try:
            if isinstance(action, bool):
                raise TypeError
            return operator.index(action)
        except TypeError:
            raise ActionTypeError(
                f"{self.agent_selection} must play a whole number from 0 to {len(self.game.actions) - 1}, "
                f"not {action!r} of type {type(action).__name__}"
            ) from None

    def _end_game(self, agent: str, action: int) -> None:
        for seat, result in enumerate(self._batch.result(0)):
            player = self.possible_agents[seat]
            self.rewards[player] = float(self._batch.rewards[0, seat])
            self._cumulative_rewards[player] += self.rewards[player]
            self.terminations[player] = True
            self.infos[player] = result
        if self._batch.illegal[0]:
            for info in self.infos.values():
                info["illegal_action"] = f"{agent} lost by an illegal action: {self._name_or_number(action)}"
        self.agent_selection = self.agents[0]

    def _name_or_number(self, action: int) -> str:
        return self.game.actions[action] if 0 <= action < len(self.game.actions) else str(action)

    def _must_have_begun(self, call: str) -> None:
        if not self._has_begun:
            raise GameOverError(f"no game has begun; call reset() before {call}()")

    def _must_go_on(self, call: str) -> None:
        self._must_have_begun(call)
        if not self.agents:
            raise GameOverError(f"this game of {self.game.title} is over; call reset() to start another")

    def describe_action(self, action: int) -> str:
        """An action by name."""
        number = self._action_number(action) if self._has_begun else operator.index(action)
        if not 0 <= number < len(self.game.actions):
            raise OptionError(f"{self.game.title} has the actions 0 to {len(self.game.actions) - 1}, not {number}")
        return self.game.actions[number]

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """The position in words and numbers: everything, or what one seat may know."""
        self._must_have_begun("view")
        if seat is not None:
            one_of(seat, "seat", range(self._batch.players))
        return self.game.view(self._batch.states[0], seat)

    def to_text(self, seat: int | None = None, language: str | None = None) -> str:
        """The position as text: the whole table, or what one seat may see."""
        chosen = one_of(language or self.language, "language", LANGUAGES)
        return self.game.to_text(self.view(seat), chosen)

    def render(self) -> str | None:
        """The table as text (render_mode "ansi"), or printed (render_mode "human")."""
        if self.render_mode is None:
            raise OptionError(
                'this environment was made without a render_mode; make it with render_mode="ansi" for text '
                'or "human" to see each position printed, or call env.unwrapped.to_text()'
            )
        text = self.to_text()
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing is held open."""

    def clone(self) -> CardGameEnv:
        """An exact, independent copy in mid-game: both go on alike if they are played alike."""
        twin = object.__new__(CardGameEnv)
        twin.__dict__.update(self.__dict__)
        twin._batch = self._batch.copy()
        twin.agents = self.agents[:]
        if self._has_begun:
            twin.rewards = dict(self.rewards)
            twin._cumulative_rewards = dict(self._cumulative_rewards)
            twin.terminations = dict(self.terminations)
            twin.truncations = dict(self.truncations)
            twin.infos = {agent: dict(info) for agent, info in self.infos.items()}
        return twin

    def __repr__(self) -> str:
        chosen = {
            "players": len(self.possible_agents),
            **non_default(self.options),
            **non_default(self.table_options),
        }
        text = ", ".join(f"{name}={value!r}" for name, value in chosen.items())
        return f"{self.game.module}.env({text})"


def observation_space(game: Game) -> spaces.Dict:
    """The space of one player's observations."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, 1.0, (game.layout.size,), np.float32),
            "action_mask": spaces.Box(0, 1, (len(game.actions),), np.int8),
        }
    )
