"""What any agent thinks of positions, whatever kind of agent it is: the coach and the analysis of games ask here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.answers import check_form
from card_envs.agents.base import Agent, Policy, SearchAgent, SearchPolicy
from card_envs.agents.positions import Positions
from card_envs.agents.random import RandomAgent

SAMPLES = 400  # how often an agent that only acts is asked about the same position
LOT = 0.5  # of those that think: the same position is thought about alike each time


@dataclass(frozen=True, eq=False)
class Opinions:
    """One row per position. What an agent does not say is not a number.

    `probabilities` are those of its choice, `values` the reward that it expects for the seat to act, and
    `action_values` that after each action.
    """

    probabilities: NDArray[np.float64]
    values: NDArray[np.float64]
    action_values: NDArray[np.float64]


def ask_opinion(agent: Agent, positions: Positions) -> Opinions:
    """What an agent thinks, from what the seat to act may know alone. One that only acts is asked many times."""
    mask = positions.action_mask
    unknown, none = np.full(mask.shape, np.nan), np.full(len(mask), np.nan)
    if isinstance(agent, SearchPolicy):
        thoughts = agent.think(positions, np.full(len(mask), LOT))
        return Opinions(thoughts.probabilities, thoughts.values, thoughts.action_values)
    if isinstance(agent, Policy):
        likely = agent.probabilities(positions.observation, mask)
        return Opinions(likely, agent.values(positions.observation).astype(np.float64), unknown)
    if isinstance(agent, RandomAgent):
        return Opinions(mask / mask.sum(axis=1, keepdims=True), none, unknown)
    return Opinions(np.array([_sampled(agent, positions, row) for row in range(len(mask))]), none, unknown)


def _sampled(agent: Agent, positions: Positions, row: int) -> NDArray[np.float64]:
    if isinstance(agent, SearchAgent):  # one that thinks and does not say what: one answer is all there is time for
        actions = agent.search(positions.only(row), np.full(1, LOT))
    else:
        seen, mask = positions.observation[row], positions.action_mask[row]
        actions = agent.act(np.tile(seen, (SAMPLES, 1)), np.tile(mask, (SAMPLES, 1)))
    checked = check_form(agent.name, actions, len(actions))
    counts = np.bincount(checked, minlength=positions.action_mask.shape[1])
    shares: NDArray[np.float64] = counts / len(checked)
    return shares
