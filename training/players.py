"""A learner's weights as a player: what a checkpoint says of them."""

from __future__ import annotations

from card_envs.agents.checkpoint import Checkpoint
from card_envs.agents.network import Network
from training.learner import Arrays
from training.settings import RunSettings


def as_checkpoint(settings: RunSettings, network: Network, weights: Arrays, step: int, parent: str) -> Checkpoint:
    """A player of a run, after so many decisions."""
    rules = settings.rules
    return Checkpoint(
        game=rules.name,
        version=rules.version,
        layout=rules.layout.hash,
        network=network,
        players=settings.numbers,
        options=dict(settings.options),
        step=step,
        parent=parent,
        weights=weights,
    )
