"""Who takes part in a tournament: agents with a name of their own, known by what they are and not by where they lie."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from os import PathLike, fspath
from pathlib import Path

import card_envs
from card_envs.agents.base import Agent
from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.loading import GROUP, SUFFIX, Player, load_agent
from card_envs.core.game import Game
from card_envs.errors import CheckpointError, TournamentError

OBJECT = "object"  # the source of an agent that a program handed over


@dataclass(frozen=True)
class Entrant:
    """One who takes part. `copy` counts from 1 those with the same content."""

    number: int
    name: str
    content_hash: str
    source: str
    copy: int


def load_player(game: Game, players: int, player: Player) -> tuple[Player, str, str]:
    """What a worker needs to let this agent play, the hash of its content, and where it came from.

    A trained player is loaded once and handed to the workers, so that all games are played by the same weights. Any
    other name is loaded by the worker, anew for each chunk: what it does must not depend on what it did before.
    """
    agent = load_agent(game, player, players=players)
    if not isinstance(player, str | PathLike):
        return agent, _object_hash(agent, game), OBJECT
    name = fspath(player)
    if isinstance(agent, CheckpointAgent):
        is_file = name.endswith(SUFFIX) or isinstance(player, PathLike)
        return agent, agent.checkpoint.content_hash, str(Path(name).resolve()) if is_file else name
    return name, _hash(name, _version(name), game.layout.hash), name


def _object_hash(agent: Agent, game: Game) -> str:
    kind = type(agent)
    checkpoint = f"{agent.checkpoint.content_hash} {agent.greedy}" if isinstance(agent, CheckpointAgent) else ""
    return _hash(agent.name, f"{kind.__module__}.{kind.__qualname__}", checkpoint, game.layout.hash)


def _version(name: str) -> str:
    for point in entry_points(group=GROUP):
        if point.name == name and point.dist is not None:
            return f"{point.dist.name} {point.dist.version}"
    return f"card_envs {card_envs.__version__}"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def enter(
    game: Game, players: int, given: Sequence[Player], already: Sequence[Entrant]
) -> tuple[list[Entrant], dict[int, Player]]:
    """Those of the given agents that do not take part yet, and how each given one plays, by its number.

    Naming an agent twice enters it twice. Naming one that takes part already does not enter it again.
    """
    entrants, loaded = list(already), {}
    places = {(entrant.content_hash, entrant.copy): entrant.number for entrant in already}
    seen: Counter[str] = Counter()
    for player in given:
        plays, content_hash, source = load_player(game, players, player)
        seen[content_hash] += 1
        key = (content_hash, seen[content_hash])
        if key not in places:
            places[key] = len(entrants)
            name = _free_name(player, source, entrants)
            entrants.append(Entrant(len(entrants), name, content_hash, source, key[1]))
        loaded[places[key]] = plays
    return entrants[len(already) :], loaded


def _free_name(player: Player, source: str, already: Sequence[Entrant]) -> str:
    """The shortest name that nobody has: the file's, then with the folder that it is in; a number for one that was
    named before.
    """
    taken = {entrant.name for entrant in already}
    whole = fspath(player) if isinstance(player, str | PathLike) else player.name
    candidates = [whole]
    if source.endswith(SUFFIX):
        pieces = Path(source).with_suffix("").parts
        candidates = ["/".join(pieces[-length:]) for length in range(1, len(pieces))] + [whole]
    free = [name for name in candidates if name not in taken]
    if free and not (source != OBJECT and source in {entrant.source for entrant in already}):
        return free[0]
    number = 2
    while f"{candidates[0]} #{number}" in taken:
        number += 1
    return f"{candidates[0]} #{number}"


def reload(game: Game, players: int, entrant: Entrant) -> Player:
    """The agent that took part, from where it came from; refused if it is gone or no longer the same."""
    if entrant.source == OBJECT:
        raise TournamentError(
            f"{entrant.name} was handed over by a Python program and is not kept in the tournament's folder; "
            f"continue from a program that gives it to Tournament(resume=..., agents=[...])"
        )
    try:
        plays, content_hash, _ = load_player(game, players, entrant.source)
    except CheckpointError as error:
        raise TournamentError(f"{entrant.name} cannot play any more: {error}") from None
    if content_hash != entrant.content_hash:
        what = "the file" if entrant.source.endswith(SUFFIX) else "the agent"
        raise TournamentError(
            f"{entrant.name} cannot play any more: {what} {entrant.source} is not what it was when the tournament "
            f"began (content {entrant.content_hash[:12]}, now {content_hash[:12]}); put the old one back, "
            f"or start another tournament"
        )
    return plays
