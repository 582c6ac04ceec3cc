"""Checkpoints: loaded without torch and without running code, and the same player wherever they lie."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.agents.base import Agent, LotsAgent, Policy
from card_envs.agents.checkpoint import CheckpointAgent, read_checkpoint, save_checkpoint
from card_envs.agents.network import Mlp, probabilities
from card_envs.agents.random import RandomAgent
from tests.support.checkpoint_files import NETWORK, random_weights, write


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return write(tmp_path / "player.safetensors")


@pytest.mark.parametrize("game", card_envs.game_names())
def test_a_checkpoint_plays_legally_at_every_table(game: str, tmp_path: Path) -> None:
    path = write(tmp_path / "player.safetensors", game)
    for players in card_envs.get_game(game).players:
        result = card_envs.play_match(game, [str(path)] * players, games=20, seed=1)
        again = card_envs.play_match(game, [str(path)] * players, games=20, seed=1)
        assert (result.points == again.points).all(), "the same seed gives the same match"


def test_metadata_come_back_as_they_were_saved(checkpoint: Path) -> None:
    read = read_checkpoint(checkpoint, card_envs.get_game("king_lui"), 4)
    assert (read.game, read.version, read.step, read.parent) == ("king_lui", 0, 12, "abc")
    assert (read.network, read.players, read.options) == (NETWORK, (3, 4, 5), {})
    assert len(read.content_hash) == 64
    for name, array in random_weights("king_lui").items():
        assert (read.weights[name] == array).all()
        assert not read.weights[name].flags.writeable


def test_a_game_can_be_given_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "named.safetensors"
    save_checkpoint(path, "king_lui", random_weights("king_lui"), NETWORK, players=[3])
    assert read_checkpoint(path, "king_lui").players == (3,)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_network_is_the_one_that_torch_would_run(activation: str) -> None:
    torch = pytest.importorskip("torch")
    network = Mlp((32, 16), activation)
    weights, inputs = random_weights("king_lui", network), card_envs.get_game("king_lui").layout.size
    layer = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[activation]
    body = torch.nn.Sequential(
        torch.nn.Linear(inputs, 32), layer(), torch.nn.Linear(32, 16), layer(), torch.nn.Linear(16, 39)
    )
    names = ("body.0", "body.1")
    with torch.no_grad():
        for name, linear in zip(names, (body[0], body[2]), strict=True):
            linear.weight.copy_(torch.from_numpy(weights[f"{name}.weight"]))
            linear.bias.copy_(torch.from_numpy(weights[f"{name}.bias"]))
        for part in ("weight", "bias"):
            heads = np.concatenate([weights[f"policy.{part}"], weights[f"value.{part}"]])
            getattr(body[4], part).copy_(torch.from_numpy(heads))
        observation = np.random.default_rng(1).random((50, inputs), np.float32)
        expected = body(torch.from_numpy(observation)).numpy()
    assert np.abs(network.logits(weights, observation) - expected[:, :38]).max() < 1e-5
    assert np.abs(network.values(weights, observation) - expected[:, 38]).max() < 1e-5


def test_actions_are_drawn_by_the_policys_probabilities_and_never_illegal(checkpoint: Path) -> None:
    agent = CheckpointAgent(checkpoint, card_envs.get_game("king_lui"), seed=3)
    batch = card_envs.make_batch("king_lui", 1, seed=0)
    observation = np.repeat(batch.observation, 20_000, axis=0)
    mask = np.repeat(batch.action_mask, 20_000, axis=0)
    shares = np.bincount(agent.act(observation, mask), minlength=38) / 20_000
    expected = agent.probabilities(batch.observation, batch.action_mask)[0]
    assert np.abs(shares - expected).max() < 0.02
    assert shares[batch.action_mask[0] == 0].sum() == 0
    greedy = CheckpointAgent(checkpoint, card_envs.get_game("king_lui"), greedy=True)
    assert greedy.act(batch.observation, batch.action_mask)[0] == expected.argmax()


def test_extreme_lots_still_choose_a_legal_action(checkpoint: Path) -> None:
    agent = CheckpointAgent(checkpoint, card_envs.get_game("king_lui"))
    batch = card_envs.make_batch("king_lui", 200, seed=0)
    for lot in (0.0, np.nextafter(1.0, 0.0)):
        actions = agent.act_with_lots(batch.observation, batch.action_mask, np.full(200, lot))
        assert batch.action_mask[np.arange(200), actions].all()


def test_a_trained_player_draws_lots_and_says_what_it_thinks(checkpoint: Path) -> None:
    agent = CheckpointAgent(checkpoint, "king_lui")
    assert isinstance(agent, Agent)
    assert isinstance(agent, LotsAgent)
    assert isinstance(agent, Policy)
    assert not isinstance(RandomAgent(0), LotsAgent)
    assert not isinstance(RandomAgent(0), Policy)


@pytest.mark.parametrize("greedy", [True, False])
def test_one_observation_is_answered_like_a_batch_of_one(checkpoint: Path, greedy: bool) -> None:
    batch = card_envs.make_batch("king_lui", 5, seed=0)
    one, many = (CheckpointAgent(checkpoint, "king_lui", seed=1, greedy=greedy) for _ in range(2))
    for observation, mask in zip(batch.observation, batch.action_mask, strict=True):
        assert int(one.act(observation, mask)) == many.act(observation[None], mask[None])[0]
        np.testing.assert_allclose(
            one.probabilities(observation, mask), many.probabilities(observation[None], mask[None])[0], rtol=1e-5
        )
        assert float(one.values(observation)) == pytest.approx(many.values(observation[None])[0], rel=1e-5)


def test_probabilities_of_extreme_logits_are_finite() -> None:
    logits = np.array([[1e30, -1e30, 3e38, 0]], np.float32)
    chances = probabilities(logits, np.array([[1, 1, 0, 1]], np.int8))
    assert np.isfinite(chances).all()
    assert chances[0, 2] == 0


def test_loading_imports_no_torch(checkpoint: Path) -> None:
    code = (
        "import sys, card_envs\n"
        f"card_envs.load_agent('king_lui', {str(checkpoint)!r})\n"
        "assert 'torch' not in sys.modules and 'stable_baselines3' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def content(path: Path) -> str:
    return read_checkpoint(path, "king_lui").content_hash


def test_a_player_is_who_it_is_wherever_and_whenever_it_was_saved(tmp_path: Path) -> None:
    """Twenty files, which differ: safetensors orders metadata by lot, and step and parent are not the player."""
    paths = [write(tmp_path / f"{number}.safetensors", step=number // 2) for number in range(20)]
    paths.append(write(tmp_path / "adopted.safetensors", parent="another"))
    paths.append(write(tmp_path / "turned.safetensors", players=(5, 3, 4)))
    assert len({path.read_bytes() for path in paths}) > 2
    assert len({content(path) for path in paths}) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"players": (3, 4)},
        {"options": {"reward": "margin"}},
        {"network": Mlp((16, 8), "relu")},
        {"weights": random_weights("king_lui", seed=1)},
    ],
    ids=str,
)
def test_whoever_plays_otherwise_is_somebody_else(checkpoint: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    assert content(write(tmp_path / "other.safetensors", **changes)) != content(checkpoint)


def test_a_checkpoint_plays_a_seeded_game_alike_whatever_is_played_beside_it(checkpoint: Path) -> None:
    """Lots come from each game's own stream: game 0 is the same in a match of 1 and in one of 50."""
    line_up = [str(checkpoint), "random", "bot"]
    one, many = (card_envs.play_match("king_lui", line_up, games=games, seed=5) for games in (1, 50))
    assert (one.points[0] == many.points[0]).all()


def test_a_random_network_is_no_better_than_random_play(checkpoint: Path) -> None:
    assert RandomAgent.name == "random"
    shares = card_envs.play_match("king_lui", [str(checkpoint), "random", "random"], games=2000, seed=0).win_shares
    assert shares[0] < 0.6
