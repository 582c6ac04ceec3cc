"""Information-set Monte Carlo tree search: each playout runs through trees of what the seats have seen.

The trees grow in compiled loops (core/tree.py), a number of positions at once. Models outside of the engine are asked
here, about all playouts under way together. See docs/search.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.base import Thoughts
from card_envs.agents.choosing import draw_actions
from card_envs.agents.network import probabilities
from card_envs.agents.positions import Positions
from card_envs.agents.search.models import ASKED, Model, Models
from card_envs.agents.search.options import IsmctsOptions, SearchOptions
from card_envs.core.compile import record_array
from card_envs.core.forest import (
    ACTION,
    AT_LEAF,
    MOST_NODES,
    NEVER,
    NOTHING,
    PRIOR,
    VALUES,
    Forest,
    bytes_per_tree,
    make_forest,
)
from card_envs.core.game import Game
from card_envs.core.loops import SHARED
from card_envs.core.playing import LOTS, RANDOM

MEMORY = 2**27  # bytes for all trees that grow at once; further positions wait
AT_ONCE = 4096  # playouts in one call of a compiled loop, which cannot be interrupted
WORKERS = 8  # playouts of a tree that wait for a model together
PATIENCE = 4
MIXING = 0.3
SERIOUS = 0.5  # of the tries of the action that was tried most: what was tried less often was not meant

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def think(positions: Positions, lots: Floats, models: Models, options: SearchOptions) -> Thoughts:
    """Search all positions, each by its own lot alone."""
    chosen = cast(IsmctsOptions, options)
    mask = positions.action_mask
    seeds = (lots * 2.0**53).astype(np.int64)
    found = _Found(mask.shape)
    rows = np.flatnonzero((mask != 0).sum(axis=1) > 1)  # where there is no choice there is nothing to think about
    if chosen.playouts > 0 or chosen.seconds is not None:
        groups = list(_groups(rows, positions.game, models, chosen))
        for group in groups:
            search = Search(positions, group, seeds[group], models, chosen)
            search.grow(None if chosen.seconds is None else chosen.seconds / len(groups))
            found.take(group, search.forest)
    return found.thoughts(positions, lots, seeds, models)


def _groups(rows: Ints, game: Game, models: Models, options: IsmctsOptions) -> Iterator[Ints]:
    """As many positions at a time as there is memory for."""
    worlds = (_workers(models, options) + 1) * (4 * game.layout.size + game.record.itemsize)
    most = max(1, MEMORY // (bytes_per_tree(_nodes(options), len(game.actions)) + worlds))
    for start in range(0, len(rows), most):
        yield rows[start : start + most]


def _nodes(options: IsmctsOptions) -> int:
    """Each playout adds one at most."""
    return options.playouts if options.seconds is None else MOST_NODES


def _workers(models: Models, options: IsmctsOptions) -> int:
    """Several where a model must be asked; with few playouts fewer, for those under way know nothing of each other."""
    asks = ASKED in (models.own.inside, models.others.inside)
    return min(WORKERS, max(1, options.playouts // WORKERS)) if asks else 1


class Search:
    """Trees of some positions, and the imagined games in which they grow."""

    def __init__(self, positions: Positions, rows: Ints, seeds: Ints, models: Models, options: IsmctsOptions) -> None:
        self.models, self.options, self.players = models, options, positions.players
        workers = _workers(models, options)
        copies = workers + 1
        self.worlds = positions.imagine(copies, np.repeat(seeds, copies), rows=rows, reopen=True)
        self.forest = make_forest(
            _settings(models, options),
            seeds,
            positions.seat[rows],
            workers=workers,
            nodes=_nodes(options) + self.players,  # in a simultaneous choice others may come before the root
            actions=positions.action_mask.shape[1],
            players=self.players,
        )

    def grow(self, seconds: float | None) -> None:
        """All playouts, or as many as there is time for."""
        if seconds is not None:
            self._grow_by_the_clock(seconds)
            return
        most, each = self.options.playouts, self.forest.workers.shape[1]
        # Where several workers wait for each other before they go on it matters how often; so they never do.
        more = max(1, AT_ONCE // len(self.forest.trees)) if each == 1 else most
        for wanted in (1, *range(1 + more, most, more), most):
            self._grow_to(wanted)

    def _grow_by_the_clock(self, seconds: float) -> None:
        """A few more at a time, and more when they take little of it."""
        began = time.perf_counter()
        wanted, more, took = 1, self.forest.workers.shape[1], 0.0
        while took < seconds:
            self._grow_to(wanted)
            before, took = took, time.perf_counter() - began
            more = 2 * more if took - before < seconds / 20 else more
            wanted += more

    def _grow_to(self, wanted: int) -> None:
        """So many playouts of each tree. The first is by itself, so that not all workers ask for the root's prior."""
        self.forest.trees["wanted"] = wanted
        self.worlds.grow_trees(self.forest)
        while self._answer():
            self.worlds.grow_trees(self.forest)

    def _answer(self) -> bool:
        """Ask the models what the playouts need to know; False if nothing."""
        workers = self.forest.workers.reshape(-1)
        questions = workers["question"]
        if not (questions != NOTHING).any():
            return False
        at_leaf = (self.forest.search["depth"][0] == AT_LEAF) & (workers["passed_root"] != 0)
        self._give_actions(np.flatnonzero(questions == ACTION))
        self._give_priors(np.flatnonzero(questions == PRIOR))
        self._give_values(np.flatnonzero((questions == VALUES) | ((questions == PRIOR) & at_leaf)))
        return True

    def _own_seats(self, rows: Ints) -> Ints:
        own: Ints = self.forest.trees["seat"][rows // self.forest.workers.shape[1]]
        return own

    def _by_model(self, rows: Ints) -> Iterator[tuple[Model, Ints, Ints, Floats]]:
        """Who is to be asked about the seats to act: model, workers, their games, and a lot for each."""
        own = self.worlds.states["seat"][self.forest.games_of(rows)] == self._own_seats(rows)
        for model, theirs in ((self.models.own, rows[own]), (self.models.others, rows[~own])):
            if theirs.size:
                lots = np.empty(len(theirs))
                SHARED.draw_lots(self.forest.lots, theirs, lots)
                yield model, theirs, self.forest.games_of(theirs), lots

    def _give_actions(self, rows: Ints) -> None:
        for model, theirs, games, lots in self._by_model(rows):
            seen, mask = self.worlds.observation[games], self.worlds.action_mask[games]
            self.forest.actions[theirs] = model.choose(seen, mask, lots)

    def _give_priors(self, rows: Ints) -> None:
        for model, theirs, games, lots in self._by_model(rows):
            seen, mask = self.worlds.observation[games], self.worlds.action_mask[games]
            self.forest.priors[theirs] = probabilities(model.logits(seen, mask, lots), mask)

    def _give_values(self, rows: Ints) -> None:
        """For all seats that think; what they expect must sum up to nothing, as their rewards do."""
        if not rows.size:
            return
        values, model = self.forest.values, self.models.own
        values[rows] = 0.0
        if not self.options.others_think:
            own = self._own_seats(rows)
            values[rows, own] = model.values(self._seen(rows, own))
            return
        for seat in range(self.players):
            values[rows, seat] = model.values(self._seen(rows, np.full(len(rows), seat)))
        values[rows] -= values[rows].mean(axis=1, keepdims=True)

    def _seen(self, rows: Ints, seats: Ints) -> NDArray[np.float32]:
        return self.worlds.observe_seats(self.forest.games_of(rows), seats)[0]


def _settings(models: Models, options: IsmctsOptions) -> dict[str, float]:
    inside = models.own.inside
    depth = NEVER if options.depth == 0 or not models.own.has_values else options.depth or AT_LEAF
    puct = inside != RANDOM
    return {
        "own": inside,
        "others": models.others.inside,
        "others_think": options.others_think,
        "puct": puct,
        "patience": PATIENCE if puct else 0,
        "depth": depth,
        "exploration": options.exploration,
        "mixing": MIXING if inside != ASKED else 0.0,
        "points": options.points if depth == NEVER else 0.0,  # what a model says about values are rewards alone
    }


class _Found:
    """What has come of searching: how often each action was tried at the root of each position, and its rewards."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.counts, self.sums = np.zeros(shape, np.int64), np.zeros(shape)

    def take(self, rows: Ints, forest: Forest) -> None:
        """From the roots of these positions."""
        for place, row in enumerate(rows.tolist()):
            root = int(forest.trees["root"][place])
            if root < 0:
                continue
            node = forest.nodes[place, root]
            edges = forest.edges[place, node["first"] : node["first"] + node["actions"]]
            self.counts[row, edges["action"]] = edges["visits"]
            self.sums[row, edges["action"]] = edges["won"]

    def thoughts(self, positions: Positions, lots: Floats, seeds: Ints, models: Models) -> Thoughts:
        """The action that was tried most; by lot where choices are simultaneous. Without playouts, the model's own."""
        observation, mask = positions.observation, positions.action_mask
        searched: NDArray[np.bool_] = self.counts.sum(axis=1) > 0
        with np.errstate(invalid="ignore"):
            means: Floats = self.sums / self.counts
        shares = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        before = probabilities(models.own.logits(observation, mask, lots), mask)
        best = self.counts.argmax(axis=1)
        if positions.game.simultaneous:
            serious = np.where(shares >= SERIOUS * shares.max(axis=1, keepdims=True), shares, 0.0)
            best = draw_actions(serious, _further_lots(seeds))
        return Thoughts(
            actions=np.where(searched, best, models.own.choose(observation, mask, lots)),
            probabilities=np.where(searched[:, None], shares, before),
            values=np.where(searched, (shares * np.nan_to_num(means)).sum(axis=1), np.nan),
            action_values=means,
            playouts=self.counts,
        )


def _further_lots(seeds: Ints) -> Floats:
    """A number from 0 to below 1 that follows from a position's seed, and from nothing that was used in the tree."""
    streams, rows, drawn = record_array(len(seeds), LOTS), np.arange(len(seeds)), np.empty(len(seeds))
    SHARED.start_lots(streams, rows, seeds)
    SHARED.draw_lots(streams, rows, drawn)
    return drawn
