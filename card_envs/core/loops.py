"""The engine's loops for one game: specialised and compiled when they are first asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numba import from_dtype, types
from numpy.typing import NDArray

from card_envs.core import arrays, engine, forest, playing, tree
from card_envs.core.arrays import Handle
from card_envs.core.cache import code_key, compile_loop
from card_envs.core.compile import JIT, inner, specialise

Ints = NDArray[np.int64]
_INT, _INTS = types.int64, types.int64[::1]
_LOTS = from_dtype(playing.LOTS)[::1]
_MASKS, _SEEN_MASKS = types.int8[:, ::1], types.Array(types.int8, 2, "C", readonly=True)
_FLOATS = types.float64[:, ::1]
_OBSERVATIONS, _SEEN = types.float32[:, ::1], types.Array(types.float32, 2, "C", readonly=True)


@inner
def no_bot(lots: Any, observation: Any, mask: Any) -> Any:
    """Stands for the hand-written player of a game that has none; nobody can name it, so it is never asked."""
    return -1


class Loops:
    """What a batch of one game runs on. Arrays are contiguous and of the types named; `Batch` sees to that."""

    def __init__(self, name: str, title: str, state: np.dtype[Any], answers: Mapping[str, Any]) -> None:
        self._name, self._title = name, title
        self._own: dict[Any, Any] = {}
        if JIT:
            read = specialise([arrays.read_arrays], {"STATE": state})["read_arrays"]
            arrays_of: Callable[[Any], Any] = inner(read)
        else:
            arrays_of = arrays.hand_over
        self._answers = own = {"choose": no_bot, **answers, "arrays_of": arrays_of}
        helpers = (*engine.HELPERS, *playing.HELPERS, *tree.HELPERS)
        everything: dict[Callable[..., Any], None] = dict.fromkeys((*helpers, *_LOOPS))
        self._copies = specialise(everything, own)
        self._keys = {loop.__name__: code_key(self._copies[loop.__name__]) for loop in _LOOPS}

    def _compile(self, loop: Callable[..., Any], *signature: Any) -> Any:
        key = self._keys[loop.__name__]
        return compile_loop(self._copies[loop.__name__], signature, self._name, key, self._title)

    def own(self, loop: Callable[..., Any], helpers: Sequence[Callable[..., Any]], signature: tuple[Any, ...]) -> Any:
        """A loop that is not one of the engine's, made for this game: it and its helpers may name whatever engine.py
        and playing.py name. Compiled once for each signature.
        """
        if (loop, signature) not in self._own:
            copies = specialise((*engine.HELPERS, *playing.HELPERS, *helpers, loop), self._answers)
            made = copies[loop.__name__]
            self._own[loop, signature] = compile_loop(made, signature, self._name, code_key(made), self._title)
        return self._own[loop, signature]

    @functools.cached_property
    def find_problem(self) -> Callable[[Handle, Ints, Ints, int, int, int], int]:
        """See engine.find_problem."""
        return self._compile(engine.find_problem, _INT, _INTS, _INTS, _INT, _INT, _INT)  # type: ignore[no-any-return]

    @functools.cached_property
    def move_games(self) -> Callable[[Handle, Ints, Ints, int, int, int], int]:
        """See engine.move_games."""
        return self._compile(engine.move_games, _INT, _INTS, _INTS, _INT, _INT, _INT)  # type: ignore[no-any-return]

    @functools.cached_property
    def show_games(self) -> Callable[[Handle, Ints, int, int], None]:
        """See engine.show_games."""
        return self._compile(engine.show_games, _INT, _INTS, _INT, _INT)  # type: ignore[no-any-return]

    @functools.cached_property
    def observe_seats(self) -> Callable[[Handle, Ints, Ints, NDArray[np.float32], NDArray[np.int8]], None]:
        """See engine.observe_seats."""
        return self._compile(engine.observe_seats, _INT, _INTS, _INTS, _OBSERVATIONS, _MASKS)  # type: ignore[no-any-return]

    @functools.cached_property
    def redraw_games(self) -> Callable[[Handle, Ints, Ints, Ints, bool], None]:
        """See engine.redraw_games."""
        return self._compile(engine.redraw_games, _INT, _INTS, _INTS, _INTS, types.boolean)  # type: ignore[no-any-return]

    @functools.cached_property
    def choose_by_bot(self) -> Callable[[NDArray[Any], NDArray[np.float32], NDArray[np.int8], Ints], None]:
        """See playing.choose_by_bot."""
        return self._compile(playing.choose_by_bot, _LOTS, _SEEN, _SEEN_MASKS, _INTS)  # type: ignore[no-any-return]

    @functools.cached_property
    def play_on(self) -> Callable[[Handle, NDArray[Any], Ints, Ints, int, int], None]:
        """See playing.play_on."""
        return self._compile(playing.play_on, _INT, _LOTS, types.int64[:, ::1], _INTS, _INT, _INT)  # type: ignore[no-any-return]

    @functools.cached_property
    def grow_trees(self) -> Callable[..., None]:
        """See tree.grow_trees; what follows the handle is a forest.Forest."""
        kinds = (forest.SEARCH, forest.TREE, forest.NODE, forest.EDGE, forest.WORKER, forest.STEP)
        search, trees, nodes, edges, workers, steps = (from_dtype(kind) for kind in kinds)
        memory = (search[::1], trees[::1], nodes[:, ::1], edges[:, ::1], types.int32[:, ::1])
        working = (workers[:, ::1], steps[:, ::1], _LOTS, _INTS, _FLOATS, _FLOATS)
        return self._compile(tree.grow_trees, _INT, *memory, *working)  # type: ignore[no-any-return]


_LOOPS: tuple[Callable[..., Any], ...] = (
    engine.find_problem,
    engine.move_games,
    engine.show_games,
    engine.observe_seats,
    engine.redraw_games,
    playing.choose_by_bot,
    playing.play_on,
    tree.grow_trees,
)


class SharedLoops:
    """Loops that know no game, compiled once for all."""

    def _compile(self, loop: Callable[..., Any], *signature: Any) -> Any:
        own = specialise([playing.random_action, loop], {})[loop.__name__]
        return compile_loop(own, signature, "core", code_key(own))

    @functools.cached_property
    def fill_seeds(self) -> Callable[[int, Ints], None]:
        """See playing.fill_seeds."""
        return self._compile(playing.fill_seeds, _INT, _INTS)  # type: ignore[no-any-return]

    @functools.cached_property
    def fill_nth_seeds(self) -> Callable[[Ints, Ints, Ints, Ints], None]:
        """See playing.fill_nth_seeds."""
        return self._compile(playing.fill_nth_seeds, _INTS, _INTS, _INTS, _INTS)  # type: ignore[no-any-return]

    @functools.cached_property
    def choose_at_random(self) -> Callable[[NDArray[np.int8], NDArray[Any], Ints], None]:
        """See playing.choose_at_random."""
        return self._compile(playing.choose_at_random, _SEEN_MASKS, _LOTS, _INTS)  # type: ignore[no-any-return]

    @functools.cached_property
    def start_lots(self) -> Callable[[NDArray[Any], Ints, Ints], None]:
        """See playing.start_lots."""
        return self._compile(playing.start_lots, _LOTS, _INTS, types.Array(_INT, 1, "C", readonly=True))  # type: ignore[no-any-return]

    @functools.cached_property
    def draw_lots(self) -> Callable[[NDArray[Any], Ints, NDArray[np.float64]], None]:
        """See playing.draw_lots."""
        return self._compile(playing.draw_lots, _LOTS, _INTS, types.float64[::1])  # type: ignore[no-any-return]


SHARED = SharedLoops()
