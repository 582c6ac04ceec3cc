"""Checkpoints: loaded without torch, without running code, and with a sentence for whatever is wrong."""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import safetensors.numpy

import card_envs
from card_envs.agents import network as networks
from card_envs.agents.base import Agent, LotsAgent, Policy
from card_envs.agents.checkpoint import CheckpointAgent, checksum, read_checkpoint, save_checkpoint
from card_envs.agents.network import Mlp, probabilities
from card_envs.agents.random import RandomAgent
from card_envs.core.errors import CheckpointError

NETWORK = Mlp((16, 8), "tanh")


def random_weights(game: str, network: Any = NETWORK, seed: int = 0) -> dict[str, Any]:
    rules, rng = card_envs.get_game(game), np.random.default_rng(seed)
    sizes = network.tensors(rules.layout.size, len(rules.actions))
    return {name: rng.normal(0, 0.3, size).astype(np.float32) for name, size in sizes.items()}


def write(path: Path, game: str = "king_lui", weights: Any = None, **changes: Any) -> Path:
    rules = card_envs.get_game(game)
    settings = {"network": NETWORK, "players": rules.players, "step": 12, "parent": "abc", **changes}
    save_checkpoint(path, rules, weights or random_weights(game), **settings)
    return path


def mlp(hidden: list[Any], activation: str = "tanh", **more: Any) -> str:
    return json.dumps({"kind": "mlp", "hidden": hidden, "activation": activation, **more})


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
    weights = random_weights("king_lui", network)
    layer = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[activation]
    body = torch.nn.Sequential(
        torch.nn.Linear(93, 32), layer(), torch.nn.Linear(32, 16), layer(), torch.nn.Linear(16, 39)
    )
    names = ("body.0", "body.1")
    with torch.no_grad():
        for name, linear in zip(names, (body[0], body[2]), strict=True):
            linear.weight.copy_(torch.from_numpy(weights[f"{name}.weight"]))
            linear.bias.copy_(torch.from_numpy(weights[f"{name}.bias"]))
        for part in ("weight", "bias"):
            heads = np.concatenate([weights[f"policy.{part}"], weights[f"value.{part}"]])
            getattr(body[4], part).copy_(torch.from_numpy(heads))
        observation = np.random.default_rng(1).random((50, 93), np.float32)
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


def test_a_wrong_game_number_of_players_or_layout_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "one.safetensors", players=(4,))
    with pytest.raises(CheckpointError, match="it plays king_lui v0, not zum_kuhkuck v0"):
        card_envs.load_agent("zum_kuhkuck", path)
    with pytest.raises(CheckpointError, match="it was trained for 4 players, and this table has 3"):
        card_envs.play_match("king_lui", [str(path), "bot", "bot"], games=1)
    edit(path, layout="0123456789abcdef")
    with pytest.raises(CheckpointError, match="trained on another observation"):
        card_envs.load_agent("king_lui", path)


def test_another_version_of_the_game_is_another_game(checkpoint: Path) -> None:
    game = card_envs.get_game("king_lui")
    with pytest.raises(CheckpointError, match="it plays king_lui v0, not king_lui v1"):
        read_checkpoint(checkpoint, replace(game, version=1))
    save_checkpoint(checkpoint, replace(game, version=1), random_weights("king_lui"), NETWORK, players=(3,))
    with pytest.raises(CheckpointError, match="it plays king_lui v1, not king_lui v0"):
        card_envs.load_agent("king_lui", checkpoint)


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
        {"options": {"deck": "other"}},
        {"network": Mlp((16, 8), "relu")},
        {"weights": random_weights("king_lui", seed=1)},
    ],
    ids=str,
)
def test_whoever_plays_otherwise_is_somebody_else(checkpoint: Path, tmp_path: Path, changes: dict[str, Any]) -> None:
    assert content(write(tmp_path / "other.safetensors", **changes)) != content(checkpoint)


def edit(path: Path, tensors: Any = None, *, sign: bool = True, **changes: Any) -> None:
    """Write the file anew with other metadata, or other weights; signed, as whoever means it would."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + length])["__metadata__"]
    tensors = tensors or safetensors.numpy.load(data)
    metadata.update(changes)
    metadata = {key: value for key, value in metadata.items() if value is not None}
    if sign and "checksum" not in changes:
        metadata["checksum"] = checksum(metadata, tensors)
    path.write_bytes(safetensors.numpy.save(tensors, metadata))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "card_envs checkpoint 1"}, "of the format 'card_envs checkpoint 1', and this version reads"),
        ({"format": None}, r"some other \.safetensors file"),
        ({"step": None}, "its metadata lacks step"),
        ({"checksum": None}, "its metadata lacks checksum"),
        ({"checksum": "0" * 64}, "its checksum does not fit: the file is damaged"),
        ({"step": "many"}, "its step must be a whole number from 0 on, not many"),
        ({"step": "-1"}, "its step must be a whole number from 0 on, not -1"),
        ({"step": "1" * 5000}, "its step must be a whole number from 0 on, not 111"),
        ({"version": "new"}, "its metadata is damaged"),
        ({"network": "{"}, "its metadata is damaged"),
        ({"network": "[" * 100_000}, "its metadata is damaged"),
        ({"network": "[]"}, "its network must be a table, not \\[\\]"),
        ({"options": "[]"}, "its options must be a table, not \\[\\]"),
        ({"players": '"all"'}, "its players must be a list of numbers, not all"),
        ({"players": "[]"}, "its players must be a list of numbers, not \\[\\]"),
        ({"players": "[3, true]"}, "its players must be a list of numbers"),
        ({"players": "[3, 3]"}, "its players must have each number once"),
        ({"players": "[3, 6]"}, "it was trained for 3, 6 players, and King Lui is for 3-5"),
        ({"network": '{"kind": "oracle"}'}, "there is no network of the kind 'oracle'; there are mlp"),
        ({"network": '{"hidden": [16, 8], "activation": "tanh"}'}, "there is no network of the kind 'None'"),
        ({"network": mlp([16, 8], "eval")}, "an mlp has the sizes of its hidden layers"),
        ({"network": mlp([16, -8])}, "an mlp has the sizes"),
        ({"network": mlp([16, 1e9])}, "an mlp has the sizes"),
        ({"network": mlp([16, True])}, "an mlp has the sizes"),
        ({"network": mlp([16, 8], secret=1)}, "an mlp has the sizes"),
        ({"network": mlp([16, 9])}, r"has the shape \(8,\) instead of \(9,\)"),
        ({"network": mlp([16])}, "it has a weight 'body.1.bias'"),
        ({"network": mlp([16, 8, 8])}, "it lacks the weight 'body.2.bias'"),
    ],
)
def test_metadata_that_cannot_be_right_are_refused(checkpoint: Path, changes: dict[str, Any], message: str) -> None:
    edit(checkpoint, **changes)
    with pytest.raises(CheckpointError, match=message):
        card_envs.load_agent("king_lui", checkpoint)


CHANGED = {
    "game": "zum_kuhkuck",
    "version": "1",
    "layout": "0123456789abcdef",
    "network": mlp([16, 8], "relu"),
    "players": "[3, 4]",
    "options": '{"deck": "other"}',
    "step": "13",
    "parent": "abd",
    "note": "by a stranger",
}


@pytest.mark.parametrize("key", CHANGED)
def test_whatever_is_changed_without_a_new_checksum_is_noticed(checkpoint: Path, key: str) -> None:
    edit(checkpoint, sign=False)
    card_envs.load_agent("king_lui", checkpoint)
    edit(checkpoint, sign=False, **{key: CHANGED[key]})
    with pytest.raises(CheckpointError, match="its checksum does not fit: the file is damaged"):
        card_envs.load_agent("king_lui", checkpoint)


def test_changed_weights_are_noticed(checkpoint: Path) -> None:
    weights = random_weights("king_lui")
    weights["value.bias"] += 1
    edit(checkpoint, weights, sign=False)
    with pytest.raises(CheckpointError, match="its checksum does not fit"):
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
    with pytest.raises(CheckpointError, match="must consist of 32-bit floats, not of F64"):
        card_envs.load_agent("king_lui", checkpoint)


def spoil(name: str, change: Callable[[Any], Any]) -> dict[str, Any]:
    weights = random_weights("king_lui")
    return {**weights, name: change(weights[name])}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": {"policy.bias": np.zeros(38, np.float32)}}, "it lacks the weight 'body.0.bias'"),
        ({"weights": spoil("policy.bias", lambda array: array[:-1])}, r"has the shape \(37,\) instead of \(38,\)"),
        ({"weights": spoil("policy.bias", lambda array: array * np.nan)}, "'policy.bias' holds numbers that are not"),
        ({"weights": spoil("policy.bias", lambda array: array.astype(float))}, "32-bit floats, not of float64"),
        ({"weights": spoil("policy.bias", list)}, "32-bit floats, not of list"),
        ({"players": ()}, "its players must be a list of numbers"),
        ({"players": (3, 9)}, "King Lui is for 3-5"),
        ({"step": -1}, "its step must be a whole number from 0 on, not -1"),
        ({"options": {"deck": object()}}, "its options cannot be written as JSON"),
        ({"network": Mlp((16, 0), "tanh")}, "an mlp has the sizes"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = tmp_path / "new" / "player.safetensors"
    with pytest.raises(CheckpointError, match=f"cannot save a player as .*{message}"):
        write(path, **changes)
    assert list(tmp_path.iterdir()) == []


@dataclass(frozen=True)
class Linear:
    """A kind of network that this package does not have: no layers at all."""

    kind: ClassVar[str] = "linear"

    def describe(self) -> dict[str, object]:
        return {"kind": "linear"}

    def tensors(self, inputs: int, actions: int) -> dict[str, tuple[int, ...]]:
        return {"policy": (inputs, actions), "value": (inputs,)}

    def logits(self, weights: Any, observation: Any) -> Any:
        return observation @ weights["policy"]

    def values(self, weights: Any, observation: Any) -> Any:
        return observation @ weights["value"]


def test_another_kind_of_network_plays_once_it_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "linear.safetensors"
    weights = random_weights("king_lui", Linear())
    with pytest.raises(CheckpointError, match="there is no network of the kind 'linear'; there are mlp"):
        write(path, weights=weights, network=Linear())
    monkeypatch.setitem(networks.KINDS, "linear", lambda described: Linear())
    write(path, weights=weights, network=Linear())
    assert card_envs.play_match("king_lui", [path, "random", "random"], games=20).points.shape == (20, 3)
    batch = card_envs.make_batch("king_lui", 4, seed=0)
    assert CheckpointAgent(path, "king_lui").values(batch.observation).shape == (4,)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="there is no such file"):
        card_envs.load_agent("king_lui", tmp_path / "nothing.safetensors")
    folder = tmp_path / "folder.safetensors"
    folder.mkdir()
    with pytest.raises(CheckpointError, match="it is a folder, not a file"):
        card_envs.load_agent("king_lui", folder)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such files")
def test_what_only_looks_like_a_file_is_not_read(tmp_path: Path) -> None:
    """None of these hangs, and none is read until the memory is full."""
    pipe, endless, growing = (tmp_path / f"{name}.safetensors" for name in ("pipe", "endless", "growing"))
    os.mkfifo(pipe)
    endless.symlink_to("/dev/zero")
    growing.symlink_to("/proc/self/status")  # says that it has no bytes, and has some
    for path in (pipe, endless):
        with pytest.raises(CheckpointError, match="it is not a regular file"):
            card_envs.load_agent("king_lui", path)
    if growing.exists():
        with pytest.raises(CheckpointError, match="it was changed while it was read"):
            card_envs.load_agent("king_lui", growing)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.safetensors"
    with path.open("wb") as file:
        file.truncate(2**30 + 1)  # takes no room on the disk
    with pytest.raises(CheckpointError, match="it has 1073741825 bytes, and no checkpoint has more than 1073741824"):
        card_envs.load_agent("king_lui", path)


def test_a_file_is_in_memory_once(tmp_path: Path) -> None:
    network = Mlp((1024, 1024), "relu")
    path = write(tmp_path / "large.safetensors", weights=random_weights("king_lui", network), network=network)
    read_checkpoint(path, "king_lui")
    tracemalloc.start()
    read_checkpoint(path, "king_lui")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * path.stat().st_size


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
    assert refused > 595, "only a flip in a space can go unnoticed"


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
