"""Checkpoints for tests: networks of random weights, as they were saved or as somebody has changed them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

import card_envs
from card_envs.agents.checkpoint import checksum, save_checkpoint
from card_envs.agents.network import Mlp

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
