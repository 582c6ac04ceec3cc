"""A table at which a game is under way: people by their keys, agents by themselves."""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.seating import Seating
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.drawing.look import Look
from card_envs.presentation.film import Film
from card_envs.presentation.languages import LANGUAGES, translate
from card_envs.presentation.phrases import say_action, tell_move
from card_envs.web.agent_library import AgentLibrary, advice, games_by_name
from card_envs.web.errors import ConflictError, WebError
from card_envs.web.record import Record

YOU = {"you": ("you", "du", "toi", "tu")}
Lines = list[tuple[int, int | None, dict[str, str]]]  # number of the move, seat, words by language


class HostedGame:
    """One game, made again from its record: the engine deals and plays the same from the same seed and actions.

    What each person hears of a move is told from the person's own views, so that it cannot tell a secret.
    """

    def __init__(self, record: Record, agents: AgentLibrary) -> None:
        self.record, self.agents = record, agents
        self.game: Game = games_by_name(record.game)
        self.players = len(record.seats)
        self.lock = threading.Lock()
        self.batch = Batch(self.game, 1, seed=record.seed, auto_reset=False, players=self.players)
        self.start = self.batch.copy()
        self._seating = Seating(self.batch)
        self._seating.sit_down(
            [None if seat.agent is None else agents.load(self.game, self.players, seat.agent) for seat in record.seats]
        )
        self.lines: dict[int, Lines] = {number: [] for number, seat in enumerate(record.seats) if seat.human}
        self.moves: list[tuple[int, int]] = []
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
        """Counts the moves, so that nobody answers a position that is past."""
        return len(self.moves)

    @property
    def names(self) -> list[str]:
        """Who sits where."""
        return [seat.name for seat in self.record.seats]

    def view(self, seat: int) -> dict[str, Any]:
        """What a seat may know."""
        return self.game.view(self.batch.states[0], seat)

    def _step(self, action: int) -> None:
        views = {seat: self.view(seat) for seat in self.lines}
        number, actor = self.version, self.seat
        self.batch.step_one(action)
        self.moves.append((actor, action))
        for seat, before in views.items():
            after = self.view(seat)
            told = {language: tell_move(self.game, before, after, action, language) for language in LANGUAGES}
            for place, (who, _) in enumerate(told[LANGUAGES[0]]):
                words = {language: told[language][place][1] for language in LANGUAGES}
                self.lines[seat].append((number, who, words))

    def play(self, seat: int, action: int, version: int) -> None:
        """A person's move, then the agents up to the next person. All of it, or an error and nothing."""
        if self.over:
            raise ConflictError("this game is over")
        if version != self.version:
            raise ConflictError("the game has gone on since; look at it again")
        if seat != self.seat:
            raise ConflictError(f"it is player {self.seat}'s turn")
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
            self._step(self._seating.choose_for(0))

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
        names = [translate(YOU, "you", language) if number == seat else name for number, name in enumerate(self.names)]
        look = Look(language=language, theme="page", shape=shape, seat=seat, names=names, actions=actions)
        return self.game.drawing(self.view(seat), look)

    @functools.cached_property
    def film(self) -> Film:
        """The game once more, position by position, when it is over."""
        return Film(self.start, self.moves, self.names)

    def coach(self, seat: int) -> tuple[str, NDArray[np.float64]]:
        """What the adviser would do here, from what the seat may know."""
        if seat != self.seat:
            raise ConflictError("the coach speaks when it is your turn")
        name, agent = self.agents.adviser(self.game, self.players)
        observation, mask = self.batch.observe(0, seat)
        return name, advice(agent, observation, mask)
