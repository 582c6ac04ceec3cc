"""Checkpoints: loaded without torch, without running code, and with a sentence for whatever is wrong."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

import card_envs
from card_envs.agents.checkpoint import CheckpointAgent, hash_weights, read_checkpoint, save_checkpoint
from card_envs.agents.network import Shape, logits, probabilities
from card_envs.agents.random import RandomAgent
from card_envs.errors import CheckpointError

SHAPE = Shape((16, 8), "tanh")


def random_weights(game: str, shape: Shape = SHAPE, seed: int = 0) -> dict[str, Any]:
    rules, rng = card_envs.get_game(game), np.random.default_rng(seed)
    sizes = shape.tensors(rules.layout.size, len(rules.actions))
    return {name: rng.normal(0, 0.3, size).astype(np.float32) for name, size in sizes.items()}


def write(path: Path, game: str = "king_lui", weights: Any = None, **changes: Any) -> Path:
    rules = card_envs.get_game(game)
    settings = {"players": rules.players, "step": 12, "parent": "abc", **changes}
    save_checkpoint(path, rules, weights or random_weights(game), SHAPE, **settings)
    return path


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
    assert (read.game, read.step, read.parent, read.shape) == ("king_lui", 12, "abc", SHAPE)
    assert read.options == {"players": [3, 4, 5]}
    assert len(read.content_hash) == 64


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_network_is_the_one_that_torch_would_run(activation: str) -> None:
    torch = pytest.importorskip("torch")
    shape = Shape((32, 16), activation)
    weights = random_weights("king_lui", shape)
    layer = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[activation]
    body = torch.nn.Sequential(
        torch.nn.Linear(93, 32), layer(), torch.nn.Linear(32, 16), layer(), torch.nn.Linear(16, 38)
    )
    names = ("body.0", "body.1", "policy")
    with torch.no_grad():
        for name, linear in zip(names, (body[0], body[2], body[4]), strict=True):
            linear.weight.copy_(torch.from_numpy(weights[f"{name}.weight"]))
            linear.bias.copy_(torch.from_numpy(weights[f"{name}.bias"]))
        observation = np.random.default_rng(1).random((50, 93), np.float32)
        expected = body(torch.from_numpy(observation)).numpy()
    assert np.abs(logits(shape, weights, observation) - expected).max() < 1e-5


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
        actions = agent.act(batch.observation, batch.action_mask, np.full(200, lot))
        assert batch.action_mask[np.arange(200), actions].all()


def test_probabilities_of_extreme_preferences_are_finite() -> None:
    preferences = np.array([[1e30, -1e30, 3e38, 0]], np.float32)
    chances = probabilities(preferences, np.array([[1, 1, 0, 1]], np.int8))
    assert np.isfinite(chances).all()
    assert chances[0, 2] == 0


def test_loading_imports_no_torch(checkpoint: Path) -> None:
    code = (
        "import sys, card_envs\n"
        f"card_envs.load_agent('king_lui', {str(checkpoint)!r})\n"
        "assert 'torch' not in sys.modules and 'stable_baselines3' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_wrong_game_number_of_players_or_layout_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "one.safetensors", players=(4,))
    with pytest.raises(CheckpointError, match="it plays king_lui, not zum_kuhkuck"):
        card_envs.load_agent("zum_kuhkuck", path)
    with pytest.raises(CheckpointError, match="it was trained for 4 players, and this table has 3"):
        card_envs.play_match("king_lui", [str(path), "bot", "bot"], games=1)
    edit(path, layout="0123456789abcdef")
    with pytest.raises(CheckpointError, match="trained on another observation"):
        card_envs.load_agent("king_lui", path)


def edit(path: Path, tensors: Any = None, **changes: Any) -> None:
    """Write the file anew with other metadata, or other weights."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + length])["__metadata__"]
    tensors = tensors or safetensors.numpy.load(data)
    metadata["weights"] = hash_weights(tensors)
    metadata.update(changes)
    metadata = {key: value for key, value in metadata.items() if value is not None}
    path.write_bytes(safetensors.numpy.save(tensors, metadata))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "card_envs checkpoint 9"}, "it is of the format 'card_envs checkpoint 9'"),
        ({"format": None}, r"some other \.safetensors file"),
        ({"step": None}, "its metadata lacks step"),
        ({"step": "many"}, "its metadata is damaged"),
        ({"network": "{"}, "its metadata is damaged"),
        ({"network": "[]"}, "its metadata is damaged"),
        ({"options": "{}"}, "its metadata is damaged"),
        ({"options": '{"players": "all"}'}, "describes no network|damaged"),
        ({"network": '{"hidden": [16, 8], "activation": "eval"}'}, "describes no network that we know"),
        ({"network": '{"hidden": [16, -8], "activation": "tanh"}'}, "describes no network that we know"),
        ({"network": '{"hidden": [16, 1e9], "activation": "tanh"}'}, "describes no network that we know"),
        ({"network": '{"hidden": [16, 9], "activation": "tanh"}'}, r"has the shape \(8,\) instead of \(9,\)"),
        ({"network": '{"hidden": [16], "activation": "tanh"}'}, "it has a weight 'body.1.bias'"),
        ({"network": '{"hidden": [16, 8, 8], "activation": "tanh"}'}, "it lacks the weight 'body.2.bias'"),
        ({"weights": "0" * 64}, "its weights are not those that were saved"),
    ],
)
def test_metadata_that_cannot_be_right_are_refused(checkpoint: Path, changes: dict[str, Any], message: str) -> None:
    edit(checkpoint, **changes)
    with pytest.raises(CheckpointError, match=message):
        card_envs.load_agent("king_lui", checkpoint)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(checkpoint: Path, value: float) -> None:
    weights = random_weights("king_lui")
    weights["policy.bias"][3] = value
    edit(checkpoint, weights)
    with pytest.raises(CheckpointError, match=r"'policy\.bias' holds numbers that are not finite"):
        card_envs.load_agent("king_lui", checkpoint)


def test_weights_of_another_type_are_refused(checkpoint: Path) -> None:
    edit(checkpoint, {name: array.astype(np.float64) for name, array in random_weights("king_lui").items()})
    with pytest.raises(CheckpointError, match="not 32-bit numbers"):
        card_envs.load_agent("king_lui", checkpoint)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="there is no such file"):
        card_envs.load_agent("king_lui", tmp_path / "nothing.safetensors")
    folder = tmp_path / "folder.safetensors"
    folder.mkdir()
    with pytest.raises(CheckpointError, match="it cannot be read"):
        card_envs.load_agent("king_lui", folder)


def test_a_pickle_is_never_run(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "exploded",))

    path = tmp_path / "bomb.safetensors"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(CheckpointError, match=r"no whole \.safetensors file"):
        card_envs.load_agent("king_lui", path)
    assert not (tmp_path / "exploded").exists()


def refusal(path: Path) -> str:
    """What is said of a file that is refused; any other error than a CheckpointError would end the test."""
    try:
        card_envs.load_agent("king_lui", path)
    except CheckpointError as error:
        return str(error)
    return ""


def test_hundreds_of_damaged_files_each_get_one_sentence(checkpoint: Path, tmp_path: Path) -> None:
    """Cut off, flipped, overwritten, doubled: each is refused, or was only damaged where nothing is."""
    whole = checkpoint.read_bytes()
    dice, damaged = random.Random(4), tmp_path / "damaged.safetensors"
    refused = 0
    for number in range(600):
        data = bytearray(whole)
        kind = number % 4
        if kind == 0:
            del data[dice.randrange(len(data)) :]
        elif kind == 1:
            # Half of these hit the header, which is small beside the weights.
            place = dice.randrange(1200) if number % 8 == 1 else dice.randrange(len(data))
            data[place] ^= 1 << dice.randrange(8)
        elif kind == 2:
            start = dice.randrange(len(data))
            data[start : start + dice.randrange(1, 200)] = dice.randbytes(dice.randrange(1, 200))
        else:
            data += dice.randbytes(dice.randrange(1, 100))
        damaged.write_bytes(data)
        error = refusal(damaged)
        if error:
            refused += 1
            assert "\n" not in error
            assert error.startswith(f"cannot use {damaged} as a player: ")
    assert refused > 570, "only a flip in what nobody reads (a step, a parent, a space) can go unnoticed"


def test_saving_leaves_a_whole_file_and_nothing_beside_it(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = checkpoint.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        write(checkpoint, weights=random_weights("king_lui", seed=9))
    assert checkpoint.read_bytes() == before
    assert [path.name for path in checkpoint.parent.iterdir()] == [checkpoint.name]


def test_a_checkpoint_plays_a_seeded_game_alike_whatever_is_played_beside_it(checkpoint: Path) -> None:
    """Lots come from each game's own stream: game 0 is the same in a match of 1 and in one of 50."""
    line_up = [str(checkpoint), "random", "bot"]
    one, many = (card_envs.play_match("king_lui", line_up, games=games, seed=5) for games in (1, 50))
    assert (one.points[0] == many.points[0]).all()


def test_a_random_network_is_no_better_than_random_play(checkpoint: Path) -> None:
    assert RandomAgent.name == "random"
    shares = card_envs.play_match("king_lui", [str(checkpoint), "random", "random"], games=2000, seed=0).win_shares
    assert shares[0] < 0.6
