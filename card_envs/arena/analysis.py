"""A finished game looked at again: what those who acted thought at each of its positions, beside a second agent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.base import Agent, SearchAgent
from card_envs.agents.bot import BotAgent
from card_envs.agents.loading import load_agent
from card_envs.agents.opinions import Opinions, ask_opinion
from card_envs.agents.positions import Positions
from card_envs.agents.random import RandomAgent
from card_envs.agents.search.options import make_recipe
from card_envs.core.batch import Batch
from card_envs.core.game import Game

Array = NDArray[np.float64]
BY_SEARCH, BY_VALUES = "search", "values"  # how the cost of a move was found


@dataclass(frozen=True)
class Cost:
    """What a move cost in expected reward, by whom ("acting" or "second"), and how that was found.

    BY_SEARCH compares the move with the best one in the same position. BY_VALUES is how much less is expected at the
    seat's next choice, or came out at the end: the luck in between is part of it.
    """

    cost: float
    who: str
    how: str


PLAYOUTS, TRIED = 256, 40  # of a judge, for each move


def judge_with(agent: Agent, game: Game, players: int) -> Agent | None:
    """Somebody who tries every move out in imagined games that this agent plays on; nobody for one that searches, and
    says itself what moves are worth.
    """
    if isinstance(agent, SearchAgent):
        return None
    model = agent.name if isinstance(agent, BotAgent | RandomAgent) else agent
    recipe = make_recipe("rollout", {"model": model, "playouts": PLAYOUTS, "actions": TRIED})
    return load_agent(game, recipe, players=players)


class Analysis:
    """All positions of one game in which somebody chose, as the acting seat knew them, before two agents.

    `acting` has an agent per seat, or None for a person, whose every choice counts as certain. `second` is asked about
    all positions, and what moves are worth is tried out with it (`judge_with`). What agents think comes piece by
    piece, from `steps`: those that search take their time.
    """

    def __init__(
        self,
        start: Batch,
        moves: Sequence[tuple[int, int]],
        acting: Sequence[Agent | None],
        second: Agent | None,
    ) -> None:
        self.game, self.players, self.moves = start.game, start.players, list(moves)
        self.acting, self.second = list(acting), second
        self.seats = np.array([seat for seat, _ in self.moves], np.int64)
        self.actions = np.array([action for _, action in self.moves], np.int64)
        self.batch, self.result = _positions(start, self.actions)
        shape = self.batch.action_mask.shape
        self.opinions = {"acting": _nothing(shape), "second": _nothing(shape)}
        chosen = np.array([acting[seat] is None for seat in self.seats], np.bool_)
        self.opinions["acting"].probabilities[chosen, self.actions[chosen]] = 1.0
        judge = None if second is None else judge_with(second, self.game, self.players)
        self._pieces = [
            *self._plan("acting", acting),
            *self._plan("second", [second] * self.players),
            *self._plan("judge", [judge] * self.players),
        ]
        self.done = 0

    def _plan(self, who: str, agents: Sequence[Agent | None]) -> Iterator[tuple[str, Agent, NDArray[np.int64]]]:
        """Whom to ask about which positions: one at a time if it searches, else all at once."""
        asked: dict[int, tuple[Agent, list[int]]] = {}
        for place, seat in enumerate(self.seats.tolist()):
            if (agent := agents[seat]) is not None:
                asked.setdefault(id(agent), (agent, []))[1].append(place)
        for agent, places in asked.values():
            step = 1 if isinstance(agent, SearchAgent) else len(places)
            for first in range(0, len(places), step):
                yield who, agent, np.array(places[first : first + step], np.int64)

    @property
    def of(self) -> int:
        """How many pieces of work there are."""
        return len(self._pieces)

    @property
    def thinks(self) -> bool:
        """Does anybody in it search?"""
        return any(isinstance(agent, SearchAgent) for _, agent, _ in self._pieces)

    def steps(self) -> Iterator[None]:
        """Do the work, piece by piece."""
        for who, agent, places in self._pieces:
            found = ask_opinion(agent, Positions(self.batch, places))
            kept = self.opinions["acting" if who == "acting" else "second"]
            if who != "judge":
                kept.probabilities[places] = found.probabilities
            kept.values[places] = np.where(np.isfinite(kept.values[places]), kept.values[places], found.values)
            kept.action_values[places] = found.action_values
            self.done += 1
            yield

    def disagreement(self, move: int) -> float | None:
        """How much of their choices the two would make otherwise: 0 for none, 1 for all."""
        if self.second is None:
            return None
        one, other = (self.opinions[who].probabilities[move] for who in ("acting", "second"))
        return float(np.abs(one - other).sum() / 2)

    def cost(self, move: int) -> Cost | None:
        """What a move cost, by the second agent, or by the one who acted if there is no second one."""
        for who in ("second", "acting"):
            opinions = self.opinions[who]
            values, played = opinions.action_values[move], self.actions[move]
            if not np.isfinite(values).any() and self.batch.action_mask[move].sum() == 1:
                return None  # there was nothing to choose
            if np.isfinite(values).any():
                if not math.isfinite(values[played]):
                    return None  # who searches did not even try it
                return Cost(float(np.nanmax(values) - values[played]), who, BY_SEARCH)
            if math.isfinite(opinions.values[move]):
                lost = float(opinions.values[move] - self._expected_after(opinions.values, move))
                if math.isfinite(lost):
                    return Cost(lost, who, BY_VALUES)
        return None

    def _expected_after(self, values: Array, move: int) -> float:
        """What a seat expects when it chooses next; what it got, if it does not any more."""
        later = np.flatnonzero(self.seats[move + 1 :] == self.seats[move])
        return float(values[move + 1 + later[0]]) if later.size else float(self.result[self.seats[move]])

    def curve(self, who: str, seat: int) -> list[tuple[int, float]]:
        """What was expected for a seat at each of its choices, by their positions, and at last what it got."""
        values = self.opinions[who].values
        places = [place for place in np.flatnonzero(self.seats == seat).tolist() if math.isfinite(values[place])]
        end = [(len(self.moves), float(self.result[seat]))] if places else []
        return [(place, float(values[place])) for place in places] + end

    def widest(self) -> int | None:
        """The move about which the two disagree most."""
        found = [(value, -move) for move in range(len(self.moves)) if (value := self.disagreement(move)) is not None]
        return -max(found)[1] if found and max(found)[0] > 0 else None

    def costliest(self) -> int | None:
        """The move that cost most."""
        found = [(cost.cost, -move) for move in range(len(self.moves)) if (cost := self.cost(move)) is not None]
        return -max(found)[1] if found and max(found)[0] > 0 else None


def _nothing(shape: tuple[int, ...]) -> Opinions:
    return Opinions(np.zeros(shape), np.full(shape[0], np.nan), np.full(shape, np.nan))


def _positions(start: Batch, actions: NDArray[np.int64]) -> tuple[Batch, Array]:
    """A batch with the position before each move, and each seat's reward at the end."""
    count = max(len(actions), 1)
    batch = Batch(start.game, count, seed=0, auto_reset=False, **start.chosen)
    one: Any = start.copy()
    for place, action in enumerate(actions.tolist()):
        batch.states[place] = one.states[0]
        one.step_one(action)
    if len(actions):
        batch.show()
    return batch, one.rewards[0].astype(np.float64)
