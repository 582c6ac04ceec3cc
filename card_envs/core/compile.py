"""How rules are compiled, and how the engine's loops are made for one game.

The loops in `engine.py` and `playing.py` are written once and name functions that they do not have: `deal`, `legal`,
`apply`, ... `specialise` makes copies of them for one game, in whose globals these names stand for that game's own
functions. Two games can therefore share a record, a name of a function, or a whole file, and each plays its own rules.
With NUMBA_DISABLE_JIT=1 the same copies run as plain Python.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., Any])

# No way in from C: nobody uses it, and making it takes time.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_njit: Any = numba.njit  # its types know no such options
JIT = not vars(config)["DISABLE_JIT"]  # Numba makes its settings when it is imported, unseen by mypy


def compiled(function: Function) -> Function:
    """Compile a function of the rules. It is not cached by itself: it becomes part of the loops that reach it."""
    result: Function = _njit(**OPTIONS)(function)
    return result


def inner(function: Function) -> Function:
    """Like `compiled`, for functions of the engine that only compiled code calls: without a way in from Python, which
    takes a good part of the compiler's time.
    """
    result: Function = _njit(**OPTIONS, no_cpython_wrapper=True)(function)
    return result


def contracted(function: Function) -> Function:
    """Like `inner`, for arithmetic in which a product and a sum may be rounded once instead of twice: most processors
    do both in one step.
    """
    result: Function = _njit(**OPTIONS, no_cpython_wrapper=True, fastmath={"contract"})(function)
    return result


def reordered(function: Function) -> Function:
    """Like `contracted`, for sums whose order does not matter, so that many numbers can be added at a time."""
    result: Function = _njit(**OPTIONS, no_cpython_wrapper=True, fastmath={"contract", "reassoc", "nsz"})(function)
    return result


def wrapping(function: Function) -> Function:
    """Like `compiled`, for arithmetic modulo 2**64: plain NumPy would warn of each overflow that is meant."""
    if JIT:
        return compiled(function)

    @functools.wraps(function)
    def quiet(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return quiet  # type: ignore[return-value]  # wraps() keeps the signature


def named_tuple(fields: Sequence[Any], kind: type) -> Any:
    """The type of a named tuple with fields of these types."""
    return types.BaseTuple.from_types(tuple(fields), kind)  # type: ignore[no-untyped-call]


def _plain_clock() -> int:
    return int(time.process_time() * 1e6)


# The processor's time, in compiled code: C's clock(), of which the lower 32 bits are the same on every system.
clock: Any = types.ExternalFunction("clock", types.int32()) if JIT else _plain_clock


def source_function(function: Callable[..., Any]) -> FunctionType:
    """The Python function behind a compiled or wrapped one."""
    while not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
        behind = getattr(function, "py_func", None) or getattr(function, "__wrapped__", None)
        if behind is None:
            raise TypeError(f"{function!r} is not a function written in Python")
        function = behind
    return function


def for_loops(function: Function) -> Function:
    """A function of a game as loops call it, whether it was written with `@compiled` or without."""
    return inner(cast(Function, source_function(function))) if JIT else function


def specialise(functions: Iterable[Callable[..., Any]], answers: Mapping[str, Any]) -> dict[str, FunctionType]:
    """Copies of plain functions that call each other's copies, and `answers` by their names. Helpers get compiled."""
    plain = [cast(FunctionType, function) for function in functions]
    space: dict[str, Any] = {}
    for function in plain:
        space.update(function.__globals__)
    space.update(answers)
    copies: dict[str, FunctionType] = {}
    for function in plain:
        copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
        copy.__qualname__, copy.__module__, copy.__doc__ = function.__qualname__, function.__module__, function.__doc__
        copies[function.__name__] = copy
        space[function.__name__] = inner(copy)
    return copies


def uncompiled(function: Callable[..., Any]) -> FunctionType:
    """A compiled function as plain Python, and so whatever it calls: for a few numbers now and then, where compiling
    would take longer than all of them. It takes states as `standing.readable` makes them.
    """
    copies: dict[FunctionType, FunctionType] = {}

    def copy_of(function: Callable[..., Any]) -> FunctionType:
        source = source_function(function)
        if source not in copies:
            space = dict(source.__globals__)
            copies[source] = FunctionType(source.__code__, space, source.__name__, source.__defaults__)
            for name in source.__code__.co_names:
                if hasattr(space.get(name), "py_func"):
                    space[name] = copy_of(space[name])
        return copies[source]

    return copy_of(function)


def record_array(length: int, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Records in a form in which `record.field` works: compiled code reads plain arrays so, NumPy a recarray."""
    records = np.zeros(length, dtype)
    return records if JIT else records.view(np.recarray)


def copy_bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy to the last byte: NumPy's own leaves the gaps between a record's fields to chance."""
    twin = np.zeros_like(array)
    twin.view(np.uint8)[...] = array.view(np.uint8)
    return twin
