"""Exact best responses, by going through all of a small game: every deal, every draw, every choice.

Of the seat that responds, what it has seen and done so far is followed; with it goes a belief, all positions that the
table may be in and how likely each is, given how the agent on the other seats plays. The best response takes, wherever
it is to act, what is best for the belief as a whole. So it knows the agent and nothing that its seat cannot know.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.base import Policy
from card_envs.agents.bot import BotAgent
from card_envs.agents.loading import Player, load_agent
from card_envs.agents.random import RandomAgent
from card_envs.core import engine
from card_envs.core.compile import record_array
from card_envs.core.game import Game
from card_envs.core.plain import Branches, PlainCopies
from card_envs.core.playing import LOTS
from card_envs.errors import OptionError
from card_envs.games import get_game

MOST_POSITIONS = 300_000  # that are looked at in all, each as often as chance leads there; a minute or so
Chooses = Callable[[NDArray[np.float32], NDArray[np.int8]], NDArray[np.float64]]  # probabilities of actions, per row
Belief = dict[bytes, float]  # positions, as the bytes of their records, and how likely each is


@dataclass(frozen=True)
class ExactResponse:
    """What a best response wins on each seat, with the agent on all others, and what the agent itself wins there."""

    shares: tuple[float, ...]
    own_shares: tuple[float, ...]

    @property
    def win_share(self) -> float:
        """Of a best response that sits on every seat equally often."""
        return float(np.mean(self.shares))

    @property
    def fair_share(self) -> float:
        """What anybody wins from equals."""
        return 1 / len(self.shares)

    @property
    def exploitability(self) -> float:
        """How much more than its fair share it wins. 0 of a policy in equilibrium, and of no other."""
        return self.win_share - self.fair_share


def best_response(
    game: str | Game,
    against: Player,
    *,
    players: int | None = None,
    start: NDArray[Any] | None = None,
    **options: Any,
) -> ExactResponse:
    """The exact best response to an agent, or an OptionError if the game is too large to go through.

    `start` are positions, as records of the game, of which one is drawn by lot instead of a deal; everybody knows that.
    """
    rules = get_game(game) if isinstance(game, str) else game
    chosen, _ = rules.make_options(options if players is None else {**options, "players": players})
    table = _Table(rules, chosen.players, against)
    begins = table.deals(rules.template(chosen)) if start is None else table.even(start)
    seats = range(chosen.players)
    best, own = (tuple(float(table.value(begins, seat, best=one)) for seat in seats) for one in (True, False))
    return ExactResponse(best, own)


class _Table:
    """A game in plain Python, and an agent on all seats of it."""

    def __init__(self, game: Game, players: int, agent: Player) -> None:
        self.game, self.players = game, players
        self.branches = Branches()
        copies = PlainCopies(self.branches)
        self._deal, self._apply = copies.of(game.rules.deal), copies.of(game.rules.apply)
        self._legal, self._score = copies.of(game.rules.legal), copies.of(game.rules.score)
        self._observe, self._copies = copies.of(game.observe), copies
        self._chooses = self._policy(agent)
        self._looked_at = 0

    def _policy(self, agent: Player) -> Chooses:
        """How likely the agent does what; a bot that draws lots is asked about all of them."""
        loaded = load_agent(self.game, agent, players=self.players, seed=0)
        if isinstance(loaded, Policy):
            return loaded.probabilities
        if type(loaded) is RandomAgent:
            return lambda observation, mask: (mask != 0) / (mask != 0).sum(axis=1, keepdims=True)
        if type(loaded) is BotAgent and self.game.bot is not None:
            return self._bot(self._copies.of(self.game.bot))
        raise OptionError(
            f"{loaded.name} does not say how likely it does what, so that no exact response to it can be found; name a "
            f"trained player, random or bot"
        )

    def _bot(self, choose: Callable[..., Any]) -> Chooses:
        lots = record_array(1, LOTS).view(np.recarray)

        def chooses(observation: NDArray[np.float32], mask: NDArray[np.int8]) -> NDArray[np.float64]:
            likely = np.zeros(mask.shape)
            for row in range(len(mask)):
                play = functools.partial(choose, lots[0], observation[row], mask[row])
                for action, chance in self.branches.outcomes(play):
                    likely[row, int(action)] += chance
            return likely

        return chooses

    def _record(self, data: bytes) -> Any:
        """A position of its own, to be changed."""
        return np.frombuffer(bytearray(data), self.game.record).view(np.recarray)[0]

    def deals(self, template: NDArray[Any]) -> Belief:
        """All ways in which a game can begin."""
        return self._all(template[0].tobytes(), self._deal)

    def even(self, positions: NDArray[Any]) -> Belief:
        """One of these, drawn by lot."""
        belief: Belief = defaultdict(float)
        for position in positions:
            belief[_without_stream(position)] += 1 / len(positions)
        return belief

    def _all(self, data: bytes, change: Callable[..., Any], *arguments: Any) -> Belief:
        """All positions that a rule can lead to from one."""

        def play() -> bytes:
            state = self._record(data)
            change(state, *arguments)
            return _without_stream(state)

        belief: Belief = defaultdict(float)
        for following, likely in self.branches.outcomes(play):
            belief[following] += likely
            self._looked_at += 1
            if self._looked_at > MOST_POSITIONS:
                raise OptionError(
                    f"{self.game.title} with these options has more than {MOST_POSITIONS} positions to go through, too "
                    f"many for an exact response; card-envs exploit finds one by search or by learning"
                )
        return belief

    def value(self, belief: Belief, seat: int, *, best: bool) -> float:
        """What the seat wins from here on: as the best response, or as the agent itself."""
        ended, groups = self._until_own_choice(belief, seat)
        return ended + sum(self._choose(*group, seat, best=best) for group in groups)

    def _choose(
        self, observation: NDArray[np.float32], mask: NDArray[np.int8], belief: Belief, seat: int, *, best: bool
    ) -> float:
        """What the seat wins where it is to act, with the same in sight in all positions of the belief."""
        legal = np.flatnonzero(mask).tolist()
        values = [self.value(self._after(belief, action), seat, best=best) for action in legal]
        if best:
            return max(values)
        likely = self._chooses(observation[None], mask[None])[0]
        return float(sum(likely[action] * value for action, value in zip(legal, values, strict=True)))

    def _after(self, belief: Belief, action: int) -> Belief:
        after: Belief = defaultdict(float)
        for data, likely in belief.items():
            for following, chance in self._all(data, self._apply, action).items():
                after[following] += likely * chance
        return after

    def _until_own_choice(
        self, belief: Belief, seat: int
    ) -> tuple[float, Iterable[tuple[NDArray[np.float32], NDArray[np.int8], Belief]]]:
        """Let the others play: what was won where the game has ended, and beliefs by what the seat sees elsewhere."""
        won = 0.0
        own: dict[bytes, tuple[NDArray[np.float32], NDArray[np.int8], Belief]] = {}
        while belief:
            others: list[tuple[bytes, float]] = []
            for data, likely in belief.items():
                state = self._record(data)
                if state.seat < 0:
                    won += likely * self._share(state, seat)
                elif state.seat == seat:
                    seen, mask = self._look(state, seat)
                    key = seen.tobytes() + mask.tobytes()
                    own.setdefault(key, (seen, mask, defaultdict(float)))[2][data] += likely
                else:
                    others.append((data, likely))
            belief = self._others_act(others)
        return won, own.values()

    def _others_act(self, positions: Sequence[tuple[bytes, float]]) -> Belief:
        after: Belief = defaultdict(float)
        for (data, likely), chances in zip(positions, self._asked([data for data, _ in positions]), strict=True):
            for action in np.flatnonzero(chances).tolist():
                for following, chance in self._all(data, self._apply, action).items():
                    after[following] += likely * chances[action] * chance
        return after

    def _asked(self, positions: Sequence[bytes]) -> Sequence[NDArray[np.float64]]:
        """How likely the agent does what in each of these."""
        if not positions:
            return ()
        looks = [self._look(state, int(state.seat)) for state in map(self._record, positions)]
        return list(self._chooses(np.stack([seen for seen, _ in looks]), np.stack([mask for _, mask in looks])))

    def _look(self, state: Any, seat: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        seen, mask = np.zeros(self.game.layout.size, np.float32), np.zeros(len(self.game.actions), np.int8)
        self._legal(state, seat, mask)
        self._observe(state, seat, seen)
        return seen, mask

    def _share(self, state: Any, seat: int) -> float:
        """Of the win, at the end of a game."""
        points, ranks = np.zeros(self.players, np.int32), np.zeros(self.players, np.int32)
        sheet = np.zeros((self.players, len(self.game.score_columns)), np.int32)
        self._score(state, points, sheet)
        engine.rank(points, sheet, self.game.tiebreak_column, ranks)
        first = ranks == 1
        return float(first[seat] / first.sum())


def _without_stream(state: Any) -> bytes:
    """A position without what chance would have brought: here all of it is gone through."""
    state["stream"] = 0
    data: bytes = state.tobytes()
    return data
