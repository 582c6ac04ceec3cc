"""The games that the learner plays: all seats of most of them, one seat against a frozen player in the others."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.bot import BotAgent
from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.loading import Player
from card_envs.agents.perceptron import Perceptron
from card_envs.agents.seating import OWN, Seating
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from training.branches import Branches, room_for_branches
from training.play_loop import ALL, FROZEN, NOBODY, Draw, Sheet, compiled_rollout
from training.ppo_settings import Manner
from training.saved_games import check_arrays, check_bounds, check_positions, record_bytes
from training.state_checks import require
from training.thinking import Seats, Team

if TYPE_CHECKING:
    from training.ppo import Rollout

LineUp = tuple[Draw, Team]
LeagueScores = NDArray[np.float64]  # (2, members): games against each frozen player, and the learner's wins in them


@dataclass(frozen=True)
class DrawingTable:
    """Whom a game that starts is played against: for a lot below the n-th bound and not below the one before, the
    player with the n-th number, and beyond all bounds nobody.
    """

    numbers: NDArray[np.int64]
    bounds: NDArray[np.float64]

    def draw(self, lots: NDArray[np.float64]) -> NDArray[np.int64]:
        """For each game that starts, the number of a frozen player, or NOBODY."""
        return np.append(self.numbers, NOBODY)[np.searchsorted(self.bounds, lots, side="right")]


class Pool(Protocol):
    """Who may sit opposite the learner. See league.py."""

    @property
    def table(self) -> DrawingTable:
        """Who is drawn by which lot."""

    def draw(self, lots: NDArray[np.float64]) -> NDArray[np.int64]:
        """For each game that starts, the number of a frozen player, or NOBODY."""

    def player(self, number: int) -> Player:
        """The frozen player with this number."""


class GameGroup:
    """Games with one number of players. In each of them, always, the learner has a choice to make."""

    def __init__(
        self,
        game: Game,
        players: int,
        games: int,
        *,
        seed: int,
        pool: Pool | None,
        teacher: BotAgent | None = None,
        **options: Any,
    ) -> None:
        self.teacher = teacher
        self.batch = Batch(game, games, players=players, seed=seed, auto_reset=False, **options)
        self.players = players
        self._pool = pool
        self._seating = Seating(self.batch)
        self._opponent = np.full(games, NOBODY)
        self._own = np.zeros(games, np.int64)  # the learner's seat where somebody sits opposite
        self._everyone = np.arange(games)
        self._scores = np.zeros((2, 0))
        self._frozen_seconds = 0.0
        self._known: list[int] = []  # frozen players in the order in which the seating met them
        self._room: tuple[Batch, Branches] | None = None
        self._options = options
        self._begin(self._everyone)

    def play(self, actions: NDArray[np.int64], ended: NDArray[np.bool_], rewards: NDArray[np.float32]) -> None:
        """Play one action of the learner in each game; frozen players play on; finished games start anew."""
        self.batch.step(actions)
        self._play_on(self._everyone)
        ended[:] = self.batch.done
        rewards[:, : self.players] = self.batch.rewards
        self._renew(np.flatnonzero(ended))

    def line_up(self, learner: Perceptron) -> LineUp | None:
        """All who play along, for compiled code; None if one of them has to be asked from outside."""
        draw = Draw(np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64)) if self._pool is None else self._draw()
        networks = [learner]
        for agent in self._seating.agents:
            run = agent.run if isinstance(agent, CheckpointAgent) and not agent.choosing.options else None
            if not isinstance(run, Perceptron) or not learner.is_like(run):
                return None
            networks.append(run)
        numbers, center, scale = (
            np.stack([getattr(one, name) for one in networks]) for name in ("numbers", "center", "scale")
        )
        return draw, Team(learner.form, numbers, center, scale)

    def play_rollout(
        self,
        line_up: LineUp,
        rollout: Rollout,
        first: int,
        lots: NDArray[np.float64],
        manner: Manner,
    ) -> None:
        """A whole rollout by compiled code, into columns from `first` on."""
        draw, team = line_up
        self._room_for_scores(len(draw.codes))
        seats = Seats(self._seating.players, self._opponent, self._own, self._seating.lots)
        sheet = Sheet(**{name: getattr(rollout, name) for name in Sheet._fields[:-1]}, first=first)
        taught = manner.imitate and self.teacher is not None
        teacher = self.teacher.lots if self.teacher is not None else self._seating.lots[:1]
        spent = np.zeros(2)
        played = (seats, team, draw, sheet, lots, teacher, taught, self._scores, spent)
        began = time.perf_counter()
        if manner.all_actions:
            self._run_trying(played, manner)
        else:
            self._run(*played, None, None, manner.gamma, manner.explore)
        took = time.perf_counter() - began
        self._frozen_seconds += took * spent[FROZEN] / max(spent[ALL], 1.0)

    def _run(self, *arguments: Any) -> None:
        self.batch.run(compiled_rollout(self.batch.game, arguments), *arguments)

    def _run_trying(self, played: tuple[Any, ...], manner: Manner) -> None:
        """The same with copies of games in which all legal actions are tried."""
        if self._room is None:
            self._room = room_for_branches(self.batch.game, self.players, **self._options)
        copies, branches = self._room
        copies.run(lambda handle: self._run(*played, handle, branches, manner.gamma, manner.explore))

    def take_frozen_seconds(self) -> float:
        """How long frozen networks, or whoever else is asked from outside, have played since this was asked last."""
        seconds, self._frozen_seconds = self._frozen_seconds, 0.0
        return seconds

    def _draw(self) -> Draw:
        """Everybody who can be drawn, known by the seating."""
        assert self._pool is not None
        table = self._pool.table
        known = sorted({*table.numbers.tolist(), *self._known})
        codes = np.zeros(max(known, default=-1) + 1, np.int64)
        for number in known:
            codes[number] = self._number(number)
        return Draw(table.bounds, np.append(table.numbers, NOBODY), codes)

    def _renew(self, over: NDArray[np.int64]) -> None:
        while over.size:  # more than once only where a game can end before the learner has decided anything
            self._note_scores(over)
            self.batch.reset(None, over)
            self._begin(over)
            over = over[self.batch.done[over]]

    def _note_scores(self, over: NDArray[np.int64]) -> None:
        league = over[self._opponent[over] != NOBODY]
        if league.size:
            first = self.batch.ranks[league] == 1
            shares = first[np.arange(len(league)), self._own[league]] / first.sum(axis=1)
            self._room_for_scores(int(self._opponent[league].max()) + 1)
            for row in range(len(league)):  # one after the other, as compiled code adds them up
                self._scores[:, self._opponent[league[row]]] += 1.0, shares[row]

    def _room_for_scores(self, members: int) -> None:
        more = max(0, members - self._scores.shape[1])
        self._scores = np.pad(self._scores, ((0, 0), (0, more)))

    def take_scores(self) -> LeagueScores:
        """How the learner did against frozen players since this was asked last."""
        scores, self._scores = self._scores, np.zeros((2, 0))
        return scores

    def _begin(self, games: NDArray[np.int64]) -> None:
        """Seat everyone at games that have just started, by lots that follow from each game's seed."""
        seating = self._seating
        seating.start_lots(games)
        seating.players[games] = OWN
        if self._pool is not None:
            self._opponent[games] = self._pool.draw(seating.draw_lots(games))
            self._own[games] = (seating.draw_lots(games) * self.players).astype(np.int64)
            league = games[self._opponent[games] != NOBODY]
            for number in np.unique(self._opponent[league]):
                theirs = league[self._opponent[league] == number]
                seating.players[theirs] = self._number(int(number))
            seating.players[league, self._own[league]] = OWN
        self._play_on(games)

    def _play_on(self, games: NDArray[np.int64]) -> None:
        """Let frozen players act, and the learner where it has no choice, until it has one or the game is over."""
        while games.size:
            began = time.perf_counter()
            self._seating.play_on(games)
            self._frozen_seconds += time.perf_counter() - began if self._seating.agents else 0.0
            games = games[self.batch.action_mask[games].sum(axis=1) == 1]
            if games.size:
                self.batch.step(self.batch.action_mask[games].argmax(axis=1), games)

    def _number(self, frozen: int) -> int:
        assert self._pool is not None
        if frozen not in self._known:
            self._known.append(frozen)
        return self._seating.number_of(self._pool.player(frozen))

    def look(self) -> Iterator[tuple[NDArray[np.int64], int, NDArray[np.float32]]]:
        """What each seat of the learner sees now, whether it is to act or not."""
        for seat in range(self.players):
            rows = np.flatnonzero(self._seating.players[:, seat] == OWN)
            yield rows, seat, self.batch.observe_seats(rows, seat)[0]

    def saved(self) -> dict[str, Any]:
        """All games under way, as plain arrays."""
        return {
            "states": record_bytes(self.batch.states).copy(),
            "lots": record_bytes(self._seating.lots).copy(),
            "seeds": self.batch.seeds.copy(),
            "seated": self._seating.players.copy(),
            "opponent": self._opponent.copy(),
            "own": self._own.copy(),
            "known": list(self._known),
            "teacher": 0 if self.teacher is None else self.teacher.stream,
        }

    def restore(self, saved: dict[str, Any], members: int = 0) -> None:
        """Continue the games that were saved, in a league of so many members.

        The seating meets the frozen players in the same order again.
        """
        self._check(saved, members)
        numbers = {OWN, *(self._number(frozen) for frozen in saved["known"])}
        require(set(np.unique(saved["seated"]).tolist()) <= numbers, "its games have seats on which nobody sits")
        self.batch.reset(saved["seeds"])
        seats = check_positions(self.batch.game, saved["states"], self.players, self.batch.states[0])
        own = saved["seated"][self._everyone, seats] == OWN
        require(bool(own.all()), "it has a game in which somebody else is to act")
        record_bytes(self.batch.states)[:] = saved["states"]
        self.batch.show()
        choices = (self.batch.action_mask != 0).sum(axis=1)
        require(bool((choices > 1).all()), "it has a game in which nobody has a choice")
        record_bytes(self._seating.lots)[:] = saved["lots"]
        self._seating.players[:] = saved["seated"]
        self._opponent[:] = saved["opponent"]
        self._own[:] = saved["own"]
        if self.teacher is not None:
            self.teacher.stream = saved["teacher"]

    def _check(self, saved: dict[str, Any], members: int) -> None:
        """Numbers within their bounds, so that nothing is looked up where nothing is."""
        check_arrays(saved, self.saved())
        require(type(saved["teacher"]) is int and 0 <= saved["teacher"] < 2**64, "its teachers draw no lots")
        known = saved["known"]
        listed = isinstance(known, list) and all(type(one) is int and 0 <= one < members for one in known)
        require(listed and len(set(known)) == len(known), "its games know players who are not in the league")
        check_bounds(saved, "own", 0, self.players - 1)
        check_bounds(saved, "opponent", NOBODY, members - 1)


class SelfPlayGames:
    """All games of a run, in groups by number of players: what `ppo.collect_rollouts` plays."""

    def __init__(
        self,
        game: Game,
        players: Sequence[int],
        games: int,
        *,
        seed: int,
        pool: Pool | None = None,
        taught: bool = False,
        **options: Any,
    ) -> None:
        self.game = game
        self.count = games
        self.most_players = max(players)
        bounds = [games * part // len(players) for part in range(len(players) + 1)]
        self._parts = [slice(*pair) for pair in pairwise(bounds)]
        self.groups = [
            GameGroup(
                game,
                number,
                part.stop - part.start,
                seed=seed + index,
                pool=pool,
                teacher=BotAgent(game, seed + index) if taught else None,
                **options,
            )
            for index, (number, part) in enumerate(zip(players, self._parts, strict=True))
        ]

    def _each(self) -> Iterator[tuple[slice, GameGroup]]:
        return zip(self._parts, self.groups, strict=True)

    def show(self, observation: NDArray[np.float32], mask: NDArray[np.int8], seat: NDArray[np.int64]) -> None:
        """Write what the seats to act see, what they may do, and which they are."""
        for part, group in self._each():
            observation[part], mask[part], seat[part] = (
                group.batch.observation,
                group.batch.action_mask,
                group.batch.seat,
            )

    def play_rollout(
        self,
        learner: object,
        rollout: Rollout,
        lots: NDArray[np.float64],
        manner: Manner,
    ) -> bool:
        """A whole rollout at once, if nobody has to be asked from outside; whether it was played."""
        if not isinstance(learner, Perceptron):
            return False
        line_ups = [group.line_up(learner) for group in self.groups]
        if None in line_ups:
            return False
        for (part, group), line_up in zip(self._each(), line_ups, strict=True):
            if line_up is not None:
                group.play_rollout(line_up, rollout, part.start, lots, manner)
        return True

    def teach(self, observation: NDArray[np.float32], mask: NDArray[np.int8], taught: NDArray[np.int64]) -> None:
        """Write what the bot would do."""
        for part, group in self._each():
            if group.teacher is not None:
                taught[part] = group.teacher.act(observation[part], mask[part])

    def play(self, actions: NDArray[np.int64], ended: NDArray[np.bool_], rewards: NDArray[np.float32]) -> None:
        """Play one action in each game, and on until the learner is to act again; say what has ended, and how."""
        for part, group in self._each():
            group.play(actions[part], ended[part], rewards[part])

    def look(self) -> Iterator[tuple[NDArray[np.int64], int, NDArray[np.float32]]]:
        """For each seat that the learner plays: games, seat, and what that seat sees there now."""
        for part, group in self._each():
            for rows, seat, observation in group.look():
                yield rows + part.start, seat, observation
