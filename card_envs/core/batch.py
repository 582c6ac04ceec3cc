"""Many games of one kind at once, all seats of each: the fast way to play, and what every adapter is built on."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from card_envs.core.arrays import ARRAYS, PUBLIC, Arrays, copy_arrays, handle_of, make_header
from card_envs.core.batch_input import check_actions, check_list, check_room, check_seats, check_states, make_seeds
from card_envs.core.compile import record_array
from card_envs.core.engine import ILLEGAL, NAMED_TWICE, NO_SUCH_GAME, REASONS, START, UNCHECKED
from card_envs.core.forest import Forest
from card_envs.core.game import Game
from card_envs.core.journal import Journal
from card_envs.core.options import LARGEST_SEED, check_threads, non_default, whole_number
from card_envs.errors import ActionTypeError, GameOverError, IllegalActionError, InUseError, OptionError

MOST_GAMES = 2**24
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
        self._loops = game.loops
        self._all_games = np.arange(self.num_games, dtype=np.int64)
        self._mark = 0
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0
        self.journal: Journal | None = None  # what has happened, if somebody follows games
        self._take(self._make_arrays())
        self.reset(secrets.randbelow(LARGEST_SEED) if seed is None else seed)

    def _make_arrays(self) -> Arrays:
        games, players, game, common = self.num_games, self.players, self.game, self.common_options
        return Arrays(
            states=record_array(games, game.record),
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
            margin=common.reward == "margin",
            margin_scale=game.margin_scale,
            tiebreak=game.tiebreak_column,
            lose_on_illegal=common.illegal_action == "lose",
            loss=game.loss(self.options, common),
            restart=self.auto_reset,
        )

    def _take(self, arrays: Arrays) -> None:
        """Play in these arrays, and show the user their public ones, read-only but for the states."""
        self._arrays, self._header = arrays, make_header(arrays)
        self._handle = handle_of(arrays, self._header)
        self._in_use = threading.Lock()
        self._actions = np.zeros(self.num_games, np.int64)
        self._one = np.zeros(1, np.int64)  # the game of a single step
        for name in PUBLIC:
            public = getattr(arrays, name).view()
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
        listed = self._listed(games)
        self._check_numbers(listed)
        seeds = np.full(len(listed), -1) if seed is None else make_seeds(seed, len(listed))
        with self._alone():
            self._in_parts(self._loops.move_games, len(listed), self._handle, listed, seeds, after=(START,))
        if self.journal is not None:
            self.journal.begin(listed.tolist(), self.states)

    def follow(self, games: ArrayLike) -> Journal:
        """Write down what happens in these games from here on, in `journal`.

        Moves of built-in players in `play_on` are not: `agents.seating.Seating` makes those one by one instead.
        """
        listed = self._listed(games)
        self._check_there(listed)
        if self.journal is None:
            self.journal = Journal()
        self.journal.follow(listed.tolist(), self.states)
        return self.journal

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Refuse a second thread: games that two of them move at once would be wrong without a word."""
        if not self._in_use.acquire(blocking=False):
            self._refuse_second()
        try:
            yield
        finally:
            self._in_use.release()

    def _refuse_second(self) -> None:
        raise InUseError(
            f"this batch of {self.game.title} is being used by another thread; let threads take turns, or give each "
            f"its own (batch.copy()); `threads=` shares the work of one batch"
        )

    def step(self, actions: ArrayLike, games: ArrayLike | None = None) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play one action in every game, or in the listed ones only, and return `rewards` and `done`.

        With `games`, actions are in the order of that list, and the rows of other games stay as they were. An illegal
        action raises IllegalActionError before anything has moved, or, with illegal_action="lose", ends its game.
        """
        listed = self._listed(games)
        count = len(listed)
        if count > self.num_games:
            self._check_numbers(listed)  # at least one is named twice
        given = check_actions(actions, count)
        if not self._in_use.acquire(blocking=False):
            self._refuse_second()
        try:
            moves = self._actions[:count]
            np.copyto(moves, given, casting="unsafe")
            self._mark += 1
            if self.threads == 1 or count < 2 * GAMES_WORTH_A_THREAD:
                problem = self._loops.move_games(self._handle, listed, moves, 0, count, self._mark)
            else:
                problem = self._loops.find_problem(self._handle, listed, moves, 0, count, self._mark)
                if problem < 0:
                    self._in_parts(self._loops.move_games, count, self._handle, listed, moves, after=(UNCHECKED,))
        finally:
            self._in_use.release()
        if problem >= 0:
            place, reason = divmod(problem, REASONS)
            self._refuse(int(listed[place]), int(given[place]), reason)
        if self.journal is not None:
            self.journal.moved(listed.tolist(), given.tolist(), self.states, self.done)
        return self.rewards, self.done

    def step_one(self, action: int, game: int = 0) -> None:
        """Play one action in one game: what `step` does, with less to check."""
        if type(action) is not int:
            action = self.game.action_number("an action", action)
        if not 0 <= game < self.num_games:
            self._refuse(game, action, NO_SUCH_GAME)
        games, actions = self._one, self._actions
        if not self._in_use.acquire(blocking=False):
            self._refuse_second()
        try:
            games[0], actions[0] = game, action if 0 <= action < len(self.game.actions) else -1
            self._mark += 1
            problem = self._loops.move_games(self._handle, games, actions, 0, 1, self._mark)
        finally:
            self._in_use.release()
        if problem >= 0:
            self._refuse(game, action, problem)
        if self.journal is not None:
            self.journal.moved([game], [action], self.states, self.done)

    def forfeit(self, game: int, *seats: int) -> None:
        """End a game at once: these seats have lost it by an illegal action, or by none at all.

        The others share what they lose; nobody gets anything if all have lost.
        """
        number = whole_number(game, "game", 0, self.num_games - 1)
        losers = sorted({whole_number(seat, "seat", 0, self.players - 1) for seat in seats})
        if not losers:
            raise OptionError("forfeit needs at least one seat that has lost the game")
        if self.seat[number] < 0:
            self._refuse(number, -1, ILLEGAL)
        self.game.check_priced(self.loss)
        with self._alone():
            self._arrays.states[number]["seat"] = losers[0]
            self._loops.move_games(self._handle, np.array([number]), np.array([-1]), 0, 1, UNCHECKED)
            if len(losers) > 1:
                others = self.players - len(losers)
                self._arrays.rewards[number] = -self.loss * len(losers) / others if others else 0.0
                self._arrays.rewards[number, losers] = self.loss
                self._arrays.ranks[number, losers] = self.players if others else 1

    def play_on(self, lots: NDArray[Any], players: NDArray[np.int64], games: NDArray[np.int64]) -> None:
        """Let built-in players act in these games until somebody else is to act, or the game is over.

        `players[game, seat]` is core.playing's RANDOM or BOT, or any other number for somebody else; `lots` has one
        record per game for what they decide by lot. `agents.seating.Seating` keeps both.
        """
        with self._alone():
            self._in_parts(self._loops.play_on, len(games), self._handle, lots, players, games)

    def grow_trees(self, forest: Forest) -> None:
        """Grow the trees of a search, whose playouts are games of this batch, as far as they get without an answer.

        For each tree there are, side by side, a game for each of its workers and the root position: see core/tree.py.
        """
        if self.num_games != forest.workers.size + len(forest.trees):
            raise OptionError(
                f"{len(forest.trees)} trees with {forest.workers.shape[1]} workers each need a batch of "
                f"{forest.workers.size + len(forest.trees)} games, not {self.num_games}"
            )
        with self._alone():
            self._loops.grow_trees(self._handle, *forest)

    def run(self, loop: Callable[..., Any], *arguments: Any) -> Any:
        """Run a loop that `game.loops.own` has made, on this batch."""
        with self._alone():
            return loop(self._handle, *arguments)

    def _in_parts(self, loop: Any, count: int, *arguments: Any, after: tuple[int, ...] = ()) -> None:
        """Run a loop over all listed games, on several threads if there are enough of them."""
        parts = min(self.threads, count // GAMES_WORTH_A_THREAD)
        if parts <= 1:
            loop(*arguments, 0, count, *after)
            return
        if self._pool is None or self._pool_process != os.getpid():  # threads do not survive a fork
            self._pool_process = os.getpid()
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="card_envs")
        submit: Any = self._pool.submit  # mypy cannot know how many arguments a loop takes
        bounds = [count * part // parts for part in range(parts + 1)]
        waiting = [submit(loop, *arguments, low, high, *after) for low, high in pairwise(bounds[1:])]
        loop(*arguments, bounds[0], bounds[1], *after)
        for part in waiting:
            part.result()

    def _listed(self, games: ArrayLike | None) -> NDArray[np.int64]:
        return self._all_games if games is None else check_list(games)

    def _check_numbers(self, listed: NDArray[np.int64]) -> None:
        """Refuse games that are not there or named twice, before a loop writes where they would be."""
        if listed is self._all_games:
            return
        self._check_there(listed)
        if len(np.unique(listed)) < len(listed):
            twice = np.flatnonzero(np.bincount(listed) > 1)
            self._refuse(int(twice[0]), 0, NAMED_TWICE)

    def _check_there(self, listed: NDArray[np.int64]) -> None:
        for game in listed[(listed < 0) | (listed >= self.num_games)]:
            self._refuse(int(game), 0, NO_SUCH_GAME)

    def _refuse(self, game: int, action: int, reason: int) -> None:
        if reason == NO_SUCH_GAME:
            raise ActionTypeError(f"there is no game {game}: this batch has the games 0 to {self.num_games - 1}")
        if reason == NAMED_TWICE:
            raise ActionTypeError(f"game {game} is named twice; name each game once")
        if self.seat[game] < 0:
            raise GameOverError(f"game {game} of {self.game.title} is over; start it anew with reset(games=[{game}])")
        sentence = self.game.why_illegal(int(self.seat[game]), action, self.action_mask[game])
        raise IllegalActionError(sentence if self.num_games == 1 else f"game {game} of this batch: {sentence}")

    def show(self, games: ArrayLike | None = None) -> None:
        """Write observation, mask and seat again, after `states` was changed from outside.

        Whoever changes `states` must call it before anything else: it refuses numbers with which the compiled rules
        would leave their arrays.
        """
        listed = self._listed(games)
        self._check_numbers(listed)
        check_states(self.game, self.players, self.states, listed)
        self._show(listed)

    def _show(self, listed: NDArray[np.int64]) -> None:
        with self._alone():
            self._in_parts(self._loops.show_games, len(listed), self._handle, listed)

    def observe(self, game: int, seat: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What any seat sees of one game, and what it could do if it had to act now. New arrays."""
        number = whole_number(game, "game", 0, self.num_games - 1)
        observations, masks = self.observe_seats(np.array([number]), np.array([seat]))
        return observations[0], masks[0]

    def observe_seats(
        self, games: ArrayLike, seats: ArrayLike, out: tuple[NDArray[np.float32], NDArray[np.int8]] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What one seat sees of each listed game, and what it could do if it had to act. In new arrays, or `out`."""
        listed = self._listed(games)
        chosen = check_seats(seats, len(listed), self.players)
        self._check_numbers(listed)
        observations, masks = check_room(out, len(listed), self.game.layout.size, len(self.game.actions))
        self._loops.observe_seats(self._handle, listed, chosen, observations, masks)
        return observations, masks

    def redraw_hidden(
        self, seats: ArrayLike, seed: int | ArrayLike, games: ArrayLike | None = None, *, reopen: bool = False
    ) -> None:
        """In each game draw anew what the given seat cannot know: unseen cards and all chance to come.

        `seed` is one number, or one for each game. With `reopen`, a simultaneous choice under way begins again.
        """
        listed = self._listed(games)
        self._check_numbers(listed)
        chosen = check_seats(seats, len(listed), self.players)
        with self._alone():
            self._loops.redraw_games(self._handle, listed, chosen, make_seeds(seed, len(listed)), reopen)
        self._show(listed)

    def imagine(self, games: ArrayLike, copies: int, seed: int | ArrayLike, *, reopen: bool = False) -> Batch:
        """A new batch with `copies` of each listed game, in which what the seat to act cannot know is drawn anew.

        A game may be listed several times. `seed` is one number, or one for each new game. With `reopen`, a
        simultaneous choice under way begins again: then it may be the turn of another seat, which had chosen already.
        """
        listed = self._listed(games)
        self._check_there(listed)
        if (self.seat[listed] < 0).any():
            self._refuse(int(listed[self.seat[listed] < 0][0]), 0, ILLEGAL)
        each = np.repeat(listed, whole_number(copies, "copies", 1, MOST_GAMES // max(1, len(listed))))
        imagined = Batch(self.game, len(each), seed=0, auto_reset=False, threads=self.threads, **self.chosen)
        imagined.states[:] = self.states[each]
        imagined.redraw_hidden(self.seat[each], seed, reopen=reopen)
        return imagined

    def copy(self) -> Batch:
        """An exact, independent copy of all games in their present positions."""
        twin = object.__new__(Batch)
        twin.__dict__.update(self.__dict__)
        twin._take(copy_arrays(self._arrays))
        twin._pool = None
        twin.journal = None if self.journal is None else self.journal.copy()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        # For pickle: threads, locks and addresses cannot be copied, and the public arrays must go on
        # showing the batch's own.
        left_out = {*PUBLIC, "_loops", "_header", "_handle", "_in_use", "_actions", "_one", "_pool"}
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._loops, self._pool = self.game.loops, None
        self._take(self._arrays)

    @property
    def loss(self) -> float:
        """The reward for a game lost by an illegal action. Not a number where the game does not say."""
        return float(self._arrays.loss)

    @property
    def bytes_per_game(self) -> int:
        """All that the batch keeps per game: state, observation, mask, rewards, results."""
        return sum(int(getattr(self._arrays, name).nbytes) for name in ARRAYS if name != "template") // self.num_games

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
        return f"make_batch({self.game.key!r}, num_games={self.num_games}, {text})"
