"""The engine: loops over many games, written once for all of them.

Each loop acts on the games listed in `games[start:stop]`, so that several agents can share a batch and several threads
can share a step. Nothing here knows a rule: `deal`, `legal`, `apply`, ... and `arrays_of`, which finds a batch's arrays
by its handle, stand for the functions of the game for which a copy of these loops is made. See core/loops.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from card_envs.core.chance import next_seed, start_stream

if TYPE_CHECKING:
    from card_envs.core.rules import apply, arrays_of, deal, legal, observe, redraw_hidden, score, take_back

ILLEGAL, NAMED_TWICE, NO_SUCH_GAME = 1, 2, 3  # why a step cannot be made
REASONS = 4
UNCHECKED, START = 0, -1  # instead of a step's mark


def begin(arrays: Any, game: Any, seed: Any) -> None:
    """Start one game from its seed."""
    arrays.seeds[game] = seed
    arrays.states[game] = arrays.template[0]
    state = arrays.states[game]
    start_stream(state, seed)
    deal(state)


def show(state: Any, mask: Any, observation: Any) -> Any:
    """Write the mask and observation of the seat to act, zeros in both once the game is over; returns the seat."""
    seat = int(state.seat)
    mask[:] = 0
    if seat >= 0:
        legal(state, seat, mask)
        observe(state, seat, observation)
    else:
        observation[:] = 0.0
    return seat


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


def reward_margin(points: Any, scale: Any, rewards: Any) -> None:
    """Own points less the mean of the others', over the game's scale."""
    players = points.size
    total = 0
    for player in range(players):
        total += points[player]
    for player in range(players):
        others = (total - points[player]) / (players - 1)
        rewards[player] = (points[player] - others) / scale


def finish(arrays: Any, game: Any) -> None:
    """Score a game that has just ended."""
    points, sheet, ranks = arrays.points[game], arrays.score_sheet[game], arrays.ranks[game]
    points[:] = 0
    sheet[:, :] = 0
    score(arrays.states[game], points, sheet)
    rank(points, sheet, arrays.tiebreak, ranks)
    if arrays.margin:
        reward_margin(points, arrays.margin_scale, arrays.rewards[game])
    else:
        reward_outcome(ranks, arrays.rewards[game])


def forfeit(arrays: Any, game: Any) -> None:
    """An illegal action loses the game: the offender gets the worst reward, the others share its opposite."""
    offender = int(arrays.states[game].seat)
    arrays.states[game].seat = -1
    players = arrays.ranks.shape[1]
    arrays.points[game, :] = 0
    arrays.score_sheet[game, :, :] = 0
    for player in range(players):
        arrays.ranks[game, player] = 1
        arrays.rewards[game, player] = -arrays.loss / (players - 1)
    arrays.ranks[game, offender] = players
    arrays.rewards[game, offender] = arrays.loss


def first_problem(arrays: Any, games: Any, actions: Any, start: Any, stop: Any, mark: Any) -> Any:
    """The first place at which a step cannot be made, times REASONS, plus the reason; -1 if all is well.

    Changes nothing but `moved`, in which the games of this step get this step's mark. Where an illegal action loses the
    game, it is not a problem unless the game is over.
    """
    number_of_games, number_of_actions = arrays.action_mask.shape
    for k in range(start, stop):
        game, action = games[k], actions[k]
        if game < 0 or game >= number_of_games:
            return k * REASONS + NO_SUCH_GAME
        if arrays.moved[game] == mark:
            return k * REASONS + NAMED_TWICE
        arrays.moved[game] = mark
        if action < 0 or action >= number_of_actions or arrays.action_mask[game, action] == 0:
            if not arrays.lose_on_illegal or arrays.seat[game] < 0:
                return k * REASONS + ILLEGAL
    return -1


def find_problem(handle: Any, games: Any, actions: Any, start: Any, stop: Any, mark: Any) -> Any:
    """`first_problem` by itself, for steps that several threads share afterwards."""
    return first_problem(arrays_of(handle), games, actions, start, stop, mark)


def move_games(handle: Any, games: Any, moves: Any, start: Any, stop: Any, mark: Any) -> Any:
    """Start the listed games, or play one action in each; games that end are scored and, if so agreed, start anew.

    With START for a mark, `moves` are seeds, and the games start from them, whatever they were at; -1 is the seed that
    follows the game's own. Else they are actions: with a mark above 0 the step is checked whole before anything moves,
    and what `first_problem` finds is returned; with 0 whoever calls has done so. One loop for both, because dealing,
    legality and observations are most of what is compiled, and are needed for both.
    """
    arrays = arrays_of(handle)
    if mark > 0:
        problem = first_problem(arrays, games, moves, start, stop, mark)
        if problem >= 0:
            return problem
    number_of_actions = arrays.action_mask.shape[1]
    for k in range(start, stop):
        game, move = games[k], moves[k]
        begins, seed = mark == START, move
        if begins or arrays.done[game]:
            arrays.rewards[game, :] = 0.0
            arrays.done[game] = False
            arrays.illegal[game] = False
        if begins:
            if seed < 0:
                seed = next_seed(arrays.seeds[game])
        else:
            if 0 <= move < number_of_actions and arrays.action_mask[game, move] != 0:
                apply(arrays.states[game], move)
                if arrays.states[game].seat < 0:
                    arrays.done[game] = True
                    finish(arrays, game)
            else:
                arrays.done[game] = True
                arrays.illegal[game] = True
                forfeit(arrays, game)
            if arrays.done[game] and arrays.restart:
                begins, seed = True, next_seed(arrays.seeds[game])
        if begins:
            begin(arrays, game, seed)
        arrays.seat[game] = show(arrays.states[game], arrays.action_mask[game], arrays.observation[game])
    return -1


def show_games(handle: Any, games: Any, start: Any, stop: Any) -> None:
    """Write observation, mask and seat of the listed games again, after their states were set from outside."""
    arrays = arrays_of(handle)
    for k in range(start, stop):
        game = games[k]
        arrays.seat[game] = show(arrays.states[game], arrays.action_mask[game], arrays.observation[game])


def observe_seats(handle: Any, games: Any, seats: Any, observations: Any, masks: Any) -> None:
    """What one seat sees of each listed game, whether it is to act or not, and what it could do if it were."""
    arrays = arrays_of(handle)
    for k in range(games.size):
        state, seat = arrays.states[games[k]], int(seats[k])
        masks[k, :] = 0
        if state.seat >= 0:
            legal(state, seat, masks[k])
        observe(state, seat, observations[k])


def redraw_games(handle: Any, games: Any, seats: Any, seeds: Any, reopen: Any) -> None:
    """In each listed game draw anew, from a new stream, what the given seat cannot know.

    With `reopen`, a simultaneous choice under way begins again: nobody has chosen.
    """
    arrays = arrays_of(handle)
    for k in range(games.size):
        start_stream(arrays.states[games[k]], seeds[k])
        redraw_hidden(arrays.states[games[k]], seats[k])
        if reopen:
            take_back(arrays.states[games[k]])


HELPERS = (begin, show, rank, reward_outcome, reward_margin, finish, forfeit, first_problem)
