"""The perceptron that learns: policy and value on shared layers, with or without ties between weights.

What ties are stands in card_envs/agents/symmetry.py. All that is learned is one row of numbers, one for each class of
weights; a network without ties has a class for each weight. It is calculated by compiled loops: forwards as players
are (card_envs/agents/perceptron.py), backwards by backward.py. `weights()` gives plain matrices, under the names that
checkpoints use, for an ordinary perceptron.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from card_envs.agents.network import Mlp, Network, Weights
from card_envs.agents.perceptron import Perceptron
from card_envs.agents.symmetry import NOTHING, plain_plan, tied_plan, ties_of
from card_envs.core.game import Game
from card_envs.errors import OptionError
from training.backward import calculate_gradient
from training.loss import FIGURES, Decisions, Loss
from training.network import ActorCritic, Gradient, Gradients

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "tanh": torch.tanh}
LEAST_SPREAD = 0.1  # inputs that hardly vary are not blown up to more than ten times their size
BODY_GAIN, VALUE_GAIN = math.sqrt(2), 0.1
POLICY_GAIN = 0.01  # so small that the first policy is nearly uniform


class MlpActorCritic(ActorCritic):
    """Policy and value for one game. Inputs are centred and scaled by what `measure` has seen, once."""

    center: Tensor
    scale: Tensor
    classes: Tensor

    def __init__(self, game: Game, mlp: Network, tied: bool, seed: int) -> None:
        super().__init__()
        if not isinstance(mlp, Mlp):
            raise OptionError(f"this network is for the kind mlp, not {mlp.kind}")
        self.mlp = mlp
        inputs = game.layout.size
        self._shapes = mlp.tensors(inputs, len(game.actions))
        ties = ties_of(game.symmetry, mlp.hidden, mlp.grouped) if tied and game.symmetry is not None else None
        plan = None if ties is None else tied_plan(game.symmetry, mlp.hidden, mlp.grouped)
        plan = plain_plan(inputs, mlp.hidden, len(game.actions)) if plan is None else plan
        total = sum(map(math.prod, self._shapes.values()))
        classes = np.arange(total) if ties is None else ties.classes
        self._alike = np.arange(inputs) if ties is None else ties.alike
        nothing = classes.max() + 1  # the place after the last number, where there is none
        self._plus, self._minus = (np.where(one == NOTHING, nothing, classes[one]) for one in (plan.plus, plan.minus))
        self.register_buffer("classes", torch.from_numpy(classes), persistent=False)
        self.numbers = nn.Parameter(self._first_numbers(torch.Generator().manual_seed(seed)))
        self.register_buffer("center", torch.zeros(inputs))
        self.register_buffer("scale", torch.ones(inputs))
        self._network = Perceptron(
            plan, mlp.activation, np.zeros(len(plan.plus), np.float32), self.center.numpy(), self.scale.numpy()
        )

    def _first_numbers(self, chance: torch.Generator) -> Tensor:
        """By lot, so that what each layer gives is spread as what it gets; biases begin with nothing."""
        gains = {"policy.weight": POLICY_GAIN, "value.weight": VALUE_GAIN}
        found, before = [], 0
        for name, classes in self._cut(self.classes).items():
            count = int(classes.max()) + 1 - before
            before += count
            spread = gains.get(name, BODY_GAIN) / math.sqrt(classes.shape[-1]) if name.endswith("weight") else 0.0
            found.append(torch.randn(count, generator=chance) * spread if spread else torch.zeros(count))
        return torch.cat(found)

    def _cut(self, row: Tensor) -> dict[str, Tensor]:
        """All weights in a row, as tensors by name."""
        pieces = torch.split(row, [math.prod(shape) for shape in self._shapes.values()])
        return {name: piece.view(shape) for (name, shape), piece in zip(self._shapes.items(), pieces, strict=True)}

    def measure(self, observations: NDArray[np.float32]) -> None:
        """Centre and scale inputs by the mean and spread of these observations; inputs that are alike, alike."""
        flat = observations.reshape(-1, observations.shape[-1]).astype(np.float64)
        for own, measured in ((self.center, flat.mean(axis=0)), (self.scale, flat.std(axis=0, ddof=1))):
            own.copy_(torch.from_numpy(_means(self._alike, measured)[self._alike]))
        self.scale.copy_(1.0 / self.scale.clamp(min=LEAST_SPREAD))

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """The same in torch, by full matrices: for whoever wants to differentiate something else."""
        weights = self._cut(self.numbers.index_select(0, self.classes))
        units = (observation - self.center) * self.scale
        linear, activate = nn.functional.linear, ACTIVATIONS[self.mlp.activation]
        for layer in range(len(self.mlp.hidden)):
            units = activate(linear(units, weights[f"body.{layer}.weight"], weights[f"body.{layer}.bias"]))
        logits, values = (
            linear(units, weights[f"{head}.weight"], weights[f"{head}.bias"]) for head in ("policy", "value")
        )
        return logits, values.squeeze(-1)

    def ready(self) -> Perceptron:
        """The network as a function of observations."""
        row = np.append(self.numbers.detach().numpy(), np.float32(0))
        with np.errstate(invalid="ignore"):  # learning may go astray, which the run says
            numbers = row[self._plus] - row[self._minus]
        return self._network.with_numbers(numbers)

    def gradients(self) -> Gradients:
        """What decisions ask of the numbers, as a function."""
        network, count = self.ready(), self.numbers.numel()
        places = self._plus, self._minus

        def gradient(decisions: Decisions, picked: NDArray[np.int64], loss: Loss) -> Gradient:
            slopes, figures = np.zeros(count + 1, np.float32), np.zeros(FIGURES)
            calculate_gradient(network, decisions, picked, loss, places, slopes, figures)
            return Gradient([torch.from_numpy(slopes[:-1])], figures, len(picked))

        return gradient

    @torch.no_grad()
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Plain matrices and biases for a checkpoint; centring and scaling are made part of the first ones."""
        weights = self._cut(self.numbers.index_select(0, self.classes))
        for name in self._first:
            weight = weights[f"{name}.weight"] * self.scale
            weights[f"{name}.weight"], weights[f"{name}.bias"] = weight, weights[f"{name}.bias"] - weight @ self.center
        return {name: weight.numpy().copy() for name, weight in weights.items()}

    @torch.no_grad()
    def load(self, weights: Weights) -> None:
        """Go on from a checkpoint's weights: of each class the mean."""
        given = {name: torch.tensor(weights[name]) for name in self._shapes}
        for name in self._first:
            weight = given[f"{name}.weight"]
            given[f"{name}.weight"] = weight / self.scale
            given[f"{name}.bias"] = given[f"{name}.bias"] + weight @ self.center
        row = torch.cat([given[name].reshape(-1) for name in self._shapes]).double().numpy()
        self.numbers.copy_(torch.from_numpy(_means(self.classes.numpy(), row)))

    @property
    def _first(self) -> tuple[str, ...]:
        """The layers that see the inputs."""
        return ("body.0",) if self.mlp.hidden else ("policy", "value")


def _means(classes: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of the values of each class."""
    means: NDArray[np.float64] = np.bincount(classes, values) / np.bincount(classes)
    return means
