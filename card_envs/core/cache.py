"""Where compiled code is kept, and when it is used again.

Numba's own cache does not notice that a function which a loop merely calls has changed. So compiled loops are kept in a
folder whose name contains a hash of everything that went into them: the code of every function that they reach,
wherever it lives, and the values that those functions name. An edited rule can never run stale, and an edited
translation compiles nothing.

Whoever can write there can make us run code, so the folder must be the user's own. A file of which a byte has changed
is not loaded, for damaged machine code would end the process without a word: each loop is kept with its checksum.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import logging
import os
import shutil
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core import config
from numba.core.errors import NumbaExperimentalFeatureWarning

from card_envs.core.compile import JIT, OPTIONS, source_function
from card_envs.errors import CacheError
from card_envs.files import write_whole

CHECKSUM = "checksum"
LOG = logging.getLogger("card_envs")  # nobody hears it unless a program asks for it: see notices.py
KEPT, DAYS_UNUSED = 8, 30  # compiled versions of one loop; older ones are removed
_lock = threading.RLock()
_told: set[str] = set()  # games whose compiling has been announced in this process


@functools.cache
def cache_root() -> Path:
    """Where compiled code is kept: $CARD_ENVS_CACHE, else the user's cache folder, else a new temporary one.

    The temporary one is new for each process, for nobody else may have put code there.
    """
    named = os.environ.get("CARD_ENVS_CACHE")
    if named:
        try:
            return _own_folder(Path(named))
        except OSError as error:
            raise CacheError(f"CARD_ENVS_CACHE={named} cannot be used for compiled code: {error.strerror}") from None
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        root = _own_folder((Path(base) if base else Path.home() / ".cache") / "card_envs")
        if os.access(root, os.W_OK):
            return root
    except (OSError, RuntimeError):  # no home, or none that can be written
        pass
    temporary = tempfile.mkdtemp(prefix="card_envs-")
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return Path(temporary)


def _own_folder(folder: Path) -> Path:
    """The folder, made if it is missing; refused if anybody else could put code there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "geteuid"):
        found = folder.stat()
        advice = "card_envs runs what is in there; name a folder of your own with CARD_ENVS_CACHE"
        if found.st_uid != os.geteuid():
            raise CacheError(f"the folder for compiled code, {folder}, belongs to another user: {advice}")
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise CacheError(f"others can write to the folder for compiled code, {folder}: {advice}, or: chmod 700")
    return folder


def code_key(function: Callable[..., Any]) -> str:
    """A hash of all code that a function reaches, of the values that it names, and of what compiles it."""
    digest = hashlib.sha256()
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    digest.update(repr(versions).encode())
    seen: set[int] = set()
    for part in _parts([function], seen):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:16]


def _parts(values: Iterable[Any], seen: set[int]) -> Iterator[str]:
    """What a hash is made of: descriptions of values, and of functions with all that they name."""
    for value in values:
        if isinstance(value, np.ndarray):
            yield f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        elif isinstance(value, np.dtype):
            yield f"dtype {value.itemsize} {value.fields or value.str}"
        elif isinstance(value, BuiltinFunctionType | ModuleType | type):
            yield f"{type(value).__name__} {value.__name__} {getattr(value, '_fields', '')}"
        elif callable(value):
            if id(value) not in seen:
                seen.add(id(value))
                yield from _function_parts(value, seen)
        else:
            yield f"{type(value).__name__} {value!r}"


def _function_parts(function: Callable[..., Any], seen: set[int]) -> Iterator[str]:
    try:
        source = source_function(function)
    except TypeError:  # something of Numba's or NumPy's own, which their versions stand for
        yield f"{type(function).__name__} {getattr(function, '__name__', '')}"
        return
    yield f"function {source.__qualname__}"
    yield repr(list(_code_parts(source.__code__, source.__doc__)))
    yield from _parts(source.__defaults__ or (), seen)
    yield from _parts([cell.cell_contents for cell in source.__closure__ or ()], seen)
    space = source.__globals__
    called = sorted({name for code in _codes(source.__code__) for name in code.co_names})
    for name in called:
        if name in space:
            yield name
            yield from _parts([space[name]], seen)
            if isinstance(space[name], ModuleType):  # module.function: all of its functions that are named here
                inside = [vars(space[name]).get(other) for other in called]
                yield from _parts([one for one in inside if _is_ours(one)], seen)


def _is_ours(value: Any) -> bool:
    """Something that the versions of NumPy and Numba do not stand for already."""
    home = str(getattr(getattr(value, "py_func", value), "__module__", ""))
    return value is not None and not home.startswith(("numpy", "numba", "math"))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _code_parts(code: CodeType, docstring: str | None = None) -> Iterator[Any]:
    """What a piece of code does: not where it stands, nor what its docstring says."""
    constants = [one for one in code.co_consts if not isinstance(one, CodeType)]
    if docstring is not None and constants and constants[0] == docstring:
        constants[0] = ""
    yield code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, code.co_argcount, repr(constants)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _code_parts(inner)


def compile_loop(loop: FunctionType, signature: tuple[Any, ...], name: str, key: str, title: str | None = None) -> Any:
    """Compile a loop for one kind of arguments, or take it from where it was kept; `name` tells games apart.

    `key` is the loop's `code_key` from before anything of the game was compiled. If a function has been replaced since
    then, others may have been compiled with the old one: what is made now is used, but not kept for anybody else.
    Compiling is announced under the `title`, once in a process; without one it takes no time worth a word.
    """
    if not JIT:
        return loop
    with _lock:
        if code_key(loop) != key:
            _announce(title)
            made = numba.njit(**OPTIONS)(loop)
            _compile(made, signature)
            return made
        place = cache_root() / f"{name}-{loop.__name__}-{key}"
        if _is_whole(place):
            with suppress(Exception):  # a cache that cannot be used is no reason not to play: it is made anew
                return _load(loop, signature, place)
        _announce(title)
        try:
            return _make(loop, signature, place)
        except OSError as error:
            raise CacheError(
                f"cannot keep compiled code in {place.parent}: {error.strerror}; make room there, or name another "
                f"folder with CARD_ENVS_CACHE"
            ) from None


def compile_alone(function: Callable[..., Any], signature: tuple[Any, ...], name: str) -> Any:
    """Compile a function that belongs to no game, or take it from where it was kept."""
    return compile_loop(source_function(function), signature, name, code_key(function))


def _announce(title: str | None) -> None:
    if title is not None and title not in _told:
        _told.add(title)
        LOG.info("compiling %s, once, about 10 s", title)


def _load(loop: FunctionType, signature: tuple[Any, ...], place: Path) -> Any:
    made = _decorate(loop, place)
    _compile(made, signature)
    if not made.stats.cache_hits:  # another processor, or the engine's file was written anew: Numba has compiled it
        _seal(place)
    with suppress(OSError):
        os.utime(place)  # in use
    return made


def _make(loop: FunctionType, signature: tuple[Any, ...], place: Path) -> Any:
    """Compile beside the place and rename, so that nobody finds half of it."""
    _remove_old(place.parent)
    beside = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        made = _decorate(loop, beside)
        _compile(made, signature)
        _seal(beside)
        shutil.rmtree(place, ignore_errors=True)
        with suppress(OSError):  # another process was faster
            beside.rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return made


def _compile(made: Any, signature: tuple[Any, ...]) -> None:
    with warnings.catch_warnings():
        # One game's record may begin like another's; whose code runs does not depend on that here.
        warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
        made.compile(signature)
    made.disable_compile()


def _decorate(loop: FunctionType, folder: Path) -> Any:
    # Numba reads its cache folder when a function is decorated; put the user's own setting back at once.
    settings = vars(config)
    users_folder = settings["CACHE_DIR"]
    settings["CACHE_DIR"] = str(folder)
    try:
        return numba.njit(cache=True, **OPTIONS)(loop)
    finally:
        settings["CACHE_DIR"] = users_folder


def _sum(place: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in place.rglob("*") if path.is_file() and path.name != CHECKSUM):
        digest.update(str(path.relative_to(place)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _seal(place: Path) -> None:
    write_whole(place / CHECKSUM, _sum(place))


def _is_whole(place: Path) -> bool:
    try:
        return (place / CHECKSUM).read_text(encoding="utf-8") == _sum(place)
    except (OSError, UnicodeDecodeError):
        return False


def _remove_old(root: Path) -> None:
    """Keep the versions of each loop that were used last, and nothing that was not used for a month."""
    used: dict[str, list[tuple[float, Path]]] = {}
    now = time.time()
    for path in filter(Path.is_dir, root.iterdir()):
        name, _, key = path.name.rpartition("-")
        with suppress(OSError):  # another process is tidying up too
            when = path.stat().st_mtime
            if name.startswith(".") and now - when > 86400:  # a process was killed while it compiled
                shutil.rmtree(path, ignore_errors=True)
            elif name and len(key) == 16:
                used.setdefault(name, []).append((when, path))
    for folders in used.values():
        for place, (when, path) in enumerate(sorted(folders, reverse=True)):
            if place >= KEPT - 1 or now - when > DAYS_UNUSED * 86400:
                shutil.rmtree(path, ignore_errors=True)
