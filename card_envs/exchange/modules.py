"""Networks of torch as checkpoints: those of loops in CleanRL's manner, and of TorchRL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from card_envs.core.game import Game
from card_envs.errors import CheckpointError
from card_envs.exchange.towers import Tower, save_towers, without_wait
from card_envs.extras import need
from card_envs.games import get_game

need("card_envs.exchange.modules", "torch", "train")
import torch  # noqa: E402  # after the sentence for those who do not have it
from torch import nn  # noqa: E402

ACTIVATIONS = {nn.Tanh: "tanh", nn.ReLU: "relu"}
SILENT = (nn.Identity, nn.Flatten, nn.Dropout)  # which change nothing when a player plays
TRIES, CLOSE = 64, 1e-3  # observations on which module and checkpoint are compared, and how far logits may differ


def export_module(
    actor: nn.Module,
    critic: nn.Module | None,
    game: Game | str,
    out: str | Path,
    *,
    players: Iterable[int] | None = None,
    options: Mapping[str, Any] | None = None,
    step: int = 0,
) -> None:
    """Save a policy network (and a value network) of plain layers as a checkpoint.

    `actor` gives a logit per action and `critic` one number, each from the flat observation: `nn.Sequential`s of Linear
    with Tanh or ReLU in between, nested as you like. A trunk that both share is part of both.
    """
    rules = get_game(game) if isinstance(game, str) else game
    policy, activation = read_tower(actor)
    value, other = (None, activation) if critic is None else read_tower(critic)
    if value is not None and value.hidden and policy.hidden and other != activation:
        raise CheckpointError(f"its policy has {activation} between its layers and its value {other}; use one of them")
    policy = without_wait(policy, rules)
    save_towers(out, rules, policy, value, activation, players=players, options=options, step=step)


def export_torchrl(actor: nn.Module, critic: nn.Module | None, game: Game | str, out: str | Path, **more: Any) -> None:
    """Save TorchRL's modules (`ProbabilisticActor`, `ValueOperator`, `TensorDictModule`, `MLP`) as a checkpoint.

    `more` is what `export_module` takes besides.
    """
    export_module(_inside(actor), None if critic is None else _inside(critic), game, out, **more)


def _inside(module: nn.Module) -> nn.Module:
    """The network itself, without what reads and writes tensordicts around it."""
    for part in module.modules():
        inner = getattr(part, "module", None)
        if isinstance(inner, nn.Module) and any(True for _ in inner.parameters()):
            if not any(hasattr(one, "in_keys") for one in inner.modules()):
                return inner
    return module


def read_tower(module: nn.Module) -> tuple[Tower, str]:
    """The layers of a network and what is between them; refused if it is anything but that, or answers otherwise."""
    layers: list[nn.Linear] = []
    between: list[str] = []
    for part in module.modules():
        if isinstance(part, nn.Linear):
            layers.append(part)
        elif type(part) in ACTIVATIONS:
            between.append(ACTIVATIONS[type(part)])
        elif not isinstance(part, SILENT) and not list(part.children()):
            raise CheckpointError(
                f"it has a {type(part).__name__}; checkpoints hold plain layers and {' or '.join(ACTIVATIONS.values())}"
            )
    if not layers or len(between) != len(layers) - 1 or len(set(between)) > 1:
        raise CheckpointError(
            f"it has {len(layers)} layers with {', '.join(between) or 'nothing'} between them; checkpoints hold layers "
            f"with one activation between each two, and none after the last"
        )
    activation = between[0] if between else "tanh"
    tower = Tower(tuple((_plain(layer.weight), _bias(layer)) for layer in layers))
    _compare(module, tower, activation)
    return tower, activation


def _plain(tensor: torch.Tensor) -> np.ndarray[Any, np.dtype[np.float32]]:
    return tensor.detach().cpu().numpy().astype(np.float32)  # a copy: learning may go on in the tensor itself


def _bias(layer: nn.Linear) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.zeros(layer.out_features, np.float32) if layer.bias is None else _plain(layer.bias)


def _compare(module: nn.Module, tower: Tower, activation: str) -> None:
    """A module may do more than its layers say: so it is asked, and must answer as the layers do."""
    rows = torch.rand(TRIES, tower.layers[0][0].shape[1], generator=torch.Generator().manual_seed(0))
    parameter = next(module.parameters())
    was_learning = module.training
    module.eval()
    try:
        with torch.no_grad():
            said = module(rows.to(parameter.device, parameter.dtype)).float().cpu().numpy().reshape(TRIES, -1)
    finally:
        module.train(was_learning)
    values = rows.numpy()
    for weight, bias in tower.layers[:-1]:
        values = values @ weight.T + bias
        values = np.tanh(values) if activation == "tanh" else np.maximum(values, 0)
    weight, bias = tower.layers[-1]
    expected = values @ weight.T + bias
    if said.shape != expected.shape or np.abs(said - expected).max() > CLOSE * max(1.0, float(np.abs(expected).max())):
        raise CheckpointError(f"a {type(module).__name__} does more than its layers say, so no checkpoint can hold it")
