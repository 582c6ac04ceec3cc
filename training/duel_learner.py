"""Learns what pairs of choices are worth where two choose at once; what is played is worked out from that.

It plays both seats by the average of its late networks, tries pairs of choices in copies of the positions, and learns
by squares what came of them: the reward, or what that average says of where they lead. Equilibria of what is learned
are the policy, so nothing goes round in circles: both seats move at once, and what pairs are worth moves slowly.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_envs.agents.checkpoint import Checkpoint, perceptron_of, read_checkpoint
from card_envs.agents.duel import Duel
from card_envs.agents.network import Duelist, Mlp, Run, ready
from card_envs.agents.symmetry import inputs_of
from card_envs.core.game import Game
from card_envs.errors import OptionError
from training.adam import Adam
from training.average import Average
from training.duel_games import DuelGames, Moment, lessons_of
from training.duel_loss import VALUE, WORTH, Lessons
from training.duel_network import DuelActor
from training.duel_settings import DuelNetworkSettings, DuelSettings
from training.learner import Arrays
from training.network import Gradient
from training.run_folder import RunFolder
from training.run_state import as_arrays, as_tensors, check_like
from training.spare import AtOnce
from training.state_checks import check_count, require

Floats = NDArray[np.float32]
PIECES = 2  # of each minibatch, which threads share out
FIRST_STEPS = 24  # by lot, so that games are at all moments, and inputs are scaled by what comes in all of a game


def duel_of(game: Game, settings: DuelNetworkSettings) -> Duel:
    """The form of a network for this game."""
    choices = len(game.actions) - (game.wait is not None)
    legal = None if settings.legal is None else game.layout[settings.legal].start
    if game.wait not in (None, choices):
        raise OptionError(f"duels need the action of those who wait to be the last one, and in {game.title} it is not")
    if settings.legal is not None and game.layout[settings.legal].stop - legal != choices:
        raise OptionError(f"network.legal: {settings.legal} has not one number for each of {choices} choices")
    level = None if game.symmetry is None or game.symmetry.things != choices else inputs_of(game.symmetry)
    if level is None:
        inputs, groups, things, each = tuple(range(game.layout.size)), 0, 1, 0
    else:
        inputs = tuple(np.r_[level.groups.reshape(-1), level.whole].tolist())
        groups, things, each = len(level.groups), choices, settings.each
    hidden = ((each, settings.whole),) * settings.layers
    return Duel(inputs, groups, choices, things, hidden, settings.rank, settings.rounds, legal, len(game.actions))


class DuelLearner:
    """A network of duels, and its games."""

    snapshot_every = None

    def __init__(self, settings: DuelSettings, folder: RunFolder) -> None:
        torch.set_num_threads(1)
        self.settings, self.folder, self.game = settings, folder, settings.rules
        self.decisions, self.parent = 0, ""
        self.spare = AtOnce(settings.threads)
        duel = duel_of(self.game, settings.network)
        self._start = None if settings.start is None else read_checkpoint(settings.start, self.game)
        self._elsewhere: Arrays = {}
        self.network = Duelist(duel)
        if self._start is not None:
            self.parent = self._start.content_hash
            self._take_start(self._start)
        elif settings.duel.teacher_until > 0 or len(settings.numbers) > 1:
            raise OptionError(
                "start must name a trained player, who teaches and plays at tables of more than two; to do without, "
                "give --players 2 --duel.teacher_until 0"
            )
        self.actor, averaged = (DuelActor(duel, self.game.layout.size, settings.seed) for _ in range(2))
        self.average = Average(averaged, settings.duel.average_half_life)
        self.optimizer = Adam(self.actor.parameters())
        self.games = DuelGames(
            self.game,
            settings.games,
            duel.choices,
            seed=settings.seed,
            explore=settings.duel.explore,
            reward=settings.reward,
            **settings.options,
        )
        self._pool = ThreadPoolExecutor(settings.threads, thread_name_prefix="duel")

    def _take_start(self, start: Checkpoint) -> None:
        """Who plays at other tables, and who teaches."""
        self._teacher = ready(start.network, start.weights, self.game.symmetry)
        if len(self.settings.numbers) == 1:
            return
        other = perceptron_of(start)
        network, weights = other.network, other.weights
        if not isinstance(network, Mlp) or not {*self.settings.numbers} <= {*start.players}:
            raise OptionError(
                f"start: {self.settings.start} must be a perceptron that plays at tables of "
                f"{', '.join(map(str, self.settings.numbers))}; or give --players 2"
            )
        tables = self.settings.network.tables
        assert tables is not None
        two = self.game.layout[tables].start
        self.network = replace(self.network, elsewhere=network, two=two)
        self._elsewhere = {f"{Duelist.ELSEWHERE}{name}": np.array(one) for name, one in weights.items()}

    @property
    def progress(self) -> float:
        """The part of the run that is done."""
        return min(1.0, self.decisions / self.settings.decisions)

    def begin(self) -> None:
        """Scale the network's inputs by what games look like that are played by lot."""
        chance = np.random.default_rng((self.settings.seed, 1))
        self.actor.measure(np.concatenate([self.games.wander(chance) for _ in range(FIRST_STEPS)]))
        self.average.add(self.actor, 1)

    def iterate(self) -> dict[str, float]:
        """Play and learn once. Returns figures for screen and log."""
        settings, began = self.settings.duel, time.perf_counter()
        chance = np.random.default_rng((self.settings.seed, self.decisions))
        taught = self.progress < settings.teacher_until
        entropies: list[float] = []
        moments = [self._play(taught, chance, entropies) for _ in range(settings.n_steps)]
        lessons, played = lessons_of(moments, settings.gae_lambda), time.perf_counter()
        rate = settings.rate(self.progress)
        figures = self._learn(lessons, rate, chance)
        learned = len(lessons.value)
        self.decisions += learned
        self.average.add(self.actor, learned)
        return {
            "entropy": float(np.mean(entropies)),
            "worth_error": figures[WORTH],
            "explained_variance": 1.0 - figures[VALUE] / float(lessons.value.var() + 1e-12),
            "learning_rate": rate,
            "seconds_playing": played - began,
            "seconds_learning": time.perf_counter() - played,
        }

    def _play(self, taught: bool, chance: np.random.Generator, entropies: list[float]) -> Moment:
        """One moment of all games: by the teacher, or by the average of late networks."""
        average, duel, legal = self.average.network.ready(), self.network.duel, self.games.legal

        def act(seen: Floats) -> tuple[Floats, Floats]:
            outputs, values = average(seen)
            return duel.logits(outputs, seen), values

        run: Run = self._teacher if taught else act
        found = [self._in_threads(run, seen) for seen in self.games.views()]
        likely = [_softmax(logits[:, : duel.choices], legal) for logits, _ in found]
        entropies += [float(-(one * np.log(one + 1e-12)).sum(axis=1).mean()) for one in likely]
        expected = (found[0][1] - found[1][1]) / np.float32(2)
        values = self._teacher if taught else average
        return self.games.play((likely[0], likely[1]), expected, lambda seen: self._in_threads(values, seen)[1], chance)

    def _learn(self, lessons: Lessons, rate: float, chance: np.random.Generator) -> NDArray[np.float64]:
        """Go through all lessons; the mean of each part of the loss."""
        settings, figures, learned = self.settings.duel, np.zeros(2), 0
        for _ in range(settings.n_epochs):
            order = chance.permutation(len(lessons.value))
            for begin in range(0, len(order), settings.batch_size):
                these = order[begin : begin + settings.batch_size]
                pieces = [piece for piece in np.array_split(these, PIECES) if len(piece)]

                def ask(piece: NDArray[np.int64]) -> Gradient:
                    return self.actor.gradient(lessons, piece, settings.vf_coef)

                found = list(self._pool.map(ask, pieces))
                self.optimizer.step(found, rate, settings.max_grad_norm)
                figures += np.add.reduce([one.figures for one in found])
                learned += len(these)
        return figures / learned

    def _in_threads(self, run: Run, seen: Floats) -> tuple[Floats, Floats]:
        """Ask about rows, some on each thread. What comes out for a row does not depend on the rows beside it."""
        threads = self.settings.threads
        bounds = [len(seen) * part // threads for part in range(threads + 1)]
        parts = [seen[low:high] for low, high in pairwise(bounds) if high > low]
        found = list(self._pool.map(run, parts))
        return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])

    def weights(self) -> Arrays:
        """Of the average of late networks, and of whoever plays at other tables."""
        return {**self.average.network.weights(), **self._elsewhere}

    def introduction(self) -> str:
        """How large the network is."""
        return f"the network of duels has {self.actor.numbers.numel():,} numbers"

    def rivals(self) -> list[str]:
        """Nobody but those whom everybody is measured against."""
        return []

    def meet(self, snapshot: Path) -> None:
        """It plays against nobody but itself."""

    def opponents(self) -> list[dict[str, Any]]:
        """Nobody."""
        return []

    def state(self) -> dict[str, Any]:
        """Everything, the games under way included."""
        return {**self._own_state(), "games": as_tensors(self.games.saved())}

    def _own_state(self) -> dict[str, Any]:
        return {
            "decisions": self.decisions,
            "parent": self.parent,
            "network": self.actor.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "average": self.average.state_dict(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        own = self._own_state()
        require(state.keys() == {*own, "games"}, "it is of another learner")
        for name in ("decisions", "parent", "network"):
            check_like(state[name], own[name], name)
        check_count(state["decisions"], "decisions")
        require(state["parent"] == self.parent, "the player that it began from has changed: put it back")
        self.optimizer.load_state_dict(state["optimizer"])
        self.average.load_state_dict(state["average"])
        self.decisions = state["decisions"]
        self.actor.load_state_dict(state["network"])
        require(isinstance(state["games"], dict), "its games are no games")
        self.games.restore(as_arrays(state["games"]))

    def close(self) -> None:
        """Let threads go."""
        self._pool.shutdown()


def _softmax(logits: Floats, legal: NDArray[np.bool_]) -> Floats:
    """How likely each choice is."""
    masked = np.where(legal, logits, -np.inf)
    likely = np.exp(masked - masked.max(axis=1, keepdims=True))
    result: Floats = (likely / likely.sum(axis=1, keepdims=True)).astype(np.float32)
    return result
