"""A memory that keeps what was used last, and no more than so much."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A dictionary of at most `most` entries. Safe to use from several threads."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """What is kept under a key."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def keep(self, key: K, value: V) -> V:
        """Keep something; what was not used for longest goes."""
        self.keep_and_tell(key, value)
        return value

    def keep_and_tell(self, key: K, value: V) -> list[V]:
        """The same; returns what had to go."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            return [self._entries.popitem(last=False)[1]] if len(self._entries) > self.most else []

    def clear(self) -> list[V]:
        """Let go of everything; returns it."""
        with self._lock:
            kept = list(self._entries.values())
            self._entries.clear()
            return kept

    def forget(self, key: K) -> None:
        """Let go of something, if it is there."""
        with self._lock:
            self._entries.pop(key, None)
