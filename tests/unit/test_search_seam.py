"""Agents that search: what they are handed, and that it tells them nothing that their seat does not know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import card_envs
from card_envs.agents import SearchAgent
from card_envs.agents.positions import Positions
from card_envs.agents.random import RandomAgent
from card_envs.agents.seating import Seating
from card_envs.errors import GameOverError

GAMES = card_envs.game_names()
WORLDS = 8


class OneStep:
    """Plays the legal action after which random players win most, in worlds that it imagines."""

    name = "one step"

    def act(self, observation: NDArray[Any], action_mask: NDArray[Any]) -> NDArray[np.int64]:
        raise AssertionError("an agent that searches is asked to search")

    def search(self, positions: Positions, lots: NDArray[np.float64]) -> NDArray[np.int64]:
        chosen = np.empty(len(positions), np.int64)
        for row in range(len(positions)):
            worlds = positions.imagine(WORLDS, int(lots[row] * 2**32))
            mine = np.arange(row * WORLDS, (row + 1) * WORLDS)
            shares = {}
            for action in np.flatnonzero(positions.action_mask[row]):
                tried = worlds.copy()
                tried.step(np.full(WORLDS, action), mine)
                dice = RandomAgent(7)
                while (going := mine[tried.seat[mine] >= 0]).size:
                    tried.step(dice.act(None, tried.action_mask[going]), going)
                shares[int(action)] = float((tried.ranks[mine, positions.seat[row]] == 1).mean())
            chosen[row] = max(shares, key=lambda action: shares[action])
        return chosen


@pytest.mark.parametrize("game", GAMES)
def test_a_searcher_plays_legally_and_beats_random(game: str) -> None:
    agent = OneStep()
    assert isinstance(agent, SearchAgent)
    others = ["random"] * (card_envs.get_game(game).players[0] - 1)
    result = card_envs.play_match(game, [agent, *others], games=24, seed=1)
    assert result.win_shares[0] > 1.2 / (1 + len(others))
    again = card_envs.play_match(game, [agent, *others], games=24, seed=1)
    assert np.array_equal(result.points, again.points), "the same lots, the same choices"


@pytest.mark.parametrize("game", GAMES)
def test_what_a_searcher_does_never_depends_on_what_its_seat_cannot_know(game: str) -> None:
    batch = card_envs.make_batch(game, 12, seed=5, auto_reset=False)
    dice = RandomAgent(5)
    changed = 0
    for _ in range(6):
        batch.step(dice.act(None, batch.action_mask))
        twin = batch.copy()
        twin.redraw_hidden(batch.seat.copy(), seed=11)
        changed += int((twin.states != batch.states).sum())
        choices = []
        for one in (batch, twin):
            seating = Seating(one)
            seating.sit_down([OneStep()] * one.players)
            seating.start_lots(np.arange(12), np.arange(12))
            choices.append([seating.choose_for(number) for number in range(12)])
        assert choices[0] == choices[1]
    assert changed, "nothing was ever hidden, so nothing was checked"


def test_imagined_games_know_neither_the_seed_nor_the_chance_to_come() -> None:
    batch = card_envs.make_batch("zum_kuhkuck", 2, seed=3, auto_reset=False)
    for _ in range(4):
        batch.step([0, 0])
    one, other = batch.imagine([0, 1], 3, seed=9), batch.imagine([0, 1], 3, seed=10)
    assert one.num_games == 6
    assert len(set(one.states["stream"].tolist())) == 6, "each world has chance of its own"
    assert not set(one.states["stream"].tolist()) & {*batch.states["stream"].tolist(), *other.states["stream"].tolist()}
    assert not set(one.seeds.tolist()) & set(batch.seeds.tolist())
    batch.forfeit(0, 0)
    with pytest.raises(GameOverError):
        batch.imagine([0], 1, seed=0)
