"""What a game is to the engine and to everything else: `Game(...)` in the game's own package says all of it."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.core.compile import for_loops, record_array
from card_envs.core.layout import Layout
from card_envs.core.loops import Loops
from card_envs.core.options import CommonOptions, refuse_unknown
from card_envs.core.rules import Rules
from card_envs.errors import ActionTypeError, OptionError
from card_envs.games import environment_id, open_game

if TYPE_CHECKING:
    from card_envs.drawing.look import Look

View = dict[str, Any]
Line = tuple[int | None, str]  # who (nobody, where things happen by themselves), and what is said
NOBODY = -1  # a seat that nobody has: whoever looks from there knows what everybody knows
Translations = Mapping[str, tuple[str, ...]]  # in the order of presentation.languages.LANGUAGES


class GameOptions(Protocol):
    """A frozen dataclass, one per game: `players` and whatever else the game lets a user choose."""

    @property
    def players(self) -> int:
        """How many play."""

    def fill(self, state: Any) -> None:
        """Write the options into a state, where the rules read them."""


@dataclass(frozen=True)
class Symmetry:
    """Things of a game that differ in nothing but their names: dishes, colours, rows.

    `relabel(order)` says, for an order of them, where each number of the observation and each action then comes from.
    """

    things: int
    relabel: Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64]]]


@dataclass(frozen=True)
class Words:
    """A game told to people, in all languages.

    `say(action, language, view)` is an action in words. `tell(before, after, action, language)` is what listeners hear
    of a move, from the listener's own views; of a simultaneous choice the action is None. `labels` are the names of
    cards and of the score sheet's parts; `how_to_play` has sections by key, each with a heading and sentences by key.
    `guide` are notes for somebody's first game, and `notes(view, seat)` tells which of them fit a position, by key.
    """

    say: Callable[[int, str, View | None], str]
    tell: Callable[[View, View, Any, str], list[Line]]
    labels: Translations
    how_to_play: Mapping[str, Translations]
    guide: Translations = field(default_factory=dict)
    notes: Callable[[View, int], list[str]] | None = None


def _same(row: dict[str, int]) -> dict[str, Any]:
    return dict(row)


def _plain_text(view: View, language: str) -> str:
    from card_envs.presentation.plain import plain_text

    return plain_text(view)


def _plain_drawing(view: View, look: Look) -> str:
    from card_envs.drawing.plain import draw_view

    return draw_view(view, look)


@dataclass(frozen=True, kw_only=True)
class Game:
    """One card game, all of it. What has a default may be left out: the game still works everywhere.

    `home` is where another process finds it: a module that has it as GAME, or `module:NAME`.
    `view(state, seat)` is a position as plain dictionaries: everything, or what one seat may know. `table_view(state)`
    is what the table as a whole may see, where that is less than everything: choices that are not all in yet.
    `public_view(state)` is what everybody knows, for those who watch a game under way from no seat.
    `wait` is the action of those who have nothing to choose; a game that has it is one of simultaneous choices.
    """

    name: str
    title: str
    home: str
    players: tuple[int, ...]
    record: np.dtype[Any]
    options: type[GameOptions]
    actions: tuple[str, ...]
    rules: Rules
    layout: Layout
    observe: Callable[[Any, Any, Any], None]
    view: Callable[[Any, int | None], View]
    version: int = 0
    table_view: Callable[[Any], View] | None = None
    public_view: Callable[[Any], View] | None = None
    wait: int | None = None
    # Scoring
    score_columns: tuple[str, ...] = ()
    tiebreak_column: int = -1  # of the score sheet: fewer are better between equals
    margin_scale: float = 1.0
    worst_margin: Callable[[Any], float] | None = None  # with these options: no legal game brings fewer points
    breakdown: Callable[[dict[str, int]], dict[str, Any]] = _same  # a row of the score sheet, as users see it
    # For players
    bot: Callable[[Any, Any, Any], Any] | None = None
    champion: Path | None = None
    symmetry: Symmetry | None = None
    # For people
    to_text: Callable[[View, str], str] = _plain_text
    words: Words | None = None
    drawing: Callable[[View, Look], str] = _plain_drawing
    between: Callable[[View, View], list[View]] | None = None  # what is seen while a move is carried out
    # For checks
    all_cards: Callable[[Any], dict[str, int]] | None = None  # every card by type, wherever it is
    variants: tuple[dict[str, Any], ...] = ()  # other values of the game's own options
    possible: Callable[[NDArray[Any]], NDArray[np.bool_]] | None = None  # which records the rules can work with

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or self.name != self.name.lower():
            raise OptionError(f"a game's name must be a word in lower case such as king_lui, not {self.name!r}")
        if self.wait is not None and not 0 <= self.wait < len(self.actions):
            raise OptionError(f"wait of {self.title} must be the number of one of its actions, not {self.wait!r}")
        object.__setattr__(self, "observe", for_loops(self.observe))
        if self.bot is not None:
            object.__setattr__(self, "bot", for_loops(self.bot))

    @property
    def simultaneous(self) -> bool:
        """Do players choose at the same time?"""
        return self.wait is not None

    @property
    def has_drawing(self) -> bool:
        """Does it bring a drawing of its own?"""
        return self.drawing is not _plain_drawing

    @property
    def key(self) -> str:
        """Name and version in one word, such as king_lui_v0."""
        return f"{self.name}_v{self.version}"

    @property
    def id(self) -> str:
        """The name under which PettingZoo and Gymnasium know it, such as card_envs/KingLui-v0."""
        return environment_id(self.name, self.version)

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

    def problem_with(self, options: Mapping[str, Any], players: int) -> str:
        """Why no table can have these options, which a stranger may have written; nothing if one can."""
        try:
            self.make_options({**options, "players": players})
        except Exception as error:  # whatever the check of some game makes of values that it never expected
            return str(error) if isinstance(error, OptionError) else f"{type(error).__name__}: {error}"
        return ""

    def action_number(self, what: str, action: Any, actions: Sequence[str] = ()) -> int:
        """An action as a plain number, or an ActionTypeError that says what it must be.

        Here and below `actions` are those of an adapter that adds some of its own.
        """
        try:
            if isinstance(action, bool):
                raise TypeError
            return operator.index(action)
        except TypeError:
            raise ActionTypeError(
                f"{what} must be a whole number from 0 to {len(actions or self.actions) - 1}, "
                f"not {action!r} of type {type(action).__name__}"
            ) from None

    def describe_action(self, action: Any, actions: Sequence[str] = ()) -> str:
        """An action by name."""
        names = actions or self.actions
        number = self.action_number("an action", action, names)
        if not 0 <= number < len(names):
            raise OptionError(f"{self.title} has the actions 0 to {len(names) - 1}, not {number}")
        return names[number]

    def why_illegal(self, seat: int, action: int, mask: NDArray[np.int8], actions: Sequence[str] = ()) -> str:
        """One sentence about an action that a seat must not play now, with what it may play."""
        names = actions or self.actions
        legal = ", ".join(f"{number} ({names[number]})" for number in np.flatnonzero(mask).tolist())
        known = 0 <= action < len(names)
        name = f"{action} ({names[action]})" if known else f"{action}, which is no action of this game,"
        return f"in {self.title} player_{seat} cannot play {name} now; legal are {legal}"

    def loss(self, options: GameOptions, common: CommonOptions) -> float:
        """The reward for forfeiting a game: never better than the worst that can come of playing on.

        Not a number for margins of a game that does not say how badly it can be lost.
        """
        if common.reward == "outcome":
            return -1.0
        loss = math.nan if self.worst_margin is None else self.worst_margin(options) / self.margin_scale
        if common.illegal_action == "lose":
            self.check_priced(loss)
        return loss

    def check_priced(self, loss: float) -> None:
        """Refuse to end a game by forfeit where that has no price."""
        if math.isnan(loss):
            raise OptionError(
                f"{self.title} does not say how badly it can be lost, so an illegal action has no price in margins; "
                f"use illegal_action='raise' or reward='outcome', or give its Game a worst_margin"
            )

    def template(self, options: GameOptions) -> NDArray[Any]:
        """An array of one state in which only the options are set."""
        template = record_array(1, self.record)
        template[0]["players"] = options.players
        options.fill(template[0])
        return template

    def table(self, state: Any) -> View:
        """What the table as a whole may see of a position."""
        return self.view(state, None) if self.table_view is None else self.table_view(state)

    def __reduce__(self) -> Any:
        # A pickle or deep copy of an environment says where its game is found; compiled code stays where it is.
        return open_game, (self.name, self.version, self.home)

    @functools.cached_property
    def loops(self) -> Loops:
        """The engine's loops for this game, compiled when they are first used."""
        answers = {**vars(self.rules), "observe": self.observe}
        if self.bot is not None:
            answers["choose"] = self.bot
        return Loops(self.key, self.title, self.record, answers)
