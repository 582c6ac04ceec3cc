"""Rollouts: promising actions are tried in the same imagined worlds, which a model plays on.

The actions that are tried are drawn from the model's policy without replacement, by Gumbel noise: the largest of noise
plus logits. The budget is shared by sequential halving: all of them are tried alike, then the better half, and so on.
What counts is noise + logits + a value's worth, which grows with the number of playouts behind it; so with few playouts
it is the model that plays, with many the best value. See docs/search.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.base import Thoughts
from card_envs.agents.network import probabilities
from card_envs.agents.positions import Positions
from card_envs.agents.search.models import Models
from card_envs.agents.search.options import MOST_PLAYOUTS, RolloutOptions, SearchOptions
from card_envs.agents.search.playouts import AT_ONCE, play_out
from card_envs.core.compile import record_array
from card_envs.core.loops import SHARED
from card_envs.core.playing import LOTS

FIRST_WEIGHT = 50  # of a value beside logits; each playout behind it adds one
SCALE = 0.2  # how much a difference in value counts; with 1, the noise of few playouts overrules what the model knows
FIRST_TRY = 32  # playouts by which it finds out how many fit into a number of seconds

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def think(positions: Positions, lots: Floats, models: Models, options: SearchOptions) -> Thoughts:
    """Search all positions together, each by its own lot alone."""
    chosen = cast(RolloutOptions, options)
    if chosen.seconds is None:
        return _think(positions, lots, models, chosen)
    began = time.perf_counter()
    first = _think(positions, lots, models, replace(chosen, seconds=None, playouts=FIRST_TRY))
    took = time.perf_counter() - began
    fit = min(MOST_PLAYOUTS, int(FIRST_TRY * (chosen.seconds - took) / took))
    return first if fit <= FIRST_TRY else _think(positions, lots, models, replace(chosen, seconds=None, playouts=fit))


def _think(positions: Positions, lots: Floats, models: Models, options: RolloutOptions) -> Thoughts:
    own, mask = models.own, positions.action_mask
    logits = own.logits(positions.observation, mask, lots)
    seeds = (lots * 2.0**53).astype(np.int64)
    noise = _gumbel(seeds, mask.shape[1]) if own.draws_lots else np.zeros(logits.shape)
    scale = SCALE if options.scale is None else options.scale
    halving = _Halving(noise + logits, options, scale)
    while (asked := halving.next_round()) is not None:
        for rows, actions, worlds in asked.pieces():
            world_seeds = np.empty(len(rows), np.int64)
            SHARED.fill_nth_seeds(seeds, rows, worlds, world_seeds)
            halving.note(rows, actions, play_out(positions, rows, actions, world_seeds, models, options.depth or 0))
    values = own.values(positions.observation) if own.has_values else np.full(len(lots), np.nan)
    return halving.thoughts(logits, own.choose(positions.observation, mask, lots), values)


def _gumbel(seeds: Ints, actions: int) -> Floats:
    """One number of the Gumbel distribution per position and action, from the position's own lot."""
    streams, rows = record_array(len(seeds), LOTS), np.arange(len(seeds))
    SHARED.start_lots(streams, rows, seeds)
    drawn = np.empty(len(seeds) * actions)
    SHARED.draw_lots(streams, np.repeat(rows, actions), drawn)
    noise: Floats = -np.log(-np.log(drawn.reshape(len(seeds), actions) + 2.0**-34))
    return noise


class Playouts(NamedTuple):
    """Playouts of one round: position and action, the first world, and in how many worlds it is tried."""

    rows: Ints
    actions: Ints
    first: Ints
    each: Ints

    def pieces(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Position, action and world of each playout; so many at a time that memory is flat."""
        ends = np.cumsum(self.each)
        for start in range(0, int(ends[-1]), AT_ONCE):
            numbers = np.arange(start, min(start + AT_ONCE, int(ends[-1])))
            place = np.searchsorted(ends, numbers, side="right")
            world = numbers - (ends - self.each)[place] + self.first[place]
            yield self.rows[place], self.actions[place], world


class _Halving:
    """Who is tried how often: sequential halving in each row. `preferred` is noise plus logits."""

    def __init__(self, preferred: Floats, options: RolloutOptions, scale: float) -> None:
        self.preferred, self.options, self.scale = preferred, options, scale
        legal = np.isfinite(preferred).sum(axis=1)
        most = np.minimum(legal, options.tried)
        places = np.argsort(np.argsort(-preferred, axis=1, kind="stable"), axis=1, kind="stable")
        self.alive = places < most[:, None]
        self.rounds = np.maximum(np.ceil(np.log2(most)), 1).astype(np.int64)
        self.round = 0
        self.left = np.where(legal > 1, options.playouts, 0)  # where there is no choice there is nothing to think about
        self.worlds = np.ones(len(preferred), np.int64)  # the next one; the seed with the number 0 is that of the noise
        self.sums, self.counts = np.zeros(preferred.shape), np.zeros(preferred.shape, np.int64)

    def next_round(self) -> Playouts | None:
        """What is to be played out now, or None when the budget is used up."""
        if self.round:
            self._drop_the_worse_half()
        remaining = self.alive.sum(axis=1)
        share = np.maximum(self.options.playouts // (self.rounds * remaining), 1)
        each = np.minimum(np.where(self.round < self.rounds - 1, share, self.left // remaining), self.left // remaining)
        each[self.round >= self.rounds] = 0
        self.round += 1
        if not each.any():
            return None
        rows, actions = np.nonzero(self.alive & (each > 0)[:, None])
        asked = Playouts(rows, actions, self.worlds[rows], each[rows])
        self.left -= each * remaining
        self.worlds += each
        return asked

    def _drop_the_worse_half(self) -> None:
        remaining = self.alive.sum(axis=1)
        keep = np.where(self.round < self.rounds, -(-remaining // 2), remaining)
        scores = np.where(self.alive, self.scores(), -np.inf)
        places = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable")
        self.alive &= places < keep[:, None]

    def note(self, rows: Ints, actions: Ints, values: Floats) -> None:
        """What came of playouts. One is added after the other, so that the last digits do not depend on the pieces."""
        np.add.at(self.sums, (rows, actions), values)
        np.add.at(self.counts, (rows, actions), 1)

    @property
    def action_values(self) -> Floats:
        """Mean values; not a number for what was not tried."""
        with np.errstate(invalid="ignore"):
            means: Floats = self.sums / self.counts
        return means

    def worth(self, values: Floats) -> Floats:
        """What values count beside logits: the more, the more playouts are behind them."""
        weight: Floats = self.scale * (FIRST_WEIGHT + self.counts.max(axis=1, keepdims=True))
        return weight * values

    def scores(self) -> Floats:
        """By which actions are kept and chosen."""
        return self.preferred + np.nan_to_num(self.worth(self.action_values))

    def thoughts(self, logits: Floats, own_choice: Ints, own_values: Floats) -> Thoughts:
        """What comes of it. Without any playouts it is what the model does and thinks itself."""
        tried = self.counts > 0
        searched = tried.any(axis=1)
        best = np.where(self.alive, self.scores(), -np.inf).argmax(axis=1)
        before = np.exp(logits - logits.max(axis=1, keepdims=True))
        weights = np.where(tried, before, 0.0)
        with np.errstate(invalid="ignore"):
            mean = (weights * np.nan_to_num(self.action_values)).sum(axis=1) / weights.sum(axis=1)
        values = np.where(tried, self.action_values, np.nan_to_num(mean)[:, None])
        after = probabilities(logits + self.worth(values), np.isfinite(logits).astype(np.int8))
        return Thoughts(
            actions=np.where(searched, best, own_choice),
            probabilities=after,
            values=np.where(searched, (after * values).sum(axis=1), own_values),
            action_values=self.action_values,
            playouts=self.counts,
        )
