"""Duels: equilibria that are worked out from what pairs of choices are worth, and networks that say so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from card_envs.agents.checkpoint import CheckpointAgent, read_checkpoint
from card_envs.agents.duel import LEAST, Duel
from card_envs.agents.duel_worth import FIRST_PAIR, OTHERS, OWN, SAME
from card_envs.agents.equilibrium import FORGOTTEN
from card_envs.agents.network import Duelist, Mlp, probabilities, read_network
from card_envs.agents.symmetry import inputs_of
from card_envs.arena.match import play_match
from card_envs.core.batch import Batch
from card_envs.errors import CheckpointError
from card_envs.games import get_game
from tests.support.checkpoint_files import random_weights, write

GAME = "ku_ka_king"
Floats = NDArray[np.float32]


def rows_duel(hidden: tuple[tuple[int, int], ...] = ((5, 7), (4, 6)), rank: int = 2) -> Duel:
    """A network for the rows of Ku-Ka-King, which are alike."""
    game = get_game(GAME)
    assert game.symmetry is not None
    level = inputs_of(game.symmetry)
    assert level is not None
    inputs = tuple(np.r_[level.groups.reshape(-1), level.whole].tolist())
    legal = game.layout["available"].start
    return Duel(inputs, len(level.groups), 8, 8, hidden, rank, 60, legal, len(game.actions), bounded=True)


def plain_duel(choices: int, rank: int = 0, rounds: int = 1000, *, bounded: bool = False) -> Duel:
    """A network whose numbers are all alone, for as many choices as there are actions."""
    return Duel(tuple(range(3)), 0, choices, 1, (), rank, rounds, None, choices, bounded=bounded)


def table_duel(hidden: tuple[tuple[int, int], ...] = ((5, 7),), rank: int = 2) -> Duel:
    """The same for tables of up to four, where not all have to choose all the time."""
    waiting = get_game(GAME).layout["waiting"].start
    return replace(rows_duel(hidden, rank), seats=4, waiting=waiting)


def duelist() -> Duelist:
    return Duelist(rows_duel(), Mlp((16, 8), "relu"), get_game(GAME).layout["players"].start)


def positions(players: int, moves: int = 5) -> Batch:
    batch, rng = Batch(get_game(GAME), 70, players=players, seed=4), np.random.default_rng(1)
    for _ in range(moves):
        batch.step((batch.action_mask * (1 - rng.random(batch.action_mask.shape))).argmax(axis=1))
    return batch


def equilibrium(worth: Any) -> NDArray[np.float64]:
    """How likely each choice is where pairs are worth this: two choices, of which all is said by a, b, d, u and v."""
    table = np.array(worth, np.float64)
    size = len(table)
    outputs = np.zeros((1, FIRST_PAIR + 2 * size, size), np.float32)
    outputs[0, SAME] = np.diag(table)
    outputs[0, FIRST_PAIR : FIRST_PAIR + size] = np.eye(
        size
    )  # u of i is the i-th unit, v of j the worth of i against j
    outputs[0, FIRST_PAIR + size :] = table
    duel = plain_duel(size, rank=size)
    logits = duel.logits(outputs.reshape(1, -1), np.zeros(1, np.float32), np.zeros((1, 3), np.float32))
    return np.exp(logits[0].astype(np.float64))


@pytest.mark.parametrize(
    ("worth", "likely"),
    [
        ([[1, -1], [-1, 1]], [0.5, 0.5]),
        ([[2, -1], [-1, 1]], [0.4, 0.6]),
        ([[0, -1, 2], [1, 0, -1], [-2, 1, 0]], [0.25, 0.5, 0.25]),  # rock, paper, scissors, where rock counts double
        ([[3, 2], [1, 0]], [1.0, 0.0]),  # the first is better whatever the other does
        ([[5]], [1.0]),
    ],
)
def test_equilibria_of_small_games_are_found(worth: Any, likely: Any) -> None:
    np.testing.assert_allclose(equilibrium(worth), likely, atol=0.01)


def test_in_an_equilibrium_no_answer_gains_much() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        worth = rng.normal(size=(6, 6)).astype(np.float32)
        mine, theirs = equilibrium(worth), equilibrium(-worth.T)
        assert (worth @ theirs).max() - (mine @ worth).min() < 0.02


def test_what_pairs_are_worth_is_put_together_as_the_page_says() -> None:
    """a of the own choice less b of the other's, and d where both are the same: then one choice is always best."""
    outputs = np.zeros((2, FIRST_PAIR, 3), np.float32)
    outputs[0, OWN] = 0, 5, 0
    outputs[1, OTHERS] = 4, 4, 4  # whatever the other does
    outputs[1, SAME] = -1, -1, -2  # whoever is met loses something, and most at the last choice
    seen, values = np.zeros((2, 3), np.float32), np.zeros(2, np.float32)
    likely = np.exp(plain_duel(3).logits(outputs.reshape(2, -1), values, seen))
    np.testing.assert_allclose(likely, [[0, 1, 0], [0.4, 0.4, 0.2]], atol=0.01)


@pytest.mark.parametrize("value", [0.0, 0.7, -0.7])
def test_where_rewards_are_bounded_so_is_what_pairs_are_worth(value: float) -> None:
    """Whoever leads loses more by falling back than a little more could bring."""
    outputs, values = np.zeros((1, FIRST_PAIR, 2), np.float32), np.full(1, value, np.float32)
    outputs[0, SAME] = -1, -2
    seen = np.zeros((1, 3), np.float32)
    found = {bounded: plain_duel(2, bounded=bounded) for bounded in (False, True)}
    plain, bent = (np.exp(duel.logits(outputs.reshape(1, -1), values, seen)[0]) for duel in found.values())
    np.testing.assert_allclose(plain, [2 / 3, 1 / 3], atol=0.01)
    lost, worse, kept = np.tanh([value - 1, value - 2, value])
    even = (kept - worse) / ((kept - lost) + (kept - worse))
    np.testing.assert_allclose(bent, [even, 1 - even], atol=0.02)
    assert found[True].expected(values) == pytest.approx(np.tanh(value))
    assert found[False].expected(values) == value


def settled(numbers: Any, waiting: tuple[int, ...] = (1, 1, 1), ease: float = 0.05) -> NDArray[np.float64]:
    """How likely the own choices are at a table of three: by seat a, d, h, u and v of each of two choices."""
    outputs = np.array(numbers, np.float32).reshape(1, -1)
    duel = Duel((0, 1, 2), 0, 2, 1, (), 1, 1000, None, 2, bounded=True, seats=3, waiting=0, ease=ease)
    seen = np.array([waiting], np.float32)
    return np.exp(duel.logits(outputs, np.zeros(1, np.float32), seen)[0].astype(np.float64))


NOTHING, ALL = ((0, 0), (0, 0), (0, 0), (0, 0), (0, 0)), (1, 1, 1)


@pytest.mark.parametrize(
    ("numbers", "waiting", "likely"),
    [
        (NOTHING, ALL, (0.5, 0.5)),
        (((0, 1), *NOTHING[1:]), ALL, (0, 1)),  # what is better alone
        (((1, 0), (-2, -2), *NOTHING[2:]), (1, 0, 0), (1, 0)),  # nobody else has to choose, so nobody is met
        (((1, 0), (-2, -2), *NOTHING[2:]), (1, 1, 0), (0.75, 0.25)),  # each meets the other on what is better
    ],
)
def test_at_larger_tables_seats_answer_those_who_have_to_choose(numbers: Any, waiting: Any, likely: Any) -> None:
    np.testing.assert_allclose(settled([numbers] * 3, waiting), likely, atol=0.03)


def test_at_larger_tables_it_counts_once_that_others_make_the_same_choice() -> None:
    """And beside which other choices one's own is better: those of the third are bound to the second's."""
    first, fixed = ((0, 0), (-1, -1), *NOTHING[2:]), ((9, 0), (0, 0), (0, 0), (0, 0), (1, 1))
    # Two others are on the first choice for sure: that costs 1, and not 2.
    np.testing.assert_allclose(settled([((1.5, 0), *first[1:]), fixed, fixed]), (1, 0), atol=0.02)
    np.testing.assert_allclose(settled([((0.5, 0), *first[1:]), fixed, fixed]), (0, 1), atol=0.02)
    # Beside each of their first choices the own second one is worth u.v = 0.3 more.
    beside = (first[1], (0, 0), (0, 0.3), (0, 0))
    np.testing.assert_allclose(settled([((1.4, 0), *beside), fixed, fixed]), (0, 1), atol=0.02)
    np.testing.assert_allclose(settled([((1.8, 0), *beside), fixed, fixed]), (1, 0), atol=0.02)


@pytest.mark.parametrize("who", [0, 1])
def test_of_several_equilibria_the_one_that_seats_are_used_to_is_played(who: int) -> None:
    """Both want the first choice, and one of them is used to leave it to the other: each knows that of the other."""
    want = ((1, 0), (-2, -2), (0, 0), (0, 0), (0, 0))
    habits = [(*want[:2], (1.0, -1.0) if seat == who else (-1.0, 1.0), *want[3:]) for seat in range(2)]
    np.testing.assert_allclose(settled([*habits, NOTHING], (1, 1, 0)), (1 - who, who), atol=0.02)


def test_habits_are_left_for_what_is_worth_more() -> None:
    used = ((0, 0), (0, 0), (2, 0), (0, 0), (0, 0))
    for worth in (0.0, 0.1, 0.3):
        odds = np.divide(*settled([((0, worth), *used[1:]), NOTHING, NOTHING], ease=0.1))
        assert np.log(odds) == pytest.approx((1 - FORGOTTEN) * 2 - worth / 0.1, abs=1e-3)


def test_who_has_nothing_to_choose_is_not_asked() -> None:
    assert (settled([NOTHING] * 3, (0, 1, 1)) <= 2 * LEAST).all()


@pytest.mark.parametrize("hidden", [((5, 7), (4, 6)), ((0, 9),), ((6, 0),), ()])
@pytest.mark.parametrize("rank", [0, 2])
@pytest.mark.parametrize("form", [rows_duel, table_duel])
def test_compiled_it_is_what_the_weights_mean(form: Any, hidden: tuple[tuple[int, int], ...], rank: int) -> None:
    duel = form(hidden, rank)
    weights, seen = random_weights(GAME, duel), positions(2).observation.copy()
    outputs, values = duel.perceptron(weights)(seen)
    plain, plain_values = duel.outputs(weights, seen)
    np.testing.assert_allclose(outputs, plain, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(values, plain_values, rtol=1e-4, atol=1e-4)


def test_a_network_may_look_at_the_end_of_an_observation_alone() -> None:
    size = get_game(GAME).layout.size
    duel = Duel((size - 1, size - 3), 0, 8, 1, ((0, 4),), 1, 60, None, 9, bounded=True)
    weights, seen = random_weights(GAME, duel), positions(2).observation.copy()
    seen[:, size - 3 :] = np.random.default_rng(0).random((len(seen), 3))
    for ours, plain in zip(duel.perceptron(weights)(seen), duel.outputs(weights, seen), strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-4, atol=1e-4)


def test_a_choice_that_there_is_not_is_never_made() -> None:
    batch, network = positions(2), duelist()
    logits, _ = network.ready(random_weights(GAME, network), None)(batch.observation.copy())
    likely = probabilities(logits, batch.action_mask)
    np.testing.assert_allclose(np.exp(logits.astype(np.float64)).sum(axis=1), 1.0, atol=1e-4)
    assert (np.exp(logits.astype(np.float64))[batch.action_mask == 0] <= 2 * LEAST).all()
    np.testing.assert_allclose(likely.sum(axis=1), 1.0)


def test_rows_that_change_places_change_how_likely_they_are() -> None:
    # Weights by lot make numbers so large that all pairs would be worth 1 or -1, and many equilibria alike.
    game, network = get_game(GAME), Duelist(replace(rows_duel(), bounded=False))
    assert game.symmetry is not None
    order = np.array([3, 0, 2, 1, 5, 4, 6, 7])
    inputs, actions = game.symmetry.relabel(order)
    seen, run = positions(2).observation.copy(), network.ready(random_weights(GAME, network), game.symmetry)
    logits, values = run(seen)
    moved, same = run(np.ascontiguousarray(seen[:, inputs]))
    np.testing.assert_allclose(np.exp(moved), np.exp(logits[:, actions]), atol=2e-3)
    np.testing.assert_allclose(same, values, rtol=1e-4, atol=1e-5)


def test_at_other_tables_it_is_the_other_network() -> None:
    game, network = get_game(GAME), duelist()
    weights = random_weights(GAME, network)
    assert network.elsewhere is not None
    alone = network.elsewhere.ready(network.weights_elsewhere(weights), game.symmetry)
    run = network.ready(weights, game.symmetry)
    two, three = positions(2).observation.copy(), positions(3).observation.copy()
    for one, other in zip(run(three), alone(three), strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.abs(run(two)[0] - alone(two)[0]).max() > 0.1
    mixed = np.concatenate([two, three])[np.random.default_rng(0).permutation(len(two) + len(three))]
    for row in range(0, len(mixed), 17):  # whoever sits beside whom changes nothing
        for all_rows, one_row in zip(run(mixed), run(mixed[row : row + 1]), strict=True):
            np.testing.assert_array_equal(all_rows[row], one_row[0])


def test_a_checkpoint_of_it_plays_at_every_table(tmp_path: Any) -> None:
    network = duelist()
    path = tmp_path / "duelist.safetensors"
    write(path, game=GAME, weights=random_weights(GAME, network), network=network, players=(2, 3, 4))
    assert read_checkpoint(path, GAME).network == network
    for players in (2, 3, 4):
        line_up = [path, *["random"] * (players - 1)]
        assert play_match(GAME, line_up, games=20).points.shape == (20, players)
    agent, seen, weights = CheckpointAgent(path, GAME), positions(2).observation, random_weights(GAME, network)
    np.testing.assert_allclose(np.exp(agent.logits(seen)), np.exp(network.logits(weights, seen)), atol=5e-3)
    np.testing.assert_allclose(agent.values(seen), network.values(weights, seen), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(agent.logits(seen[0]), agent.logits(seen)[0])


def test_a_checkpoint_may_work_out_what_it_plays_at_every_table(tmp_path: Any) -> None:
    network = replace(duelist(), elsewhere=Duelist(replace(table_duel(), ease=100.0)))
    path, weights = tmp_path / "duelist.safetensors", random_weights(GAME, network)
    write(path, game=GAME, weights=weights, network=network, players=(2, 3, 4))
    assert read_checkpoint(path, GAME).network == network
    agent = CheckpointAgent(path, GAME)
    for players in (2, 3, 4):
        batch = positions(players)
        likely, logits = agent.probabilities(batch.observation, batch.action_mask), agent.logits(batch.observation)
        np.testing.assert_allclose(np.exp(logits), np.exp(network.logits(weights, batch.observation)), atol=5e-3)
        assert (likely[batch.action_mask == 0] == 0).all()
        assert play_match(GAME, [path, *["random"] * (players - 1)], games=20).points.shape == (20, players)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seats": 1}, "a duel cannot be read"),
        ({"seats": 10**6}, "a duel cannot be read"),
        ({"waiting": -1}, "a duel cannot be read"),
        ({"waiting": 10**4}, "its duel is not for"),
        ({"ease": 0.0}, "a duel cannot be read"),
        ({"ease": 1}, "a duel cannot be read"),
        ({"ease": float("nan")}, "a duel cannot be read"),
        ({"elsewhere": duelist().describe()}, "has another network for others again"),
        ({"rounds": 0}, "a duel cannot be read"),
        ({"rounds": 10**9}, "a duel cannot be read"),
        ({"rank": -1}, "a duel cannot be read"),
        ({"rank": True}, "a duel cannot be read"),
        ({"choices": 7}, "a duel cannot be read"),  # things are eight
        ({"inputs": [0, 0, 1]}, "a duel cannot be read"),
        ({"inputs": "all"}, "a duel cannot be read"),
        ({"hidden": [[4]]}, "a duel cannot be read"),
        ({"hidden": [[0, 0]]}, "a duel cannot be read"),
        ({"hidden": [[10**6, 1]]}, "a duel cannot be read"),
        ({"hidden": [[4096, 0]], "choices": 256, "things": 256, "groups": 0}, "a duel cannot be read"),
        ({"legal": -1}, "a duel cannot be read"),
        ({"legal": 10**4}, "its duel is not for"),
        ({"actions": 12}, "its duel is not for"),
        ({"groups": 10**3}, "a duel cannot be read"),
        ({"bounded": 1}, "a duel cannot be read"),
        ({"more": 1}, "a duel is described by"),
        ({"two": None}, "a duel has another network for other tables, or none"),
        ({"elsewhere": None}, "a duel has another network for other tables, or none"),
        ({"two": True}, "a duel has another network for other tables, or none"),
        ({"two": 60000}, "its duel looks at number 60000"),
        ({"elsewhere": {"kind": "mlp"}}, "an mlp has the sizes"),
    ],
)
def test_what_is_no_duel_is_refused(change: dict[str, Any], sentence: str) -> None:
    game = get_game(GAME)
    with pytest.raises(CheckpointError, match=sentence):
        read_network({**duelist().describe(), **change}).tensors(game.layout.size, len(game.actions))


def test_it_is_described_whole() -> None:
    network = duelist()
    assert read_network(network.describe()) == network
    alone = replace(network, elsewhere=None, two=None)
    assert read_network(alone.describe()) == alone
