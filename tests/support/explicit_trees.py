"""A small game as an explicit tree, node by node, in the format EFG that OpenSpiel reads; and mixed policies for it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.core import engine
from card_envs.core.game import Game
from card_envs.core.plain import Branches, PlainCopies

Seen = tuple[tuple[bytes, int], ...]  # what a seat saw whenever it acted, and what it did


class Mixed:
    """Plays every legal action with probabilities of its own, which follow from what it sees and from a seed."""

    def __init__(self, seed: int) -> None:
        self.name, self.seed = f"mixed {seed}", seed

    def probabilities(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        weights = np.empty(action_mask.shape)
        for row, seen in enumerate(observation):
            digest = hashlib.sha256(seen.tobytes() + bytes([self.seed])).digest()
            weights[row] = np.frombuffer(digest, np.uint8)[: action_mask.shape[1]] + 1.0
        weights *= action_mask != 0
        return weights / weights.sum(axis=1, keepdims=True)

    def values(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.zeros(len(observation), np.float32)

    def act(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        rng = np.random.default_rng()
        likely = self.probabilities(observation, action_mask)
        return np.array([rng.choice(len(row), p=row) for row in likely])

    def act_with_lots(
        self, observation: NDArray[np.float32], action_mask: NDArray[np.int8], lots: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        summed = self.probabilities(observation, action_mask).cumsum(axis=1)
        return (summed <= lots[:, None] * summed[:, -1:]).sum(axis=1)


class ExplicitTree:
    """Walks through a game, history by history, and writes each node down. Information sets are by all that was seen.

    It shares nothing with arena/exact.py but the rules that branch.
    """

    def __init__(self, game: Game, **options: Any) -> None:
        self.game, self.options = game, game.make_options(options)[0]
        self.players = self.options.players
        self._branches = Branches()
        copies = PlainCopies(self._branches)
        self._rules = {name: copies.of(getattr(game.rules, name)) for name in ("deal", "legal", "apply", "score")}
        self._observe = copies.of(game.observe)
        self._sets: list[dict[tuple[Seen, bytes], int]] = [{} for _ in range(self.players)]  # information sets by seat
        self.looks: dict[tuple[int, int], tuple[NDArray[np.float32], NDArray[np.int8]]] = {}  # by seat and number
        self._outcomes = 0

    def write(self, path: Path) -> Path:
        seats = " ".join(f'"{seat}"' for seat in range(self.players))
        lines = [f'EFG 2 R "{self.game.name}" {{ {seats} }} ""']
        self._chance(self.game.template(self.options)[0].tobytes(), "deal", (), ((),) * self.players, lines)
        path.write_text("\n".join(lines) + "\n")
        return path

    def _record(self, data: bytes) -> Any:
        return np.frombuffer(bytearray(data), self.game.record).view(np.recarray)[0]

    def _chance(self, data: bytes, rule: str, given: tuple[Any, ...], seen: tuple[Seen, ...], lines: list[str]) -> None:
        def play() -> bytes:
            state = self._record(data)
            self._rules[rule](state, *given)
            return bytes(state.tobytes())

        found: dict[bytes, float] = {}
        for following, likely in self._branches.outcomes(play):
            found[following] = found.get(following, 0.0) + likely
        if len(found) > 1:
            listed = " ".join(f'"{place}" {likely:.17g}' for place, likely in enumerate(found.values()))
            lines.append(f'c "" {len(lines)} "" {{ {listed} }} 0')
        for following in found:
            self._node(following, seen, lines)

    def _node(self, data: bytes, seen: tuple[Seen, ...], lines: list[str]) -> None:
        state = self._record(data)
        seat = int(state.seat)
        if seat < 0:
            self._end(state, lines)
            return
        observation, mask = np.zeros(self.game.layout.size, np.float32), np.zeros(len(self.game.actions), np.int8)
        self._rules["legal"](state, seat, mask)
        self._observe(state, seat, observation)
        number = self._sets[seat].setdefault((seen[seat], observation.tobytes()), len(self._sets[seat]) + 1)
        self.looks[seat, number] = observation, mask
        legal = np.flatnonzero(mask).tolist()
        named = " ".join(f'"{action}"' for action in legal)
        lines.append(f'p "" {seat + 1} {number} "" {{ {named} }} 0')
        for action in legal:
            mine: Seen = (*seen[seat], (observation.tobytes(), action))
            self._chance(data, "apply", (action,), (*seen[:seat], mine, *seen[seat + 1 :]), lines)

    def _end(self, state: Any, lines: list[str]) -> None:
        points, ranks = np.zeros(self.players, np.int32), np.zeros(self.players, np.int32)
        sheet = np.zeros((self.players, len(self.game.score_columns)), np.int32)
        self._rules["score"](state, points, sheet)
        engine.rank(points, sheet, self.game.tiebreak_column, ranks)
        self._outcomes += 1
        shares = " ".join(f"{float(share):.17g}" for share in (ranks == 1) / (ranks == 1).sum())
        lines.append(f't "" {self._outcomes} "" {{ {shares} }}')
