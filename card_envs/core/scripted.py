"""Games whose chance is told instead of drawn: for whoever enumerates it, or makes it a player of its own.

The rules are the game's own, in copies in which `below` and `draw_card` read a script. It says how the first few lots
of a move fell; at the first one that it does not tell, it notes what could come, and the move must be played again with
a longer script. Nothing is left to a seed, so nobody can know the future from one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import carray, types  # type: ignore[attr-defined]  # it says so in its documentation
from numpy.typing import NDArray

from card_envs.core.arrays import pointer
from card_envs.core.batch import Batch
from card_envs.core.chance import below, draw_card
from card_envs.core.compile import JIT, inner, source_function
from card_envs.core.engine import finish, show
from card_envs.core.game import Game
from card_envs.core.loops import Loops
from card_envs.errors import OptionError

if TYPE_CHECKING:
    from card_envs.core.rules import apply, arrays_of, deal

TOLD, READ, ASKED, FIRST, KINDS = 0, 1, 2, 3, 128  # places in a script: numbers, then weights, then what is told
LONGEST = FIRST + KINDS + 4096
BEGIN = -1  # instead of an action

_SCRIPT: list[NDArray[np.int64]] = []  # where there is no compiled code: the script that is being read


def _read_script(state: Any) -> Any:
    return carray(pointer(state.stream), (LONGEST,), np.int64)


def _plain_script(state: Any) -> Any:
    return _SCRIPT[-1]


read_script: Any = inner(_read_script) if JIT else _plain_script


@inner
def told(script: Any) -> Any:
    """The next lot that the script tells, or -1."""
    place = script[READ]
    if place >= script[TOLD]:
        return -1
    script[READ] = place + 1
    return script[FIRST + KINDS + place]


@inner
def scripted_below(state: Any, n: Any) -> Any:
    """`below` by the script; each number is as likely as any other."""
    script = read_script(state)
    lot = told(script)
    if lot < 0:
        if script[ASKED] == 0:
            script[ASKED] = min(int(n), KINDS + 1)
            for kind in range(min(int(n), KINDS)):
                script[FIRST + kind] = 1
        return 0
    return lot


@inner
def scripted_draw(state: Any, counts: Any, cards: Any) -> Any:
    """`draw_card` by the script: the lot is a type of cards, as likely as there are cards of it."""
    script = read_script(state)
    kind = told(script)
    if kind < 0:
        if script[ASKED] == 0:
            script[ASKED] = min(counts.size, KINDS + 1)
            for other in range(min(counts.size, KINDS)):
                script[FIRST + other] = counts[other]
        kind = 0
        while counts[kind] == 0:
            kind += 1
    counts[kind] -= 1
    return kind


def play_by_script(handle: Any, script: Any, address: Any, action: Any) -> None:
    """Play an action in the batch's one game, or begin it, with chance by a script."""
    arrays = arrays_of(handle)
    if action < 0:
        arrays.states[0] = arrays.template[0]
    state = arrays.states[0]
    state.stream = np.uint64(address)
    if action < 0:
        deal(state)
    else:
        apply(state, action)
    state.stream = np.uint64(0)
    if script[ASKED] == 0:
        arrays.seat[0] = show(state, arrays.action_mask[0], arrays.observation[0])
        if arrays.seat[0] < 0:
            finish(arrays, 0)


def told_chance(function: Callable[..., Any], known: dict[Any, Any]) -> Any:
    """A copy of a function of the rules, and of all that it calls, which takes chance from a script."""
    source = source_function(function)
    if source in known:
        return known[source]
    space = dict(source.__globals__)
    copy = FunctionType(source.__code__, space, source.__name__, source.__defaults__)
    copy.__qualname__, copy.__module__, copy.__doc__ = source.__qualname__, source.__module__, source.__doc__
    known[source] = inner(copy)
    for name in _names(source.__code__):
        value = space.get(name)
        if callable(value) and (hasattr(value, "py_func") or isinstance(value, FunctionType)):
            space[name] = told_chance(value, known)
    return known[source]


def _names(code: CodeType) -> set[str]:
    inside = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, inside))


class ScriptedGame:
    """One game at a time, with chance by a script; positions are records, as `Batch.states` has them."""

    def __init__(self, game: Game, options: Mapping[str, Any]) -> None:
        self.batch = Batch(game, 1, seed=0, auto_reset=False, **options)
        known: dict[Any, Any] = {source_function(below): scripted_below, source_function(draw_card): scripted_draw}
        rules = {name: told_chance(rule, known) for name, rule in vars(game.rules).items() if name in ("deal", "apply")}
        answers = {**vars(game.rules), "observe": game.observe, **rules}
        loops = Loops(f"{game.key}_scripted", game.title, game.record, answers)
        signature = (types.int64, types.int64[::1], types.int64, types.int64)
        self._loop = loops.own(play_by_script, (), signature)
        self._script = np.zeros(LONGEST, np.int64)

    def play(self, record: Any, action: int, lots: list[int]) -> NDArray[np.float64] | None:
        """Play an action (or BEGIN) in a position, with these lots.

        None if they are enough; the batch then has the new position. Else how likely each value of the next lot is.
        """
        script = self._script
        if len(lots) > LONGEST - FIRST - KINDS:
            raise OptionError(f"a move of {self.batch.game.title} with more than {len(lots) - 1} lots cannot be told")
        script[: FIRST + KINDS] = 0
        script[TOLD] = len(lots)
        script[FIRST + KINDS : FIRST + KINDS + len(lots)] = lots
        if record is not None:
            self.batch.states[0] = record
        if not JIT:
            _SCRIPT[:] = [script]
        self.batch.run(self._loop, script, script.ctypes.data, action)
        asked = int(script[ASKED])
        if asked > KINDS:
            raise OptionError(f"a lot of {self.batch.game.title} has more than {KINDS} outcomes and cannot be told")
        if not asked:
            return None
        weights = script[FIRST : FIRST + asked].astype(np.float64)
        return weights / weights.sum()  # type: ignore[no-any-return]
