"""Networks of another kind: one class that plays, one that learns, and nothing else has to know."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from card_envs.agents import network as playing_networks
from card_envs.agents.checkpoint import CheckpointAgent, read_checkpoint
from card_envs.agents.network import Network, Weights
from card_envs.arena.match import play_match
from card_envs.core.game import Game
from card_envs.errors import CheckpointError, OptionError
from card_envs.games import get_game
from tests.support.checkpoint_files import random_weights, write
from tests.support.short_runs import begun, self_play
from training import network_kinds
from training.command_line import load
from training.learner import Arrays
from training.network import ActorCritic
from training.run import train
from training.run_folder import RunFolder
from training.self_play_learner import SelfPlayLearner
from training.settings import SelfPlaySettings


@dataclass(frozen=True)
class Scaled:
    """A kind of network that this project does not have: one layer, times a number that is not learned."""

    kind: ClassVar[str] = "scaled"

    scale: float

    @classmethod
    def read(cls, described: Any) -> Scaled:
        return cls(float(described["scale"]))

    def describe(self) -> dict[str, object]:
        return {"kind": self.kind, "scale": self.scale}

    def tensors(self, inputs: int, actions: int) -> dict[str, tuple[int, ...]]:
        return {"matrix": (inputs, actions + 1)}

    def logits(self, weights: Weights, observation: Any) -> Any:
        return (observation @ weights["matrix"])[..., :-1] * self.scale

    def values(self, weights: Weights, observation: Any) -> Any:
        return (observation @ weights["matrix"])[..., -1] * self.scale


class ScaledActorCritic(ActorCritic):
    """The same in torch."""

    def __init__(self, game: Game, form: Network, tied: bool, seed: int) -> None:
        super().__init__()
        assert isinstance(form, Scaled)
        self.scale = form.scale
        self.matrix = torch.nn.Parameter(torch.zeros(game.layout.size, len(game.actions) + 1))

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        out = observation @ self.matrix * self.scale
        return out[..., :-1], out[..., -1]

    def measure(self, observations: Any) -> None:
        pass

    def weights(self) -> Arrays:
        return {"matrix": self.matrix.detach().numpy().copy()}

    def load(self, weights: Weights) -> None:
        with torch.no_grad():
            self.matrix.copy_(torch.tensor(weights["matrix"]))


def test_another_kind_of_network_plays_once_it_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, network = tmp_path / "scaled.safetensors", Scaled(2.0)
    weights = random_weights("king_lui", network)
    with pytest.raises(CheckpointError, match="there is no network of the kind 'scaled'; there are mlp"):
        write(path, weights=weights, network=network)
    monkeypatch.setitem(playing_networks.KINDS, "scaled", Scaled.read)
    write(path, weights=weights, network=network)
    assert play_match("king_lui", [path, "random", "random"], games=20).points.shape == (20, 3)
    agent = CheckpointAgent(path, "king_lui")
    assert agent.values(np.zeros((4, get_game("king_lui").layout.size), np.float32)).shape == (4,)
    monkeypatch.undo()
    with pytest.raises(CheckpointError, match="there is no network of the kind 'scaled'; there are mlp"):
        read_checkpoint(path, "king_lui")


def test_another_kind_of_network_is_trained_and_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One class that learns, one that plays, a line in each table: then settings can name it."""
    config = tmp_path / "config.yaml"
    config.write_text("game: king_lui\nplayers: 3\nnetwork: {kind: scaled, options: {scale: 0.5}}\n")
    with pytest.raises(OptionError, match="there is no network of the kind 'scaled'; there are mlp"):
        load(SelfPlaySettings, config)
    monkeypatch.setitem(playing_networks.KINDS, "scaled", Scaled.read)
    network = load(SelfPlaySettings, config).network
    settings = self_play(tmp_path / "run", network=network)
    with pytest.raises(OptionError, match=r"'scaled' can play, but nothing in training/ learns it; there are mlp"):
        begun(replace(settings, run=str(tmp_path / "refused")), SelfPlayLearner)
    monkeypatch.setitem(network_kinds.KINDS, "scaled", ScaledActorCritic)
    train(settings, RunFolder.new(settings), SelfPlayLearner)
    best = tmp_path / "run/checkpoints/best.safetensors"
    checkpoint = read_checkpoint(best, "king_lui")
    assert checkpoint.network == Scaled(0.5)
    assert np.abs(checkpoint.weights["matrix"]).max() > 0
    assert play_match("king_lui", [best, "bot", "random"], games=5).points.shape == (5, 3)
    again = self_play(tmp_path / "again", network=network, start=str(best), decisions=120)
    train(again, RunFolder.new(again), SelfPlayLearner)
    child = read_checkpoint(tmp_path / "again/checkpoints/latest.safetensors", "king_lui")
    assert child.parent == checkpoint.content_hash
