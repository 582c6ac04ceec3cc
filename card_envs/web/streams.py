"""Event streams: a page hears that its game has moved on, and nothing else; it then asks for what it may see."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from fastapi.responses import StreamingResponse

from card_envs.web.errors import TooMuchError
from card_envs.web.limits import Limits

STILL_HERE = 15.0  # seconds after which a silent stream says something, so that nobody thinks it dead


class Streams:
    """Those who listen, by game."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._lock = threading.Lock()
        self._closed = False
        self._listeners: dict[str, list[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}

    def announce(self, game: str) -> None:
        """Wake everybody who listens to a game. From any thread."""
        with self._lock:
            listeners = list(self._listeners.get(game, ()))
        for loop, event in listeners:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    def close(self) -> None:
        """End all streams: the server stops."""
        self._closed = True
        for game in list(self._listeners):
            self.announce(game)

    @property
    def listening(self) -> int:
        """How many listen now."""
        with self._lock:
            return sum(map(len, self._listeners.values()))

    @contextmanager
    def listener(self, game: str, spare: int = 0) -> Iterator[asyncio.Event]:
        """A place among those who listen, for as long as the block. Refused if there is none, in the same step, or no
        more than `spare` of them, which are for others.
        """
        event = asyncio.Event()
        place = (asyncio.get_running_loop(), event)
        with self._lock:
            here, everyone = len(self._listeners.get(game, ())), sum(map(len, self._listeners.values()))
            if everyone >= self.limits.streams or here >= self.limits.streams_per_game - spare:
                raise TooMuchError("too many pages listen already; close one")
            self._listeners.setdefault(game, []).append(place)
        try:
            yield event
        finally:
            with self._lock:
                self._listeners[game].remove(place)
                if not self._listeners[game]:
                    del self._listeners[game]

    async def events(self, event: asyncio.Event) -> AsyncIterator[str]:
        """Server-sent events for as long as the page listens."""
        yield "event: hello\ndata: {}\n\n"
        while not self._closed:
            try:
                await asyncio.wait_for(event.wait(), STILL_HERE)
                event.clear()
                yield "event: moved\ndata: {}\n\n"
            except TimeoutError:
                yield ": still here\n\n"


class EventStream(StreamingResponse):
    """The answer of a page that listens. It has its place exactly while it is being sent, however that ends."""

    def __init__(self, streams: Streams, game: str, spare: int = 0) -> None:
        super().__init__((), media_type="text/event-stream")
        self.streams, self.game, self.spare = streams, game, spare

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Take a place, and send events to it."""
        with self.streams.listener(self.game, self.spare) as event:
            self.body_iterator = self.streams.events(event)
            await super().__call__(scope, receive, send)
