"""Event streams: a page hears that its game has moved on, and nothing else; it then asks for what it may see."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

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

    def check_room(self, game: str) -> None:
        """Refuse one more who wants to listen, if there is no room."""
        with self._lock:
            everyone = sum(map(len, self._listeners.values()))
            if everyone >= self.limits.streams or len(self._listeners.get(game, ())) >= self.limits.streams_per_game:
                raise TooMuchError("too many pages listen already; close one")

    async def events(self, game: str) -> AsyncIterator[str]:
        """Server-sent events for as long as the page listens."""
        event = asyncio.Event()
        listener = (asyncio.get_running_loop(), event)
        with self._lock:
            self._listeners.setdefault(game, []).append(listener)
        try:
            yield "event: hello\ndata: {}\n\n"
            while not self._closed:
                try:
                    await asyncio.wait_for(event.wait(), STILL_HERE)
                    event.clear()
                    yield "event: moved\ndata: {}\n\n"
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            with self._lock:
                self._listeners[game].remove(listener)
                if not self._listeners[game]:
                    del self._listeners[game]
