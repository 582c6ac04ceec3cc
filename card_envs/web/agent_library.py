"""The agents that a page may choose: by name, and checkpoints found in the folders that were named at the start.

A page sends an agent's id, never a path.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.base import Agent, Policy
from card_envs.agents.loading import CHAMPION, SUFFIX, agent_names, load_agent, plays_inside
from card_envs.core.game import Game
from card_envs.errors import CardEnvsError
from card_envs.games import get_game
from card_envs.web.errors import NotFoundError

MOST_FILES, MOST_SHOWN, MOST_LOADED = 2000, 100, 32
GREEDY = f"{CHAMPION}(greedy)"  # one spelling only: whoever asks for others would fill the library with them
SAMPLES = 400  # how often an agent that only acts is asked for advice


@dataclass(frozen=True)
class Choice:
    """An agent that can play at a table of this game and size."""

    id: str
    name: str


class AgentLibrary:
    """Finds and loads agents. Safe to use from several threads."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self.folders = [folder.resolve() for folder in folders]
        self._lock = threading.Lock()
        self._loaded: OrderedDict[tuple[Any, ...], Agent] = OrderedDict()
        self._refused: dict[tuple[Any, ...], str] = {}
        self._known: set[tuple[Any, ...]] = set()

    def choices(self, game: Game, players: int) -> list[Choice]:
        """Who can play here: names first, then checkpoints, the newest first."""
        names = (CHAMPION, GREEDY, *agent_names(game))
        named = [Choice(name, name) for name in names if self._can_play(game, players, name)]
        unique = list(dict.fromkeys(named))
        found: list[Choice] = []
        for path in self._files():
            if len(found) >= MOST_SHOWN:
                break
            if self._can_play(game, players, path):
                found.append(Choice(_id(path), self._short(path)))
        return unique + found

    def _can_play(self, game: Game, players: int, agent: str | Path) -> bool:
        key = _key(game, players, agent)
        if key not in self._known:
            try:
                self._load(game, players, agent)
            except CardEnvsError:
                return False
            self._known.add(key)
        return True

    def name_of(self, id_: str) -> str:
        """What to call an agent."""
        path = self._path(id_)
        return self._short(path) if path else id_

    def load(self, game: Game, players: int, id_: str) -> str | Agent:
        """The agent with this id, as a table needs it: the built-in ones by name, for the engine plays those itself."""
        if plays_inside(id_):
            load_agent(game, id_)  # refused where the game has no such player
            return id_
        path = self._path(id_)
        if path is None and id_ not in (GREEDY, *agent_names()):
            raise NotFoundError(
                f"there is no agent {id_!r} here; it may have been in a folder that the server was not told"
            )
        return self._load(game, players, path or id_)

    def adviser(self, game: Game, players: int) -> tuple[str, Agent]:
        """Whom the coach asks: the champion, or the bot where there is no champion of this game, or whoever is left."""
        name = next(name for name in (CHAMPION, "bot", "random") if self._can_play(game, players, name))
        return name, self._load(game, players, name)

    def _load(self, game: Game, players: int, agent: str | Path) -> Agent:
        key = _key(game, players, agent)
        with self._lock:
            if key in self._loaded:
                self._loaded.move_to_end(key)
                return self._loaded[key]
            if key in self._refused:
                raise NotFoundError(self._refused[key])
            try:
                made = load_agent(game, agent, players=players)
            except CardEnvsError as error:
                self._refused[key] = str(error)
                raise
            self._loaded[key] = made
            if len(self._loaded) > MOST_LOADED:
                self._loaded.popitem(last=False)
            return made

    def _files(self) -> list[Path]:
        """Checkpoints in the folders, the newest first. What a link points to outside of them is not offered."""
        found: dict[Path, float] = {}
        for folder in self.folders:
            for path in itertools.islice(folder.rglob(f"*{SUFFIX}"), MOST_FILES):
                with contextlib.suppress(OSError):  # a training may just have replaced it
                    if path.is_file() and path.resolve().is_relative_to(folder):
                        found[path.resolve()] = path.stat().st_mtime
        return sorted(found, key=lambda path: (-found[path], str(path)))

    def _path(self, id_: str) -> Path | None:
        return next((path for path in self._files() if _id(path) == id_), None) if id_.startswith("file-") else None

    def _short(self, path: Path) -> str:
        for folder in self.folders:
            if path.is_relative_to(folder):
                return str(path.relative_to(folder).with_suffix(""))
        return path.stem


@functools.cache
def _id(path: Path) -> str:
    return f"file-{hashlib.sha256(str(path).encode()).hexdigest()[:20]}"


def _key(game: Game, players: int, agent: str | Path) -> tuple[Any, ...]:
    """An agent at a kind of table; a checkpoint that was written anew is another one."""
    stamp = None
    if isinstance(agent, Path):
        with contextlib.suppress(OSError):
            found = agent.stat()
            stamp = (found.st_mtime_ns, found.st_size)
    return game.key, players, agent, stamp


def advice(agent: Agent, observation: NDArray[np.float32], mask: NDArray[np.int8]) -> NDArray[np.float64]:
    """How likely an agent is to play each action, from one seat's observation and mask alone.

    An agent that only acts is asked many times about the same position.
    """
    if isinstance(agent, Policy):
        likely: NDArray[np.float64] = agent.probabilities(observation[None], mask[None])[0]
        return likely
    actions = agent.act(np.repeat(observation[None], SAMPLES, axis=0), np.repeat(mask[None], SAMPLES, axis=0))
    return np.bincount(actions, minlength=len(mask)) / SAMPLES


def games_by_name(name: str) -> Game:
    """A registered game."""
    try:
        return get_game(name)
    except CardEnvsError as error:
        raise NotFoundError(str(error)) from None
