"""What the learner asks of its network. mlp.py has the one that we use, network_kinds.py the list of all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from card_envs.agents.network import Weights
from training.loss import FIGURES, Decisions, Loss, compiled_slopes

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]  # logits of all actions, legal or not, and values


class Gradient(NamedTuple):
    """The gradient of some decisions' mean loss, and the sums of its parts: policy, value, entropy, movement."""

    gradients: Sequence[Tensor]  # in the order of `parameters()`
    figures: NDArray[np.float64]
    rows: int


Gradients = Callable[[Decisions, NDArray[np.int64], Loss], Gradient]  # of the decisions that are picked


class ActorCritic(nn.Module, ABC):
    """Policy and value for one game, to be learned.

    Whatever form it has while it learns, `weights()` gives what card_envs/agents/network.py runs: tensors of the same
    kind of network, under the same names. A kind of your own has `forward`, in torch. It may have `ready` and
    `gradients` too, where it knows a faster way.
    """

    @abstractmethod
    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of all actions, legal or not, and what the seat can expect."""

    def ready(self) -> Callable[[NDArray[np.float32]], Answer]:
        """The network as a function of observations, for as long as its parameters stay as they are."""

        @torch.no_grad()
        def run(observation: NDArray[np.float32]) -> Answer:
            logits, values = self(torch.from_numpy(observation))
            return logits.contiguous().numpy(), values.numpy()

        return run

    def gradients(self) -> Gradients:
        """What picked decisions ask of the network, as a function, for as long as its parameters stay as they are.

        Threads may call it at the same time.
        """
        return self._gradient

    def _gradient(self, decisions: Decisions, picked: NDArray[np.int64], loss: Loss) -> Gradient:
        outputs = self(torch.from_numpy(decisions.observation[picked]))
        slopes = [output.detach().clone(memory_format=torch.contiguous_format) for output in outputs]
        figures = np.zeros(FIGURES)
        compiled_slopes()(decisions, picked, loss, slopes[0].numpy(), slopes[1].numpy(), figures)
        return Gradient(torch.autograd.grad(outputs, list(self.parameters()), slopes), figures, len(picked))

    @abstractmethod
    def measure(self, observations: NDArray[np.float32]) -> None:
        """Adapt to how inputs are spread, once, before anything is learned; a network may have nothing to do here."""

    @abstractmethod
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The weights for a checkpoint."""

    @abstractmethod
    def load(self, weights: Weights) -> None:
        """Go on from a checkpoint's weights."""
