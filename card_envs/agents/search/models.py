"""Models of the players: who chooses in imagined games.

`random` and `bot` choose inside the compiled engine. Any other agent is asked about batches of rows: for its logits
where it is a Policy, for actions by lots of the imagined games, and for values where imagined games are cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.answers import check_form, legal_rows
from card_envs.agents.base import Agent, Identified, LotsAgent, Policy, SearchAgent
from card_envs.agents.bot import BotAgent
from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.choosing import draw_actions
from card_envs.agents.loading import CHAMPION, IN_ENGINE, Player, load_agent
from card_envs.agents.network import finite
from card_envs.agents.random import RandomAgent
from card_envs.agents.speaking.agent import SpokenAgent
from card_envs.core.compile import record_array
from card_envs.core.game import Game
from card_envs.core.playing import BOT, LOTS
from card_envs.errors import IllegalActionError, OptionError

ASKED = 0  # in the place of RANDOM or BOT: whoever is not played by the engine
OWN_CHOICE = 0.5  # how likely the choice of a model is, to begin with, that does not say how likely its choices are

Observations = NDArray[np.float32]
Masks = NDArray[np.int8]
Lots = NDArray[np.float64]


class Model(Protocol):
    """Who plays in imagined games."""

    @property
    def agent(self) -> Agent:
        """The player itself."""

    @property
    def spelling(self) -> str | None:
        """By which name it can be loaded again; None where its content says who it is, or nothing does."""

    @property
    def inside(self) -> int:
        """Its number in the engine, or ASKED."""

    @property
    def draws_lots(self) -> bool:
        """Do its logits say how it chooses by lot? If not, it always plays `choose`."""

    @property
    def has_values(self) -> bool:
        """Can it say what a position is worth?"""

    def choose(self, observation: Observations, action_mask: Masks, lots: Lots) -> NDArray[np.int64]:
        """One legal action per row, by a number from 0 to below 1 for each."""

    def logits(self, observation: Observations, action_mask: Masks, lots: Lots) -> NDArray[np.float64]:
        """How much it prefers each action before any search: minus infinity for what is illegal."""

    def values(self, observation: Observations) -> NDArray[np.float64]:
        """What reward it expects for the seat whose observation each row is. For those that have values."""


@dataclass(frozen=True, eq=False)
class InsideModel:
    """`random` or `bot`, which the engine plays by itself."""

    agent: Agent
    inside: int
    game: Game
    has_values: ClassVar[bool] = False

    @property
    def spelling(self) -> str:
        """Its name."""
        return self.agent.name

    @property
    def draws_lots(self) -> bool:
        """The bot may, but nobody knows how likely what is."""
        return self.inside != BOT

    def choose(self, observation: Observations, action_mask: Masks, lots: Lots) -> NDArray[np.int64]:
        """What the engine would do, with a stream of lots that begins with this row's."""
        if self.inside != BOT:
            return draw_actions((action_mask != 0).astype(np.float64), lots)
        actions, streams = np.empty(len(lots), np.int64), record_array(len(lots), LOTS)
        streams["stream"] = (lots * 2.0**53).astype(np.uint64)
        for row in range(len(lots)):
            one = slice(row, row + 1)
            self.game.loops.choose_by_bot(streams[one], observation[one], action_mask[one], actions[one])
        return actions

    def logits(self, observation: Observations, action_mask: Masks, lots: Lots) -> NDArray[np.float64]:
        """All alike for random; half of all likelihood for what the bot does."""
        if self.inside != BOT:
            return np.where(action_mask != 0, 0.0, -np.inf)
        return _logits_of_choices(self.choose(observation, action_mask, lots), action_mask)

    def values(self, observation: Observations) -> NDArray[np.float64]:
        """It has none."""
        raise OptionError(f"{self.agent.name} cannot say what a position is worth")


class NetworkModel:
    """A trained player: its logits and values, as its network gives them."""

    spelling, inside, has_values = None, ASKED, True

    def __init__(self, agent: CheckpointAgent) -> None:
        self.agent: Agent = agent
        self._player = agent
        self.draws_lots = not agent.choosing.greedy

    def choose(self, observation: Observations, action_mask: Masks, lots: Lots) -> NDArray[np.int64]:
        """By its policy's probabilities, or the likeliest."""
        return self._player.act_with_lots(observation, action_mask, lots)

    def logits(self, observation: Observations, action_mask: Masks, lots: Lots) -> NDArray[np.float64]:
        """Of the network itself, with its temperature. A greedy player has them, too: it takes the largest."""
        logits = finite(self._player.logits(observation)) / self._player.choosing.temperature
        return np.where(action_mask != 0, logits, -np.inf)

    def values(self, observation: Observations) -> NDArray[np.float64]:
        """Of the network."""
        return self._player.values(observation).astype(np.float64)


class AskedModel:
    """Any other agent. What it has besides act() is used."""

    inside = ASKED

    def __init__(self, agent: Agent, game: Game, spelling: str | None) -> None:
        self.agent, self.game, self.spelling = agent, game, spelling
        self.has_values = self.draws_lots = isinstance(agent, Policy)

    def choose(self, observation: Observations, action_mask: Masks, lots: Lots) -> NDArray[np.int64]:
        """What it does, which must be legal."""
        if isinstance(self.agent, LotsAgent):
            answered: Any = self.agent.act_with_lots(observation, action_mask, lots)
        else:
            answered = self.agent.act(observation, action_mask)
        actions = check_form(self.agent.name, answered, len(action_mask)).astype(np.int64)
        legal = legal_rows(actions, action_mask)
        if not legal.all():
            row = int(np.flatnonzero(~legal)[0])
            raise IllegalActionError(
                f"the model {self.agent.name} of a searcher must play what is legal, and it played {int(actions[row])} "
                f"in a position of {self.game.title} that was imagined"
            )
        return actions

    def logits(self, observation: Observations, action_mask: Masks, lots: Lots) -> NDArray[np.float64]:
        """Of its probabilities, or half of all likelihood for what it does."""
        if isinstance(self.agent, Policy):
            likely = np.where(action_mask != 0, self.agent.probabilities(observation, action_mask), 0.0)
            with np.errstate(divide="ignore"):
                logits: NDArray[np.float64] = np.log(likely)
            return logits
        return _logits_of_choices(self.choose(observation, action_mask, lots), action_mask)

    def values(self, observation: Observations) -> NDArray[np.float64]:
        """What it says."""
        if not isinstance(self.agent, Policy):
            raise OptionError(f"{self.agent.name} cannot say what a position is worth")
        return np.asarray(self.agent.values(observation), np.float64)


def _logits_of_choices(actions: NDArray[np.int64], action_mask: Masks) -> NDArray[np.float64]:
    legal = action_mask != 0
    others = np.maximum(legal.sum(axis=1) - 1, 1)[:, None]
    likely = np.where(legal, (1 - OWN_CHOICE) / others, 0.0)
    likely[np.arange(len(actions)), actions] = OWN_CHOICE
    with np.errstate(divide="ignore"):
        logits: NDArray[np.float64] = np.log(likely)
    return logits


@dataclass(frozen=True, eq=False)
class Models:
    """Who plays in imagined games: `own` on the seat of the searcher, `others` on all other seats."""

    own: Model
    others: Model

    def seating(self, own_seats: NDArray[np.int64], players: int) -> NDArray[np.int64]:
        """Who sits where in games in which the searcher has these seats, for Batch.play_on."""
        seats = np.full((len(own_seats), players), self.others.inside, np.int64)
        seats[np.arange(len(own_seats)), own_seats] = self.own.inside
        return seats

    @property
    def remember_nothing(self) -> bool:
        """Are both ours? Any other agent may remember what it was asked."""
        return not any(isinstance(model, AskedModel) for model in (self.own, self.others))

    @property
    def identity(self) -> tuple[str, str]:
        """Who they are, by content."""
        return _identity(self.own), _identity(self.others)


def _identity(model: Model) -> str:
    agent = model.agent
    return agent.content_hash if isinstance(agent, Identified) else f"{type(agent).__qualname__} {agent.name}"


def usual_model(game: Game) -> str:
    """Who plays in imagined games if nobody is named: the strongest player that comes with the game."""
    if game.champion is not None:
        return CHAMPION
    return "bot" if game.bot is not None else "random"


def load_models(game: Game, model: Player | None, others: Player | None, players: int | None) -> Models:
    """The models of a searcher, for a game and a number of players."""
    own = load_model(game, usual_model(game) if model is None else model, players)
    return Models(own, own if others is None else load_model(game, others, players))


def load_model(game: Game, player: Player, players: int | None) -> Model:
    """One of them. A searcher can be none: each of its playouts would search. Nor can one that is told in words."""
    agent = load_agent(game, player, players=players, seed=0)
    if isinstance(agent, SearchAgent):
        raise OptionError(f"{agent.name} cannot be the model of a searcher, for it searches itself; name who it models")
    if isinstance(agent, SpokenAgent):
        raise OptionError(
            f"{agent.name} is told games in words, which nobody does in imagined ones; name another model"
        )
    if type(agent) in (RandomAgent, BotAgent):
        return InsideModel(agent, IN_ENGINE[agent.name], game)
    if type(agent) is CheckpointAgent:
        return NetworkModel(agent)
    return AskedModel(agent, game, player if isinstance(player, str) else None)
