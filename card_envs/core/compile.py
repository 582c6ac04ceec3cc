"""How rules are compiled, and where the compiled code is kept.

Three things live here:

- `compiled` marks a helper of the rules. It is compiled into whatever calls it.
- `Role` and `implements`: the engine's loops ask questions (`deal`, `legal`, `apply`, ...) of a state without knowing
  the game; each game answers for its own type of state. Numba picks the answer when it compiles a loop; with
  NUMBA_DISABLE_JIT=1 a dictionary picks it when the loop runs. Both run the same source.
- `compile_loop` compiles one of the engine's loops for one game and keeps the machine code in a folder whose name is a
  hash of every source file that went into it, because Numba itself does not notice a change in a file that the
  loop's file merely calls.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config
from numba.extending import overload

Function = TypeVar("Function", bound=Callable[..., Any])

JIT = not vars(config)["DISABLE_JIT"]  # Numba makes its settings when it is imported, unseen by mypy
_cache_lock = threading.Lock()


def compiled(function: Function) -> Function:
    """Compile a helper function. It is not cached by itself: it becomes part of the loops that use it."""
    result: Function = numba.njit(nogil=True, error_model="numpy")(function)  # type: ignore[assignment]  # called like it
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


def _plain(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A recarray's dtype hashes differently from the same fields without it."""
    return np.dtype((np.void, dtype))


class Role:
    """A question that the engine asks of every game, such as "which actions are legal?"."""

    def __init__(self, name: str, parameters: str, meaning: str) -> None:
        self.name = name
        self.parameters = parameters
        self.__doc__ = meaning
        self._answers: dict[np.dtype[Any], Callable[..., Any]] = {}

        def stub(state: Any, *arguments: Any) -> Any:
            return self._answers[_plain(state.dtype)](state, *arguments)

        stub.__name__ = stub.__qualname__ = name
        stub.__doc__ = meaning
        self.stub = stub

    def answered_by(self, state_dtype: np.dtype[Any]) -> bool:
        """Does a game with this state answer the question?"""
        return state_dtype in self._answers

    def answer(self, state_dtype: np.dtype[Any], function: Callable[..., Any]) -> None:
        """Let `function` answer for states of this dtype."""
        self._answers[state_dtype] = function
        record = numba.from_dtype(state_dtype)

        def choose(state: Any, *arguments: Any) -> Callable[..., Any] | None:
            return function if state == record else None

        overload(self.stub, jit_options={"nogil": True, "error_model": "numpy"}, strict=False)(choose)


def record_array(length: int, state_dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """States in a form in which `state.field` works: compiled code reads plain arrays so, NumPy a recarray."""
    records = np.zeros(length, state_dtype)
    return records if JIT else records.view(np.recarray)


def copy_bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy to the last byte: NumPy's own leaves the gaps between a record's fields to chance."""
    twin = np.zeros_like(array)
    twin.view(np.uint8)[...] = array.view(np.uint8)
    return twin


def implements(role: Role, state_dtype: np.dtype[Any]) -> Callable[[Function], Function]:
    """Decorate the function with which a game answers a role's question for its own states."""

    def register(function: Function) -> Function:
        role.answer(state_dtype, function)
        return function

    return register


def sources_hash(folders: Iterable[Path]) -> str:
    """A hash of all Python files in these folders and of the versions that compile them."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for folder in folders:
        for path in sorted(folder.glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@functools.cache
def cache_root() -> Path:
    """Where compiled code is kept: $CARD_ENVS_CACHE, else the user's cache folder, else a new temporary one.

    The temporary one is new for each process, for nobody else may have put code there.
    """
    named = os.environ.get("CARD_ENVS_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        root = (Path(base) if base else Path.home() / ".cache") / "card_envs"
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK):
            return root
    except (OSError, RuntimeError):  # no home, or none that can be written
        pass
    temporary = tempfile.mkdtemp(prefix="card_envs-")
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return Path(temporary)


def compile_loop(loop: Function, folder: Path) -> Function:
    """Compile a loop of the engine for one game, cached in `folder`. Nothing is compiled before the first call."""
    if not JIT:
        return loop
    # Numba reads its cache folder when a function is decorated; put the user's own setting back at once.
    with _cache_lock:
        settings = vars(config)
        users_folder = settings["CACHE_DIR"]
        settings["CACHE_DIR"] = str(folder)
        try:
            result: Function = numba.njit(cache=True, nogil=True, error_model="numpy")(loop)  # type: ignore[assignment]  # as above
        finally:
            settings["CACHE_DIR"] = users_folder
    return result
