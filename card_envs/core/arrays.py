"""The arrays of a batch, and the one address under which compiled code finds all of them.

Handing a tuple of so many arrays to a compiled function takes longer than a step of a single game. So a batch writes
the addresses of its arrays, their sizes and its terms into one small record, and loops take the address of that record.
Arrays that compiled code finds by address carry no reference count, so that passing them on costs nothing either.
The batch keeps the arrays and the record for as long as anybody can use the address.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import carray, types  # type: ignore[attr-defined]  # it says so in its documentation
from numba.core import cgutils
from numba.extending import intrinsic

from card_envs.core.compile import JIT, copy_bytes


class Arrays(NamedTuple):
    """One row per game in each array, reused in place: a step allocates nothing. Then the terms of the batch."""

    states: Any
    template: Any  # one state in which only the options are set
    seeds: Any
    seat: Any
    observation: Any
    action_mask: Any
    rewards: Any
    done: Any
    illegal: Any
    points: Any
    ranks: Any
    score_sheet: Any
    moved: Any  # the mark of the last step that named this game
    margin: Any  # is the reward the margin?
    margin_scale: Any
    tiebreak: Any  # column of the score sheet in which fewer are better, or -1
    lose_on_illegal: Any
    loss: Any  # the reward for it
    restart: Any  # do finished games start anew?


_FIRST_TERM = Arrays._fields.index("margin")
ARRAYS, TERMS = Arrays._fields[:_FIRST_TERM], Arrays._fields[_FIRST_TERM:]
_REAL_TERMS = ("margin_scale", "loss")
PUBLIC = tuple(name for name in ARRAYS if name not in ("template", "moved"))

Handle = Any  # the address in compiled code; in plain Python the Arrays themselves

# What stands at the address.
HEADER = np.dtype(
    [(size, "i8") for size in ("games", "players", "actions", "inputs", "columns")]
    + [(name, "i8") for name in ARRAYS]
    + [(name, "f8" if name in _REAL_TERMS else "i8") for name in TERMS]
)
STATE = HEADER  # the game's own record, in the copy of `read_arrays` that is made for it


def _pointer(typing_context: Any, address: Any) -> Any:
    """A whole number as a pointer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


pointer: Any = intrinsic(_pointer)  # in compiled code it takes the address alone


def read_arrays(address: Any) -> Any:
    """All that a batch consists of, from its address."""
    header = carray(pointer(address), (1,), HEADER)[0]
    games, players = header.games, header.players
    return Arrays(
        carray(pointer(header.states), (games,), STATE),
        carray(pointer(header.template), (1,), STATE),
        carray(pointer(header.seeds), (games,), np.int64),
        carray(pointer(header.seat), (games,), np.int64),
        carray(pointer(header.observation), (games, header.inputs), np.float32),
        carray(pointer(header.action_mask), (games, header.actions), np.int8),
        carray(pointer(header.rewards), (games, players), np.float32),
        carray(pointer(header.done), (games,), np.bool_),
        carray(pointer(header.illegal), (games,), np.bool_),
        carray(pointer(header.points), (games, players), np.int32),
        carray(pointer(header.ranks), (games, players), np.int32),
        carray(pointer(header.score_sheet), (games, players, header.columns), np.int32),
        carray(pointer(header.moved), (games,), np.int64),
        header.margin != 0,
        header.margin_scale,
        header.tiebreak,
        header.lose_on_illegal != 0,
        header.loss,
        header.restart != 0,
    )


def hand_over(arrays: Any) -> Any:
    """What `read_arrays` is in plain Python, where the handle is the arrays themselves."""
    return arrays


def copy_arrays(arrays: Arrays) -> Arrays:
    """The same games in other arrays, to the last byte."""
    return arrays._replace(**{name: copy_bytes(getattr(arrays, name)) for name in ARRAYS})


def make_header(arrays: Arrays) -> np.ndarray[Any, Any]:
    """The record for these arrays. It and they must outlive whoever has its address."""
    header = np.zeros(1, HEADER)
    games, inputs = arrays.observation.shape
    header[0]["games"], header[0]["inputs"] = games, inputs
    header[0]["actions"] = arrays.action_mask.shape[1]
    header[0]["players"], header[0]["columns"] = arrays.score_sheet.shape[1:]
    for name in ARRAYS:
        header[0][name] = getattr(arrays, name).ctypes.data
    for name in TERMS:
        header[0][name] = getattr(arrays, name)
    return header


def handle_of(arrays: Arrays, header: np.ndarray[Any, Any]) -> Handle:
    """What loops take instead of the arrays."""
    return int(header.ctypes.data) if JIT else arrays
