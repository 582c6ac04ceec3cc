"""Games of two who choose at once, from which duels are learned: each position, and what pairs of choices lead to.

In each position both draw a choice from the equilibrium. Every choice of the one is tried against what the other has
drawn, in a copy of the game with the same cards to come, and the other way round; a value says what these copies are
worth. So a position teaches a row and a column of pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
Values = Callable[[Floats], Floats]  # what the seat that sees each row can expect


@dataclass(frozen=True)
class Moment:
    """One position in every game: what both seats saw, what pairs were worth to the first, and what came of it."""

    seen: tuple[Floats, Floats]
    worth: Floats
    value: Floats  # what was expected of the position
    ahead: Floats  # what the equilibrium's choices lead to
    ended: NDArray[np.bool_]


class DuelGames:
    """Many games at once, each always at a position in which both have to choose."""

    def __init__(self, game: Game, games: int, choices: int, *, seed: int, explore: float, **options: Any) -> None:
        self.choices, self.explore = choices, explore
        self.batch = Batch(game, games, players=2, seed=seed, **options)
        self.copies = Batch(game, games * (2 * choices - 1), players=2, seed=0, auto_reset=False, **options)
        self._everyone = np.arange(games)
        self._require_both()

    def _require_both(self) -> None:
        """Both have to choose, beginning with the first seat."""
        if (self.batch.seat != 0).any() or (self.batch.action_mask[:, self.choices :] != 0).any():
            raise self._not_both()

    def _not_both(self) -> OptionError:
        return OptionError(
            f"duels are for games in which both players of a table of two always choose at once, and in "
            f"{self.batch.game.title} they do not"
        )

    def views(self) -> tuple[Floats, Floats]:
        """What both seats see."""
        other = self.batch.observe_seats(self._everyone, np.ones(len(self._everyone), np.int64))[0]
        return self.batch.observation.copy(), other

    @property
    def legal(self) -> NDArray[np.bool_]:
        """What both can choose."""
        found: NDArray[np.bool_] = self.batch.action_mask[:, : self.choices] != 0
        return found

    def look_around(self, steps: int, chance: np.random.Generator) -> tuple[Floats, int]:
        """So many choices of both in every game, by lot; what both saw, and how many choices there ever are."""
        seen: list[Floats] = []
        choices = 0
        for _ in range(steps):
            legal = self.legal
            seen += self.views()
            choices = max(choices, int(np.flatnonzero(legal.any(axis=0))[-1]) + 1)
            self._both_play(*(_by_lot(legal, chance) for _ in range(2)))
        return np.concatenate(seen), choices

    def play(
        self, likely: tuple[Floats, Floats], expected: Floats, values: Values, chance: np.random.Generator
    ) -> Moment:
        """Try pairs, then play one choice of both in every game. `likely` is how likely both make each choice."""
        seen, legal, games = self.views(), self.legal, self._everyone
        strays = chance.random((2, len(games))) < self.explore
        mine, theirs = (
            np.where(stray, _by_lot(legal, chance), draw_actions(one.astype(np.float64), chance.random(len(games))))
            for stray, one in zip(strays, likely, strict=True)
        )
        worth = self._try_pairs(legal, mine, theirs, values, chance)
        known = np.nan_to_num(worth)
        of_mine, of_theirs = likely[0] * known[games, :, theirs], likely[1] * known[games, mine]
        meant = (of_mine.sum(axis=1) + of_theirs.sum(axis=1)) / 2
        # Where somebody strays, so that positions are seen, too, which the equilibrium avoids, it says nothing of that.
        ahead = np.where(strays.any(axis=0), expected, meant).astype(np.float32)
        return Moment(seen, worth, expected, ahead, self._both_play(mine, theirs))

    def _both_play(self, mine: Ints, theirs: Ints) -> NDArray[np.bool_]:
        """One choice of both in every game; which games have ended by that."""
        self.batch.step(mine)
        if self.batch.done.any() or (self.batch.seat != 1).any():
            raise self._not_both()
        self.batch.step(theirs)
        self._require_both()
        return self.batch.done.copy()

    def _try_pairs(
        self, legal: NDArray[np.bool_], mine: Ints, theirs: Ints, values: Values, chance: np.random.Generator
    ) -> Floats:
        """What pairs are worth to the first seat; no number where they were not tried."""
        wanted = np.zeros((len(legal), self.choices, self.choices), np.bool_)
        wanted[self._everyone, :, theirs] = legal
        wanted[self._everyone, mine, :] |= legal
        games, own, other = np.nonzero(wanted)
        copies, rows = self.copies, np.arange(len(games))
        copies.states[rows] = self.batch.states[games]
        copies.show(rows)
        copies.step(own, rows)
        copies.step(other, rows)
        found, over = copies.rewards[rows, 0].copy(), copies.seat[rows] < 0
        for seat, chosen in enumerate((chance.random(len(legal)) < 0.5)[games] == np.array([[True], [False]])):
            # Whose view is asked is drawn for each position: both should say the same, and in the mean they do.
            these = np.flatnonzero(chosen & ~over)
            if these.size:
                value = values(copies.observe_seats(these, np.full(len(these), seat))[0])
                found[these] = value if seat == 0 else -value
        worth = np.full(wanted.shape, np.nan, np.float32)
        worth[games, own, other] = found
        return worth

    def saved(self) -> dict[str, Any]:
        """All games under way, as plain arrays."""
        return {"states": record_bytes(self.batch.states).copy(), "seeds": self.batch.seeds.copy()}

    def restore(self, saved: dict[str, Any]) -> None:
        """Continue the games that were saved, once it is certain that they can be."""
        check_arrays(saved, self.saved())
        self.batch.reset(saved["seeds"])
        first = check_positions(self.batch.game, saved["states"], 2, self.batch.states[0]) == 0
        require(bool(first.all()), "it has a game in which somebody else is to act")
        record_bytes(self.batch.states)[:] = saved["states"]
        try:
            self.batch.show()
            self._require_both()
        except OptionError as error:
            require(False, f"it has a game that cannot be: {error}")


def _by_lot(legal: NDArray[np.bool_], chance: np.random.Generator) -> Ints:
    """Any choice per row that there is."""
    found: Ints = (legal * (1.0 - chance.random(legal.shape))).argmax(axis=1)
    return found


def lessons_of(moments: list[Moment], gae_lambda: float) -> Lessons:
    """What both seats learn from positions that followed each other; values by generalised advantage estimation."""
    targets: list[Floats] = []
    surprise: NDArray[Any] = np.zeros(len(moments[0].value), np.float32)
    for moment in reversed(moments):
        surprise = moment.ahead - moment.value + np.float32(gae_lambda) * np.where(moment.ended, 0, surprise)
        targets.append((moment.value + surprise).astype(np.float32))
    targets.reverse()
    worth = np.concatenate([moment.worth for moment in moments])
    value = np.concatenate(targets)
    seen = [np.concatenate([moment.seen[seat] for moment in moments]) for seat in range(2)]
    theirs = np.ascontiguousarray(-worth.transpose(0, 2, 1))
    return Lessons(np.concatenate(seen), np.concatenate([worth, theirs]), np.concatenate([value, -value]))
