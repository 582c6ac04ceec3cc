"""A table at which a game is under way: people by their keys, agents by themselves."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from card_envs.agents.base import Agent, SearchAgent
from card_envs.agents.opinions import Opinions, ask_opinion
from card_envs.agents.positions import Positions
from card_envs.agents.seating import Seating
from card_envs.agents.speaking.agent import SpokenAgent
from card_envs.agents.speaking.options import Speaker
from card_envs.core.batch import Batch
from card_envs.core.compile import copy_bytes
from card_envs.core.game import Game
from card_envs.drawing.look import Look
from card_envs.errors import IllegalActionError
from card_envs.presentation.film import Film
from card_envs.presentation.languages import LANGUAGES, named, people
from card_envs.presentation.phrases import guide, say_action, tell_move
from card_envs.web.agent_library import AgentLibrary, games_by_name
from card_envs.web.errors import ConflictError, WebError
from card_envs.web.record import Record
from card_envs.web.spectator import Lines, Spectator
from card_envs.web.thinking import Thinking

MOST_STEPS = 24  # pictures of what has happened since somebody looked


class HostedGame:
    """One game, made again from its record: the engine deals and plays the same from the same seed and actions.

    What each person hears of a move is told from the person's own views, so that it cannot tell a secret.
    """

    def __init__(self, record: Record, agents: AgentLibrary, thinking: Thinking | None = None) -> None:
        self.record, self.agents, self._thinking = record, agents, thinking or Thinking(1, 1)
        self.game: Game = games_by_name(record.game)
        self.players = len(record.seats)
        self.lock = threading.Lock()
        self.batch = Batch(self.game, 1, seed=record.seed, auto_reset=False, players=self.players)
        self.start = self.batch.copy()
        self._seating = Seating(self.batch)
        line_up = [
            None if seat.agent is None else agents.load(self.game, self.players, seat.agent) for seat in record.seats
        ]
        self._seating.sit_down(line_up)
        self._thinkers = {number for number, agent in enumerate(line_up) if isinstance(agent, SearchAgent | Speaker)}
        self.lines: dict[int, Lines] = {number: [] for number, seat in enumerate(record.seats) if seat.human}
        self.moves: list[tuple[int, int]] = []
        self._spectator: Spectator | None = None
        self.states = [copy_bytes(self.batch.states)]  # before each move, and now
        for action in record.actions:
            self._step(action)

    @property
    def seat(self) -> int:
        """Who is to act; -1 once the game is over."""
        return int(self.batch.seat[0])

    @property
    def over(self) -> bool:
        """Is it?"""
        return self.seat < 0

    @property
    def version(self) -> int:
        """Counts the moves."""
        return len(self.moves)

    def refuse_unless_now(self, seat: int, version: int, taken_back: int) -> None:
        """Nobody may answer another position than the one that is on the table."""
        if (version, taken_back) != (self.version, self.record.seats[seat].taken_back):
            raise ConflictError("the game has gone on since; look at it again")

    @property
    def thinks(self) -> bool:
        """Is there an agent that searches or is told in words, so that a move may take a while?"""
        return bool(self._thinkers)

    @property
    def names(self) -> list[str]:
        """Who sits where."""
        return [seat.name for seat in self.record.seats]

    def called(self, language: str, own: int | None = None) -> list[str]:
        """What to call everybody, for whoever sits on a seat."""
        return people(self.names, language, own)

    def view(self, seat: int) -> dict[str, Any]:
        """What a seat may know."""
        return self.game.view(self.batch.states[0], seat)

    def _step(self, action: int) -> None:
        views = {seat: self.view(seat) for seat in self.lines}
        number, actor = self.version, self.seat
        self.batch.step_one(action)
        self.moves.append((actor, action))
        self.states.append(copy_bytes(self.batch.states))
        for seat, before in views.items():
            after, told = self.view(seat), {}
            for language in LANGUAGES:
                names = self.called(language, seat)
                told[language] = tell_move(self.game, named(before, names), named(after, names), action, language)
            for place, (who, _) in enumerate(told[LANGUAGES[0]]):
                words = {language: told[language][place][1] for language in LANGUAGES}
                self.lines[seat].append((number, who, words))

    def play(self, seat: int, action: int, version: int, taken_back: int = 0) -> None:
        """A person's move, then the agents up to the next person. All of it, or an error and nothing."""
        if self.over:
            raise ConflictError("this game is over")
        self.refuse_unless_now(seat, version, taken_back)
        if seat != self.seat:
            raise ConflictError(f"it is {self.called('en')[self.seat]}'s turn")
        if self.open_seats:
            raise ConflictError("the game begins when everybody has sat down")
        if not (action < len(self.game.actions) and self.batch.action_mask[0, action]):
            raise WebError(self.game.why_illegal(seat, action, self.batch.action_mask[0]))
        self._step(action)
        self.play_on()

    def play_on(self) -> None:
        """Let agents act until a person is to act. Each choice follows from the seed and the number of the move."""
        while not self.over and not self.record.seats[self.seat].human and not self.open_seats:
            lots = np.random.default_rng([self.record.seed, self.version]).integers(2**62, size=1)
            self._seating.start_lots(np.array([0]), lots)
            with self._thinking.move() if self.seat in self._thinkers else nullcontext():
                action = self._choose()
            self._step(action)

    def _choose(self) -> int:
        """What the agent to act does. One that gives no legal action costs nobody the game: it can be asked again."""
        agent = self._seating.agent_to_act(0)
        if not isinstance(agent, SpokenAgent):
            return self._seating.choose_for(0)
        self._thinking.about_to_speak(agent)
        action = self._seating.choose_for(0)
        if action < 0:
            agent.close()  # so that it is begun anew
            reason = self._seating.forfeits.pop().reason.partition(":")[0]  # what follows may tell of the server
            raise IllegalActionError(f"{self.record.seats[self.seat].name} gave no legal action: {reason}")
        return action

    @property
    def open_seats(self) -> list[int]:
        """Seats that wait for a person."""
        return [number for number, seat in enumerate(self.record.seats) if seat.human and not seat.key]

    def actions(self, seat: int, language: str) -> dict[int, str]:
        """What a seat may do now, in words; nothing if it is not to act."""
        if seat != self.seat or self.open_seats:
            return {}
        view = self.view(seat)
        legal = np.flatnonzero(self.batch.action_mask[0])
        return {int(action): say_action(self.game, int(action), language, view) for action in legal}

    def picture(self, seat: int, language: str, shape: str) -> str:
        """What a seat may see, with what it may click."""
        actions = self.actions(seat, language) or None
        return self.game.drawing(self.view(seat), self._look(seat, language, shape, actions))

    def _look(self, seat: int, language: str, shape: str, actions: dict[int, str] | None = None) -> Look:
        names = self.called(language, seat)
        return Look(language=language, theme="page", shape=shape, seat=seat, names=names, actions=actions)

    def steps(self, seat: int, since: int, language: str, shape: str) -> list[tuple[int, str]]:
        """What a seat saw after each move since a version, up to the one before last: number of the move, and picture.

        Moves of which the seat hears nothing are left out. All is drawn from what the seat could see at that time.
        """
        heard = {move for move, _, _ in self.lines[seat] if move >= since}
        drawn: list[tuple[int, str]] = []
        look = self._look(seat, language, shape)
        for move in sorted(heard)[-MOST_STEPS:]:
            before, after = (self.game.view(self.states[one][0], seat) for one in (move, move + 1))
            views = self.game.between(before, after) if self.game.between else []
            if move + 1 < self.version:
                views = [*views, after]
            drawn += [(move, self.game.drawing(view, look)) for view in views]
        return drawn[-MOST_STEPS:]

    def notes(self, seat: int, language: str) -> list[tuple[str, str]]:
        """Notes for a first game that fit the position."""
        return guide(self.game, self.view(seat), seat, language) if seat == self.seat and not self.open_seats else []

    @property
    def practice(self) -> bool:
        """Is there one person only, so that a move taken back costs nobody else anything?"""
        return sum(seat.human for seat in self.record.seats) == 1

    def moves_kept(self, seat: int) -> int:
        """How many moves are left when the last own one is taken back."""
        if self.over:
            raise ConflictError("this game is over")
        if not self.practice:
            raise ConflictError("a move can be taken back in games against agents only")
        own = [number for number, (actor, _) in enumerate(self.moves) if actor == seat]
        if not own:
            raise ConflictError("you have not made a move yet")
        return own[-1]

    @functools.cached_property
    def film(self) -> Film:
        """The game once more, position by position, when it is over."""
        return Film(self.start, self.moves, self.names)

    def spectator(self) -> Spectator:
        """Whoever watches, up to date. Nothing is done for spectators while there are none."""
        if self._spectator is None:
            self._spectator = Spectator(self.start, self.names)
        self._spectator.catch_up(self.moves)
        return self._spectator

    def players_at_seats(self) -> list[Agent | None]:
        """Who sits where, to be asked what they think; None for people, and for those who are told in words."""
        return [
            None if agent is None or self.agents.speaks(agent) else self.agents.player(self.game, self.players, agent)
            for agent in (seat.agent for seat in self.record.seats)
        ]

    def coach(self, seat: int, adviser: str | None) -> tuple[str, Callable[[], Opinions]]:
        """An adviser's name, and what it thinks of the position from what the seat may know: to be asked without the
        table's lock, for it may take a while.

        Without one, the best that comes with the game is asked.
        """
        if seat != self.seat:
            raise ConflictError("the coach speaks when it is your turn")
        chosen = adviser or self.agents.adviser(self.game, self.players)[0]
        agent = self.agents.player(self.game, self.players, chosen)
        position = Positions(self.batch.copy(), np.array([0]))

        def ask() -> Opinions:
            if not isinstance(agent, SearchAgent):
                return ask_opinion(agent, position)
            with self._thinking.admitted(True), self._thinking.move():
                return ask_opinion(agent, position)

        return self.agents.name_of(chosen), ask
