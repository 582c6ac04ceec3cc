"""Checkpoints: trained players in one .safetensors file. Opening one never runs code, and whatever is wrong with it
is said.

The file holds the weights of a network (see network.py) and, as metadata: `format`, `game`, `options` (JSON: the
numbers of players it was trained for, and whatever else was chosen), `layout` (hash of the observation), `network`
(JSON), `step`,
`parent` (content hash of the checkpoint that it was trained on from, or nothing) and `weights` (hash of the weights).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from card_envs.agents.network import ACTIVATIONS, Shape, Weights, logits, probabilities
from card_envs.core.game import Game
from card_envs.errors import CheckpointError
from card_envs.files import write_whole

FORMAT = "card_envs checkpoint 1"
LARGEST_FILE = 2**30
LARGEST_LAYER = 2**16
MOST_LAYERS = 64


@dataclass(frozen=True)
class Checkpoint:
    """All that a checkpoint file says."""

    game: str
    options: dict[str, Any]
    layout: str
    shape: Shape
    step: int
    parent: str
    content_hash: str
    weights: Weights


def hash_weights(weights: Weights) -> str:
    """The same for the same names, shapes and numbers, whatever order they come in."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(f"{name} {weights[name].shape}".encode() + np.ascontiguousarray(weights[name], "<f4").tobytes())
    return digest.hexdigest()


def save_checkpoint(
    path: str | Path,
    game: Game,
    weights: Weights,
    shape: Shape,
    *,
    players: tuple[int, ...],
    options: Mapping[str, Any] | None = None,
    step: int = 0,
    parent: str = "",
) -> None:
    """Write a checkpoint beside its place, flush it, rename it: a reader finds the old file or the new one, whole."""
    metadata = {
        "format": FORMAT,
        "game": game.name,
        "options": json.dumps({**(options or {}), "players": list(players)}),
        "layout": game.layout.hash,
        "network": json.dumps({"hidden": list(shape.hidden), "activation": shape.activation}),
        "step": str(step),
        "parent": parent,
        "weights": hash_weights(weights),
    }
    data = safetensors.numpy.save({name: np.ascontiguousarray(array) for name, array in weights.items()}, metadata)
    write_whole(path, data)


def read_checkpoint(path: str | Path, game: Game, players: int | None = None) -> Checkpoint:
    """Read a checkpoint for this game (and this number of players), or say in one CheckpointError why it cannot be."""
    try:
        data = _read_bytes(Path(path))
        try:
            weights = safetensors.numpy.load(data)
        except (safetensors.SafetensorError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(f"it is no whole .safetensors file ({_first_line(error)})") from None
        checkpoint = _interpret(_metadata(data), weights, hashlib.sha256(data).hexdigest())
        _check(checkpoint, game, players)
    except CheckpointError as error:
        raise CheckpointError(f"cannot use {path} as a player: {error}") from None
    return checkpoint


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _read_bytes(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise CheckpointError(f"it has {size} bytes, and no checkpoint has more than {LARGEST_FILE}")
        return path.read_bytes()
    except FileNotFoundError:
        raise CheckpointError("there is no such file") from None
    except OSError as error:
        raise CheckpointError(f"it cannot be read ({error.strerror})") from None


def _metadata(data: bytes) -> dict[str, str]:
    """The metadata of a file that safetensors has already found whole."""
    length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + length]).get("__metadata__") or {}
    if metadata.get("format") != FORMAT:
        found = metadata.get("format")
        raise CheckpointError(
            f"it is of the format {found!r}, and this version reads {FORMAT!r}"
            if found
            else "it has no metadata of card_envs, so it is some other .safetensors file"
        )
    missing = [
        key for key in ("game", "options", "layout", "network", "step", "parent", "weights") if key not in metadata
    ]
    if missing:
        raise CheckpointError(f"its metadata lacks {', '.join(missing)}")
    return {str(key): str(value) for key, value in metadata.items()}


def _interpret(metadata: dict[str, str], weights: dict[str, Any], content_hash: str) -> Checkpoint:
    try:
        options, network, step = json.loads(metadata["options"]), json.loads(metadata["network"]), int(metadata["step"])
        hidden, activation = tuple(network["hidden"]), network["activation"]
        players = options["players"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise CheckpointError("its metadata is damaged") from None
    sound = (
        len(hidden) <= MOST_LAYERS
        and all(type(size) is int and 0 < size <= LARGEST_LAYER for size in hidden)
        and isinstance(activation, str)
        and activation in ACTIVATIONS
        and isinstance(players, list)
        and all(type(number) is int for number in players)
    )
    if not sound:
        raise CheckpointError(f"its metadata describes no network that we know: {metadata['network'][:200]}")
    if any(array.dtype != np.float32 for array in weights.values()):
        raise CheckpointError("its weights are not 32-bit numbers")
    if hash_weights(weights) != metadata["weights"]:
        raise CheckpointError("its weights are not those that were saved; the file is damaged")
    return Checkpoint(
        game=metadata["game"],
        options=options,
        layout=metadata["layout"],
        shape=Shape(hidden, activation),
        step=step,
        parent=metadata["parent"],
        content_hash=content_hash,
        weights=weights,
    )


def _check(checkpoint: Checkpoint, game: Game, players: int | None) -> None:
    if checkpoint.game != game.name:
        raise CheckpointError(f"it plays {checkpoint.game}, not {game.name}")
    if checkpoint.layout != game.layout.hash:
        raise CheckpointError(
            f"it was trained on another observation (layout {checkpoint.layout}, now {game.layout.hash}); train it anew"
        )
    trained_for = checkpoint.options["players"]
    if players is not None and players not in trained_for:
        numbers = ", ".join(map(str, trained_for))
        raise CheckpointError(f"it was trained for {numbers} players, and this table has {players}")
    expected = checkpoint.shape.tensors(game.layout.size, len(game.actions))
    for name in sorted(expected.keys() | checkpoint.weights.keys()):
        if name not in checkpoint.weights or name not in expected:
            raise CheckpointError(f"it {'has a' if name in checkpoint.weights else 'lacks the'} weight {name[:80]!r}")
        found = checkpoint.weights[name].shape
        if found != expected[name]:
            raise CheckpointError(f"its weight {name!r} has the shape {found} instead of {expected[name]}")
        if not np.isfinite(checkpoint.weights[name]).all():
            raise CheckpointError(f"its weight {name!r} holds numbers that are not finite")


class CheckpointAgent:
    """A trained player. It draws its action by its policy's probabilities, or takes the likeliest if `greedy`."""

    takes_chance = True

    def __init__(
        self, path: str | Path, game: Game, players: int | None = None, *, seed: int | None = None, greedy: bool = False
    ):
        self.checkpoint = read_checkpoint(path, game, players)
        self.name = str(path)
        self.greedy = greedy
        self._rng = np.random.default_rng(seed)

    def probabilities(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """How likely the policy is to choose each action."""
        return probabilities(logits(self.checkpoint.shape, self.checkpoint.weights, observation), action_mask)

    def act(
        self,
        observation: NDArray[np.float32],
        action_mask: NDArray[np.int8],
        chance: NDArray[np.float64] | None = None,
    ) -> NDArray[np.int64]:
        """One legal action per row."""
        likely = self.probabilities(observation, action_mask)
        chosen: NDArray[np.int64]
        if self.greedy:
            chosen = likely.argmax(axis=1)
            return chosen
        chance = self._rng.random(len(likely)) if chance is None else chance
        summed = likely.cumsum(axis=1)
        chosen = (summed <= (chance * summed[:, -1])[:, None]).sum(axis=1)
        return chosen
