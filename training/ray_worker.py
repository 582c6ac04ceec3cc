"""What a worker on a cluster does: some parts of a run, with a copy of the network, in a process of its own.

Whatever comes and goes is plain numbers. Parameters and gradients are flat: one row of numbers for all of them.
"""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from torch import Tensor

import card_envs
from card_envs.agents.loading import Player, load_agent, plays_inside
from training.loss import Loss
from training.network_kinds import make_network
from training.parts import Part
from training.ppo_settings import Manner
from training.self_play_games import DrawingTable, LeagueScores
from training.settings import SelfPlaySettings

Flat = NDArray[np.float32]


class Company(NamedTuple):
    """Whom the games meet: how they are drawn, and the numbers of players whom the worker has not met before. These
    players come beside it, in the same order.
    """

    table: DrawingTable
    numbers: Sequence[int]


class Played(NamedTuple):
    """Of each part of a worker: how the learner did against frozen players, and what `ppo.Parts.credit` tells."""

    scores: list[list[LeagueScores]]
    credit: list[NDArray[np.float64]]
    seconds: float
    seconds_frozen: float


class Request(NamedTuple):
    """A gradient, and what comes before the first one of an iteration or an epoch."""

    minibatch: int
    loss: Loss
    normalise: tuple[float, float] | None
    minibatches: int | None


class Learned(NamedTuple):
    """The gradients of a worker's parts, one row each; see `network.Gradient` for the rest."""

    gradients: Flat
    figures: list[NDArray[np.float64]]
    rows: list[int]
    seconds: float


def flatten(tensors: Iterable[Tensor]) -> Flat:
    """All numbers in one row."""
    row: Flat = torch.cat([one.detach().reshape(-1) for one in tensors]).numpy()
    return row


def shaped(row: Flat, like: Sequence[Tensor]) -> list[Tensor]:
    """Tensors of these shapes from one row of numbers, copied, because what comes over the net is read-only."""
    pieces = torch.split(torch.tensor(row), [one.numel() for one in like])
    return [piece.view_as(one) for piece, one in zip(pieces, like, strict=True)]


class FrozenPlayers:
    """The league as a worker knows it: a table to draw from, and players who were sent once."""

    def __init__(self, settings: SelfPlaySettings) -> None:
        self._settings = settings
        self._players: dict[int, Player] = {}
        self.table = DrawingTable(np.zeros(0, np.int64), np.zeros(0))

    def meet(self, company: Company, players: Sequence[Player]) -> None:
        """From now on games are drawn like this, and these players are known."""
        self.table = company.table
        for number, player in zip(company.numbers, players, strict=True):
            self._players[number] = self._load(player)

    def _load(self, player: Player) -> Player:
        if plays_inside(player):
            return player
        return load_agent(self._settings.rules, player, players=self._settings.numbers[0], seed=0)

    def draw(self, lots: NDArray[np.float64]) -> NDArray[np.int64]:
        """For each game that starts, the number of a frozen player, or NOBODY."""
        return self.table.draw(lots)

    def player(self, number: int) -> Player:
        """The frozen player with this number."""
        return self._players[number]


class PartsWorker:
    """Some of a run's parts. The driver asks; nothing happens in between."""

    def __init__(
        self, settings: SelfPlaySettings, numbers: Sequence[int], company: Company | None, *players: Player
    ) -> None:
        torch.set_num_threads(1)
        threadpool_limits(1)  # as in the driver: workers share the work, and nothing else does
        form = settings.rules, settings.network.form(), settings.network.tied, settings.seed
        self.network, self._magnet = make_network(*form), make_network(*form)
        self.pool = None if company is None else FrozenPlayers(settings)
        self._meet(company, players)
        self.parts = [Part(settings, number, self.pool) for number in numbers]

    def _meet(self, company: Company | None, players: Sequence[Player]) -> None:
        if self.pool is not None and company is not None:
            self.pool.meet(company, players)

    def about(self) -> tuple[str, dict[str, str]]:
        """On which machine this is, and what it is made of."""
        import ray

        return ray.get_runtime_context().get_node_id(), made_of()

    def play(
        self,
        weights: dict[str, Any],
        magnet: dict[str, Any],
        manner: Manner,
        company: Company | None,
        *players: Player,
    ) -> Played:
        """Play on with this network, magnet (or none) and company, and work out advantages."""
        began = time.perf_counter()
        self._meet(company, players)
        for network, sent in ((self.network, weights), (self._magnet, magnet)):
            if sent:
                network.load_state_dict({name: torch.tensor(array) for name, array in sent.items()})
        scores = [part.play(self.network, manner, self._magnet if magnet else None) for part in self.parts]
        frozen = sum(part.take_frozen_seconds() for part in self.parts)
        return Played(scores, [part.credit() for part in self.parts], time.perf_counter() - began, frozen)

    def learn(self, parameters: Flat | None, request: Request) -> Learned:
        """The gradients of one minibatch, with these parameters, or those that are here already."""
        began = time.perf_counter()
        if parameters is not None:
            own = list(self.network.parameters())
            with torch.no_grad():
                for parameter, value in zip(own, shaped(parameters, own), strict=True):
                    parameter.copy_(value)
        if request.normalise is not None:
            for part in self.parts:
                part.normalise(*request.normalise)
        if request.minibatches is not None:
            for part in self.parts:
                part.shuffle(request.minibatches)
        gradients = self.network.gradients()
        found = [part.gradient(gradients, request.minibatch, request.loss) for part in self.parts]
        rows = np.stack([flatten(one.gradients) for one in found])
        return Learned(rows, [one.figures for one in found], [one.rows for one in found], time.perf_counter() - began)

    def observations(self) -> list[NDArray[np.float32]]:
        """What was seen in the last games, part by part."""
        return [part.rollout.observation.reshape(-1, part.rollout.observation.shape[-1]) for part in self.parts]

    def states(self) -> list[dict[str, Any]]:
        """All that the parts need to go on."""
        return [part.state() for part in self.parts]

    def restore(self, saved: Sequence[Any], members: int, company: Company | None, *players: Player) -> None:
        """Go on from what `states` gave."""
        self._meet(company, players)
        for part, one in zip(self.parts, saved, strict=True):
            part.restore(one, members)


@functools.cache
def made_of() -> dict[str, str]:
    """All that has to be the same on every machine, for the same result."""
    code = hashlib.sha256()
    for package in (Path(card_envs.__file__).parent, Path(__file__).parent):
        for path in sorted(package.rglob("*.py")):
            code.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    versions = {"torch": str(torch.__version__), "numpy": np.__version__, "numba": numba.__version__}
    return {"code": code.hexdigest()[:12], **versions}
