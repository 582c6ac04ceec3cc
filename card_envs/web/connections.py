"""Connections: how many there may be, how long one may keep the server waiting, and who goes when another comes."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import struct
from collections.abc import Iterator
from typing import Any, cast
from weakref import WeakSet

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from card_envs.web.guard import plain_refusal
from card_envs.web.limits import Limits

FULL = "too many connections at once; try again in a moment"
AT_ONCE = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
NOT_HTTP = "this is no HTTP request, or its address and headers are longer than 16384 bytes"


class Connection(H11Protocol):
    """One connection. It waits for its client, or the client for an answer; event streams are answers under way."""

    since = 0.0  # when it began to wait for a request
    unread_since: float | None = None  # when something was first left over that the client has not read
    answered = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        self.since = self.loop.time()
        super().connection_made(transport)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self.since, self.answered = self.loop.time(), True
        super().on_response_complete()

    @property
    def owes_request(self) -> bool:
        """Is a request, or the rest of one, still to come?"""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not self.transport.is_closing()

    @property
    def owes_reading(self) -> bool:
        """Is there something that the client has not read, though it was sent?"""
        return self.transport.get_write_buffer_size() > 0

    def is_late(self, now: float, limits: Limits) -> bool:
        """Has the client not sent its request, or not read its answer, in time?"""
        if self.owes_reading:
            self.unread_since = now if self.unread_since is None else self.unread_since
            return now - self.unread_since >= limits.reading_seconds
        self.unread_since = None
        return self.owes_request and now - self.since >= limits.request_seconds

    def let_go(self) -> None:
        """Close it now, whatever is under way. The system is to forget what the client would not read."""
        if self.owes_reading:
            with contextlib.suppress(OSError):  # it is gone already
                self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, in the form of all refusals, unless an answer is under way that it would spoil."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(plain_refusal(400, NOT_HTTP))
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # whatever the application still answers comes too late
            self.cycle.message_event.set()
        self.transport.close()


class Room(ServerState):
    """All connections of a server."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.limits = limits

    def close_late(self) -> None:
        """Close every connection whose client keeps the server waiting."""
        now = asyncio.get_running_loop().time()
        for one in self._all():
            if one.is_late(now, self.limits):
                one.let_go()

    def make_room(self) -> bool:
        """Close some whose client is to do something, the longest first; False if all wait for the server.

        Those that never asked for anything go first, and those that are still reading last. Nobody is closed for whom
        another is leaving anyway.
        """
        if any(one.transport.is_closing() and not one.owes_reading for one in self._all()):
            return True
        idle = [one for one in self._all() if one.owes_request or one.owes_reading]
        idle.sort(key=lambda one: (one.owes_reading, one.answered, one.since))
        leaving = idle[: max(self.limits.connections // 16, 1)]  # several at a time, for looking takes its time
        for one in leaving:
            one.let_go()
        return bool(leaving)

    def _all(self) -> Iterator[Connection]:
        return (cast("Connection", one) for one in list(self.connections))


class Door(socket.socket):
    """The listening socket. asyncio would take in all who knock, and have no descriptor left for anything else."""

    def __init__(self, listener: socket.socket, room: Room) -> None:
        super().__init__(fileno=listener.dup().detach())
        self._room = room
        self._let_in: WeakSet[socket.socket] = WeakSet()
        self._spare: int | None = os.open(os.devnull, os.O_RDONLY)

    def accept(self) -> tuple[socket.socket, Any]:
        """Let one in; or tell asyncio that nobody is there, and be asked again at its next turn."""
        inside, most = self._inside(), self._room.limits.connections
        if inside > most or inside == most > len(self._room.connections):
            raise BlockingIOError  # one is just leaving, or just coming in
        try:
            made = super().accept()
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            self._use_spare()
            raise BlockingIOError from None
        if inside == most and not self._room.make_room():
            _turn_away(made[0])
            raise BlockingIOError
        self._let_in.add(made[0])
        return made

    def close(self) -> None:
        """Stop listening."""
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None
        super().close()

    def _inside(self) -> int:
        """How many connections are open; exactly, where it matters."""
        if len(self._let_in) >= self._room.limits.connections:
            self._let_in = WeakSet(one for one in self._let_in if one.fileno() >= 0)
        return len(self._let_in)

    def _use_spare(self) -> None:
        """With a descriptor that is kept for this, tell at least one; else asyncio would be asked for ever."""
        self._room.make_room()
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None
            with contextlib.suppress(OSError):
                _turn_away(super().accept()[0])
        with contextlib.suppress(OSError):
            self._spare = os.open(os.devnull, os.O_RDONLY)


def _turn_away(stranger: socket.socket) -> None:
    with stranger, contextlib.suppress(OSError):
        stranger.setblocking(False)
        stranger.send(plain_refusal(503, FULL))
        stranger.recv(1 << 16)  # what is left unread would make the answer be thrown away
