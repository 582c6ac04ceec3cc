"""One game on to the next choice, and a network's answers for a block of games: what rollouts and branches are made of.

`players[game, seat]` says who sits where, as in card_envs/agents/seating.py: the learner (OWN), built-in players, and
frozen networks from FIRST_OUTSIDE on. The learner's network is the first of the team's, and the frozen ones follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.perceptron import Form, add_logits, fill_inputs, filled_up, forward, matrix, number_of_outputs
from card_envs.agents.seating import OWN
from card_envs.core.chance import below
from card_envs.core.engine import finish, show
from card_envs.core.playing import BOT, RANDOM, random_action

if TYPE_CHECKING:
    from card_envs.core.rules import apply, choose, legal, observe

OVER = -1  # instead of whoever is to act
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


class Seats(NamedTuple):
    """Who plays in each game, and the lots of those who are frozen or built in."""

    players: Ints
    opponent: Ints
    own: Ints
    lots: NDArray[Any]


class Team(NamedTuple):
    """Networks of one form: a row for each of what perceptron.forward takes."""

    form: Form
    numbers: Floats
    center: Floats
    scale: Floats


def only_action(mask: Any) -> Any:
    """The one legal action; -1 if there are several."""
    found = -1
    for action in range(mask.size):
        if mask[action]:
            if found >= 0:
                return -1
            found = action
    return found


def go_on(arrays: Any, seats: Any, game: Any) -> Any:
    """Let built-in players act, and others where they have no choice; returns who has one now, or OVER."""
    mask, observation, state = arrays.action_mask[game], arrays.observation[game], arrays.states[game]
    while True:
        seat = int(state.seat)
        if seat < 0:
            arrays.done[game] = True
            finish(arrays, game)
            arrays.seat[game] = show(state, mask, observation)
            return OVER
        player = seats.players[game, seat]
        if player == BOT:
            show(state, mask, observation)
            apply(state, choose(seats.lots[game], observation, mask))
            continue
        mask[:] = 0
        legal(state, seat, mask)
        if player == RANDOM:
            apply(state, random_action(seats.lots[game], mask))
            continue
        only = only_action(mask)
        if only < 0:
            observe(state, seat, observation)
            arrays.seat[game] = seat
            return player
        if player != OWN:
            below(seats.lots[game], 1 << 32)  # who has no choice draws a lot all the same
        apply(state, only)


def think(arrays: Any, team: Any, network: Any, games: Any, work: Any, logits: Any) -> Any:
    """A block's logits, one row for each of its games, into `logits`; returns their values."""
    form, rows = team.form, filled_up(games.size)
    fill_inputs(form, arrays.observation, games, team.center[network], team.scale[network], work, rows)
    at = forward(form, team.numbers[network], work, rows)
    outputs, turned = matrix(work, at, number_of_outputs(form), rows), np.empty((logits.shape[1], rows), np.float32)
    add_logits(form, outputs, turned)
    for row in range(games.size):
        for action in range(logits.shape[1]):
            logits[row, action] = turned[action, row]
    return outputs[-1]


HELPERS = (only_action, go_on, think)
