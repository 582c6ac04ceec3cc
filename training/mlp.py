"""The perceptron in torch: policy and value on shared layers, with or without ties between weights.

In each of our games some things are alike but for their names: the dishes of King Lui, the colours of Zum Kuhkuck, the
rows of Ku-Ka-King. A tied network treats them alike, whatever it has learned: swap two dishes, and its logits for them
swap. Each layer then has a group of units per dish and some for the whole; weights that a swap of dishes carries
into one another are one number. What was learned about one dish is known about all, so it learns faster.

Either way `weights()` gives plain matrices, under the names that checkpoints use, for an ordinary perceptron.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from card_envs.agents.network import Mlp, Network, Weights
from card_envs.core.game import Game
from card_envs.errors import OptionError
from training.network import ActorCritic, Answer

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "tanh": torch.tanh}
SHARE_OF_GROUPS = 7 / 8  # of a tied layer's units, the rest stands for the whole position
LEAST_SPREAD = 0.1  # inputs that hardly vary are not blown up to more than ten times their size

Order = NDArray[np.int64]  # where the number that stands at i comes from
Orders = Sequence[Order]  # one for each swap that makes up all others


def orbits(rows: Orders, columns: Orders) -> Order:
    """For each entry of a matrix the number of its class; entries are of one class if swaps carry one into another."""
    label = np.arange(len(rows[0]) * len(columns[0])).reshape(len(rows[0]), len(columns[0]))
    while True:
        before = label
        for row, column in zip(rows, columns, strict=True):
            label = np.minimum(label, label[np.ix_(row, column)])
            back = np.empty_like(label)
            back[np.ix_(row, column)] = label
            label = np.minimum(label, back)
        if (label == before).all():
            return np.unique(label, return_inverse=True)[1].reshape(label.shape)


def _means(classes: Tensor, values: Tensor) -> Tensor:
    """The mean of the values of each class."""
    sums = torch.zeros(int(classes.max()) + 1).index_add_(0, classes, values)
    return sums / torch.bincount(classes)


class Layer(nn.Module):
    """A matrix and a bias in which entries of one class are one number."""

    def __init__(self, outputs: Orders, inputs: Orders, gain: float, chance: torch.Generator) -> None:
        super().__init__()
        nothing = [np.zeros(1, np.int64)] * len(inputs)
        classes = torch.from_numpy(orbits(outputs, inputs))
        bias_classes = torch.from_numpy(orbits(outputs, nothing)[:, 0])
        self.shape = classes.shape
        self.register_buffer("classes", classes.reshape(-1), persistent=False)
        self.register_buffer("bias_classes", bias_classes, persistent=False)
        spread = gain / math.sqrt(classes.shape[1])
        self.weight = nn.Parameter(torch.randn(int(classes.max()) + 1, generator=chance) * spread)
        self.bias = nn.Parameter(torch.zeros(int(bias_classes.max()) + 1))

    classes: Tensor
    bias_classes: Tensor

    def dense(self) -> tuple[Tensor, Tensor]:
        """The full matrix and bias."""
        weight = self.weight.index_select(0, self.classes).view(self.shape)
        return weight, self.bias.index_select(0, self.bias_classes)

    @torch.no_grad()
    def load(self, weight: Tensor, bias: Tensor) -> None:
        """Take over a full matrix and bias: of each class the mean."""
        for own, classes, given in ((self.weight, self.classes, weight), (self.bias, self.bias_classes, bias)):
            own.copy_(_means(classes, given.reshape(-1)))


class MlpActorCritic(ActorCritic):
    """Policy and value for one game. Inputs are centred and scaled by what `measure` has seen, once."""

    center: Tensor
    scale: Tensor

    def __init__(self, game: Game, mlp: Network, tied: bool, seed: int) -> None:
        super().__init__()
        if not isinstance(mlp, Mlp):
            raise OptionError(f"this network is for the kind mlp, not {mlp.kind}")
        self.mlp = mlp
        inputs, actions, layers = _orders(game, mlp, tied)
        self._inputs = inputs
        chance = torch.Generator().manual_seed(seed)
        befores = [inputs, *layers]
        self.body = nn.ModuleList(
            Layer(after, before, math.sqrt(2), chance) for before, after in zip(befores, layers, strict=False)
        )
        self.policy = Layer(actions, befores[-1], 0.01, chance)  # so small that the first policy is nearly uniform
        self.value = Layer([np.zeros(1, np.int64)] * len(inputs), befores[-1], 0.1, chance)
        self.register_buffer("center", torch.zeros(game.layout.size))
        self.register_buffer("scale", torch.ones(game.layout.size))

    def measure(self, observations: NDArray[np.float32]) -> None:
        """Centre and scale inputs by the mean and spread of these observations; inputs that are alike, alike."""
        flat = torch.from_numpy(observations.reshape(-1, observations.shape[-1]))
        classes = torch.from_numpy(orbits(self._inputs, [np.zeros(1, np.int64)] * len(self._inputs))[:, 0])
        for own, measured in ((self.center, flat.mean(0)), (self.scale, flat.std(0))):
            own.copy_(_means(classes, measured)[classes])
        self.scale.copy_(1.0 / self.scale.clamp(min=LEAST_SPREAD))

    def ready(self) -> Callable[[Tensor], Answer]:
        """The network as a function of observations."""
        body = [layer.dense() for name, layer in self._layers().items() if name.startswith("body")]
        heads = self.policy.dense(), self.value.dense()
        linear, activate = nn.functional.linear, ACTIVATIONS[self.mlp.activation]

        def run(observation: Tensor) -> Answer:
            values = (observation - self.center) * self.scale
            for weight, bias in body:
                values = activate(linear(values, weight, bias))
            return linear(values, *heads[0]), linear(values, *heads[1]).squeeze(-1)

        return run

    def _layers(self) -> dict[str, Layer]:
        return {
            **{f"body.{number}": layer for number, layer in enumerate(self.body)},  # type: ignore[misc]
            "policy": self.policy,
            "value": self.value,
        }

    @torch.no_grad()
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Plain matrices and biases for a checkpoint; centring and scaling are made part of the first ones."""
        weights: dict[str, NDArray[np.float32]] = {}
        for name, layer in self._layers().items():
            weight, bias = layer.dense()
            if layer is self._first:
                weight = weight * self.scale
                bias = bias - weight @ self.center
            weights[f"{name}.weight"], weights[f"{name}.bias"] = weight.numpy().copy(), bias.numpy().copy()
        return weights

    def load(self, weights: Weights) -> None:
        """Go on from a checkpoint's weights."""
        for name, layer in self._layers().items():
            weight, bias = torch.tensor(weights[f"{name}.weight"]), torch.tensor(weights[f"{name}.bias"])
            if layer is self._first:
                bias = bias + weight @ self.center
                weight = weight / self.scale
            layer.load(weight, bias)

    @property
    def _first(self) -> Layer:
        return next(iter(self._layers().values()))


def _orders(game: Game, mlp: Mlp, tied: bool) -> tuple[Orders, Orders, list[Orders]]:
    """How inputs, actions and the units of each layer change places for each swap of things that are alike."""
    alone = np.arange(game.layout.size), np.arange(len(game.actions))
    if not tied or game.symmetry is None:
        return [alone[0]], [alone[1]], [[np.arange(size)] for size in mlp.hidden]
    items = game.symmetry.things
    swaps: Orders = [np.r_[1, 0, 2:items], np.roll(np.arange(items), 1)]  # these two make up all others
    inputs, actions = zip(*map(game.symmetry.relabel, swaps), strict=True)
    layers: list[Orders] = []
    for size in mlp.hidden:
        groups = int(size * SHARE_OF_GROUPS) // items
        whole = np.arange(groups * items, size)
        layers.append([np.r_[np.add.outer(np.arange(groups) * items, swap).reshape(-1), whole] for swap in swaps])
    return inputs, actions, layers
