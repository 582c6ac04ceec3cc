"""What agents think of a finished game: from what each seat knew, beside a second agent, with costs that make sense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.agents.opinions import ask_opinion
from card_envs.agents.positions import Positions
from card_envs.arena import analysis as module
from card_envs.arena.analysis import BY_SEARCH, Analysis
from tests.support.registered import GAMES, opponent
from tests.support.tournaments import First


def played(game: str, seed: int = 3) -> tuple[Any, list[tuple[int, int]]]:
    """A game of random players: its start and its moves."""
    start = card_envs.make_batch(game, 1, seed=seed, auto_reset=False)
    batch, rng, moves = start.copy(), np.random.default_rng(seed), []
    while batch.seat[0] >= 0:
        action = int(rng.choice(np.flatnonzero(batch.action_mask[0])))
        moves.append((int(batch.seat[0]), action))
        batch.step_one(action)
    return start, moves


@pytest.mark.parametrize("game", GAMES)
def test_every_choice_is_seen_by_both_and_costs_nothing_where_it_was_the_best(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PLAYOUTS", 40)
    start, moves = played(game)
    agent = card_envs.load_agent(game, opponent(game))
    acting = [agent, *[None] * (start.players - 1)]
    found = Analysis(start, moves, acting, agent)
    for _ in found.steps():
        pass
    assert found.done == found.of
    assert found.thinks, "moves are tried out in imagined games, which take turns with others"
    for who in ("acting", "second"):
        assert found.opinions[who].probabilities.sum(axis=1) == pytest.approx(np.ones(len(moves)))
    costs = []
    for move, (seat, action) in enumerate(moves):
        if seat == 0:
            assert found.disagreement(move) == pytest.approx(0, abs=0.15), "the same agent, by lot"
        else:
            chosen = found.opinions["second"].probabilities[move, action]
            assert found.disagreement(move) == pytest.approx(1 - chosen), "a person's choice is certain"
        if (cost := found.cost(move)) is not None:
            assert cost.how == BY_SEARCH
            assert cost.cost >= 0
            costs.append((cost.cost, -move))
    assert costs
    assert found.costliest() == (-max(costs)[1] if max(costs)[0] > 0 else None)
    widest = found.widest()
    assert widest is not None
    assert found.disagreement(widest) == max(found.disagreement(move) for move in range(len(moves)))
    curve = found.curve("second", moves[-1][0])
    assert curve[-1] == (len(moves), pytest.approx(float(found.result[moves[-1][0]])))


@pytest.mark.parametrize("game", GAMES)
def test_opinions_and_costs_do_not_depend_on_what_the_seat_cannot_know(game: str) -> None:
    start, moves = played(game, seed=5)
    agents = ["random", f"rollout(model={opponent(game)}, playouts=8)"]
    agents += ["champion"] if card_envs.get_game(game).champion else []
    loaded = [card_envs.load_agent(game, agent, players=start.players) for agent in agents]
    batch = start.copy()
    for number, (seat, action) in enumerate(moves):
        if number % 7 == 0:
            redrawn = batch.copy()
            redrawn.redraw_hidden(seat, seed=number)
            for agent in loaded:
                one, other = (ask_opinion(agent, Positions(world, np.array([0]))) for world in (batch, redrawn))
                for name in ("probabilities", "values", "action_values"):
                    assert np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
        batch.step_one(action)


def test_an_agent_that_only_acts_is_asked_many_times() -> None:
    batch = card_envs.make_batch("king_lui", 2, seed=1)
    found = ask_opinion(First(), Positions(batch, np.array([0, 1])))
    assert found.probabilities.max(axis=1).tolist() == [1, 1]
    assert np.isnan(found.values).all()
    even = ask_opinion(card_envs.load_agent("king_lui", "random"), Positions(batch, np.array([0, 1])))
    assert even.probabilities[0] == pytest.approx(batch.action_mask[0] / batch.action_mask[0].sum())


def test_a_blunder_is_the_costliest_move() -> None:
    """In King Lui drawing by lot from the first move on is worth less than what the bot would do: costs add up."""
    start, moves = played("king_lui", seed=8)
    bot = card_envs.load_agent("king_lui", "bot")
    found = Analysis(start, moves, [None] * start.players, bot)
    for _ in found.steps():
        pass
    worst = found.costliest()
    assert worst is not None
    cost = found.cost(worst)
    assert cost is not None
    assert cost.cost > 0.3
    values = found.opinions["second"].action_values[worst]
    assert values[moves[worst][1]] == pytest.approx(np.nanmax(values) - cost.cost)
