"""Runs of training that take a second: settings, and runs that are about to begin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from training.evaluation import EvaluationSettings
from training.learner import Learner
from training.ppo_settings import MaskablePPOSettings, SelfPlayPPOSettings
from training.run import Run
from training.run_folder import RunFolder
from training.settings import LayerSettings, NetworkSettings, RunSettings, Sb3Settings, SelfPlaySettings


def self_play(path: Path, **changes: Any) -> SelfPlaySettings:
    given: dict[str, Any] = {
        "game": "king_lui",
        "players": 3,
        "run": str(path),
        "decisions": 480,
        "games": 12,
        "threads": 1,
        "save_seconds": 0.0,
        "network": NetworkSettings(hidden=8),
        "ppo": SelfPlayPPOSettings(n_steps=10, batch_size=60),
        "evaluation": EvaluationSettings(every=240, deals=2, pool=1),
        **changes,
    }
    return SelfPlaySettings(**given)


def sb3(path: Path, **changes: Any) -> Sb3Settings:
    given: dict[str, Any] = {
        "game": "king_lui",
        "players": 3,
        "run": str(path),
        "decisions": 480,
        "games": 12,
        "save_seconds": 0.0,
        "snapshot_every": 240,
        "network": LayerSettings(hidden=8),
        "ppo": MaskablePPOSettings(n_steps=10, batch_size=60, learning_rate_end=1e-4, ent_coef_end=0.0),
        "evaluation": EvaluationSettings(every=240, deals=2, pool=1),
        **changes,
    }
    return Sb3Settings(**given)


def begun(settings: RunSettings, make: Callable[[Any, RunFolder], Learner]) -> Run:
    folder = RunFolder.new(settings)
    return Run(settings, folder, make(settings, folder))
