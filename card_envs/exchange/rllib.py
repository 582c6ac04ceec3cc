"""Modules of RLlib's PPO as checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from card_envs.core.game import Game
from card_envs.errors import CheckpointError
from card_envs.exchange.modules import export_module
from card_envs.extras import need

need("card_envs.exchange.rllib", "torch", "train")
from torch import nn  # noqa: E402  # after the sentence for those who do not have it


def export_rllib(module: Any, game: Game | str, out: str | Path, **more: Any) -> None:
    """Save a module of RLlib's PPO (`MaskedModule` or its own default) with plain layers as a checkpoint.

    `algorithm.get_module("one")` plays only, and says 0 of every position; what `RLModule.from_checkpoint` reads from
    `learner_group/learner/rl_module/one` of a saved algorithm has values too. `more` is what `export_module` takes.
    """
    encoder: Any = getattr(module, "encoder", None)
    shared: Any = getattr(encoder, "encoder", None)
    actor, critic = (
        shared or getattr(encoder, "actor_encoder", None),
        shared or getattr(encoder, "critic_encoder", None),
    )
    if actor is None or not hasattr(actor, "net") or not hasattr(module, "pi"):
        raise CheckpointError(
            f"a {type(module).__name__} has no encoder of plain layers; MaskedModule with `fcnet_hiddens` has"
        )
    value = nn.Sequential(critic.net, module.vf) if critic is not None and hasattr(module, "vf") else None
    export_module(nn.Sequential(actor.net, module.pi), value, game, out, **more)
