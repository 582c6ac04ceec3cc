"""Compiled loops in which players choose: by lot, by the game's hand-written player, and whole stretches of play.

`lots` is one record per game, of the type of the game's state but blank: its stream is where players draw lots, and
Numba finds the game's hand-written player by its type.
"""

from __future__ import annotations

from typing import Any

from card_envs.core.chance import below, start_lots_stream
from card_envs.core.compile import compiled
from card_envs.core.engine import finish, show
from card_envs.core.roles import apply, choose, legal

RANDOM, BOT = 1, 2  # the players that play_on knows


@compiled
def random_action(stream: Any, mask: Any) -> Any:
    """A legal action, each equally likely; -1 if there is none."""
    legal_actions = 0
    for action in range(mask.size):
        legal_actions += int(mask[action])
    if legal_actions == 0:
        return -1
    remaining = below(stream, legal_actions)
    action = -1
    while remaining >= 0:
        action += 1
        remaining -= int(mask[action])
    return action


def choose_at_random(masks: Any, stream: Any, actions: Any) -> None:
    """A legal action for each row, each equally likely. A row without any gets -1."""
    for row in range(masks.shape[0]):
        actions[row] = random_action(stream[0], masks[row])


def choose_by_bot(own: Any, observations: Any, masks: Any, actions: Any) -> None:
    """What the game's hand-written player does in each row."""
    for row in range(actions.size):
        actions[row] = choose(own[0], observations[row], masks[row])


def start_lots(lots: Any, games: Any, seeds: Any) -> None:
    """A stream per game for everything that players decide by lot, so that it depends on the game's seed alone."""
    for k in range(games.size):
        start_lots_stream(lots[games[k]], seeds[games[k]])


def draw_lots(lots: Any, games: Any, chances: Any) -> None:
    """A number from 0 to below 1 for each listed game, from its own lots."""
    for k in range(games.size):
        chances[k] = below(lots[games[k]], 1 << 32) / 4294967296.0


def play_on(tables: Any, terms: Any, lots: Any, players: Any, games: Any, start: Any, stop: Any) -> None:
    """Let the built-in players act in the listed games until someone else is to act or the game is over.

    `players[game, seat]` says who sits there: RANDOM, BOT, or anything else for a player outside of the engine.
    """
    for k in range(start, stop):
        game = games[k]
        if tables.states[game].seat < 0:
            continue
        mask, observation = tables.action_mask[game], tables.observation[game]
        seat = int(tables.states[game].seat)
        while seat >= 0:
            player = players[game, seat]
            if player == RANDOM:
                mask[:] = 0
                legal(tables.states[game], seat, mask)
                apply(tables.states[game], random_action(lots[game], mask))
            elif player == BOT:
                show(tables.states[game], mask, observation)
                apply(tables.states[game], choose(lots[game], observation, mask))
            else:
                break
            seat = int(tables.states[game].seat)
        if seat < 0:
            tables.done[game] = True
            finish(tables, terms, game)
        tables.seat[game] = show(tables.states[game], mask, observation)


# Compiled once per game; choose_at_random knows no game and is compiled once for all.
LOOPS = (choose_by_bot, start_lots, draw_lots, play_on)
