"""Exact best responses: what is known of small games comes out, OpenSpiel agrees, and the rules are those of play."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.agents.seating import Seating
from card_envs.arena.exact import best_response
from card_envs.core.batch import Batch
from card_envs.core.chance import below, draw_card
from card_envs.core.game import Game
from card_envs.core.plain import Branches, PlainCopies
from card_envs.errors import OptionError
from card_envs.games import get_game
from tests.support import push_your_luck, small_games, tiny_game
from tests.support.explicit_trees import ExplicitTree, Mixed
from tests.support.push_your_luck import DRAW, STOP, Play, action_values
from tests.support.registered import GAMES

SMALL = [
    (tiny_game.GAME, {"players": 2}),
    (tiny_game.GAME, {"players": 3}),
    (push_your_luck.GAME, {}),
    (small_games.GAME, {"rule": "matching"}),
    (small_games.GAME, {"rule": "luck"}),
    (small_games.GAME, {"rule": "one_seat", "players": 3}),
]


def test_who_keeps_always_is_in_equilibrium_and_random_is_not() -> None:
    assert best_response(tiny_game.GAME, "bot").exploitability == 0.0
    assert best_response(tiny_game.GAME, "random").shares == (0.75, 0.75)  # keeps; a tie half of the time
    three = best_response(tiny_game.GAME, "random", players=3)
    assert three.win_share == pytest.approx(1 / 4 + 2 / 4 / 2 + 1 / 4 / 3)


def test_a_response_knows_the_policy_but_not_the_choice() -> None:
    assert best_response(small_games.GAME, "random", rule="matching").exploitability == pytest.approx(0.0)
    assert best_response(small_games.GAME, "bot", rule="matching").shares == (1.0, 1.0)
    hint = best_response(small_games.GAME, "random", rule="one_seat", players=3)
    assert hint.shares == pytest.approx((1 / 6, 1.0, 1 / 6))  # only seat 1 sees it


@pytest.mark.parametrize(("agent", "other"), [("bot", push_your_luck.BOT), ("random", push_your_luck.RANDOM)])
def test_push_your_luck_is_solved_as_by_its_own_tables(agent: str, other: Play) -> None:
    found = best_response(push_your_luck.GAME, agent)
    for seat in (0, 1):
        play = dict(other)
        for _ in range(20):  # of policy iteration, on the places of one seat
            values = action_values(play)
            mine = [place for place in play if place[0] == seat]
            play |= {place: float(values[place, DRAW] > values[place, STOP]) for place in mine}
        values, start = action_values(play), (0, 0, 0)
        first = play[start] * values[start, DRAW] + (1 - play[start]) * values[start, STOP]
        assert found.shares[seat] == pytest.approx((1 + (first if seat == 0 else -first)) / 2)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("game", "options"), SMALL)
def test_open_spiel_agrees(game: Game, options: dict[str, Any], seed: int, tmp_path: Path) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.exploitability import nash_conv
    from open_spiel.python.policy import TabularPolicy

    tree, agent = ExplicitTree(game, **options), Mixed(seed)
    theirs = pyspiel.load_game("efg_game", {"filename": str(tree.write(tmp_path / "game.efg"))})
    policy = TabularPolicy(theirs)
    for row, state in enumerate(policy.states):
        number = int(state.information_state_string().split("-")[2])
        observation, mask = tree.looks[state.current_player(), number]
        likely = agent.probabilities(observation[None], mask[None])[0]
        for place in state.legal_actions():
            policy.action_probability_array[row, place] = likely[int(state.action_to_string(place))]
    found = nash_conv(theirs, policy, return_only_nash_conv=False)
    ours = best_response(game, agent, **options)
    gains = np.subtract(ours.shares, ours.own_shares)
    assert gains == pytest.approx(found.player_improvements, abs=1e-9)
    assert ours.exploitability == pytest.approx(found.nash_conv / len(gains), abs=1e-9)
    assert ours.exploitability > 0.01


@pytest.mark.parametrize("name", GAMES)
def test_rules_that_branch_lead_where_the_engine_goes(name: str) -> None:
    """Whatever chance does in a game, it is one of the branches; what is seen and legal is the same."""
    game, rng = get_game(name), np.random.default_rng(3)
    batch = Batch(game, 1, seed=4, auto_reset=False)
    branches = Branches()
    copies = PlainCopies(branches)
    apply, observe, legal = copies.of(game.rules.apply), copies.of(game.observe), copies.of(game.rules.legal)
    branched = 0
    for _ in range(60):
        before = batch.states[0].tobytes()
        state, seat = record(game, before), int(batch.seat[0])
        seen, mask = np.zeros(game.layout.size, np.float32), np.zeros(len(game.actions), np.int8)
        observe(state, seat, seen)
        legal(state, seat, mask)
        assert (seen == batch.observation[0]).all()
        assert (mask == batch.action_mask[0]).all()
        action = int(rng.choice(np.flatnonzero(mask)))

        def play(before: bytes = before, action: int = action) -> bytes:
            state = record(game, before)
            apply(state, action)
            return without_stream(state)

        found = list(islice(branches.outcomes(play), MANY))
        batch.step(np.array([action]))
        if len(found) < MANY:
            assert without_stream(record(game, batch.states[0].tobytes())) in dict(found)
            assert sum(likely for _, likely in found) == pytest.approx(1.0)
            branched += len(found) > 1
        if batch.done[0]:
            batch.reset(None)
    assert branched or game.simultaneous  # whose chance is in whole rows of cards, too many to go through here


MANY = 200


def record(game: Game, data: bytes) -> Any:
    return np.frombuffer(bytearray(data), game.record).view(np.recarray)[0]


def without_stream(state: Any) -> bytes:
    state.stream = 0
    return bytes(state.tobytes())


def test_late_positions_of_a_real_game_are_worth_what_playing_them_brings() -> None:
    game, rng = get_game("king_lui"), np.random.default_rng(1)
    batch = Batch(game, 1, seed=0, auto_reset=False)
    positions = []
    for seed in range(5):  # before the last decision of games by lot
        batch.reset(seed)
        while not batch.done[0]:
            last = batch.states.copy()
            batch.step(np.array([rng.choice(np.flatnonzero(batch.action_mask[0]))]))
        positions.append(last)
    late = np.concatenate(positions)
    exact = best_response(game, "random", start=late)
    many = Batch(game, 4000, seed=1, auto_reset=False)
    streams = many.states["stream"].copy()
    many.states[:] = np.tile(late, 800)
    many.states["stream"] = streams
    many.show()
    seating = Seating(many)
    seating.sit_down(["random"] * many.players)
    seating.start_lots(np.arange(4000))
    seating.play_on(np.arange(4000))
    first = many.ranks == 1
    shares = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    assert np.abs(shares - exact.own_shares).max() < 0.04  # five standard errors at most
    assert sum(exact.own_shares) == pytest.approx(1.0)
    assert all(best >= own - 1e-12 for best, own in zip(exact.shares, exact.own_shares, strict=True))
    assert exact.exploitability > 0


@pytest.mark.parametrize("name", GAMES)
def test_what_is_too_large_is_refused_in_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("card_envs.arena.exact.MOST_POSITIONS", 200)
    with pytest.raises(OptionError, match=r"more than 200 positions .* card-envs exploit"):
        best_response(name, "random")


def test_an_agent_that_does_not_say_how_likely_is_refused() -> None:
    with pytest.raises(OptionError, match="does not say how likely"):
        best_response("zum_kuhkuck", "search(playouts=2)")


def test_branches_have_the_odds_of_the_cards() -> None:
    branches = Branches()
    copies = PlainCopies(branches)

    def play() -> tuple[int, int]:
        counts = np.array([3, 0, 1])
        return copies.of(draw_card)(None, counts, 4), copies.of(below)(None, 2)

    found = dict(branches.outcomes(play))
    assert found == {(0, 0): 0.375, (0, 1): 0.375, (2, 0): 0.125, (2, 1): 0.125}
