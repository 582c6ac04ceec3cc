"""Agents that take their time, because they think ahead or are told in words, on a server that answers others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from card_envs.agents.speaking.agent import SpokenAgent
from card_envs.web.errors import TooMuchError
from card_envs.web.recent import Recent

MOST_PROGRAMS = 8  # that are kept running between moves; one that is needed again is started again


class Thinking:
    """So many moves are thought about at once, and so many requests wait for such moves or make them.

    A request has one of few threads until it is answered. Those that wait for thinkers must never be all of them.
    """

    def __init__(self, moves: int, requests: int) -> None:
        self.requests = requests
        self._moves = threading.BoundedSemaphore(moves)
        self._requests = threading.BoundedSemaphore(requests)
        self._spoken: Recent[int, SpokenAgent] = Recent(MOST_PROGRAMS)

    @contextmanager
    def admitted(self, thinks: bool) -> Iterator[None]:
        """Let a request in whose table has agents that think; refused before anything has moved if there are many."""
        if not thinks:
            yield
            return
        if not self._requests.acquire(blocking=False):
            raise TooMuchError(
                f"agents think about {self.requests} games at the moment, which is as many as this server allows; "
                f"try again in a moment"
            )
        try:
            yield
        finally:
            self._requests.release()

    @contextmanager
    def move(self) -> Iterator[None]:
        """Think about one move, when it is its turn."""
        with self._moves:
            yield

    def about_to_speak(self, agent: SpokenAgent) -> None:
        """Note who is asked now, and end the program of whoever has not been asked for longest, if there are many."""
        for gone in self._spoken.keep_and_tell(id(agent), agent):
            gone.close()

    def close(self) -> None:
        """End all programs."""
        for agent in self._spoken.clear():
            agent.close()
