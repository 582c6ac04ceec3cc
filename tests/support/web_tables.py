"""Tables at which most of a game has been played: a game on the server is its seed, its seats and its actions."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import card_envs
from card_envs.agents.loading import usual_opponent
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.web.record import Record, Records, Seat, hashed
from card_envs.web.spectator import spectator_key

OWN = 0  # the person's seat


@dataclass(frozen=True)
class Table:
    """A game on the server, and the key to its first seat."""

    id: str
    key: str
    game: str

    @property
    def page(self) -> str:
        """Where a browser finds it."""
        return f"#/play/{self.id}"

    @property
    def kept(self) -> str:
        """What a browser keeps of it under card_envs.games."""
        about = {"key": self.key, "seat": OWN, "game": self.game, "when": "2026-01-01T00:00:00.000Z"}
        return json.dumps({self.id: about})


def play_by_lot(game: Game, players: int, seed: int) -> list[tuple[int, int]]:
    """All moves of a game: who acted, and how."""
    batch, rng = Batch(game, 1, seed=seed, auto_reset=False, players=players), np.random.default_rng(seed)
    moves = []
    while batch.seat[0] >= 0:
        moves.append((int(batch.seat[0]), int(rng.choice(np.flatnonzero(batch.action_mask[0])))))
        batch.step_one(moves[-1][1])
    return moves


class Tables:
    """Puts tables into the file in which a server keeps its games."""

    def __init__(self, file: Path) -> None:
        self.records = Records(file, days_kept=60)

    def _keep(self, game: str, players: int, seed: int, actions: list[int]) -> Table:
        rules, key, id_ = card_envs.get_game(game), secrets.token_urlsafe(24), secrets.token_urlsafe(9)
        rival = usual_opponent(rules)
        seats = [Seat(key=hashed(key)), *[Seat(agent=rival, name=rival)] * (players - 1)]
        watcher = hashed(spectator_key(id_, hashed(key)))
        self.records.add(Record(id_, rules.key, seed, seats, watcher, actions))
        return Table(id_, key, game)

    def near_the_end(self, game: str, *, left: int, players: int | None = None, seed: int = 1) -> Table:
        """A game played by lot of which the person has that many choices left, if all goes on as it would have."""
        rules = card_envs.get_game(game)
        players = players or rules.options().players
        moves = play_by_lot(rules, players, seed)
        own = [number for number, (seat, _) in enumerate(moves) if seat == OWN]
        return self._keep(game, players, seed, [action for _, action in (moves[: own[-left]] if left else moves)])

    def where(self, game: str, wanted: Callable[[dict[str, Any], np.ndarray], bool] = lambda *_: True) -> Table:
        """The first position of a game played by lot in which it is the person's turn and things are as wanted, by
        what the person sees and may do."""
        rules = card_envs.get_game(game)
        players = rules.options().players
        for seed in range(100):
            batch = Batch(rules, 1, seed=seed, auto_reset=False, players=players)
            for number, (seat, action) in enumerate(moves := play_by_lot(rules, players, seed)):
                if seat == OWN and wanted(rules.view(batch.states[0], OWN), batch.action_mask[0]):
                    return self._keep(game, players, seed, [one for _, one in moves[:number]])
                batch.step_one(action)
        raise AssertionError(f"no such position in 100 games of {game}")
