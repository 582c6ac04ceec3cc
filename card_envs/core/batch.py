"""Many games of one kind at once, all seats of each: the fast way to play, and what every adapter is built on."""

from __future__ import annotations

import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from card_envs.core.compile import copy_bytes, record_array
from card_envs.core.engine import Tables, Terms
from card_envs.core.errors import ActionTypeError, GameOverError, IllegalActionError, OptionError
from card_envs.core.game import Game
from card_envs.core.options import LARGEST_SEED, check_seed, check_threads, non_default, whole_number

MOST_GAMES = 2**24
_PUBLIC = tuple(name for name in Tables._fields if name not in ("template", "moved"))
GAMES_WORTH_A_THREAD = 256  # below this, handing work to a thread takes longer than doing it


class Batch:
    """`num_games` games that are played side by side.

    `observation` (N, D), `action_mask` (N, A) and `seat` (N,) tell what the seat to act sees in each game. `step`
    plays one action in each and returns `rewards` (N, P) and `done` (N,). `points`, `ranks` and `score_sheet` hold
    the result of each game that has ended last; a finished game starts anew by itself, with a seed that follows from
    its own, unless `auto_reset` is False.

    All these arrays are reused: the next `step` overwrites them in place. Copy what you want to keep. They are
    read-only for everyone but the engine.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        *,
        seed: int | ArrayLike | None = None,
        threads: int | None = 1,
        auto_reset: bool = True,
        **options: Any,
    ) -> None:
        self.game = game
        self.num_games = whole_number(num_games, "num_games", 1, MOST_GAMES)
        self.threads = check_threads(threads)
        self.auto_reset = bool(auto_reset)
        self.options, self.common_options = game.make_options(options, ("seed", "threads", "auto_reset"))
        self.players = self.options.players
        self._publish(self._make_tables())
        self._terms = Terms(
            margin=self.common_options.reward == "margin",
            margin_scale=game.margin_scale,
            tiebreak=game.tiebreak_column,
            lose_on_illegal=self.common_options.illegal_action == "lose",
            restart=self.auto_reset,
        )
        self._all_games = np.arange(self.num_games, dtype=np.int64)
        self._actions = np.zeros(self.num_games, np.int64)
        self._mark = 0
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0
        self.reset(secrets.randbelow(LARGEST_SEED) if seed is None else seed)

    def _make_tables(self) -> Tables:
        games, players, game = self.num_games, self.players, self.game
        return Tables(
            states=record_array(games, game.state),
            template=game.template(self.options),
            seeds=np.zeros(games, np.int64),
            seat=np.zeros(games, np.int64),
            observation=np.zeros((games, game.layout.size), np.float32),
            action_mask=np.zeros((games, len(game.actions)), np.int8),
            rewards=np.zeros((games, players), np.float32),
            done=np.zeros(games, np.bool_),
            illegal=np.zeros(games, np.bool_),
            points=np.zeros((games, players), np.int32),
            ranks=np.zeros((games, players), np.int32),
            score_sheet=np.zeros((games, players, len(game.score_columns)), np.int32),
            moved=np.zeros(games, np.int64),
        )

    def _publish(self, tables: Tables) -> None:
        """Take these tables, and show the user their arrays, read-only but for the states."""
        self._tables = tables
        for name in _PUBLIC:
            public = getattr(tables, name).view()
            public.flags.writeable = name == "states"
            setattr(self, name, public)

    states: NDArray[Any]
    seeds: NDArray[np.int64]
    seat: NDArray[np.int64]
    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    illegal: NDArray[np.bool_]
    points: NDArray[np.int32]
    ranks: NDArray[np.int32]
    score_sheet: NDArray[np.int32]

    def reset(self, seed: int | ArrayLike | None = None, games: ArrayLike | None = None) -> None:
        """Start the games (or those listed) anew.

        `seed` is one number, from which each game gets a seed of its own (the first game gets that number itself), or
        one seed per game, or None for the seed that follows each game's last one. `batch.seeds` tells the seeds of
        the games under way; `env.reset(seed=...)` of the same game and options plays the same game from one of them.
        """
        listed = self._check_games(games)
        self._check_numbers(listed)
        seeds = np.full(len(listed), -1) if seed is None else self._make_seeds(seed, len(listed))
        self._in_parts(self.game.loops.start_games, len(listed), self._tables, listed, seeds)

    def _make_seeds(self, seed: int | ArrayLike, count: int) -> NDArray[np.int64]:
        if np.ndim(seed) == 0:
            made = np.empty(count, np.int64)
            self.game.loops.fill_seeds(check_seed(seed), made)
            return made
        seeds = np.asarray(seed)
        whole = seeds.shape == (count,) and seeds.dtype.kind in "iu"
        if not whole or (count and not 0 <= int(seeds.min()) <= int(seeds.max()) <= LARGEST_SEED):
            raise OptionError(
                f"seed must be one whole number, or {count} of them, none negative or above {LARGEST_SEED}, "
                f"not an array of shape {seeds.shape} and type {seeds.dtype}"
            )
        return np.ascontiguousarray(seeds, np.int64)

    def step(self, actions: ArrayLike, games: ArrayLike | None = None) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play one action in every game, or in the listed ones only, and return `rewards` and `done`.

        With `games`, actions are in the order of that list, and the rows of other games stay as they were. An illegal
        action raises IllegalActionError before anything has moved, or, with illegal_action="lose", ends its game.
        """
        listed = self._check_games(games)
        moves = self._check_actions(actions, len(listed))
        if not self._terms.lose_on_illegal or games is not None or not self.auto_reset:
            self._mark += 1
            problem, reason = self.game.loops.find_problem(
                self._tables, listed, moves, 0, len(listed), self._mark, self._terms.lose_on_illegal
            )
            if problem >= 0:
                self._refuse(int(listed[problem]), int(moves[problem]), reason)
        self._in_parts(self.game.loops.step_games, len(listed), self._tables, self._terms, listed, moves)
        return self.rewards, self.done

    def step_one(self, action: int, game: int = 0) -> None:
        """Play one action in one game: what `step` does, with less to check."""
        action = self.game.action_number("an action", action)
        if not 0 <= game < self.num_games:
            self._refuse(game, action, 3)
        known = 0 <= action < len(self.game.actions)
        if not (known and self.action_mask[game, action]) and (not self._terms.lose_on_illegal or self.seat[game] < 0):
            self._refuse(game, action, 1)
        self._actions[0] = action if known else -1
        self.game.loops.step_games(self._tables, self._terms, self._all_games[game : game + 1], self._actions, 0, 1)

    def _in_parts(self, loop: Any, count: int, *arguments: Any) -> None:
        """Run a loop over all listed games, on several threads if there are enough of them."""
        parts = min(self.threads, count // GAMES_WORTH_A_THREAD)
        if parts <= 1:
            loop(*arguments, 0, count)
            return
        if self._pool is None or self._pool_process != os.getpid():  # threads do not survive a fork
            self._pool_process = os.getpid()
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="card_envs")
        submit: Any = self._pool.submit  # mypy cannot know how many arguments a loop takes
        bounds = [count * part // parts for part in range(parts + 1)]
        waiting = [submit(loop, *arguments, low, high) for low, high in pairwise(bounds[1:])]
        loop(*arguments, bounds[0], bounds[1])
        for part in waiting:
            part.result()

    def _check_games(self, games: ArrayLike | None) -> NDArray[np.int64]:
        if games is None:
            return self._all_games
        listed = np.asarray(games)
        if listed.ndim != 1 or listed.dtype.kind not in "iu":
            raise ActionTypeError(
                f"games must be a flat array of game numbers, "
                f"not an array of shape {listed.shape} and type {listed.dtype}"
            )
        return np.ascontiguousarray(listed, np.int64)

    def _check_numbers(self, listed: NDArray[np.int64]) -> None:
        """Refuse games that are not there or named twice, before a loop writes where they would be."""
        if listed is self._all_games:
            return
        for game in listed[(listed < 0) | (listed >= self.num_games)]:
            self._refuse(int(game), 0, 3)
        if len(np.unique(listed)) < len(listed):
            twice = np.flatnonzero(np.bincount(listed) > 1)
            self._refuse(int(twice[0]), 0, 2)

    def _check_seats(self, seats: ArrayLike, count: int) -> NDArray[np.int64]:
        """One seat for all games, or one for each."""
        given = np.asarray(seats)
        if (
            given.dtype.kind not in "iu"
            or given.shape not in ((), (count,))
            or ((given < 0) | (given >= self.players)).any()
        ):
            raise OptionError(
                f"seats must be whole numbers from 0 to {self.players - 1}, one or one per game, not {seats!r}"
            )
        return np.ascontiguousarray(np.broadcast_to(given, (count,)), np.int64)

    def _check_actions(self, actions: ArrayLike, count: int) -> NDArray[np.int64]:
        moves = np.asarray(actions)
        if moves.shape != (count,) or moves.dtype.kind not in "iu":
            raise ActionTypeError(
                f"step needs {count} whole numbers, one action per game, "
                f"not an array of shape {moves.shape} and type {moves.dtype}"
            )
        room = self._actions[:count]
        np.copyto(room, moves, casting="unsafe")
        return room

    def _refuse(self, game: int, action: int, reason: int) -> None:
        if reason == 3:
            raise ActionTypeError(f"there is no game {game}: this batch has the games 0 to {self.num_games - 1}")
        if reason == 2:
            raise ActionTypeError(f"game {game} is named twice; name each game once")
        if self.seat[game] < 0:
            raise GameOverError(f"game {game} of {self.game.title} is over; start it anew with reset(games=[{game}])")
        sentence = self.game.why_illegal(int(self.seat[game]), action, self.action_mask[game])
        raise IllegalActionError(sentence if self.num_games == 1 else f"game {game} of this batch: {sentence}")

    def show(self, games: ArrayLike | None = None) -> None:
        """Write observation, mask and seat again, after `states` was changed from outside."""
        listed = self._check_games(games)
        self._check_numbers(listed)
        self._in_parts(self.game.loops.show_games, len(listed), self._tables, listed)

    def observe(self, game: int, seat: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What any seat sees of one game, and what it could do if it had to act now. New arrays."""
        number = whole_number(game, "game", 0, self.num_games - 1)
        observations, masks = self.observe_seats(np.array([number]), np.array([seat]))
        return observations[0], masks[0]

    def observe_seats(self, games: ArrayLike, seats: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What one seat sees of each listed game, and what it could do if it had to act now. New arrays."""
        listed = self._check_games(games)
        chosen = self._check_seats(seats, len(listed))
        self._check_numbers(listed)
        observations = np.empty((len(listed), self.game.layout.size), np.float32)
        masks = np.empty((len(listed), len(self.game.actions)), np.int8)
        self.game.loops.observe_seats(self._tables.states, listed, chosen, observations, masks)
        return observations, masks

    def redraw_hidden(self, seats: ArrayLike, seed: int, games: ArrayLike | None = None) -> None:
        """In each game draw anew what the given seat cannot know: unseen cards and all chance to come."""
        listed = self._check_games(games)
        self._check_numbers(listed)
        chosen = self._check_seats(seats, len(listed))
        self.game.loops.redraw_games(self._tables.states, listed, chosen, self._make_seeds(seed, len(listed)))
        self.show(listed)

    def copy(self) -> Batch:
        """An exact, independent copy of all games in their present positions."""
        twin = object.__new__(Batch)
        twin.__dict__.update(self.__dict__)
        twin._publish(Tables(*map(copy_bytes, self._tables)))
        twin._actions = self._actions.copy()
        twin._pool = None
        return twin

    def __getstate__(self) -> dict[str, Any]:
        # For pickle and deepcopy: threads cannot be copied, and the public arrays must go on showing the tables.
        kept = {name: value for name, value in self.__dict__.items() if name not in _PUBLIC}
        return {**kept, "_pool": None, "_tables": tuple(self._tables)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._publish(Tables(*state["_tables"]))

    def result(self, game: int) -> list[dict[str, Any]]:
        """The result of the game that ended last in this row, one dict per seat: points, rank and their breakdown."""
        return [self.seat_result(game, seat) for seat in range(self.players)]

    def seat_result(self, game: int, seat: int) -> dict[str, Any]:
        """One seat's part of `result`."""
        row = dict(zip(self.game.score_columns, self.score_sheet[game, seat].tolist(), strict=True))
        return {
            "points": int(self.points[game, seat]),
            "rank": int(self.ranks[game, seat]),
            **self.game.breakdown(row),
        }

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that tell this table from others: the number of players, and all that is not the default."""
        return {"players": self.players, **non_default(self.options), **non_default(self.common_options)}

    def __repr__(self) -> str:
        text = ", ".join(f"{name}={value!r}" for name, value in self.chosen.items())
        return f"make_batch({self.game.name!r}, num_games={self.num_games}, {text})"
