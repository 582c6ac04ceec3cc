"""Networks as they are calculated fast: the same as what their weights mean, row by row, in groups or not."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from card_envs.agents.checkpoint import CheckpointAgent, perceptron_of, save_checkpoint
from card_envs.agents.network import Duelist, Mlp
from card_envs.agents.perceptron import Perceptron
from card_envs.agents.symmetry import fits, plain_plan, tied_plan, ties_of
from card_envs.core.game import Game, Symmetry
from card_envs.games import game_names, get_game

FORMS = [
    Mlp((48, 32), "relu"),
    Mlp((17, 9, 5), "tanh"),
    Mlp((1,), "relu"),
    Mlp((), "tanh"),
    Mlp((48, 32), "relu", 0.5),
    Mlp((20, 8), "relu", 0.0),
]


def some_weights(game: Game, mlp: Mlp, tied: bool) -> dict[str, NDArray[np.float32]]:
    """Weights by lot, tied or not."""
    shapes = mlp.tensors(game.layout.size, len(game.actions))
    row = np.random.default_rng(1).normal(size=sum(int(np.prod(shape)) for shape in shapes.values())).astype(np.float32)
    if tied:
        assert game.symmetry is not None
        row = row[ties_of(game.symmetry, mlp.hidden, mlp.grouped).representatives]
    weights, start = {}, 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        weights[name] = row[start : start + size].reshape(shape)
        start += size
    return weights


def plan_of(game: Game, mlp: Mlp, weights: Any) -> Any:
    return mlp.ready(weights, game.symmetry).plan


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("mlp", FORMS, ids=str)
@pytest.mark.parametrize("name", game_names())
def test_it_is_what_the_weights_mean(name: str, mlp: Mlp, tied: bool) -> None:
    game = get_game(name)
    weights = some_weights(game, mlp, tied)
    network = mlp.ready(weights, game.symmetry)
    observation = np.random.default_rng(0).random((200, game.layout.size), np.float32)
    logits, values = network(observation)
    np.testing.assert_allclose(logits, mlp.logits(weights, observation), rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(values, mlp.values(weights, observation), rtol=1e-3, atol=1e-2)
    assert (network.plan.things > 1) == (tied and bool(mlp.hidden))
    assert logits.std() > 0.1


@pytest.mark.parametrize("name", game_names())
def test_a_row_does_not_depend_on_the_rows_beside_it(name: str) -> None:
    game = get_game(name)
    network = FORMS[0].ready(some_weights(game, FORMS[0], True), game.symmetry)
    observation = np.random.default_rng(0).random((150, game.layout.size), np.float32)
    logits, values = network(observation)
    for rows in (slice(3, 4), slice(60, 77), slice(149, 150), slice(0, 65)):
        some_logits, some_values = network(observation[rows])
        assert some_logits.tobytes() == logits[rows].tobytes()
        assert some_values.tobytes() == values[rows].tobytes()
    assert network(observation[:0])[0].shape == (0, len(game.actions))


@pytest.mark.parametrize("name", game_names())
def test_one_weight_out_of_line_and_nothing_is_calculated_in_groups(name: str) -> None:
    game, mlp = get_game(name), Mlp((32, 32), "relu")
    assert game.symmetry is not None
    weights = some_weights(game, mlp, True)
    assert plan_of(game, mlp, weights) is tied_plan(game.symmetry, mlp.hidden, mlp.grouped)
    weights["body.1.weight"] = weights["body.1.weight"].copy()
    weights["body.1.weight"][0, 1] += 1.0
    plain = plain_plan(game.layout.size, mlp.hidden, len(game.actions))
    assert plan_of(game, mlp, weights) is plain
    observation = np.random.default_rng(0).random((20, game.layout.size), np.float32)
    found = mlp.ready(weights, game.symmetry)(observation)[0]
    np.testing.assert_allclose(found, mlp.logits(weights, observation), rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("name", game_names())
def test_groups_save_most_of_the_products(name: str) -> None:
    game, hidden = get_game(name), (128, 128)
    assert game.symmetry is not None
    tied, plain = tied_plan(game.symmetry, hidden), plain_plan(game.layout.size, hidden, len(game.actions))
    assert tied is not None
    products = [
        sum(
            before * after * plan.things + (before + whole) * (after + others)
            for before, whole, after, others in plan.sizes
        )
        for plan in (tied, plain)
    ]
    assert 3 * products[0] < products[1]


def test_the_champions_are_calculated_in_groups() -> None:
    for name in game_names():
        game = get_game(name)
        if game.champion is not None:
            agent = CheckpointAgent(game.champion, game)
            network: Any = agent.checkpoint.network
            while isinstance(network, Duelist):
                assert network.duel.plan.things > 1
                network = network.elsewhere
            if network is not None:
                others = CheckpointAgent(perceptron_of(agent.checkpoint), game).run
                assert isinstance(others, Perceptron)
                assert others.plan.things > 1
                assert agent.checkpoint.network is not network or agent.run.is_like(others)


def test_a_network_that_comes_from_another_process_is_the_same() -> None:
    game = get_game("king_lui")
    network = FORMS[0].ready(some_weights(game, FORMS[0], True), game.symmetry)
    other = FORMS[0].ready(some_weights(game, FORMS[0], False), game.symmetry)
    numbers = network.numbers.copy()
    numbers.flags.writeable = False  # as what Ray hands over
    twin = pickle.loads(pickle.dumps(network.with_numbers(numbers)))
    observation = np.random.default_rng(0).random((20, game.layout.size), np.float32)
    assert twin(observation)[0].tobytes() == network(observation)[0].tobytes()
    assert twin.is_like(network)
    assert not twin.is_like(other)


def test_inputs_that_stand_for_two_things_at_once_are_calculated_one_by_one() -> None:
    """A game of another package may say anything: here an input for each pair of three things."""
    pairs = [(0, 1), (0, 2), (1, 2)]

    def relabel(order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        places = [pairs.index(tuple(sorted((int(order[a]), int(order[b]))))) for a, b in pairs]  # type: ignore[arg-type]
        ordered = [2 * order[thing] + side for thing in range(3) for side in range(2)]
        return np.array([*places, 3, 4, *(5 + np.array(ordered))]), order

    symmetry, mlp = Symmetry(3, relabel), Mlp((12,), "relu")
    classes = ties_of(symmetry, mlp.hidden).classes
    shapes = mlp.tensors(11, 3)
    row = np.random.default_rng(0).normal(size=classes.max() + 1).astype(np.float32)[classes]
    pieces = np.split(row, np.cumsum([int(np.prod(shape)) for shape in shapes.values()])[:-1])
    weights = {name: piece.reshape(shape) for (name, shape), piece in zip(shapes.items(), pieces, strict=True)}
    assert fits(row, symmetry, mlp.hidden)
    network = mlp.ready(weights, symmetry)
    observation = np.random.default_rng(1).random((40, 11), np.float32)
    np.testing.assert_allclose(network(observation)[0], mlp.logits(weights, observation), rtol=1e-4, atol=1e-4)


def test_players_too_large_to_be_calculated_play_legally(tmp_path: Any) -> None:
    game, mlp = get_game("king_lui"), Mlp((16,), "relu")
    weights = {
        name: np.full(shape, 3e38, np.float32)
        for name, shape in mlp.tensors(game.layout.size, len(game.actions)).items()
    }
    save_checkpoint(tmp_path / "huge.safetensors", game, weights, mlp, players=(3,))
    agent = CheckpointAgent(tmp_path / "huge.safetensors", game)
    mask = np.zeros((5, len(game.actions)), np.int8)
    mask[:, [2, 9]] = 1
    observation = np.random.default_rng(0).random((5, game.layout.size), np.float32)
    lots = np.array([0.0, 0.3, 0.6, 0.9, 0.999999])
    for one in (agent, CheckpointAgent(tmp_path / "huge.safetensors", game, greedy=True)):
        assert set(one.act_with_lots(observation, mask, lots).tolist()) <= {2, 9}
    assert np.isfinite(agent.values(observation)).all()


@pytest.mark.parametrize("options", [{}, {"greedy": True}, {"temperature": 0.5}])
def test_what_it_does_is_what_it_thinks(options: dict[str, Any]) -> None:
    game = get_game("king_lui")
    assert game.champion is not None
    agent, rng = CheckpointAgent(game.champion, game, **options), np.random.default_rng(0)
    mask = (rng.random((1, len(game.actions))) < 0.3).astype(np.int8)
    observation = rng.random((1, game.layout.size), np.float32) / 4
    lots = (np.arange(20_000) + 0.5) / 20_000
    rows = [np.repeat(one, len(lots), axis=0) for one in (observation, mask)]
    shares = np.bincount(agent.act_with_lots(*rows, lots), minlength=len(game.actions)) / len(lots)
    np.testing.assert_allclose(shares, agent.probabilities(observation, mask)[0], atol=1e-4)
