"""How much one server, and one client of it, may use."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace

OWN_FILES = 64  # descriptors that the server needs besides its connections: records, tournaments, checkpoints
WITHOUT_A_LIMIT = 400  # connections where the system has no limit to ask for; Windows waits for 512 sockets at most


@dataclass(frozen=True)
class Limits:
    """What a server allows. The defaults are far above what a room full of people behind one address needs."""

    connections: int = 1000
    request_seconds: float = 15.0  # in which a whole request must have come, counted from the answer before it
    reading_seconds: float = 60.0  # in which an answer must have been read
    body_bytes: int = 16 * 1024
    requests_per_second: float = 300.0
    requests_at_once: int = 600
    new_games_per_second: float = 5.0
    new_games_at_once: int = 150
    thinking_moves: int = 2  # of agents that search, at once
    thinking_requests: int = 4  # that wait for such moves: fewer than there are threads
    games: int = 5_000
    games_in_memory: int = 256
    streams: int = 500
    streams_per_game: int = 16
    days_kept: float = 60.0

    def fitted(self) -> Limits:
        """These limits, as far as the files allow that this process may open. Half of all connections may listen."""
        connections = max(min(self.connections, _files_allowed() - OWN_FILES), 1)
        return replace(self, connections=connections, streams=min(self.streams, max(connections // 2, 1)))


def _files_allowed() -> int:
    try:
        import resource
    except ImportError:
        return WITHOUT_A_LIMIT + OWN_FILES
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 2**31 if allowed == resource.RLIM_INFINITY else allowed


class Taps:
    """One tap per client: it fills at a steady rate up to a full bucket, and each request takes a drop."""

    MOST_CLIENTS, LONGEST_NAME = 10_000, 64  # a proxy, or a program of this computer, says who its client is

    def __init__(self, per_second: float, at_once: int) -> None:
        self.per_second, self.at_once = per_second, at_once
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, client: str) -> bool:
        """Take a drop, if there is one."""
        now, client = time.monotonic(), client[: self.LONGEST_NAME]
        with self._lock:
            drops, then = self._buckets.pop(client, (float(self.at_once), now))
            drops = min(drops + (now - then) * self.per_second, float(self.at_once))
            allowed = drops >= 1.0
            self._buckets[client] = (drops - 1.0 if allowed else drops, now)
            if len(self._buckets) > self.MOST_CLIENTS:
                self._buckets.popitem(last=False)
        return allowed
