"""The one registry of games: ours, those of installed packages, and those that a program registers itself.

A game has a name and a version. It is imported when it is asked for; what is known before that is where it lives.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import re
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, NamedTuple

from card_envs.errors import OptionError, UnknownGameError

if TYPE_CHECKING:
    from card_envs.core.game import Game

GROUP = "card_envs.games"  # of entry points: `my_game_v0 = "my_package.my_game:GAME"`


class Row(NamedTuple):
    """A registered game: `home` is the module that has it as GAME, or `module:NAME`."""

    name: str
    version: int
    home: str

    @property
    def key(self) -> str:
        """Name and version in one word."""
        return f"{self.name}_v{self.version}"

    @property
    def id(self) -> str:
        """The name under which PettingZoo and Gymnasium know it."""
        return environment_id(self.name, self.version)


# The one list of games in the project.
_ROWS = {
    (row.name, row.version): row
    for row in (
        Row("king_lui", 0, "card_envs.games.king_lui"),
        Row("zum_kuhkuck", 0, "card_envs.games.zum_kuhkuck"),
        Row("ku_ka_king", 0, "card_envs.games.ku_ka_king"),
    )
}


def environment_id(name: str, version: int) -> str:
    """The name under which PettingZoo and Gymnasium know a game, such as card_envs/KingLui-v0."""
    return f"card_envs/{''.join(part.title() for part in name.split('_'))}-v{version}"


@functools.cache
def _installed() -> dict[tuple[str, int], Row]:
    """Games of installed packages, by what their entry points are called. Nothing of them is imported."""
    found: dict[tuple[str, int], Row] = {}
    for point in entry_points(group=GROUP):
        named = re.fullmatch(r"([a-z]\w*)_v(\d+)", point.name)
        if named:
            row = Row(named[1], int(named[2]), point.value.replace(" ", ""))
            found.setdefault((row.name, row.version), row)
    return found


def rows() -> dict[tuple[str, int], Row]:
    """Every registered game by name and version, ours first. Nobody can take a name of ours."""
    return {**_ROWS, **{key: row for key, row in _installed().items() if key not in _ROWS}}


def game_names() -> tuple[str, ...]:
    """The names of all registered games."""
    return tuple(dict.fromkeys(name for name, _ in rows()))


def game_keys() -> tuple[str, ...]:
    """All registered games with their versions, such as king_lui_v0."""
    return tuple(row.key for row in rows().values())


def register_game(game: Game | str) -> Game:
    """Add a game: itself, or where it is (`my_package.my_game`, whose GAME it is, or `my_package.my_game:NAME`).

    Gymnasium and PettingZoo learn its ids too. Installed packages do the same with an entry point in the group
    `card_envs.games`. See docs/add-a-game.md.
    """
    from card_envs.games.ids import register_ids

    made = _import(game) if isinstance(game, str) else game
    row = Row(made.name, made.version, made.home)
    known = rows().get((row.name, row.version))
    if known is not None and known.home.removesuffix(":GAME") != row.home.removesuffix(":GAME"):
        raise OptionError(
            f"{row.key} is taken by {known.home}; give the game of {row.home} another name, or another version"
        )
    for other in rows().values():
        if other.id == row.id and other.name != row.name:
            raise OptionError(f"the id {row.id} of {row.key} is taken by {other.key}; give the game another name")
    if _import(row.home) is not made:
        raise OptionError(
            f"{row.key} says that it is in {row.home}, and something else is there; `home` must name the module that "
            f"has it as GAME, or module:NAME, so that other processes find it"
        )
    _ROWS.setdefault((row.name, row.version), row)
    register_ids(row)
    return made


def unregister_game(game: Game) -> None:
    """Forget a game that `register_game` has added."""
    from card_envs.games.ids import forget_ids

    row = _ROWS.pop((game.name, game.version), None)
    if row is not None:
        forget_ids(row)


def _import(home: str) -> Game:
    from card_envs.core.game import Game

    module, _, attribute = home.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute or "GAME", None)
    except (Exception, SystemExit) as error:  # somebody else's code: whatever is wrong with it is wrong with this game
        raise UnknownGameError(f"the game in {home} cannot be imported: {error}") from error
    if not isinstance(found, Game):
        raise UnknownGameError(f"{module} has no {attribute or 'GAME'} that is a card_envs Game")
    return found


def get_game(name: str, version: int | None = None) -> Game:
    """A registered game: by name (the newest version), name and version, `king_lui_v0`, or `card_envs/KingLui-v0`."""
    row = _find(name, version)
    game = _import(row.home)
    if (game.name, game.version) != (row.name, row.version):
        raise UnknownGameError(f"{row.home} is registered as {row.key}, and calls itself {game.key}")
    return game


def _find(name: str, version: int | None) -> Row:
    known = rows()
    for row in known.values():
        if name in (row.key, row.id) and version in (None, row.version):
            return row
    versions = [row for row in known.values() if row.name == name]
    found = max(versions, key=lambda row: row.version, default=None)
    if version is not None:
        found = known.get((name, version))
    if found is not None:
        return found
    if versions:
        there = ", ".join(f"v{row.version}" for row in versions)
        raise UnknownGameError(f"there is no version {version} of {name}; there is {there}")
    near = difflib.get_close_matches(str(name), game_names(), n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UnknownGameError(f"there is no game {name!r}: {hint}there are {', '.join(game_names())}")


def open_game(name: str, version: int, home: str) -> Game:
    """The game that a pickle names. A process that has not heard of it finds it where it lives."""
    known = rows().get((name, version))
    return get_game(name, version) if known is not None else register_game(home)
