"""The average of a learner's late policies: a network whose numbers are means over time, the late ones counting most.

Where learners circle around a mixed policy, their mean is near it while no single one of them is.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import torch
from torch import nn

from training.run_state import check_like
from training.state_checks import require

Kind = TypeVar("Kind", bound=nn.Module)


class Average(Generic[Kind]):
    """A network of the same form as the learner's. `weight` tells how much of it stems from what it has seen."""

    def __init__(self, network: Kind, half_life: int) -> None:
        self.network, self.half_life = network, half_life
        self.weight = 0.0

    @torch.no_grad()
    def add(self, learner: Kind, decisions: int) -> None:
        """The learner as it is after so many more decisions. The first one is the average of itself."""
        kept = 0.5 ** (decisions / self.half_life)
        self.weight = self.weight * kept + 1.0 - kept
        share = (1.0 - kept) / self.weight
        for own, late in zip(self.network.parameters(), learner.parameters(), strict=True):
            own.add_(share * (late - own))
        for buffer, newest in zip(self.network.buffers(), learner.buffers(), strict=True):
            buffer.copy_(newest)

    def state_dict(self) -> dict[str, Any]:
        """All that going on needs."""
        return {"weight": self.weight, "network": self.network.state_dict()}

    def load_state_dict(self, saved: Any) -> None:
        """Go on from what `state_dict` gave; refuses what cannot be."""
        check_like(saved, self.state_dict(), "average")
        require(0.0 <= saved["weight"] <= 1.0, "its average is none")
        self.weight = saved["weight"]
        self.network.load_state_dict(saved["network"])
