"""What every legal action would have led to, compiled: each is tried in a copy of the game, up to the same seat's next
decision, where the network says what it is worth. In copies nobody explores: where all choose at the same time, those
who have already chosen choose once more, by their policies.

Learning from the action that was taken alone needs thousands of games to tell two good actions from each other: nearly
all of what a game comes to is luck. Copies share that luck. They have the same cards to come and the same lots for the
other players, so that what differs between them is due to the action.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.choosing import choose_row
from card_envs.agents.perceptron import BLOCK
from card_envs.agents.seating import FIRST_OUTSIDE, OWN
from card_envs.core.batch import Batch
from card_envs.core.chance import below, start_lots_stream
from card_envs.core.compile import record_array
from card_envs.core.game import Game
from card_envs.core.playing import LOTS
from training.thinking import OVER, Seats, go_on, think

if TYPE_CHECKING:
    from card_envs.core.rules import apply, take_back

Ints = NDArray[np.int64]
COPIES = 512  # games side by side, or as many as a game has actions
SEEDS = 9007199254740992.0  # numbers that a lot can be, of which copies get seeds


class Branches(NamedTuple):
    """Room for copies of games: who sits where, which decision and action each stands for, and what came of it."""

    seats: Seats
    decision: Ints
    action: Ints
    own: Ints
    worth: NDArray[np.float64]


def room_for_branches(game: Game, players: int, **options: Any) -> tuple[Batch, Branches]:
    """Copies of games with so many players, to be written over."""
    count = max(COPIES, len(game.actions))
    batch = Batch(game, count, players=players, seed=0, auto_reset=False, **options)
    decision, action, own = np.zeros((3, count), np.int64)
    seats = Seats(np.zeros((count, players), np.int64), decision, own, record_array(count, LOTS))
    return batch, Branches(seats, decision, action, own, np.zeros(count))


def try_actions(
    arrays: Any, seats: Any, team: Any, copies: Any, branches: Any, gamma: Any, lots: Any, work: Any, worth: Any
) -> None:
    """For each game, whose learner has a choice, what each legal action is worth to it, into rows of `worth`."""
    count, room = 0, branches.decision.size
    for game in range(arrays.seat.size):
        mask, needed = arrays.action_mask[game], 0
        for action in range(mask.size):
            needed += mask[action] != 0
        if count + needed > room:
            settle(copies, branches, team, count, gamma, work, worth)
            count = 0
        for action in range(mask.size):
            if mask[action]:
                copies.states[count] = arrays.states[game]
                take_back(copies.states[count])
                start_lots_stream(branches.seats.lots[count], np.int64(lots[game] * SEEDS))
                for seat in range(seats.players.shape[1]):
                    branches.seats.players[count, seat] = seats.players[game, seat]
                branches.decision[count], branches.action[count] = game, action
                branches.own[count] = arrays.seat[game]
                count += 1
    settle(copies, branches, team, count, gamma, work, worth)


def settle(copies: Any, branches: Any, team: Any, count: Any, gamma: Any, work: Any, worth: Any) -> None:
    """Play the first copies on: up to the action that is tried in each, and from there until it is over or its own seat
    has a choice. Note what they are worth.
    """
    under_way, chooser = np.arange(count), np.empty(count, np.int64)
    (ends, found), tried = (np.empty(count, np.int64), 0), np.zeros(count, np.bool_)
    while under_way.size:
        left = 0
        for branch in under_way:
            player, own = go_on(copies, branches.seats, branch), branches.own[branch]
            if not tried[branch] and copies.seat[branch] == own:
                tried[branch] = True
                apply(copies.states[branch], branches.action[branch])
                player = go_on(copies, branches.seats, branch)
            if player == OVER:
                branches.worth[branch] = copies.rewards[branch, own]
            elif player == OWN and copies.seat[branch] == own:
                ends[found] = branch
                found += 1
            else:
                chooser[branch] = 0 if player == OWN else player - FIRST_OUTSIDE + 1
                under_way[left] = branch
                left += 1
        under_way = under_way[:left]
        for network in range(team.numbers.shape[0]):
            others_choose(copies, branches, team, network, under_way, chooser, work)
    values_at(copies, branches, team, ends[:found], gamma, work)
    for branch in range(count):
        worth[branches.decision[branch], branches.action[branch]] = branches.worth[branch]


def others_choose(copies: Any, branches: Any, team: Any, network: Any, under_way: Any, chooser: Any, work: Any) -> None:
    """One action in each copy in which this network is to act. Copies that look the same to it are asked about once."""
    actions, (waiting, same), count = copies.action_mask.shape[1], np.empty((2, under_way.size), np.int64), 0
    for branch in under_way:
        if chooser[branch] == network:
            waiting[count] = branch
            count += 1
    logits, likely, asked = np.empty((BLOCK, actions), np.float32), np.empty(actions), np.empty(BLOCK, np.int64)
    first = 0
    while first < count:
        end, distinct = first, 0
        while end < count:
            if distinct == 0 or not look_alike(copies, branches, asked[distinct - 1], waiting[end]):
                if distinct == BLOCK:
                    break
                asked[distinct] = waiting[end]
                distinct += 1
            same[end] = distinct - 1
            end += 1
        think(copies, team, network, asked[:distinct], work, logits)
        for one in range(first, end):
            branch = waiting[one]
            lot = below(branches.seats.lots[branch], 1 << 32) / 4294967296.0
            action, _ = choose_row(logits[same[one]], copies.action_mask[branch], lot, 1.0, likely)
            apply(copies.states[branch], action)
        first = end


def look_alike(copies: Any, branches: Any, one: Any, other: Any) -> Any:
    """Do two copies of a game look the same to whoever is to act?"""
    if branches.decision[one] != branches.decision[other] or copies.seat[one] != copies.seat[other]:
        return False
    first, second = copies.observation[one], copies.observation[other]
    same = True
    for field in range(first.size):
        same &= first[field] == second[field]
    return same


def values_at(copies: Any, branches: Any, team: Any, ends: Any, gamma: Any, work: Any) -> None:
    """What the learner's network expects of copies in which the own seat is to act again."""
    logits = np.empty((BLOCK, copies.action_mask.shape[1]), np.float32)
    for start in range(0, ends.size, BLOCK):
        these = ends[start : min(start + BLOCK, ends.size)]
        values = think(copies, team, 0, these, work, logits)
        for row in range(these.size):
            branches.worth[these[row]] = gamma * values[row]


def centre(logits: Any, mask: Any, worth: Any) -> Any:
    """Take from what legal actions are worth their mean under the policy, and return it; illegal ones get nothing."""
    highest = -np.inf
    for action in range(mask.size):
        if mask[action]:
            highest = max(highest, logits[action])
    total = mean = 0.0
    for action in range(mask.size):
        if mask[action]:
            weight = math.exp(logits[action] - highest)
            total += weight
            mean += weight * worth[action]
    mean /= total
    for action in range(mask.size):
        worth[action] = worth[action] - mean if mask[action] else 0.0
    return mean


HELPERS = (try_actions, settle, others_choose, look_alike, values_at, centre)
