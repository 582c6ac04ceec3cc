"""Information-set Monte Carlo tree search: it finds known answers, knows nothing secret, and follows from its lots."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import pytest
from numpy.typing import NDArray

import card_envs
from card_envs.agents.base import SearchPolicy, Thoughts
from card_envs.agents.positions import Positions
from card_envs.agents.random import RandomAgent
from card_envs.core import forest
from card_envs.core.batch import Batch
from card_envs.errors import OptionError
from card_envs.games import register_game, unregister_game
from tests.support import push_your_luck as luck
from tests.support.registered import GAMES, WITH_CHAMPION

TABLES = [(game, players) for game in GAMES for players in card_envs.get_game(game).players]
LOTS = np.random.default_rng(3).random(64)


@pytest.fixture
def small() -> Iterator[str]:
    game = register_game("tests.support.small_games")
    yield game.name
    unregister_game(game)


def think(batch: Batch, name: str, games: NDArray[np.int64] | None = None) -> Thoughts:
    agent = card_envs.load_agent(batch.game, name, players=batch.players)
    assert isinstance(agent, SearchPolicy)
    rows = np.arange(batch.num_games) if games is None else games
    return agent.think(Positions(batch, rows), LOTS[rows])


def same(one: Thoughts, other: Thoughts) -> bool:
    """Bit by bit."""
    return all(getattr(one, field.name).tobytes() == getattr(other, field.name).tobytes() for field in fields(one))


def positions_on_the_way(game: str, players: int, steps: int = 5) -> Iterator[Batch]:
    """Eight games, looked at now and then; in simultaneous choices with one, two and more choices made."""
    batch = card_envs.make_batch(game, 8, seed=5, players=players)
    dice = RandomAgent(5)
    for _ in range(steps):
        for _ in range(7):
            batch.step(dice.act(None, batch.action_mask))
        yield batch


def best_play() -> luck.Play:
    """Of both players: by making it better until nothing is left to be made better."""
    play = luck.BOT
    while (better := luck.improved(play)) != play:
        play = better
    return play


@pytest.mark.parametrize("model", ["random", "bot"])
def test_both_players_think_until_the_game_is_solved_and_more_playouts_come_nearer(model: str) -> None:
    batch, best = luck.batch_of_places(), best_play()
    values = luck.action_values(best)
    exact = np.array([[values[place, action] for action in (luck.DRAW, luck.STOP)] for place in luck.PLACES])
    lost, away = [], []
    for playouts in (8, 200, 10_000):
        thoughts = think(batch, f"ismcts(model={model}, playouts={playouts}, points=0)")
        chosen = exact[np.arange(len(exact)), thoughts.actions]
        lost.append(float((exact.max(axis=1) - chosen).mean()))
        away.append(float(np.abs(thoughts.values - exact.max(axis=1)).mean()))
    assert lost[0] > 2 * lost[2]
    assert lost[2] < 0.01
    assert away[0] > away[1] > away[2]
    assert away[2] < 0.05


def test_it_comes_near_the_mixed_equilibrium_of_a_simultaneous_choice(small: str) -> None:
    batch = card_envs.make_batch(small, 24, seed=1, auto_reset=False, rule="matching", reward="margin")
    away = []
    for playouts in (30, 1000, 30_000):
        shares = think(batch, f'ismcts(model="random", playouts={playouts}, points=0)').probabilities[:, 0]
        away.append(float(np.abs(shares - 0.4).mean()))
    assert away[0] > away[2]
    assert away[1] < 0.06
    assert away[2] < 0.03


def test_it_follows_a_hint_that_only_its_seat_sees(small: str) -> None:
    batch = card_envs.make_batch(small, 16, seed=2, auto_reset=False, rule="one_seat", players=3)
    batch.step(np.zeros(16, np.int64))
    thoughts = think(batch, 'ismcts(model="random", playouts=40)')
    assert (thoughts.actions == batch.states["hint"]).all()
    assert (thoughts.values > 0.5).all()


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_what_it_thinks_never_depends_on_what_its_seat_cannot_know(game: str, players: int) -> None:
    changed = 0
    for batch in positions_on_the_way(game, players):
        twin = batch.copy()
        twin.redraw_hidden(batch.seat.copy(), seed=11)
        changed += int((twin.states != batch.states).sum())
        for name in (
            'ismcts(model="random", playouts=20)',
            'ismcts(model="bot", others="random", others_think=false, playouts=5)',
        ):
            assert same(think(batch, name), think(twin, name))
    assert changed, "nothing was ever hidden, so nothing was checked"


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_worlds_drawn_from_an_imagined_position_are_those_drawn_from_any_other(game: str, players: int) -> None:
    """So it does not matter from which imagined position the playouts of a tree begin."""
    for batch in positions_on_the_way(game, players):
        one, other = (batch.imagine(np.arange(8), 1, seed, reopen=True) for seed in (5, 9))
        for worlds in (one, other):
            worlds.redraw_hidden(batch.seat.copy(), seed=3)
        assert one.states.tobytes() == other.states.tobytes()


@pytest.mark.parametrize("game", WITH_CHAMPION)
@pytest.mark.parametrize(
    "settings",
    [
        'model="champion", others="bot", playouts=12, depth=1',
        'model="champion", others="bot", playouts=20',
        'model="champion", others_think=false, playouts=9',
        'model="bot", others="champion", playouts=3',
        'model="champion", playouts=3, depth=0',
        'model="random", others="bot", playouts=9',
    ],
)
def test_models_of_all_kinds_sit_beside_each_other(game: str, settings: str) -> None:
    name = f"ismcts({settings})"
    for batch in positions_on_the_way(game, card_envs.get_game(game).players[0], 1):
        together = think(batch, name)
        legal = batch.action_mask != 0
        assert legal[np.arange(8), together.actions].all()
        assert together.playouts.any(axis=1)[legal.sum(axis=1) > 1].all()
        for row in (0, 5):
            alone = think(batch, name, np.array([row]))
            assert alone.actions[0] == together.actions[row]
            assert alone.action_values[0].tobytes() == together.action_values[row].tobytes()


@pytest.mark.parametrize("game", GAMES)
def test_any_budget_is_kept(game: str) -> None:
    for batch in positions_on_the_way(game, card_envs.get_game(game).players[0], 2):
        choice = (batch.action_mask != 0).sum(axis=1) > 1
        for playouts in (0, 1, 9):
            thoughts = think(batch, f'ismcts(model="bot", playouts={playouts})')
            assert (thoughts.playouts.sum(axis=1) == np.where(choice, playouts, 0)).all()
            assert (batch.action_mask[np.arange(8), thoughts.actions] != 0).all()


def test_a_million_playouts_and_trees_without_room(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = card_envs.make_batch(small, 1, seed=1, auto_reset=False, rule="matching")
    assert think(batch, 'ismcts(model="random", playouts=1000000)').playouts.sum() == 10**6
    monkeypatch.setattr(forest, "MOST_NODES", 7)
    batch = card_envs.make_batch("king_lui", 4, seed=1)
    assert (think(batch, 'ismcts(model="random", playouts=300)').playouts.sum(axis=1) == 300).all()


def test_it_thinks_for_a_number_of_seconds() -> None:
    batch = card_envs.make_batch("king_lui", 2, seed=1)
    thoughts = think(batch, 'ismcts(model="random", seconds=0.001)')
    assert (thoughts.playouts.sum(axis=1) > 0).all()


def test_it_beats_those_who_do_not_think() -> None:
    result = card_envs.play_match("ku_ka_king", ['ismcts(model="random", playouts=100)', "random"], games=30, seed=1)
    assert result.win_shares[0] > 0.8
    again = card_envs.play_match(
        "ku_ka_king", [card_envs.ismcts(model="random", playouts=100), "random"], games=4, seed=1
    )
    assert np.array_equal(result.points[:4], again.points)


@pytest.mark.parametrize("option", ["exploration=-1", "points=-0.5", "exploration=much", "actions=3", "others_think=2"])
def test_wrong_options_are_refused(option: str) -> None:
    with pytest.raises(OptionError):
        card_envs.load_agent("king_lui", f"ismcts({option})")


def fingerprint() -> str:
    """What it thinks of a few positions of each game."""
    digest = hashlib.sha256()
    for game in GAMES:
        batch = card_envs.make_batch(game, 2, seed=8)
        for _ in range(11):
            batch.step(RandomAgent(1).act(None, batch.action_mask))
        for name in ('ismcts(model="random", playouts=12)', 'ismcts(model="bot", playouts=5)'):
            thoughts = think(batch, name)
            digest.update(thoughts.playouts.tobytes() + thoughts.values.tobytes())
    return digest.hexdigest()


def test_it_thinks_the_same_in_plain_python_and_in_another_process() -> None:
    code = "from tests.unit.test_ismcts import fingerprint; print(fingerprint())"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == fingerprint()
