"""What the learner asks of its network in torch. mlp.py has the one that we use, network_kinds.py the list of all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from card_envs.agents.network import Weights

Answer = tuple[Tensor, Tensor]  # logits of all actions, legal or not, and what the seat can expect


class ActorCritic(nn.Module, ABC):
    """Policy and value for one game, to be learned.

    Whatever form it has while it learns, `weights()` gives what card_envs/agents/network.py runs in NumPy: tensors of
    the same kind of network, under the same names.
    """

    @abstractmethod
    def ready(self) -> Callable[[Tensor], Answer]:
        """The network as a function of observations, for as long as its parameters stay as they are."""

    @abstractmethod
    def measure(self, observations: NDArray[np.float32]) -> None:
        """Adapt to how inputs are spread, once, before anything is learned; a network may have nothing to do here."""

    @abstractmethod
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The weights for a checkpoint."""

    @abstractmethod
    def load(self, weights: Weights) -> None:
        """Go on from a checkpoint's weights."""

    def forward(self, observation: Tensor) -> Answer:
        """What `ready` gives, for one batch of observations."""
        return self.ready()(observation)
