"""The agents that a page may choose: by name, those named at the start, and checkpoints found in folders named then.

A page sends an agent's id, never a path and never how an agent is spelt: only who starts the server names programs and
addresses.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from card_envs.agents.base import Agent
from card_envs.agents.loading import CHAMPION, SUFFIX, agent_names, load_agent, plays_inside
from card_envs.agents.naming import SPEAKERS, parse_agent
from card_envs.agents.speaking.options import Speaker, make_speaker
from card_envs.core.game import Game
from card_envs.errors import CardEnvsError
from card_envs.games import get_game
from card_envs.web.checkpoint_names import CheckpointNames
from card_envs.web.errors import ConflictError, NotFoundError, UnavailableError
from card_envs.web.folders import Folders, id_of
from card_envs.web.recent import Recent

MOST_FILES, MOST_SHOWN, MOST_LOADED = 2000, 100, 32
MOST_KNOWN = 4 * MOST_FILES  # of which it is remembered whether they can play at some table
GREEDY = f"{CHAMPION}(greedy)"  # one spelling only: whoever asks for others would fill the library with them


@dataclass(frozen=True)
class Choice:
    """An agent that can play at a table of this game and size."""

    id: str
    name: str


@dataclass(frozen=True)
class Named:
    """An agent that whoever started the server named: what to call it, and how it is spelt, or a speaker."""

    title: str
    plays: str | Speaker


def name_agents(spelt: Sequence[str], folders: Folders) -> dict[str, Named]:
    """Agents as they were spelt at the start, by ids that tell nothing of that and are the same after a restart."""
    found = {}
    for one in spelt:
        name = parse_agent(one)
        plays = make_speaker(name.agent, name.options) if name.agent in SPEAKERS else name.text
        title = name.alias or (plays if isinstance(plays, str) else plays.title)
        found[f"agent-{hashlib.sha256(name.text.encode()).hexdigest()[:20]}"] = Named(folders.tell(title), plays)
    return found


class AgentLibrary:
    """Finds and loads agents. Safe to use from several threads."""

    def __init__(self, folders: Sequence[Path] = (), named: Sequence[str] = ()) -> None:
        self.folders = Folders(folders)
        self._named = name_agents(named, self.folders)
        self.names = CheckpointNames(self.folders)
        self._lock = threading.Lock()
        self._loaded: Recent[tuple[Any, ...], Agent] = Recent(MOST_LOADED)
        self._refused: Recent[tuple[Any, ...], str] = Recent(MOST_KNOWN)
        self._known: Recent[tuple[Any, ...], bool] = Recent(MOST_KNOWN)

    def choices(self, game: Game, players: int) -> list[Choice]:
        """Who can play here: names first, then checkpoints, the newest first."""
        names = (CHAMPION, GREEDY, *agent_names(game))
        named = [Choice(name, name) for name in names if self._can_play(game, players, name)]
        unique = list(dict.fromkeys(named))
        for id_, one in self._named.items():
            if isinstance(one.plays, Speaker) or self._can_play(game, players, one.plays):
                unique.append(Choice(id_, one.title))
        found: list[Choice] = []
        for path in self._files():
            if len(found) >= MOST_SHOWN:
                break
            if self._can_play(game, players, path):
                found.append(Choice(file_id(path), self._short(path)))
        return unique + found

    def _can_play(self, game: Game, players: int, agent: str | Path) -> bool:
        key = _key(game, players, agent)
        if not self._known.get(key):
            try:
                self._load(game, players, agent)
            except CardEnvsError:
                return False
            self._known.keep(key, True)
        return True

    def name_of(self, id_: str) -> str:
        """What to call an agent."""
        if id_ in self._named:
            return self._named[id_].title
        path = self._path(id_)
        return self._short(path) if path else id_

    def speaks(self, id_: str) -> bool:
        """Is it told games in words?"""
        return id_ in self._named and isinstance(self._named[id_].plays, Speaker)

    def load(self, game: Game, players: int, id_: str) -> str | Agent | Speaker:
        """The agent with this id, as a table needs it: the built-in ones by name, for the engine plays those itself;
        those that speak before anything is started, for each table has its own.
        """
        if id_ in self._named:
            plays = self._named[id_].plays
            return self._load(game, players, plays) if isinstance(plays, str) else plays
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

    def player(self, game: Game, players: int, id_: str) -> Agent:
        """The agent with this id as an object that can be asked, also those that the engine would play itself."""
        found = self.load(game, players, id_)
        if isinstance(found, Speaker):
            raise ConflictError(f"{self.name_of(id_)} is told games in words as they are played, and gives no opinions")
        return self._load(game, players, id_) if isinstance(found, str) else found

    def _load(self, game: Game, players: int, agent: str | Path) -> Agent:
        key = _key(game, players, agent)
        with self._lock:
            if (loaded := self._loaded.get(key)) is not None:
                return loaded
            if (refused := self._refused.get(key)) is not None:
                raise NotFoundError(refused)
            try:
                return self._loaded.keep(key, load_agent(game, agent, players=players))
            except CardEnvsError as error:
                self._refused.keep(key, str(error))
                raise
            except (Exception, SystemExit) as error:  # somebody's file or package: it costs this agent only
                self.folders.complain(f"the agent {agent} cannot be loaded", error)
                raise UnavailableError(f"the agent {self._short(agent)} cannot be loaded: {error}") from None

    def _files(self) -> list[Path]:
        """Checkpoints in the folders, the newest first. What a link points to outside of them is not offered."""
        found: dict[Path, float] = {}
        for path, _ in self.folders.find(lambda name: name.endswith(SUFFIX), MOST_FILES):
            with contextlib.suppress(OSError, RuntimeError):  # a training may just have replaced it
                if path.is_file():
                    found[path.resolve()] = path.stat().st_mtime
        return sorted(found, key=lambda path: (-found[path], str(path)))

    def _path(self, id_: str) -> Path | None:
        return next((path for path in self._files() if file_id(path) == id_), None) if id_.startswith("file-") else None

    def _short(self, agent: str | Path) -> str:
        return agent if isinstance(agent, str) else self.names.title(agent)


def file_id(path: Path) -> str:
    """The id of a checkpoint, which tells no path."""
    return f"file-{id_of(path)}"


def _key(game: Game, players: int, agent: str | Path) -> tuple[Any, ...]:
    """An agent at a kind of table; a checkpoint that was written anew is another one."""
    stamp = None
    if isinstance(agent, Path):
        with contextlib.suppress(OSError):
            found = agent.stat()
            stamp = (found.st_mtime_ns, found.st_size)
    return game.key, players, agent, stamp


def games_by_name(name: str) -> Game:
    """A registered game."""
    try:
        return get_game(name)
    except CardEnvsError as error:
        raise NotFoundError(str(error)) from None
    except (Exception, SystemExit) as error:  # somebody's package
        raise UnavailableError(f"{name} cannot be played here: {error}") from None
