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
from card_envs.agents.loading import GROUP, Player, from_package, load_agent
from card_envs.agents.naming import SUFFIX, AgentName, options_text, parse_agent, speaks
from card_envs.agents.search.searcher import Searcher
from card_envs.agents.speaking.agent import SpokenAgent
from card_envs.arena.isolation import meet
from card_envs.arena.searchers import KEY as SEARCHES
from card_envs.arena.searchers import checkpoints_of, describe, refuse_clock, refuse_package_models, searcher
from card_envs.arena.titles import UNKNOWN, checkpoint_titles, free_title, printable
from card_envs.core.game import Game
from card_envs.errors import OptionError

MOST_AGENTS = 300  # a table of everyone against everyone is kept for each draw of the bootstrap
MOST_KEPT = 2**32  # bytes
LONGEST_TEXT, LONGEST_TITLE = 8192, 5000  # of where an agent came from; of what it is called, without a number
MOST_TOLD = 5
OBJECT = "object"  # the source of an agent that a program handed over


@dataclass(frozen=True)
class Entrant:
    """One who takes part. `copy` counts from 1 those with the same content.

    Of a trained player, `checkpoint` is the content hash of the weights that the tournament keeps, and `options` says,
    as JSON, how it chooses. Of a searcher, `options` says all (see arena/searchers.py).
    """

    number: int
    name: str
    content_hash: str
    source: str
    copy: int
    checkpoint: str = ""
    options: str = "{}"

    @property
    def kept(self) -> list[str]:
        """The content hashes of all weights that the tournament keeps of it."""
        return [self.checkpoint] if self.checkpoint else checkpoints_of(self.options)

    @property
    def searches(self) -> bool:
        """Is it a searcher that the tournament brings back?"""
        return SEARCHES in json.loads(self.options)

    @property
    def speaks(self) -> bool:
        """Is it a program or an address, which a tournament's file names but nothing starts because of that?"""
        return speaks(self.source) and not self.checkpoint and not self.searches


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

    def __init__(self, game: Game, players: int, isolate: float | None = None) -> None:
        self.game, self.players, self.isolate = game, players, isolate
        self._objects: dict[tuple[str, str], list[Agent]] = {}

    def meet(self, player: Player) -> Guest:
        """Who a given agent is, and what a worker needs to let it play.

        A trained player is loaded once and handed to the workers, so that all games are played by the same weights.
        Any other name is loaded by the worker, anew whenever it begins: what it does must not depend on what it did
        before. Where agents of other packages play in processes of their own, they are not even loaded here.
        """
        if self.isolate is not None and isinstance(player, str) and from_package(player):
            return self._meet_stranger(player, self.isolate)
        if self.isolate is not None:
            refuse_package_models(player)
        agent = load_agent(self.game, player, players=self.players)
        if found := searcher(agent):
            return self._meet_searcher(found)
        if isinstance(agent, SpokenAgent):
            return self._meet_speaker(agent)
        if not isinstance(player, str | PathLike):
            titles = [agent.name]
            if (plays := trained(agent)) and agent.name.endswith(SUFFIX):
                titles = checkpoint_titles(Path(agent.name), plays.checkpoint.step, "")
            return Guest(agent, self._content_of(agent), OBJECT, id(agent), titles)
        name = parse_agent(player)
        if plays := trained(agent):
            options = options_text(plays.choosing.options)
            if not (name.is_path or isinstance(player, PathLike)):
                source = f"{name.agent}{options}"
                return Guest(plays, plays.content_hash, source, source, [source])
            path = Path(name.agent).resolve()
            titles = checkpoint_titles(path, plays.checkpoint.step, options)
            return Guest(plays, plays.content_hash, str(path), (path, options), titles)
        return self._by_name(name, self._identity(agent))

    def _meet_searcher(self, agent: Searcher) -> Guest:
        """A searcher is who its method, its options and its models are. Without objects among these it is kept."""
        refuse_clock(agent)
        _refuse_what_cannot_be_copied(agent)
        named = [model.spelling for model in (agent.models.own, agent.models.others) if model.spelling]
        versions = [_version(parse_agent(name).agent) for name in (agent.method, *named)]
        content = _hash("searcher", agent.content_hash, *versions, self.game.layout.hash)
        if describe(agent) is None:
            return Guest(agent, content, OBJECT, id(agent), [agent.name])
        return Guest(agent, content, agent.name, agent.name, [agent.name])

    def _meet_speaker(self, agent: SpokenAgent) -> Guest:
        """One that speaks is how it is spelt; what is behind that, nobody can know. Nothing is started here."""
        content = _hash("speaker", agent.name, self.game.layout.hash)
        return Guest(agent.speaker, content, agent.name, agent.name, [agent.speaker.title, agent.name])

    def _meet_stranger(self, player: str, seconds: float) -> Guest:
        """An agent in a process of its own. Who it says it is counts only beside the name by which we know it."""
        name = parse_agent(player)
        kind, content_hash = meet(self.game, name.text, self.players, seconds)
        if content_hash is None:
            return self._by_name(name, "")
        parts = ("stranger", name.text, _version(name.agent), kind, content_hash, self.game.layout.hash)
        return self._by_name(name, _hash(*parts))

    def _by_name(self, name: AgentName, identity: str) -> Guest:
        identity = identity or _hash(name.text, _version(name.agent), self.game.layout.hash)
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
    """Whose agent a name is. Looking through all installed packages takes longer than a small tournament does."""
    for point in entry_points(group=GROUP) if from_package(name) else ():
        if point.name == name and point.dist is not None:
            return f"{point.dist.name} {point.dist.version}"
    return f"card_envs {card_envs.__version__}"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()


def enter(
    game: Game,
    players: int,
    given: Sequence[tuple[str, Player]],
    already: Sequence[Entrant],
    isolate: float | None = None,
) -> Entry:
    """Let the given agents in, each with its alias or nothing.

    Whoever is given twice in the same way, or under aliases of its own, takes part twice. The same player found in
    another place does not, and that is told. One that takes part already is not entered again.
    """
    reception, entry, everyone = Reception(game, players, isolate), Entry(), list(already)
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
        entry.checkpoints.update(_checkpoints(guest.plays))
        entry.loaded[there.number] = guest.plays
    _refuse_too_much(entry.checkpoints.values())
    return entry


def _checkpoints(player: Player) -> dict[str, Checkpoint]:
    """All trained players that an agent consists of, by content."""
    if plays := trained(player):
        return {plays.checkpoint.content_hash: plays.checkpoint}
    thinks = searcher(player)
    described = describe(thinks) if thinks else None
    return described.checkpoints if described else {}


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
    titles = [_shown(title, LONGEST_TITLE) for title in guest.titles]
    name = alias or free_title(titles, taken, repeated=number > 1)
    kept, options = "", {}
    if plays := trained(guest.plays):
        kept, options = plays.checkpoint.content_hash, dict(plays.choosing.options)
    elif (thinks := searcher(guest.plays)) and (described := describe(thinks)):
        options = described.options
    return Entrant(
        len(everyone), name, guest.content_hash, _shown(guest.source, LONGEST_TEXT), number, kept,
        json.dumps(options, sort_keys=True),
    )  # fmt: skip


def _shown(text: object, longest: int) -> str:
    """A text that a table can show and a file can keep, from the name of a file or what an object calls itself."""
    return printable(str(text)).strip()[:longest] or UNKNOWN
