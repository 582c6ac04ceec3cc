"""What a tournament's file says about the tournament: read whole, and believed only as far as it makes sense."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

import card_envs
from card_envs.agents.choosing import Choosing
from card_envs.arena.database import Database
from card_envs.arena.entrants import LONGEST_TEXT, MOST_AGENTS, Entrant
from card_envs.arena.isolation import check_isolate
from card_envs.arena.match import MOST_GAMES
from card_envs.arena.play import Setting
from card_envs.arena.schedule import MOST_STAGES, Schedule, Stage
from card_envs.arena.seal import is_hash
from card_envs.arena.searchers import check as check_searcher
from card_envs.arena.titles import printable
from card_envs.core.game import Game
from card_envs.core.options import LARGEST_SEED
from card_envs.errors import DamagedError, OptionError
from card_envs.games import get_game

FORMAT = "card_envs tournament 3"
TABLES = (
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE agents (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, content_hash TEXT NOT NULL, "
    "source TEXT NOT NULL, copy INTEGER NOT NULL, checkpoint TEXT NOT NULL, options TEXT NOT NULL)",
    "CREATE TABLE stages (number INTEGER PRIMARY KEY, agents INTEGER NOT NULL, games INTEGER NOT NULL)",
)
SETTINGS = (
    "format",
    "game",
    "version",
    "players",
    "options",
    "seed",
    "chunk_deals",
    "isolate",
    "rules",
    "card_envs",
    "numpy",
    "python",
)
CHALLENGE = "challenge"  # the value of a setting that only a challenge has, so that others are as they always were
LINE_UPS = "line_ups"
LONGEST_SETTING, LONGEST_OPTIONS = 200, 2**16
ENTRANT = tuple(column.name for column in fields(Entrant))
_NUMBER = re.compile("0|[1-9][0-9]{0,18}")


@dataclass(frozen=True)
class Contents:
    """The rows of the three tables that say what is played by whom, and how far."""

    settings: dict[str, str]
    entrants: list[Entrant]
    stages: list[Stage]

    def digest(self) -> str:
        """What the seal must say of these rows."""
        everything = [sorted(self.settings.items()), [astuple(one) for one in self.entrants], self.stages]
        return hashlib.sha256(json.dumps(everything).encode()).hexdigest()

    def setting(self) -> Setting:
        """What all games have in common. Games are looked up among registered ones; nothing is imported for a file."""
        values = self.settings
        rules = get_game(values["game"], _whole(values["version"], "version"))
        players, options = _whole(values["players"], "players"), _table(values["options"], "options")
        if problem := rules.problem_with(options, players):
            raise DamagedError(f"it has options that its game has not: {printable(problem)[:200]}")
        seed, isolate = _whole(values["seed"], "seed"), _isolate(values["isolate"])
        return Setting(rules, players, options, seed, isolate, LINE_UPS in values)

    def schedule(self) -> Schedule:
        """All chunks of the tournament, played or not."""
        seed, players, deals = (self.settings[name] for name in ("seed", "players", "chunk_deals"))
        chunk_deals = None if deals == "null" else _whole(deals, "chunk_deals")
        try:
            return Schedule.planned(
                _whole(seed, "seed"), _whole(players, "players"), chunk_deals, self.stages, LINE_UPS in self.settings
            )
        except OptionError as error:
            raise DamagedError(str(error)) from None


def first_settings(setting: Setting, chunk_deals: int | None) -> dict[str, str]:
    """What is written down when a tournament begins."""
    values = {
        "format": FORMAT,
        "game": setting.rules.name,
        "version": setting.rules.version,
        "players": setting.players,
        "options": json.dumps(setting.options),
        "seed": setting.seed,
        "chunk_deals": json.dumps(chunk_deals),
        "isolate": json.dumps(setting.isolate),
        "rules": game_version(setting.rules),
        "card_envs": card_envs.__version__,
        "numpy": np.__version__,
        "python": ".".join(map(str, sys.version_info[:3])),
    }
    if setting.challenge:
        values[LINE_UPS] = CHALLENGE
    return {name: str(value) for name, value in values.items()}


def game_version(game: Game) -> str:
    """The game's id and its observation: games of two versions are not the same game."""
    return f"{game.id} (layout {game.layout.hash})"


def read_contents(base: Database) -> Contents:
    """All of it; DamagedError unless each value is what it can be."""
    settings = _settings(base.rows("SELECT name, value FROM settings", most=len(SETTINGS) + 1))
    agents = base.rows(f"SELECT {', '.join(ENTRANT)} FROM agents ORDER BY number", most=MOST_AGENTS)
    stages = base.rows("SELECT number, agents, games FROM stages ORDER BY number", most=MOST_STAGES)
    entrants = [_entrant(place, row) for place, row in enumerate(agents)]
    _check_copies(entrants)
    return Contents(settings, entrants, _stages(stages, len(entrants)))


def read_format(base: Database) -> str:
    """Which format the file says it has."""
    found = base.rows("SELECT value FROM settings WHERE name = 'format'", most=1)
    return found[0][0] if found and isinstance(found[0][0], str) else ""


def _settings(rows: list[tuple[Any, ...]]) -> dict[str, str]:
    found = dict(rows)
    challenge = {LINE_UPS} & found.keys()
    if found.keys() != {*SETTINGS, *challenge} or (challenge and found[LINE_UPS] != CHALLENGE):
        raise DamagedError("its settings are not those of a tournament")
    for name, value in found.items():
        longest = LONGEST_OPTIONS if name == "options" else LONGEST_SETTING
        if not isinstance(value, str) or not value.isprintable() or len(value) > longest:
            raise DamagedError(f"its setting {name!r} is damaged")
    return {name: found[name] for name in (*SETTINGS, *challenge)}


def _whole(text: str, what: str) -> int:
    if not _NUMBER.fullmatch(text) or int(text) > LARGEST_SEED:
        raise DamagedError(f"its setting {what!r} is {text[:40]!r}, and no whole number from 0 to {LARGEST_SEED}")
    return int(text)


def _isolate(text: str) -> float | None:
    try:
        return check_isolate(json.loads(text))
    except (ValueError, RecursionError, OptionError):
        raise DamagedError(f"its setting 'isolate' is {text[:40]!r}, and no number of seconds") from None


def _table(text: str, what: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise DamagedError(f"its {what} are {text[:40]!r}, and no table in JSON")
    return found


def _entrant(place: int, row: tuple[Any, ...]) -> Entrant:
    """One of those who take part; what is not as it was written when it came in is refused."""
    number, name, content, source, copy, checkpoint, options = row
    texts = [one for one in (name, content, source, checkpoint, options) if isinstance(one, str)]
    whole = len(texts) == 5 and all(one.isprintable() and len(one) <= LONGEST_TEXT for one in texts)
    counted = number == place and isinstance(copy, int) and 1 <= copy <= MOST_AGENTS
    if not whole or not counted or not name.strip() or not source or not is_hash(content):
        raise DamagedError(f"what it says of agent {place} is damaged")
    if checkpoint and not is_hash(checkpoint):
        raise DamagedError(f"what it says of the checkpoint of agent {place} is damaged")
    choosing = _table(options, f"options of agent {place}")
    try:
        if choosing and not checkpoint:
            check_searcher(choosing)
        elif Choosing(**choosing).options != choosing:
            raise OptionError("it chooses otherwise")
    except (OptionError, TypeError):
        raise DamagedError(f"the options of agent {place} are none of a trained player, and of no searcher") from None
    return Entrant(number, name, content, source, copy, checkpoint, options)


def _check_copies(entrants: list[Entrant]) -> None:
    if len({one.name for one in entrants}) < len(entrants):
        raise DamagedError("two of its agents have the same name")
    seen: dict[str, int] = {}
    for one in entrants:
        seen[one.content_hash] = seen.get(one.content_hash, 0) + 1
        if one.copy != seen[one.content_hash]:
            raise DamagedError(f"agent {one.number} is not copy {one.copy} of a player")


def _stages(rows: list[tuple[Any, ...]], agents: int) -> list[Stage]:
    """Agents only ever come in, and those of the last stage are all."""
    before = 1
    for place, (number, some, games) in enumerate(rows, start=1):
        if not all(isinstance(one, int) for one in (number, some, games)) or number != place:
            raise DamagedError(f"stage {place} of it is damaged")
        if not before <= some <= agents or not 1 <= games <= MOST_GAMES:
            raise DamagedError(f"stage {place} of it cannot have {some} agents and {games} games")
        before = some
    if not rows or before != agents:
        raise DamagedError("its stages do not tell of all its agents")
    return [Stage(some, games) for _, some, games in rows]
