"""What a game is to the engine and to every adapter: names, sizes, options, and the modules that answer for it."""

from __future__ import annotations

import functools
import importlib
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.core import engine, playing
from card_envs.core.compile import cache_root, compile_loop, record_array, sources_hash
from card_envs.core.errors import ActionTypeError, OptionError
from card_envs.core.layout import Layout
from card_envs.core.options import CommonOptions, refuse_unknown
from card_envs.core.roles import ROLES

if TYPE_CHECKING:
    from card_envs.drawing.look import Look

COMMON_FIELDS: list[Any] = [("stream", "u8"), ("players", "u1"), ("seat", "i1")]


def state_dtype(*fields: Any) -> np.dtype[Any]:
    """The record of a game's state: what every game has, then the game's own fields."""
    return np.dtype([*COMMON_FIELDS, *fields], align=True)


class GameOptions(Protocol):
    """A frozen dataclass, one per game: `players` and whatever else the game lets a user choose."""

    @property
    def players(self) -> int:
        """How many play."""

    def fill(self, state: Any) -> None:
        """Write the options into a state, where the rules read them."""


@dataclass(frozen=True)
class Game:
    """One card game. Its package holds state.py, rules.py, observation.py, view.py, render.py and drawing.py."""

    name: str
    title: str
    version: int
    package: str
    players: tuple[int, ...]
    simultaneous: bool
    state: np.dtype[Any]
    options: type[GameOptions]
    actions: tuple[str, ...]
    layout: Layout
    score_columns: tuple[str, ...]
    tiebreak_column: int
    margin_scale: float
    view: Callable[[Any, int | None], dict[str, Any]]
    all_cards: Callable[[Any], dict[str, int]]
    breakdown: Callable[[dict[str, int]], dict[str, Any]]
    to_text: Callable[[dict[str, Any], str], str]
    to_svg: Callable[[dict[str, Any], Look], str]
    # How many things are alike but for their names (dishes, colours, rows); and, for an order of them, where each
    # number of the observation and each action then comes from.
    alike: int = 1
    relabel: Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64]]] | None = None
    variants: tuple[dict[str, Any], ...] = ()  # other values of the game's own options, which the checks try too

    @property
    def id(self) -> str:
        """The name under which PettingZoo and Gymnasium know it, such as card_envs/KingLui-v0."""
        return f"card_envs/{''.join(part.title() for part in self.name.split('_'))}-v{self.version}"

    @property
    def module(self) -> str:
        """The module that a user imports, such as king_lui_v0."""
        return f"{self.name}_v{self.version}"

    @property
    def players_text(self) -> str:
        """How many can play, such as 3-5."""
        return f"{self.players[0]}-{self.players[-1]}" if len(self.players) > 1 else str(self.players[0])

    def refuse_unknown(self, given: Iterable[str], also: Iterable[str] = ()) -> None:
        """An OptionError for a name that is no option of the game, of the table, or of the adapter that says `also`."""
        own = self.options.__dataclass_fields__  # type: ignore[attr-defined]  # a dataclass
        refuse_unknown(given, [*own, *CommonOptions.__dataclass_fields__, *also], self.title)

    def make_options(self, given: dict[str, Any], also: Iterable[str] = ()) -> tuple[GameOptions, CommonOptions]:
        """Split keyword arguments into the game's own options and the table's, and check both."""
        self.refuse_unknown(given, also)
        table_names = CommonOptions.__dataclass_fields__
        table = {name: value for name, value in given.items() if name in table_names}
        own = {name: value for name, value in given.items() if name not in table_names}
        return self.options(**own), CommonOptions(**table)

    def action_number(self, what: str, action: Any) -> int:
        """An action as a plain number, or an ActionTypeError that says what it must be."""
        try:
            if isinstance(action, bool):
                raise TypeError
            return operator.index(action)
        except TypeError:
            raise ActionTypeError(
                f"{what} must be a whole number from 0 to {len(self.actions) - 1}, "
                f"not {action!r} of type {type(action).__name__}"
            ) from None

    def describe_action(self, action: Any) -> str:
        """An action by name."""
        number = self.action_number("an action", action)
        if not 0 <= number < len(self.actions):
            raise OptionError(f"{self.title} has the actions 0 to {len(self.actions) - 1}, not {number}")
        return self.actions[number]

    def why_illegal(self, seat: int, action: int, mask: NDArray[np.int8]) -> str:
        """One sentence about an action that a seat must not play now, with what it may play."""
        legal = ", ".join(f"{number} ({self.actions[number]})" for number in np.flatnonzero(mask))
        known = 0 <= action < len(self.actions)
        name = f"{action} ({self.actions[action]})" if known else f"{action}, which is no action of this game,"
        return f"in {self.title} player_{seat} cannot play {name} now; legal are {legal}"

    def template(self, options: GameOptions) -> NDArray[Any]:
        """An array of one state in which only the options are set."""
        template = record_array(1, self.state)
        template[0]["players"] = options.players
        options.fill(template[0])
        return template

    def __reduce__(self) -> Any:
        # A pickle or deep copy of an environment names its game; compiled code stays where it is.
        from card_envs.games import get_game

        return get_game, (self.name,)

    @functools.cached_property
    def loops(self) -> SimpleNamespace:
        """The engine's loops compiled for this game, from the cache where they have been compiled before."""
        missing = [role.name for role in ROLES if not role.answered_by(self.state)]
        if missing:
            raise OptionError(f"{self.title} cannot be played: its rules lack {', '.join(missing)}")
        own = Path(importlib.import_module(self.package).__file__ or "").parent
        folder = cache_root() / f"{self.name}-{sources_hash([Path(__file__).parent, own])}"
        return SimpleNamespace(**{loop.__name__: compile_loop(loop, folder) for loop in engine.LOOPS + playing.LOOPS})
