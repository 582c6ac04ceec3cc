"""How much one server, and one client of it, may use."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a server allows. The defaults are far above what a room full of people behind one address needs."""

    body_bytes: int = 16 * 1024
    requests_per_second: float = 300.0
    requests_at_once: int = 600
    new_games_per_second: float = 5.0
    new_games_at_once: int = 150
    games: int = 5_000
    games_in_memory: int = 256
    streams: int = 500
    streams_per_game: int = 16
    days_kept: float = 60.0


class Taps:
    """One tap per client: it fills at a steady rate up to a full bucket, and each request takes a drop."""

    MOST_CLIENTS = 10_000

    def __init__(self, per_second: float, at_once: int) -> None:
        self.per_second, self.at_once = per_second, at_once
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, client: str) -> bool:
        """Take a drop, if there is one."""
        now = time.monotonic()
        with self._lock:
            drops, then = self._buckets.pop(client, (float(self.at_once), now))
            drops = min(drops + (now - then) * self.per_second, float(self.at_once))
            allowed = drops >= 1.0
            self._buckets[client] = (drops - 1.0 if allowed else drops, now)
            if len(self._buckets) > self.MOST_CLIENTS:
                self._buckets.popitem(last=False)
        return allowed
