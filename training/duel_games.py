"""Games in which all choose at once, from which duels are learned: each position, and what choices lead to.

In each position everybody who has to choose draws a choice from the equilibrium. Every choice of each of them is tried
against what the others have drawn, in a copy of the game with the same cards to come; a value says what that is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.choosing import draw_actions
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.errors import OptionError
from training.duel_loss import Lessons
from training.saved_games import check_arrays, check_positions, record_bytes
from training.state_checks import require

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Values = Callable[[Floats], Floats]  # what the seat that sees each row can expect
NOBODY = -1  # instead of a choice


class Look(NamedTuple):
    """What all seats see of all games, (games, seats, ...), and what each can choose: nothing if it has not to."""

    seen: Floats
    legal: Flags

    @property
    def waiting(self) -> Flags:
        """Who has to choose."""
        found: Flags = np.logical_or.reduce(self.legal, axis=2)
        return found


@dataclass(frozen=True)
class Moment:
    """One position in every game, (games, seats, ...): what everybody saw and chose, and what came of it.

    `worth` is what each choice would have been worth to the seat itself; no number where there was no such choice.
    """

    seen: Floats
    worth: Floats
    chosen: Ints
    likely: Floats  # how likely everybody was to make each choice
    value: Floats  # what was expected of the position
    ahead: Floats  # what the equilibrium's choices lead to; what one seat wins the others lose
    parted: Flags  # per game: it has ended, or goes on from what somebody chose by lot, so that later ones say nothing


class DuelGames:
    """Many games at once, each always at a position in which everybody who has to choose is about to."""

    def __init__(
        self, game: Game, games: int, players: int, choices: int, *, seed: int, explore: float, **options: Any
    ) -> None:
        self.players, self.choices, self.explore = players, choices, explore
        self.batch = Batch(game, games, players=players, seed=seed, **options)
        self.copies = Batch(game, games * players * choices, players=players, seed=0, auto_reset=False, **options)
        self._everyone = np.arange(games)
        self.look = self._look()

    def _look(self) -> Look:
        """What everybody sees, once it is certain that those who have to choose are about to, and alike."""
        found = [self.batch.observe_seats(self._everyone, self._everyone * 0 + seat) for seat in range(self.players)]
        seen, masks = (np.stack(of_seats, axis=1) for of_seats in zip(*found, strict=True))
        look = Look(seen, masks[:, :, : self.choices] != 0)
        first = look.waiting.argmax(axis=1)
        alike = (look.legal == look.legal[self._everyone, first][:, None]).all(axis=2) | ~look.waiting
        others = self.batch.action_mask[:, self.choices :] != 0
        if (self.batch.seat != first).any() or not look.waiting.any(axis=1).all() or not alike.all() or others.any():
            raise self._not_all()
        return look

    def _not_all(self) -> OptionError:
        return OptionError(
            f"duels are for games in which all who have to choose do so at once, from the same choices, and in "
            f"{self.batch.game.title} they do not"
        )

    def look_around(self, steps: int, chance: np.random.Generator) -> tuple[Floats, int]:
        """So many choices of everybody in every game, by lot; what all saw, and how many choices there ever are."""
        seen: list[Floats] = []
        choices = 0
        for _ in range(steps):
            seen.append(self.look.seen.reshape(-1, self.look.seen.shape[2]))
            choices = max(choices, int(np.flatnonzero(self.look.legal.any(axis=(0, 1)))[-1]) + 1)
            self._all_play(_by_lot(self.look.legal, chance))
        return np.concatenate(seen), choices

    def play(self, likely: Floats, expected: Floats, values: Values, chance: np.random.Generator) -> Moment:
        """Try choices, then let everybody choose in every game. `likely` is how likely all of them make each choice."""
        seen, (legal, waiting) = self.look.seen, (self.look.legal, self.look.waiting)
        strays = (chance.random(waiting.shape) < self.explore) & waiting
        drawn = draw_actions(likely.astype(np.float64), chance.random(waiting.shape))
        chosen = np.where(waiting, np.where(strays, _by_lot(legal, chance), drawn), NOBODY)
        worth, without = self._try(legal, chosen, values)
        meant = np.where(waiting, (likely * np.nan_to_num(worth)).sum(axis=2), without)
        # Where another one strays, so that positions are seen, too, which equilibria avoid, that says nothing of them.
        others_stray = strays.sum(axis=1, keepdims=True) > strays
        ahead = zero_sum(np.where(others_stray, expected, meant).astype(np.float32))
        return Moment(seen, worth, chosen, likely, expected, ahead, self._all_play(chosen) | strays.any(axis=1))

    def _all_play(self, chosen: Ints) -> Flags:
        """One choice of everybody who has one, in every game; which games have ended by that."""
        waiting, ended = self.look.waiting, np.zeros(len(chosen), np.bool_)
        for seat in range(self.players):
            rows = np.flatnonzero(waiting[:, seat])
            if not rows.size:
                continue
            if ended[rows].any() or (self.batch.seat[rows] != seat).any():
                raise self._not_all()
            self.batch.step(chosen[rows, seat], rows)
            ended[rows] |= self.batch.done[rows]
        self.look = self._look()
        return ended

    def _try(self, legal: Flags, chosen: Ints, values: Values) -> tuple[Floats, Floats]:
        """What each choice is worth to its seat, and what it is worth to those who have none that others choose."""
        wanted = np.concatenate([legal, ~legal.any(axis=2, keepdims=True)], axis=2)  # the last is to choose nothing
        games, seats, own = np.nonzero(wanted)
        copies, rows, profile = self.copies, np.arange(len(games)), chosen[games]
        profile[rows, seats] = np.where(own < self.choices, own, NOBODY)
        copies.states[rows] = self.batch.states[games]
        copies.show(rows)
        for seat in range(self.players):
            moved = np.flatnonzero(profile[:, seat] != NOBODY)
            if moved.size:
                copies.step(profile[moved, seat], moved)
        found, left = copies.rewards[rows, seats].copy(), np.flatnonzero(copies.seat[rows] >= 0)
        if left.size:
            found[left] = values(copies.observe_seats(left, seats[left])[0])
        worth = np.full(wanted.shape, np.nan, np.float32)
        worth[games, seats, own] = found
        return worth[:, :, : self.choices].copy(), worth[:, :, self.choices]

    def saved(self) -> dict[str, Any]:
        """All games under way, as plain arrays."""
        return {"states": record_bytes(self.batch.states).copy(), "seeds": self.batch.seeds.copy()}

    def restore(self, saved: dict[str, Any]) -> None:
        """Continue the games that were saved, once it is certain that they can be."""
        check_arrays(saved, self.saved())
        self.batch.reset(saved["seeds"])
        check_positions(self.batch.game, saved["states"], self.players, self.batch.states[0])
        record_bytes(self.batch.states)[:] = saved["states"]
        try:
            self.batch.show()
            self.look = self._look()
        except OptionError as error:
            require(False, f"it has a game that cannot be: {error}")


def zero_sum(values: Floats) -> Floats:
    """What seats can expect, (games, seats), without what all of them have in common: that can only be an error.

    Values learn from values, and such an error would feed itself, until all seats were sure that they lose.
    """
    found: Floats = values - values.mean(axis=1, keepdims=True)
    return found


def _by_lot(legal: Flags, chance: np.random.Generator) -> Ints:
    """Any choice per row that there is."""
    found: Ints = (legal * (1.0 - chance.random(legal.shape))).argmax(axis=-1)
    return found


def lessons_of(moments: list[Moment], gae_lambda: float, seats: int) -> Lessons:
    """What all seats of a table learn from positions that followed each other; there may be tables of up to so many
    `seats`. Values by generalised advantage estimation.
    """
    targets: list[Floats] = []
    surprise: NDArray[Any] = np.zeros_like(moments[0].value)
    for moment in reversed(moments):
        surprise = moment.ahead - moment.value + np.float32(gae_lambda) * np.where(moment.parted[:, None], 0, surprise)
        targets.append((moment.value + surprise).astype(np.float32))
    targets.reverse()
    seen = np.concatenate([moment.seen for moment in moments])
    worth = _turned(np.concatenate([moment.worth for moment in moments]), seats, np.nan)
    chosen = _turned(np.concatenate([moment.chosen for moment in moments]), seats, NOBODY)
    likely = _turned(np.concatenate([moment.likely for moment in moments]), seats, 0)
    return Lessons(_rows(seen), _rows(worth), _rows(chosen), _rows(likely), np.concatenate(targets).reshape(-1))


def _rows(of_games: NDArray[Any]) -> NDArray[Any]:
    """(games, seats, ...) as one row for each seat of each game."""
    return of_games.reshape(-1, *of_games.shape[2:])


def _turned(of_seats: NDArray[Any], most: int, nothing: float) -> NDArray[Any]:
    """(games, seats, ...) as each seat counts, the own one first: (games, seats, most, ...), filled up with nothing."""
    games, players = of_seats.shape[:2]
    found = np.full((games, players, most, *of_seats.shape[2:]), nothing, of_seats.dtype)
    for away in range(players):
        found[:, :, away] = np.roll(of_seats, -away, axis=1)
    return found
