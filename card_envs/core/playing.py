"""Loops in which players choose: by lot, by the game's hand-written player, and whole stretches of play.

`lots` is one record per game, with the stream from which its players draw lots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from card_envs.core.chance import below, nth_seed, start_lots_stream
from card_envs.core.engine import finish, show

if TYPE_CHECKING:
    from card_envs.core.rules import apply, arrays_of, choose, legal

RANDOM, BOT = 1, 2  # the players that play_on knows
LOTS = np.dtype([("lots", "u8"), ("stream", "u8")])  # not just a stream: Numba would take every state for a kind of it


def random_action(lots: Any, mask: Any) -> Any:
    """A legal action, each equally likely; -1 if there is none."""
    legal_actions = 0
    for action in range(mask.size):
        legal_actions += int(mask[action])
    if legal_actions == 0:
        return -1
    remaining = below(lots, legal_actions)
    action = -1
    while remaining >= 0:
        action += 1
        remaining -= int(mask[action])
    return action


def fill_seeds(seed: Any, seeds: Any) -> None:
    """One seed per game from the seed of a batch."""
    for index in range(seeds.size):
        seeds[index] = nth_seed(seed, index)


def fill_nth_seeds(seeds: Any, rows: Any, numbers: Any, filled: Any) -> None:
    """In each place the seed with this number that follows from the seed of its row."""
    for k in range(filled.size):
        filled[k] = nth_seed(seeds[rows[k]], numbers[k])


def choose_at_random(masks: Any, lots: Any, actions: Any) -> None:
    """A legal action for each row, each equally likely. A row without any gets -1."""
    for row in range(masks.shape[0]):
        actions[row] = random_action(lots[0], masks[row])


def choose_by_bot(lots: Any, observations: Any, masks: Any, actions: Any) -> None:
    """What the game's hand-written player does in each row."""
    for row in range(actions.size):
        actions[row] = choose(lots[0], observations[row], masks[row])


def start_lots(lots: Any, games: Any, seeds: Any) -> None:
    """A stream per game for everything that players decide by lot, so that it depends on the game's seed alone."""
    for k in range(games.size):
        start_lots_stream(lots[games[k]], seeds[games[k]])


def draw_lots(lots: Any, games: Any, drawn: Any) -> None:
    """A number from 0 to below 1 for each listed game, from its own lots."""
    for k in range(games.size):
        drawn[k] = below(lots[games[k]], 1 << 32) / 4294967296.0


def play_on(handle: Any, lots: Any, players: Any, games: Any, start: Any, stop: Any) -> None:
    """Let the built-in players act in the listed games until someone else is to act or the game is over.

    `players[game, seat]` says who sits there: RANDOM, BOT, or anything else for a player outside of the engine.
    """
    arrays = arrays_of(handle)
    for k in range(start, stop):
        game = games[k]
        if arrays.states[game].seat < 0:
            continue
        mask, observation = arrays.action_mask[game], arrays.observation[game]
        seat = int(arrays.states[game].seat)
        if players[game, seat] != RANDOM and players[game, seat] != BOT:
            continue  # mask and observation are there already
        while seat >= 0:
            player = players[game, seat]
            if player == RANDOM:
                mask[:] = 0
                legal(arrays.states[game], seat, mask)
                apply(arrays.states[game], random_action(lots[game], mask))
            elif player == BOT:
                show(arrays.states[game], mask, observation)
                apply(arrays.states[game], choose(lots[game], observation, mask))
            else:
                break
            seat = int(arrays.states[game].seat)
        if seat < 0:
            arrays.done[game] = True
            finish(arrays, game)
        arrays.seat[game] = show(arrays.states[game], mask, observation)


HELPERS = (random_action, finish, show)
