"""A game as a PettingZoo Parallel environment: everyone acts in every step, if only by waiting.

The engine plays turns. A step feeds it the choices of those who must choose, in seat order; it keeps each of them to
itself until the last one is in. Whoever has nothing to choose waits. A game of simultaneous choices has an action for
that; to all others one is added here, after their own, so that the numbers of these stay what they are everywhere.
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
from card_envs.errors import ActionTypeError, IllegalActionError

WAIT = "wait"
Everyone = tuple[
    dict[str, Observation],
    dict[str, float],
    dict[str, bool],
    dict[str, bool],
    dict[str, dict[str, Any]],
]


class ParallelGameEnv(OneGame, ParallelEnv[str, Observation, int | np.integer[Any]]):
    """One game, all players at once. No mask is ever all zeros: whoever has nothing to choose can wait."""

    def __init__(self, game: Game, **options: Any) -> None:
        OneGame.__init__(self, game, actions=() if game.simultaneous else (*game.actions, WAIT), **options)
        self.wait = len(game.actions) if game.wait is None else game.wait

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a game. Without a seed: the one that follows the last game's. `options` are accepted and not used."""
        self._start(None if seed is None else check_seed(seed))
        if self.render_mode == "human":
            self.render()
        return self._everyone_sees({agent: {} for agent in self.agents})

    def masks(self) -> dict[str, NDArray[np.int8]]:
        """What each player may do now."""
        self._must_have_begun("masks")
        batch, to_act = self._batch, self._batch.seat.item(0)
        masks = np.zeros((len(self._seats), len(self.actions)), np.int8)
        if self.game.simultaneous and to_act >= 0:
            masks[:] = [batch.observe(0, seat)[1] for seat in range(len(masks))]
        else:
            masks[:, self.wait] = 1
        if not self.game.simultaneous and to_act >= 0:
            masks[to_act] = [*batch.action_mask[0], 0]
        return dict(zip(self._seats, masks, strict=True))

    def _everyone_sees(
        self, infos: dict[str, dict[str, Any]]
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Observations and infos, with the masks where they were asked for."""
        masks = self.masks()
        seen = {agent: self._seen(self._batch.observe(0, seat)[0], masks[agent]) for agent, seat in self._seats.items()}
        if self._masks_in_info:
            for agent, info in infos.items():
                info["action_mask"] = masks[agent]
        return seen, infos

    def step(self, actions: Mapping[str, int | np.integer[Any]]) -> Everyone:
        """Play everyone's choice at once. All are checked before any is played."""
        self._must_go_on("step")
        numbers = self._check(actions)
        players, masks = self.agents, self.masks()
        offenders = self._offenders(numbers, masks)
        if offenders:
            self._batch.forfeit(0, *(self._seats[agent] for agent in offenders))
        else:
            # Those who must choose, in seat order; the engine has not been told any choice of this reveal yet.
            for agent in players:
                if not masks[agent][self.wait]:
                    self._play(numbers[agent])
        rewards = dict.fromkeys(players, 0.0)
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in players}
        over, stopped = bool(self._batch.done[0]), self._out_of_cycles
        if over:
            rewards = self._final_rewards()
            infos = self._final_infos({agent: numbers[agent] for agent in offenders})
        if over or stopped:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        seen, infos = self._everyone_sees(infos)
        return seen, rewards, dict.fromkeys(players, over), dict.fromkeys(players, stopped), infos

    def _check(self, actions: Mapping[str, int | np.integer[Any]]) -> dict[str, int]:
        if not isinstance(actions, dict):
            raise ActionTypeError(f"step needs a dict of one action per player, not {actions!r}")
        if set(actions) != set(self.agents):
            raise ActionTypeError(
                f"step needs one action for each of {', '.join(self.agents)}; "
                f"it was given {', '.join(map(str, actions)) or 'none'}"
            )
        return {agent: self._number(agent, actions[agent]) for agent in self.agents}

    def _number(self, agent: str, action: Any) -> int:
        return self.game.action_number(f"an action of {agent}", action, self.actions)

    def _offenders(self, numbers: dict[str, int], masks: dict[str, NDArray[np.int8]]) -> list[str]:
        """The players, in seat order, whose choice is illegal; refused unless it is agreed that they lose."""
        found = []
        for agent, mask in masks.items():
            number = numbers[agent]
            if not (0 <= number < len(mask) and mask[number]):
                if self.common_options.illegal_action == "raise":
                    raise IllegalActionError(self.game.why_illegal(self._seats[agent], number, mask, self.actions))
                found.append(agent)
        return found

    def clone(self) -> ParallelGameEnv:
        """An exact, independent copy in mid-game: both go on alike if they are played alike."""
        twin = object.__new__(ParallelGameEnv)
        twin.__dict__.update(self.__dict__)
        twin._batch = self._batch.copy()
        twin._renderer = self._renderer.copy()
        twin.agents = self.agents[:]
        twin._decisions = self._decisions[:]
        return twin

    def __repr__(self) -> str:
        return self._describe("parallel_env")
