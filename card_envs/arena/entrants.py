"""Who takes part in a tournament: agents with a name of their own, known by what they are and not by where they lie."""

from __future__ import annotations

import copy
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path

import card_envs
from card_envs.agents.base import Agent, Identified
from card_envs.agents.checkpoint import Checkpoint, CheckpointAgent
from card_envs.agents.loading import GROUP, Player, load_agent
from card_envs.agents.naming import SUFFIX, options_text, parse_agent
from card_envs.arena.titles import checkpoint_titles, free_title
from card_envs.core.game import Game
from card_envs.errors import OptionError

MOST_KEPT = 2**32  # bytes
MOST_TOLD = 5
OBJECT = "object"  # the source of an agent that a program handed over


@dataclass(frozen=True)
class Entrant:
    """One who takes part. `copy` counts from 1 those with the same content.

    Of a trained player, `checkpoint` is the content hash of the weights that the tournament keeps, and `options` says,
    as JSON, how it chooses.
    """

    number: int
    name: str
    content_hash: str
    source: str
    copy: int
    checkpoint: str = ""
    options: str = "{}"


@dataclass(frozen=True)
class Guest:
    """An agent as it was given. `spelling` is the same for what was given in the same way twice."""

    plays: Player
    content_hash: str
    source: str
    spelling: object
    titles: list[str]


@dataclass(frozen=True)
class Entry:
    """Those who come in, how each given agent plays by its number, and what must be kept of them.

    `merged` are agents that are somebody who takes part anyhow, each with the name of that one.
    """

    newcomers: list[Entrant] = field(default_factory=list)
    loaded: dict[int, Player] = field(default_factory=dict)
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    merged: list[tuple[str, str]] = field(default_factory=list)

    @property
    def note(self) -> str:
        """What to tell whoever gave the same player under several names."""
        shown = [f"{given} is {name}" for given, name in self.merged[:MOST_TOLD]]
        more = len(self.merged) - len(shown)
        shown += [f"and {more} more"] if more else []
        return f"the same player under another name is entered once: {', '.join(shown)}" if shown else ""


def trained(player: Player) -> CheckpointAgent | None:
    """The player, if its checkpoint says all about it. A class made from ours may do anything else."""
    return player if isinstance(player, CheckpointAgent) and type(player) is CheckpointAgent else None


class Reception:
    """Meets the agents that are given for a tournament, one after the other."""

    def __init__(self, game: Game, players: int) -> None:
        self.game, self.players = game, players
        self._objects: dict[tuple[str, str], list[Agent]] = {}

    def meet(self, player: Player) -> Guest:
        """Who a given agent is, and what a worker needs to let it play.

        A trained player is loaded once and handed to the workers, so that all games are played by the same weights.
        Any other name is loaded by the worker, anew whenever it begins: what it does must not depend on what it did
        before.
        """
        agent = load_agent(self.game, player, players=self.players)
        if not isinstance(player, str | PathLike):
            titles = [agent.name]
            if (found := trained(agent)) and agent.name.endswith(SUFFIX):
                titles = checkpoint_titles(Path(agent.name), found.checkpoint.step, "")
            return Guest(agent, self._content_of(agent), OBJECT, id(agent), titles)
        name = parse_agent(player)
        if found := trained(agent):
            options = options_text(found.choosing.options)
            if not (name.is_path or isinstance(player, PathLike)):
                source = f"{name.agent}{options}"
                return Guest(found, found.content_hash, source, source, [source])
            path = Path(name.agent).resolve()
            titles = checkpoint_titles(path, found.checkpoint.step, options)
            return Guest(found, found.content_hash, str(path), (path, options), titles)
        identity = self._identity(agent) or _hash(name.text, _version(name.agent), self.game.layout.hash)
        return Guest(name.text, identity, name.text, name.text, [name.text])

    def _content_of(self, agent: Agent) -> str:
        """Who an object is: what it says itself, or else its name, its class and its place among those alike."""
        if found := trained(agent):
            return found.content_hash
        _refuse_what_cannot_be_copied(agent)
        if identity := self._identity(agent):
            return identity
        kind = _kind(agent)
        alike = self._objects.setdefault((agent.name, kind), [])
        if not any(one is agent for one in alike):
            alike.append(agent)
        place = next(place for place, one in enumerate(alike) if one is agent)
        return _hash(agent.name, kind, str(place), self.game.layout.hash)

    def _identity(self, agent: Agent) -> str:
        """What an agent says of itself, if it does."""
        if not isinstance(agent, Identified):
            return ""
        if not isinstance(agent.content_hash, str) or not agent.content_hash:
            raise OptionError(f"the content_hash of the agent {agent.name} must be a text, not {agent.content_hash!r}")
        return _hash("identified", _kind(agent), agent.content_hash, self.game.layout.hash)


def _kind(agent: Agent) -> str:
    return f"{type(agent).__module__}.{type(agent).__qualname__}"


def _refuse_what_cannot_be_copied(agent: Agent) -> None:
    try:
        copy.deepcopy(agent)
    except Exception as error:
        raise OptionError(
            f"the agent {agent.name} cannot be copied ({type(error).__name__}: {error}), and the rotations of a deal "
            f"are played by copies that know nothing of each other; give it a __deepcopy__"
        ) from None


def _version(name: str) -> str:
    for point in entry_points(group=GROUP):
        if point.name == name and point.dist is not None:
            return f"{point.dist.name} {point.dist.version}"
    return f"card_envs {card_envs.__version__}"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def enter(game: Game, players: int, given: Sequence[tuple[str, Player]], already: Sequence[Entrant]) -> Entry:
    """Let the given agents in, each with its alias or nothing.

    Whoever is given twice in the same way, or under aliases of its own, takes part twice. The same player found in
    another place does not, and that is told. One that takes part already is not entered again.
    """
    reception, entry, everyone = Reception(game, players), Entry(), list(already)
    _refuse_the_same_alias_twice([alias for alias, _ in given if alias])
    copies: Counter[str] = Counter()
    spellings: set[object] = set()
    for alias, player in given:
        guest = reception.meet(player)
        again = guest.spelling in spellings
        spellings.add(guest.spelling)
        there = _called(alias, guest, everyone)
        if there is None:
            if not (again or alias) and copies[guest.content_hash]:
                given_as = guest.titles[0] if guest.source == OBJECT else guest.source
                entry.merged.append((given_as, _first(guest, everyone)))
                continue
            copies[guest.content_hash] += 1
            there = _find(guest, copies[guest.content_hash], already)
            if there and alias:
                entry.merged.append((alias, there.name))
        if there is None:
            there = _newcomer(guest, alias, copies[guest.content_hash], everyone)
            everyone.append(there)
            entry.newcomers.append(there)
        if found := trained(guest.plays):
            entry.checkpoints[there.checkpoint] = found.checkpoint
        entry.loaded[there.number] = guest.plays
    _refuse_too_much(entry.checkpoints.values())
    return entry


def _refuse_too_much(checkpoints: Iterable[Checkpoint]) -> None:
    size = sum(array.nbytes for checkpoint in checkpoints for array in checkpoint.weights.values())
    if size > MOST_KEPT:
        raise OptionError(
            f"these checkpoints have {size / 2**30:.1f} GiB, and a tournament keeps the weights of those who come in, "
            f"up to {MOST_KEPT / 2**30:.0f} GiB at a time; let fewer of them take part"
        )


def _refuse_the_same_alias_twice(aliases: Sequence[str]) -> None:
    for alias, times in Counter(aliases).items():
        if times > 1:
            raise OptionError(f"{times} agents are called {alias!r}; give each a name of its own")


def _called(alias: str, guest: Guest, everyone: Sequence[Entrant]) -> Entrant | None:
    """Whoever has this alias already, which must be the same player."""
    for one in everyone:
        if alias and one.name == alias:
            if one.content_hash != guest.content_hash:
                raise OptionError(f"another player is called {alias!r} in this tournament; choose another name")
            return one
    return None


def _find(guest: Guest, number: int, entrants: Sequence[Entrant]) -> Entrant | None:
    """The copy of a player with this number."""
    return next((one for one in entrants if (one.content_hash, one.copy) == (guest.content_hash, number)), None)


def _first(guest: Guest, everyone: Sequence[Entrant]) -> str:
    return next(one.name for one in everyone if one.content_hash == guest.content_hash)


def _newcomer(guest: Guest, alias: str, number: int, everyone: Sequence[Entrant]) -> Entrant:
    taken = {one.name for one in everyone}
    name = alias or free_title(guest.titles, taken, repeated=number > 1)
    found = trained(guest.plays)
    kept, options = (found.checkpoint.content_hash, found.choosing.options) if found else ("", {})
    return Entrant(
        len(everyone), name, guest.content_hash, guest.source, number, kept, json.dumps(options, sort_keys=True)
    )
