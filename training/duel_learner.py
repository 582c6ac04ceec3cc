"""Learns what choices are worth where all choose at once; what is played is worked out from that.

It plays all seats by the average of its late networks, tries choices in copies of the positions, and learns by squares
what came of them: the reward, or what that average says of where they lead. Equilibria of what is learned are the
policy, so nothing goes round in circles: all seats move at once, and what choices are worth moves slowly.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from card_envs.agents.checkpoint import Checkpoint, read_checkpoint
from card_envs.agents.duel import Duel
from card_envs.agents.duel_worth import TWO
from card_envs.agents.network import Duelist, Mlp, Network, Run, probabilities, ready
from card_envs.agents.perceptron import Perceptron
from card_envs.core.game import Game
from card_envs.errors import OptionError
from training.adam import Adam
from training.average import Average
from training.duel_form import duel_of, number_of_choices
from training.duel_games import DuelGames, Moment, lessons_of, zero_sum
from training.duel_loss import FIGURES, OFF, VALUE, Lessons
from training.duel_network import DuelActor
from training.duel_settings import DuelSettings
from training.learner import Arrays
from training.network import Gradient
from training.run_folder import RunFolder
from training.run_state import as_arrays, as_tensors, check_like
from training.spare import AtOnce
from training.state_checks import check_count, require

Floats = NDArray[np.float32]
PIECES = 2  # of each minibatch, which threads share out
# Of Adam: squares of what is off by little have small gradients. Habits have larger ones, and rare inputs; with so
# little for these a prototype forgot in a hundred steps what it had learned in thousands.
LEAST_SPREAD, LEAST_WITH_HABITS = 1e-8, 1e-6
FIRST_GAMES = 512  # by which it finds out what differs at all between positions
FIRST_STEPS = 24  # by lot, so that games are at all moments, and inputs are scaled by what comes in all of a game


class Voice(NamedTuple):
    """Somebody who plays, and says what positions are worth: where only the latter is asked, it is all that is done."""

    act: Run
    values: Callable[[Floats], tuple[Floats]]


def _duel_voice(duel: Duel, network: Perceptron) -> Voice:
    def act(seen: Floats) -> tuple[Floats, Floats]:
        outputs, values = network(seen)
        return duel.logits(outputs, values, seen), duel.expected(values)

    return Voice(act, lambda seen: (duel.expected(network(seen)[1]),))


def _voice_of(player: Checkpoint, game: Game, *, two: bool) -> Voice:
    """Of somebody at tables of two, or at others."""
    network: Network = player.network
    weights = player.weights
    if not two and isinstance(network, Duelist) and network.elsewhere is not None:
        weights, network = network.weights_elsewhere(weights), network.elsewhere
    if isinstance(network, Duelist):
        return _duel_voice(network.duel, network.duel.perceptron(weights))
    run = ready(network, weights, game.symmetry)
    return Voice(run, lambda seen: (run(seen)[1],))


class DuelLearner:
    """A network of duels, and its games."""

    snapshot_every = None

    def __init__(self, settings: DuelSettings, folder: RunFolder) -> None:
        torch.set_num_threads(1)
        self.settings, self.folder, self.game = settings, folder, settings.rules
        self.decisions, self.parent = 0, ""
        self.spare = AtOnce(settings.threads)
        chance = np.random.default_rng((settings.seed, 1))
        first = self._new_games(FIRST_GAMES, number_of_choices(self.game))
        seen, choices = zip(*(games.look_around(FIRST_STEPS, chance) for games in first), strict=True)
        bounded = settings.reward == "outcome"
        duel = duel_of(self.game, settings.network, np.concatenate(seen), max(choices), bounded=bounded)
        self.duel = duel
        self.games = self._new_games(settings.games, max(choices))
        self._others: Arrays = {}
        self.network = Duelist(duel)
        if settings.start is not None:
            start = read_checkpoint(settings.start, self.game)
            self.parent = start.content_hash
            self._take_start(start)
        elif settings.duel.teacher_until > 0 or settings.numbers != settings.learned:
            raise OptionError(
                "start must name a trained player, who teaches and plays at the tables that are not learned; to do "
                f"without, give {self.settings.learned_alone} --duel.teacher_until 0"
            )
        self.actor, averaged = (DuelActor(duel, self.game.layout.size, settings.seed) for _ in range(2))
        self.average = Average(averaged, settings.duel.average_half_life)
        self.optimizer = Adam(self.actor.parameters(), LEAST_SPREAD if duel.seats == TWO else LEAST_WITH_HABITS)
        self._pool = ThreadPoolExecutor(settings.threads, thread_name_prefix="duel")

    def _new_games(self, games: int, choices: int) -> list[DuelGames]:
        """Of each table that is learned about as many as of the others."""
        settings, tables = self.settings, len(self.settings.learned)
        return [
            DuelGames(
                self.game,
                max(1, (games + number) // tables),
                players,
                choices,
                seed=settings.seed,
                explore=settings.duel.explore,
                reward=settings.reward,
                **settings.options,
            )
            for number, players in enumerate(settings.learned)
        ]

    def _take_start(self, start: Checkpoint) -> None:
        """Who teaches, and plays at the tables that are not learned."""
        self.teacher = _voice_of(start, self.game, two=self.duel.seats == TWO)
        numbers, learned, tables = self.settings.numbers, self.settings.learned, self.settings.network.tables
        if numbers == learned:
            return
        assert tables is not None
        network, two = start.network, self.game.layout[tables].start
        if not {*numbers} <= {*start.players}:
            raise self._no_start("a player")
        if self.duel.seats > TWO:
            if not isinstance(network, Duelist) or network.duel.seats > TWO or {*numbers} != {TWO, *learned}:
                raise self._no_start("a player of duels of two")
            self.network = Duelist(network.duel, self.network, two)
            self._others = {name: np.array(one) for name, one in network.duel_weights(start.weights).items()}
            return
        other, weights = network, start.weights
        if isinstance(network, Duelist) and network.elsewhere is not None:
            other, weights = network.elsewhere, network.weights_elsewhere(weights)
        elif not isinstance(network, Mlp):
            raise self._no_start("a player of other tables, too,")
        assert isinstance(other, Mlp | Duelist)
        self.network = replace(self.network, elsewhere=other, two=two)
        self._others = Duelist.named_elsewhere({name: np.array(one) for name, one in weights.items()})

    def _no_start(self, what: str) -> OptionError:
        tables = ", ".join(map(str, self.settings.numbers))
        return OptionError(
            f"start: {self.settings.start} must be {what} for tables of {tables}; or give {self.settings.learned_alone}"
        )

    @property
    def progress(self) -> float:
        """The part of the run that is done."""
        return min(1.0, self.decisions / self.settings.decisions)

    def begin(self) -> None:
        """Scale the network's inputs by what games look like that are played by lot."""
        chance = np.random.default_rng((self.settings.seed, 2))
        self.actor.measure(np.concatenate([games.look_around(FIRST_STEPS, chance)[0] for games in self.games]))
        self.average.add(self.actor, 1)

    def iterate(self) -> dict[str, float]:
        """Play and learn once. Returns figures for screen and log."""
        settings, began = self.settings.duel, time.perf_counter()
        chance = np.random.default_rng((self.settings.seed, self.decisions))
        taught = self.progress < settings.teacher_until
        entropies: list[float] = []
        voice = self.teacher if taught else _duel_voice(self.duel, self.average.network.ready())
        found = []
        for games in self.games:
            moments = [self._play(games, voice, chance, entropies) for _ in range(settings.n_steps)]
            found.append(lessons_of(moments, settings.gae_lambda, self.duel.seats))
        lessons, played = Lessons(*map(np.concatenate, zip(*found, strict=True))), time.perf_counter()
        rate = settings.rate(self.progress)
        figures = self._learn(lessons, rate, chance)
        learned = len(lessons.value)
        self.decisions += learned
        self.average.add(self.actor, learned)
        return {
            "entropy": float(np.mean(entropies)),
            "worth_error": figures[OFF],
            "explained_variance": 1.0 - figures[VALUE] / float(lessons.value.var() + 1e-12),
            "learning_rate": rate,
            "seconds_playing": played - began,
            "seconds_learning": time.perf_counter() - played,
        }

    def _play(self, games: DuelGames, voice: Voice, chance: np.random.Generator, entropies: list[float]) -> Moment:
        """One moment of all games of a table."""
        look, choices = games.look, self.duel.choices
        shape = look.legal.shape[:2]
        logits, values = self._in_threads(voice.act, look.seen.reshape(-1, look.seen.shape[2]))
        legal = (look.legal | ~look.waiting[:, :, None]).reshape(-1, choices)  # whoever waits is not asked about
        likely = probabilities(logits[:, :choices], legal.astype(np.int8)).astype(np.float32).reshape(look.legal.shape)
        entropies.append(float(-(likely * np.log(likely + 1e-12)).sum(axis=2)[look.waiting].mean()))
        expected = zero_sum(values.reshape(shape))
        return games.play(likely, expected, lambda seen: self._in_threads(voice.values, seen)[0], chance)

    def _learn(self, lessons: Lessons, rate: float, chance: np.random.Generator) -> NDArray[np.float64]:
        """Go through all lessons; the mean of each part of the loss."""
        settings, figures, learned = self.settings.duel, np.zeros(FIGURES), 0
        for _ in range(settings.n_epochs):
            order = chance.permutation(len(lessons.value))
            for begin in range(0, len(order), settings.batch_size):
                these = order[begin : begin + settings.batch_size]
                pieces = [piece for piece in np.array_split(these, PIECES) if len(piece)]

                def ask(piece: NDArray[np.int64]) -> Gradient:
                    return self.actor.gradient(lessons, piece, (settings.vf_coef, settings.habit_coef))

                found = list(self._pool.map(ask, pieces))
                self.optimizer.step(found, rate, settings.max_grad_norm)
                figures += np.add.reduce([one.figures for one in found])
                learned += len(these)
        return figures / learned

    def _in_threads(self, ask: Callable[[Floats], tuple[Floats, ...]], seen: Floats) -> tuple[Floats, ...]:
        """Ask about rows, some on each thread. What comes out for a row does not depend on the rows beside it."""
        threads = self.settings.threads
        bounds = [len(seen) * part // threads for part in range(threads + 1)]
        parts = [seen[low:high] for low, high in pairwise(bounds) if high > low]
        return tuple(np.concatenate(pieces) for pieces in zip(*self._pool.map(ask, parts), strict=True))

    def weights(self) -> Arrays:
        """Of the average of late networks, and of whoever plays at other tables."""
        learned = self.average.network.weights()
        return {**self._others, **(Duelist.named_elsewhere(learned) if self.network.duel is not self.duel else learned)}

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
        return {**self._own_state(), "games": [as_tensors(games.saved()) for games in self.games]}

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
        tables = state["games"]
        require(isinstance(tables, list) and len(tables) == len(self.games), "its games are of other tables")
        require(all(isinstance(one, dict) for one in tables), "its games are no games")
        for games, saved in zip(self.games, tables, strict=True):
            games.restore(as_arrays(saved))

    def close(self) -> None:
        """Let threads go."""
        self._pool.shutdown()
