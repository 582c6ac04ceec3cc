"""Who sits where in each game of a batch, and how those who are not the user play on by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.answers import check_form, legal_rows
from card_envs.agents.base import Agent, LotsAgent, SearchAgent
from card_envs.agents.isolated.agent import IsolatedAgent
from card_envs.agents.loading import IN_ENGINE, Player, load_agent, plays_inside
from card_envs.agents.naming import speaks
from card_envs.agents.positions import Positions
from card_envs.agents.speaking.agent import SpokenAgent
from card_envs.agents.speaking.options import Speaker
from card_envs.core.batch import Batch
from card_envs.core.compile import record_array
from card_envs.core.loops import SHARED
from card_envs.core.playing import BOT, LOTS, RANDOM
from card_envs.errors import IllegalActionError, OptionError

OWN = 0  # the seat of whoever uses the batch; play stops there
FIRST_OUTSIDE = 3  # from here on, players from outside of the engine, in the order of `agents`

Mixture = Mapping[Player, float]


class Forfeit(NamedTuple):
    """A game that somebody has lost by no legal answer."""

    game: int
    seat: int
    reason: str


class Seating:
    """The players of all games of a batch. A player changes only when its game starts.

    Random players and bots play inside the compiled engine; any other agent is called once per step for all games in
    which it is to act. What is decided by lot comes from each game's own stream, so it depends on the game's seed
    alone. An agent in a process of its own, or one that speaks, forfeits the game if it gives no legal action;
    `forfeits` tells of it. Games in which somebody is told what happens are followed, move by move.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.players = np.zeros((batch.num_games, batch.players), np.int64)
        self.lots = record_array(batch.num_games, LOTS)
        self.forfeits: list[Forfeit] = []
        self.agents: list[Agent] = []  # those who are asked from outside of the engine
        self._numbers: dict[Any, int] = {}

    def number_of(self, player: Player, seat: int = 0) -> int:
        """The number that stands for a player in `players`; the same player is loaded once.

        One that speaks is loaded once for each seat, and each of these knows its own cards only.
        """
        if plays_inside(player):
            load_agent(self.batch.game, player)  # refused where a game has no such player
            return IN_ENGINE[str(player)]
        key: Any = player if isinstance(player, str | PathLike) else id(player)
        if isinstance(player, Speaker) or speaks(player):
            key = (player, seat)
        if key not in self._numbers:
            self.agents.append(load_agent(self.batch.game, player, players=self.batch.players, seed=0))
            self._numbers[key] = FIRST_OUTSIDE + len(self.agents) - 1
        return self._numbers[key]

    def sit_down(self, line_up: Sequence[Player | None], games: NDArray[np.int64] | None = None) -> None:
        """One player per seat, the same in all games or in those listed. None is OWN, whoever uses the batch."""
        if len(line_up) != self.batch.players:
            raise OptionError(
                f"a line-up has one player per seat: {self.batch.players} at this table, not {len(line_up)}"
            )
        numbers = [OWN if player is None else self.number_of(player, seat) for seat, player in enumerate(line_up)]
        self.players[slice(None) if games is None else games] = numbers
        self.follow_told(np.arange(self.batch.num_games) if games is None else games)

    def sit_down_by_number(self, players: Mapping[int, Player], seats: NDArray[np.integer[Any]]) -> None:
        """Other players in each game: `seats` has one row per game, with a number of `players` for each seat."""
        numbers = np.zeros(int(seats.max()) + 1, np.int64)
        for number in np.unique(seats).tolist():
            numbers[number] = self.number_of(players[number])
        self.players[:] = numbers[seats]
        self.follow_told(np.arange(self.batch.num_games))

    def follow_told(self, games: NDArray[np.int64]) -> None:
        """Follow those of these games, which are about to start, in which somebody is told what happens."""
        told = [FIRST_OUTSIDE + place for place, agent in enumerate(self.agents) if isinstance(agent, SpokenAgent)]
        if told:
            self.batch.follow(games[np.isin(self.players[games], told).any(axis=1)])

    def start_lots(self, games: NDArray[np.int64], seeds: NDArray[np.int64] | None = None) -> None:
        """Begin the lots of games: from the games' own seeds, or from others, one for each game of the batch."""
        SHARED.start_lots(self.lots, games, self.batch.seeds if seeds is None else seeds)

    def draw_lots(self, games: NDArray[np.int64]) -> NDArray[np.float64]:
        """A number from 0 to below 1 for each game."""
        chances = np.empty(len(games))
        SHARED.draw_lots(self.lots, games, chances)
        return chances

    def play_on(self, games: NDArray[np.int64]) -> None:
        """Let everyone but OWN act in these games, until OWN is to act or the game is over in each."""
        batch = self.batch
        self._play_built_in(games)
        while self.agents:
            games = games[batch.seat[games] >= 0]
            to_act = self.players[games, batch.seat[games]]
            if not (to_act >= FIRST_OUTSIDE).any():
                return
            for number in np.unique(to_act[to_act >= FIRST_OUTSIDE]):
                theirs = games[to_act == number]
                actions = self._ask(self.agents[number - FIRST_OUTSIDE], theirs)
                for game in theirs[actions < 0].tolist():
                    batch.forfeit(game, int(batch.seat[game]))
                theirs, actions = theirs[actions >= 0], actions[actions >= 0]
                batch.step(actions, theirs)
                self._play_built_in(theirs)

    def choose(self, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """What those to act in these games would do now, all of them players who are asked from outside of the engine.

        The games are not touched; -1 stands for a forfeit.
        """
        to_act = self.players[games, self.batch.seat[games]]
        actions = np.empty(len(games), np.int64)
        for number in np.unique(to_act):
            actions[to_act == number] = self._ask(self.agents[number - FIRST_OUTSIDE], games[to_act == number])
        return actions

    def agent_to_act(self, game: int) -> Agent | None:
        """Who is asked next in one game; None where the engine plays, or whoever uses the batch."""
        number = int(self.players[game, self.batch.seat[game]])
        return self.agents[number - FIRST_OUTSIDE] if number >= FIRST_OUTSIDE else None

    def choose_for(self, game: int) -> int:
        """What the player to act in one game would do now, -1 for a forfeit. The game is not touched."""
        number = int(self.players[game, self.batch.seat[game]])
        games = np.array([game])
        if number >= FIRST_OUTSIDE:
            return int(self._ask(self.agents[number - FIRST_OUTSIDE], games)[0])
        observation, mask = self.batch.observation[games], self.batch.action_mask[games]
        actions = np.empty(1, np.int64)
        if number == BOT:
            self.batch.game.loops.choose_by_bot(self.lots[game : game + 1], observation, mask, actions)
            return int(actions[0])
        legal = np.flatnonzero(mask[0])
        return int(legal[int(self.draw_lots(games)[0] * len(legal))])

    def _play_built_in(self, games: NDArray[np.int64]) -> None:
        """Let built-in players act: all at once, but one by one where the game is followed."""
        pages = self.batch.journal.pages if self.batch.journal else {}
        followed = [game for game in games.tolist() if game in pages] if pages else []
        self.batch.play_on(self.lots, self.players, games[~np.isin(games, followed)] if followed else games)
        for game in followed:
            while (seat := int(self.batch.seat[game])) >= 0 and self.players[game, seat] in (RANDOM, BOT):
                self.batch.step_one(self.choose_for(game), game)

    def _ask(self, agent: Agent, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """An agent's actions, which must be legal: an agent that errs is mended, not punished.

        A stranger's, which nobody here can mend, is -1 where it has forfeited the game.
        """
        batch = self.batch
        observation, mask = batch.observation[games], batch.action_mask[games]
        if isinstance(agent, IsolatedAgent):
            actions, reason = agent.answer(observation, mask, self.draw_lots(games))
            self.forfeits += [Forfeit(game, int(batch.seat[game]), reason) for game in games[actions < 0].tolist()]
            return actions
        if isinstance(agent, SpokenAgent):
            actions, reasons = agent.answer(Positions(batch, games))
            lost = games[actions < 0].tolist()
            self.forfeits += [
                Forfeit(game, int(batch.seat[game]), why) for game, why in zip(lost, reasons, strict=True)
            ]
            return actions
        answered: Any
        if isinstance(agent, SearchAgent):
            answered = agent.search(Positions(batch, games), self.draw_lots(games))
        elif isinstance(agent, LotsAgent):
            answered = agent.act_with_lots(observation, mask, self.draw_lots(games))
        else:
            answered = agent.act(observation, mask)
        actions = check_form(agent.name, answered, len(games))
        legal = legal_rows(actions, mask)
        if not legal.all():
            row = int(np.flatnonzero(~legal)[0])
            seat = int(batch.seat[games[row]])
            raise IllegalActionError(
                f"the agent {agent.name}: {batch.game.why_illegal(seat, int(actions[row]), mask[row])}"
            )
        return actions


class Opponents:
    """Who may sit on each of the other seats, clockwise from the own one, and how likely."""

    def __init__(self, seating: Seating, opponents: Player | Mixture | Sequence[Player | Mixture]) -> None:
        others = seating.batch.players - 1
        if isinstance(opponents, Sequence) and not isinstance(opponents, str):
            if len(opponents) != others:
                raise OptionError(
                    f"opponents must be one, or a list of {others}, one per other seat, not {len(opponents)}"
                )
            chairs: Sequence[Player | Mixture] = opponents
        else:
            chairs = [opponents] * others
        self._mixtures = [_mixture(seating, chair, away) for away, chair in enumerate(chairs)]
        self._seating = seating

    def sit_down(self, games: NDArray[np.int64], own: NDArray[np.int64]) -> None:
        """Seat the opponents of games that start, drawing by lot where there is a choice."""
        seating = self._seating
        seating.players[games, own] = OWN
        for away, (numbers, summed) in enumerate(self._mixtures, start=1):
            chosen = np.zeros(len(games), np.int64)
            if len(numbers) > 1:
                chosen = np.searchsorted(summed, seating.draw_lots(games), side="right")
            seating.players[games, (own + away) % seating.batch.players] = numbers[chosen]
        seating.follow_told(games)


def _mixture(seating: Seating, chair: Player | Mixture, away: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Numbers of players, and up to which lot each of them is chosen."""
    weights = dict(chair) if isinstance(chair, Mapping) else {chair: 1.0}
    for player, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
            raise OptionError(f"the weight of the opponent {player!r} must be a number from 0 on, not {weight!r}")
    total = float(sum(weights.values()))
    if total <= 0:
        raise OptionError("a mixture of opponents needs at least one with a weight above 0")
    summed = np.cumsum([weight / total for weight in weights.values()])
    summed[-1] = 1.0
    return np.array([seating.number_of(player, away) for player in weights], np.int64), summed
