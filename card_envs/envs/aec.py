"""A game as a PettingZoo AEC environment: players act one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from card_envs.core.game import Game
from card_envs.core.options import check_seed
from card_envs.envs.one_game import Observation, OneGame
from card_envs.errors import GameOverError, OptionError


class CardGameEnv(OneGame, AECEnv[str, Observation, int | np.integer[Any] | None]):
    """One game, one player at a time."""

    def __init__(self, game: Game, **options: Any) -> None:
        OneGame.__init__(self, game, **options)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game. Without a seed: the one that follows the last game's. `options` are accepted and not used."""
        self._start(None if seed is None else check_seed(seed))
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._put_masks_in_infos()
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[self._batch.seat[0]]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What a player sees now. The mask is all zeros for whoever is not to act, and all ones after the end."""
        self._must_have_begun("observe")
        if agent not in self._seats:
            raise OptionError(f"there is no {agent!r}; the players are {', '.join(self.possible_agents)}")
        seat, batch = self._seats[agent], self._batch
        to_act = seat == batch.seat.item(0)
        observation = batch.observation[0].copy() if to_act else batch.observe(0, seat)[0]
        return self._seen(observation, self._mask(seat))

    def _mask(self, seat: int) -> NDArray[np.int8]:
        """After the end nothing is forbidden, since nothing can be played: a mask of zeros has no logarithm."""
        batch = self._batch
        to_act = batch.seat.item(0)
        if seat == to_act:
            own: NDArray[np.int8] = batch.action_mask[0].copy()
            return own
        return np.full(len(self.actions), to_act < 0, np.int8)

    def _put_masks_in_infos(self) -> None:
        if self._masks_in_info:
            for agent in self.infos:
                self.infos[agent]["action_mask"] = self._mask(self._seats[agent])

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

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Play an action of the player to act; None for a player whose game has ended."""
        self._must_go_on("step")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise GameOverError(
                    f"this game of {self.game.title} is over: step(None) lets {agent} leave, reset() starts another; "
                    f"it was given {action!r}"
                )
            self._was_dead_step(None)
            return
        number = self.game.action_number(f"an action of {agent}", action)
        self._play(number)
        self._cumulative_rewards[agent] = 0.0
        if self._batch.done.item(0):
            self._end_game(agent, number)
        elif self._out_of_cycles:
            self.truncations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[self._batch.seat.item(0)]
        self._put_masks_in_infos()
        if self.render_mode == "human":
            self.render()

    def _end_game(self, agent: str, action: int) -> None:
        self.rewards = self._final_rewards()
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = self._final_infos({agent: action})
        self.agent_selection = self.agents[0]

    def clone(self) -> CardGameEnv:
        """An exact, independent copy in mid-game: both go on alike if they are played alike."""
        twin = object.__new__(CardGameEnv)
        twin.__dict__.update(self.__dict__)
        twin._batch = self._batch.copy()
        twin._renderer = self._renderer.copy()
        twin.agents = self.agents[:]
        twin._decisions = self._decisions[:]
        if self._has_begun:
            twin.rewards = dict(self.rewards)
            twin._cumulative_rewards = dict(self._cumulative_rewards)
            twin.terminations = dict(self.terminations)
            twin.truncations = dict(self.truncations)
            twin.infos = {agent: dict(info) for agent, info in self.infos.items()}
        return twin

    def __repr__(self) -> str:
        return self._describe("env")
