"""Checkpoints that are refused: wrong, damaged, changed, or no files at all. Each with one sentence."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.agents.checkpoint import read_checkpoint, save_checkpoint
from card_envs.agents.network import Mlp
from card_envs.errors import CheckpointError
from tests.support.checkpoint_files import NETWORK, edit, mlp, random_weights, write


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return write(tmp_path / "player.safetensors")


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
        ({"version": "new"}, "its version must be a whole number from 0 on, not new"),
        ({"version": "-1"}, "its version must be a whole number from 0 on, not -1"),
        ({"step": "١٢"}, "its step must be a whole number from 0 on"),
        ({"network": "{"}, "its network cannot be read from {"),
        ({"network": "[" * 100_000}, r"its network cannot be read from \[\["),
        ({"network": "[]"}, "its network must be a table, not \\[\\]"),
        ({"options": "[]"}, "its options must be a table, not \\[\\]"),
        ({"options": '{"deck": "other"}'}, "it was trained with options that its game has not: King Lui has no option"),
        ({"options": f'{{"a": "{"é" * 400_000}"}}'}, "it was trained with options that its game has not"),
        ({"options": '{"reward": NaN}'}, "options that its game has not: reward must be one of"),
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
        ({"network": mlp([16, 8], grouped=1.5)}, "which part of its units is grouped"),
        ({"network": mlp([16, 8], grouped=True)}, "which part of its units is grouped"),
        ({"network": mlp([16, 8], grouped=float("nan"))}, "which part of its units is grouped"),
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
    with pytest.raises(CheckpointError, match="it has 1073741825 bytes, and can have 1073741824 at most"):
        card_envs.load_agent("king_lui", path)


def test_a_pickle_is_never_run(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "exploded",))

    path = tmp_path / "bomb.safetensors"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(CheckpointError, match=r"no whole \.safetensors file"):
        card_envs.load_agent("king_lui", path)
    assert not (tmp_path / "exploded").exists()


def test_saving_leaves_a_whole_file_and_nothing_beside_it(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = checkpoint.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        write(checkpoint, weights=random_weights("king_lui", seed=9))
    assert checkpoint.read_bytes() == before
    assert [path.name for path in checkpoint.parent.iterdir()] == [checkpoint.name]
