"""The network of duels while it learns: all of its weights in one row of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from card_envs.agents.duel import Duel
from card_envs.agents.perceptron import Perceptron
from training.duel_loss import FIGURES, Lessons, calculate_gradient
from training.mlp import LEAST_SPREAD
from training.network import Gradient

HIDDEN_GAIN, LAST_GAIN = math.sqrt(2), 0.1


class DuelActor(nn.Module):
    """What choices are worth, to be learned. `measure` centres and scales inputs, once."""

    center: torch.Tensor
    scale: torch.Tensor

    def __init__(self, duel: Duel, inputs: int, seed: int) -> None:
        super().__init__()
        self.duel, self.inputs = duel, inputs
        self._shapes = duel.tensors(inputs, duel.actions)
        chance = torch.Generator().manual_seed(seed)
        self.numbers = nn.Parameter(torch.cat([self._first(name, chance).reshape(-1) for name in self._shapes]))
        self.register_buffer("center", torch.zeros(inputs))
        self.register_buffer("scale", torch.ones(inputs))
        self._network = Perceptron(
            duel.plan, "relu", np.zeros(len(duel.plan.plus), np.float32), self.center.numpy(), self.scale.numpy()
        )

    def _first(self, name: str, chance: torch.Generator) -> torch.Tensor:
        """By lot, so that what each layer gives is spread as what it gets; biases begin with nothing."""
        shape = self._shapes[name]
        if name.endswith("bias"):
            return torch.zeros(shape)
        layer = int(name.split(".")[1])
        groups, whole = self.duel.sizes[layer]
        gain = LAST_GAIN if layer == len(self.duel.hidden) else HIDDEN_GAIN
        drawn = torch.randn(shape, generator=chance) * (gain / math.sqrt(2 * groups + whole))
        if name.endswith("common"):
            drawn[:, :groups] /= math.sqrt(self.duel.things)  # each is the sum over so many
        return drawn

    @torch.no_grad()
    def measure(self, observations: NDArray[np.float32]) -> None:
        """Centre and scale inputs by the mean and spread of these observations; those of all things alike."""
        flat = observations.reshape(-1, self.inputs).astype(np.float64)
        cut, order = self.duel.groups * self.duel.things, np.array(self.duel.inputs)
        for own, measured in ((self.center, flat.mean(axis=0)), (self.scale, flat.std(axis=0, ddof=1))):
            grouped = measured[order[:cut]].reshape(self.duel.groups, self.duel.things)
            measured[order[:cut]] = np.repeat(grouped.mean(axis=1), self.duel.things)
            own.copy_(torch.from_numpy(measured))
        self.scale.copy_(1.0 / self.scale.clamp(min=LEAST_SPREAD))

    def ready(self) -> Perceptron:
        """What gives all numbers and V of rows of observations."""
        return self._network.with_numbers(self.numbers.detach().numpy()[self.duel.plan.plus])

    def gradient(self, lessons: Lessons, picked: NDArray[np.int64], coefs: tuple[float, float]) -> Gradient:
        """What picked lessons ask of the numbers. Threads may call it at the same time."""
        slopes, figures = np.zeros(self.numbers.numel(), np.float32), np.zeros(FIGURES)
        calculate_gradient(self.ready(), lessons, picked, self.duel, coefs, slopes, figures)
        return Gradient([torch.from_numpy(slopes)], figures, len(picked))

    @torch.no_grad()
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """For a checkpoint; centring and scaling are made part of the first ones."""
        found = {name: one.clone() for name, one in self._cut(self.numbers).items()}
        cut, order = self.duel.groups * self.duel.things, np.array(self.duel.inputs)
        groups, whole = order[:cut].reshape(-1, self.duel.things)[:, :1].reshape(-1), order[cut:]
        if "layer.0.own" in found:
            found["layer.0.own"] *= self.scale[groups]
        if "layer.0.common" in found:
            common = found["layer.0.common"]
            common *= self.scale[np.r_[groups, whole]]
            times = np.r_[np.full(len(groups), self.duel.things), np.ones(len(whole))]
            found["layer.0.bias"] -= common @ (self.center[np.r_[groups, whole]] * torch.from_numpy(times).float())
        if "layer.0.own" in found:
            found["layer.0.bias"][: len(found["layer.0.own"])] -= found["layer.0.own"] @ self.center[groups]
        return {name: one.numpy().copy() for name, one in found.items()}

    def _cut(self, row: torch.Tensor) -> Mapping[str, Any]:
        pieces = torch.split(row, [math.prod(shape) for shape in self._shapes.values()])
        return {name: piece.view(shape) for (name, shape), piece in zip(self._shapes.items(), pieces, strict=True)}
