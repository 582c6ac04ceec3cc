"""Playing for a learner, compiled: whole rollouts in one call, as long as nobody from outside plays along.

It does what `ppo.collect_rollouts` does, decision by decision, to the last bit. There, threads that play would wait for
each other at every step, because Python lets only one of them work at a time.

Who sits where and who acts next is thinking.py's subject; what other actions would have led to is branches.py's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from card_envs.agents.choosing import choose_row
from card_envs.agents.perceptron import BLOCK, work_size
from card_envs.agents.seating import FIRST_OUTSIDE, OWN
from card_envs.core.chance import below, next_seed, start_lots_stream
from card_envs.core.compile import JIT, clock
from card_envs.core.engine import begin
from card_envs.core.game import Game
from training import branches as trying
from training import thinking
from training.branches import centre, try_actions
from training.loss import BY_LOT
from training.thinking import go_on, think

if TYPE_CHECKING:
    from card_envs.core.rules import apply, arrays_of, choose

NOBODY = -1  # instead of a frozen player: the learner plays all seats
FROZEN, ALL = 0, 1  # whose time was spent
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


class Draw(NamedTuple):
    """Who sits opposite in a game that starts: the first member whose bound is above the lot, or NOBODY."""

    bounds: NDArray[np.float64]
    members: Ints  # one more than bounds
    codes: Ints  # what each member is in `players`


class Sheet(NamedTuple):
    """What is written down; see ppo.Rollout. These games begin at column `first`."""

    observation: Floats
    mask: NDArray[np.int8]
    seat: Ints
    action: Ints
    taught: Ints
    log_probability: Floats
    value: Floats
    ended: NDArray[np.bool_]
    rewards: Floats
    worth: Floats
    expected: Floats
    first: int


def frozen_act(arrays: Any, seats: Any, team: Any, waiting: Any, work: Any, logits: Any, likely: Any) -> Any:
    """One action of a frozen player in each waiting game, and on from there; returns those that still wait."""
    picked = np.empty(waiting.size, np.int64)
    for network in range(1, team.numbers.shape[0]):
        count = 0
        for game in waiting:
            if seats.players[game, arrays.seat[game]] == FIRST_OUTSIDE + network - 1:
                picked[count] = game
                count += 1
        for start in range(0, count, BLOCK):
            games = picked[start : min(start + BLOCK, count)]
            think(arrays, team, network, games, work, logits)
            for row in range(games.size):
                game = games[row]
                lot = below(seats.lots[game], 1 << 32) / 4294967296.0
                action, _ = choose_row(logits[row], arrays.action_mask[game], lot, 1.0, likely)
                apply(arrays.states[game], action)
                go_on(arrays, seats, game)
    return still_waiting(arrays, seats, waiting)


def still_waiting(arrays: Any, seats: Any, games: Any) -> Any:
    """Those of the games in which a frozen player is to act."""
    found, count = np.empty(games.size, np.int64), 0
    for game in games:
        if arrays.seat[game] >= 0 and seats.players[game, arrays.seat[game]] >= FIRST_OUTSIDE:
            found[count] = game
            count += 1
    return found[:count]


def all_go_on(arrays: Any, seats: Any, team: Any, games: Any, work: Any, logits: Any, likely: Any, spent: Any) -> None:
    """Play on in these games until the learner has a choice or the game is over in each."""
    for game in games:
        go_on(arrays, seats, game)
    began, waiting = clock(), still_waiting(arrays, seats, games)
    while waiting.size:
        waiting = frozen_act(arrays, seats, team, waiting, work, logits, likely)
    spent[FROZEN] += clock() - began


def start(arrays: Any, seats: Any, draw: Any, game: Any) -> None:
    """Start a game anew, and seat everyone by lots that follow from its seed."""
    arrays.rewards[game, :] = 0.0
    arrays.done[game] = False
    arrays.illegal[game] = False
    begin(arrays, game, next_seed(arrays.seeds[game]))
    lots = seats.lots[game]
    start_lots_stream(lots, arrays.seeds[game])
    seats.players[game, :] = OWN
    if draw.members.size == 0:
        return
    lot, place = below(lots, 1 << 32) / 4294967296.0, 0
    while place < draw.bounds.size and draw.bounds[place] <= lot:
        place += 1
    seats.opponent[game] = draw.members[place]
    seats.own[game] = int(below(lots, 1 << 32) / 4294967296.0 * seats.players.shape[1])
    if seats.opponent[game] != NOBODY:
        seats.players[game, :] = draw.codes[seats.opponent[game]]
        seats.players[game, seats.own[game]] = OWN


def note_score(arrays: Any, seats: Any, game: Any, scores: Any) -> None:
    """Count the learner's share of the win in a game against a frozen player."""
    opponent = seats.opponent[game]
    if opponent != NOBODY:
        winners = 0
        for seat in range(seats.players.shape[1]):
            winners += arrays.ranks[game, seat] == 1
        scores[0, opponent] += 1.0
        scores[1, opponent] += (arrays.ranks[game, seats.own[game]] == 1) / winners


def finished(arrays: Any, games: Any) -> Any:
    """Those of the games that are over."""
    found, count = np.empty(games.size, np.int64), 0
    for game in games:
        if arrays.done[game]:
            found[count] = game
            count += 1
    return found[:count]


def play_rollout(
    handle: Any,
    seats: Any,
    team: Any,
    draw: Any,
    sheet: Any,
    chance: Any,
    teacher: Any,
    imitate: Any,
    scores: Any,
    spent: Any,
    copies_handle: Any,
    branches: Any,
    gamma: Any,
    explore: Any,
) -> None:
    """Play one decision of the learner in every game, again and again, and write everything down.

    `chance` has a lot for each decision, `teacher` those of the bot that says what it would do, if it is imitated.
    `spent` gets the processor's time, of frozen networks and of everything. With room for `branches` all legal actions
    are tried; with None that code is not even compiled.
    """
    began = clock()
    arrays, first = arrays_of(handle), sheet.first
    everyone, actions = np.arange(arrays.seat.size), arrays.action_mask.shape[1]
    work, likely = np.empty(work_size(team.form, BLOCK), np.float32), np.empty(actions)
    logits, preferences = np.empty((BLOCK, actions), np.float32), np.empty((everyone.size, actions), np.float32)
    for step in range(sheet.action.shape[0]):
        for begins in range(0, everyone.size, BLOCK):
            games = everyone[begins : begins + BLOCK]
            values = think(arrays, team, 0, games, work, logits)
            for row in range(games.size):
                game, place = games[row], first + games[row]
                mask, observation = arrays.action_mask[game], arrays.observation[game]
                for field in range(observation.size):
                    sheet.observation[step, place, field] = observation[field]
                for action in range(actions):
                    sheet.mask[step, place, action] = mask[action]
                sheet.seat[step, place], sheet.value[step, place] = arrays.seat[game], values[row]
                lot, strays = chance[step, place], chance[step, place] < explore
                lot = lot / explore if strays else (lot - explore) / (1.0 - explore)
                chosen, log_p = choose_row(logits[row], mask, lot, np.inf if strays else 1.0, likely)
                log_p = BY_LOT if strays else log_p
                sheet.action[step, place], sheet.log_probability[step, place] = chosen, log_p
                if imitate:
                    sheet.taught[step, place] = choose(teacher[0], observation, mask)
                if branches is not None:
                    preferences[game] = logits[row]
        if branches is not None:
            lots, worth = chance[step, first : first + everyone.size], sheet.worth[step, first : first + everyone.size]
            try_actions(arrays, seats, team, arrays_of(copies_handle), branches, gamma, lots, work, worth)
            for game in everyone:
                mean = centre(preferences[game], arrays.action_mask[game], worth[game])
                sheet.expected[step, first + game] = mean
        for game in everyone:
            apply(arrays.states[game], sheet.action[step, first + game])
        all_go_on(arrays, seats, team, everyone, work, logits, likely, spent)
        for game in everyone:
            sheet.ended[step, first + game] = arrays.done[game]
            for seat in range(arrays.rewards.shape[1]):
                sheet.rewards[step, first + game, seat] = arrays.rewards[game, seat]
        over = finished(arrays, everyone)
        while over.size:  # more than once only where a game can end before the learner has decided anything
            for game in over:
                note_score(arrays, seats, game, scores)
                start(arrays, seats, draw, game)
            all_go_on(arrays, seats, team, over, work, logits, likely, spent)
            over = finished(arrays, over)
    spent[ALL] += clock() - began


HELPERS = (
    *thinking.HELPERS,
    *trying.HELPERS,
    still_waiting,
    frozen_act,
    all_go_on,
    start,
    note_score,
    finished,
)


def compiled_rollout(game: Game, arguments: tuple[Any, ...]) -> Callable[..., None]:
    """`play_rollout` for one game and arguments such as these, compiled when it is first needed."""
    signature = (types.int64, *map(numba.typeof, arguments)) if JIT else ()
    return game.loops.own(play_rollout, HELPERS, signature)  # type: ignore[no-any-return]
