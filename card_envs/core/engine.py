"""The engine: compiled loops over many games, written once for all of them.

Each loop acts on the games listed in `games[start:stop]`, so that several agents can share a batch and several
threads can share a step. Nothing here knows a rule; `deal`, `legal`, `apply`, ... are answered by the game whose
states they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from card_envs.core.chance import next_seed, nth_seed, start_stream
from card_envs.core.compile import compiled
from card_envs.core.roles import apply, deal, legal, observe, redraw_hidden, score


class Tables(NamedTuple):
    """The arrays of a batch: one row per game. Reused in place; a step allocates nothing."""

    states: Any
    template: Any
    seeds: Any
    seat: Any
    observation: Any
    action_mask: Any
    rewards: Any
    done: Any
    illegal: Any
    points: Any
    ranks: Any
    score_sheet: Any
    moved: Any


class Terms(NamedTuple):
    """How games of a batch are rewarded and what happens at their end."""

    margin: bool
    margin_scale: float
    tiebreak: int
    lose_on_illegal: bool
    restart: bool


@compiled
def begin(tables: Any, game: Any, seed: Any) -> None:
    """Start one game from its seed."""
    tables.seeds[game] = seed
    tables.states[game] = tables.template[0]
    state = tables.states[game]
    start_stream(state, seed)
    deal(state)


@compiled
def show(state: Any, mask: Any, observation: Any) -> Any:
    """Write the mask and observation of the seat to act, zeros in both once the game is over; returns the seat.

    It gets rows and not the tables: each array that Numba passes on costs two atomic counter updates.
    """
    seat = int(state.seat)
    mask[:] = 0
    if seat >= 0:
        legal(state, seat, mask)
        observe(state, seat, observation)
    else:
        observation[:] = 0.0
    return seat


@compiled
def rank(points: Any, sheet: Any, tiebreak: Any, ranks: Any) -> None:
    """1 for the best; equal players share a rank. Equal points: the lower number in the tie-break column is better."""
    for player in range(points.size):
        better = 0
        for other in range(points.size):
            if points[other] > points[player]:
                better += 1
            elif points[other] == points[player] and tiebreak >= 0:
                better += sheet[other, tiebreak] < sheet[player, tiebreak]
        ranks[player] = 1 + better


@compiled
def reward_outcome(ranks: Any, rewards: Any) -> None:
    """Zero-sum: the winners share the win. A sole winner gets +1, each other player -1 / (players - 1)."""
    players = ranks.size
    winners = 0
    for player in range(players):
        if ranks[player] == 1:
            winners += 1
    for player in range(players):
        share = 1.0 / winners if ranks[player] == 1 else 0.0
        rewards[player] = (players * share - 1.0) / (players - 1)


@compiled
def reward_margin(points: Any, scale: Any, rewards: Any) -> None:
    """Own points less the mean of the others', over the game's scale."""
    players = points.size
    total = 0
    for player in range(players):
        total += points[player]
    for player in range(players):
        others = (total - points[player]) / (players - 1)
        rewards[player] = (points[player] - others) / scale


@compiled
def finish(tables: Any, terms: Any, game: Any) -> None:
    """Score a game that has just ended."""
    points, sheet, ranks = tables.points[game], tables.score_sheet[game], tables.ranks[game]
    points[:] = 0
    sheet[:, :] = 0
    score(tables.states[game], points, sheet)
    rank(points, sheet, terms.tiebreak, ranks)
    if terms.margin:
        reward_margin(points, terms.margin_scale, tables.rewards[game])
    else:
        reward_outcome(ranks, tables.rewards[game])


@compiled
def forfeit(tables: Any, game: Any) -> None:
    """An illegal action loses the game: -1 for the offender, the others share +1. Nobody scores."""
    offender = int(tables.states[game].seat)
    tables.states[game].seat = -1
    players = tables.ranks.shape[1]
    tables.points[game, :] = 0
    tables.score_sheet[game, :, :] = 0
    for player in range(players):
        tables.ranks[game, player] = 1
        tables.rewards[game, player] = 1.0 / (players - 1)
    tables.ranks[game, offender] = players
    tables.rewards[game, offender] = -1.0


def find_problem(tables: Any, games: Any, actions: Any, start: Any, stop: Any, mark: Any, lose: Any) -> tuple[int, int]:
    """The first position at which a step cannot be made, and why: 1 no legal action, 2 game named twice, 3 no such
    game.

    (-1, 0) if all is well. Changes nothing but `moved`, in which the games of this step get this step's mark. Where an
    illegal action loses the game, it is not a problem unless the game is over.
    """
    number_of_games, number_of_actions = tables.action_mask.shape
    for k in range(start, stop):
        game, action = games[k], actions[k]
        if game < 0 or game >= number_of_games:
            return k, 3
        if tables.moved[game] == mark:
            return k, 2
        tables.moved[game] = mark
        if action < 0 or action >= number_of_actions or tables.action_mask[game, action] == 0:
            if not lose or tables.seat[game] < 0:
                return k, 1
    return -1, 0


def fill_seeds(seed: Any, seeds: Any) -> None:
    """One seed per game from the seed of a batch."""
    for index in range(seeds.size):
        seeds[index] = nth_seed(seed, index)


def start_games(tables: Any, games: Any, seeds: Any, start: Any, stop: Any) -> None:
    """Start the listed games from the given seeds, whatever they were at. -1: the seed that follows the game's own."""
    for k in range(start, stop):
        game = games[k]
        begin(tables, game, seeds[k] if seeds[k] >= 0 else next_seed(tables.seeds[game]))
        tables.rewards[game, :] = 0.0
        tables.done[game] = False
        tables.illegal[game] = False
        tables.seat[game] = show(tables.states[game], tables.action_mask[game], tables.observation[game])


def step_games(tables: Any, terms: Any, games: Any, actions: Any, start: Any, stop: Any) -> None:
    """Play one action in each listed game; games that end are scored and, if so agreed, start anew."""
    number_of_actions = tables.action_mask.shape[1]
    for k in range(start, stop):
        game, action = games[k], actions[k]
        if tables.done[game]:
            tables.rewards[game, :] = 0.0
            tables.done[game] = False
            tables.illegal[game] = False
        if 0 <= action < number_of_actions and tables.action_mask[game, action] != 0:
            apply(tables.states[game], action)
            if tables.states[game].seat < 0:
                tables.done[game] = True
                finish(tables, terms, game)
        else:
            tables.done[game] = True
            tables.illegal[game] = True
            forfeit(tables, game)
        if tables.done[game] and terms.restart:
            begin(tables, game, next_seed(tables.seeds[game]))
        tables.seat[game] = show(tables.states[game], tables.action_mask[game], tables.observation[game])


def show_games(tables: Any, games: Any, start: Any, stop: Any) -> None:
    """Write observation, mask and seat of the listed games again, after their states were set from outside."""
    for k in range(start, stop):
        game = games[k]
        tables.seat[game] = show(tables.states[game], tables.action_mask[game], tables.observation[game])


def observe_seats(states: Any, games: Any, seats: Any, observations: Any, masks: Any) -> None:
    """What one seat sees of each listed game, whether it is to act or not, and what it could do if it were."""
    for k in range(games.size):
        state, seat = states[games[k]], int(seats[k])
        masks[k, :] = 0
        if state.seat >= 0:
            legal(state, seat, masks[k])
        observe(state, seat, observations[k])


def redraw_games(states: Any, games: Any, seats: Any, seeds: Any) -> None:
    """In each listed game draw anew, from a new stream, what the given seat cannot know."""
    for k in range(games.size):
        start_stream(states[games[k]], seeds[k])
        redraw_hidden(states[games[k]], seats[k])


# Compiled once per game.
LOOPS = (fill_seeds, find_problem, start_games, step_games, show_games, observe_seats, redraw_games)
