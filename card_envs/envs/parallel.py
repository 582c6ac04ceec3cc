"""A game of simultaneous choices as a PettingZoo Parallel environment: everyone acts at the same time.

The engine plays turns. A step feeds it the choices of those who must choose, in seat order; it keeps each of them to
itself until the last one is in. Whoever has nothing to choose waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from card_envs.core.game import Game
from card_envs.core.options import check_seed
from card_envs.envs.one_game import Observation, OneGame
from card_envs.errors import ActionTypeError, IllegalActionError, OptionError

Everyone = tuple[
    dict[str, Observation],
    dict[str, float],
    dict[str, bool],
    dict[str, bool],
    dict[str, dict[str, Any]],
]


class SimultaneousEnv(OneGame, ParallelEnv[str, Observation, int | np.integer[Any]]):
    """One game, all players at once."""

    def __init__(self, game: Game, **options: Any) -> None:
        if not game.simultaneous:
            raise OptionError(f"{game.title} is played in turns, so it has no Parallel environment; use env()")
        OneGame.__init__(self, game, **options)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a game. Without a seed: the one that follows the last game's. `options` are accepted and not used."""
        self._start(None if seed is None else check_seed(seed))
        if self.render_mode == "human":
            self.render()
        return self._observations(), {agent: {} for agent in self.agents}

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.observe_seat(seat) for agent, seat in self._seats.items()}

    def step(self, actions: Mapping[str, int | np.integer[Any]]) -> Everyone:
        """Play everyone's choice at once. All are checked before any is played."""
        self._must_go_on("step")
        numbers = self._check(actions)
        players = self.agents
        masks = {agent: seen["action_mask"] for agent, seen in self._observations().items()}
        offender = self._first_offender(numbers, masks)
        if offender is not None:
            self._batch.forfeit(0, self._seats[offender])
        else:
            # Those who must choose, in seat order; the engine has not been told any choice of this reveal yet.
            for agent in players:
                if not masks[agent][self.game.wait]:
                    self._play(numbers[agent])
        rewards = dict.fromkeys(players, 0.0)
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in players}
        over, stopped = bool(self._batch.done[0]), self._out_of_cycles
        if over:
            rewards = self._final_rewards()
            infos = self._final_infos(offender or "", numbers[offender] if offender else -1)
        if over or stopped:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return self._observations(), rewards, dict.fromkeys(players, over), dict.fromkeys(players, stopped), infos

    def _check(self, actions: Mapping[str, int | np.integer[Any]]) -> dict[str, int]:
        if not isinstance(actions, dict):
            raise ActionTypeError(f"step needs a dict of one action per player, not {actions!r}")
        if set(actions) != set(self.agents):
            raise ActionTypeError(
                f"step needs one action for each of {', '.join(self.agents)}; "
                f"it was given {', '.join(map(str, actions)) or 'none'}"
            )
        return {agent: self.game.action_number(f"an action of {agent}", actions[agent]) for agent in self.agents}

    def _first_offender(self, numbers: dict[str, int], masks: dict[str, NDArray[np.int8]]) -> str | None:
        """The first player, in seat order, whose choice is illegal; refused unless it is agreed that it loses."""
        for agent, mask in masks.items():
            number = numbers[agent]
            if not (0 <= number < len(mask) and mask[number]):
                if self.common_options.illegal_action == "raise":
                    raise IllegalActionError(self.game.why_illegal(self._seats[agent], number, mask))
                return agent
        return None

    def clone(self) -> SimultaneousEnv:
        """An exact, independent copy in mid-game: both go on alike if they are played alike."""
        twin = object.__new__(SimultaneousEnv)
        twin.__dict__.update(self.__dict__)
        twin._batch = self._batch.copy()
        twin._renderer = self._renderer.copy()
        twin.agents = self.agents[:]
        twin._decisions = self._decisions[:]
        return twin

    def __repr__(self) -> str:
        return self._describe("parallel_env")
