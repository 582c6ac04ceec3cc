"""All trainings by their names, and which of them a file of settings or a run's folder belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from card_envs.errors import OptionError
from card_envs.files import shown
from training.command_line import load, names_of
from training.duel_settings import DuelSettings
from training.plain_yaml import load_plain, read_config
from training.settings import RunSettings, Sb3Settings, SelfPlaySettings

TREES: dict[str, type[RunSettings]] = {tree.trainer: tree for tree in (SelfPlaySettings, DuelSettings, Sb3Settings)}


def tree_of(config: Path) -> type[RunSettings]:
    """The training that knows all settings in a file; the first one, if several do."""
    named = load_plain(read_config(config))
    wanted = {*_named(named if isinstance(named, dict) else {})}
    for tree in TREES.values():
        known = names_of(tree)
        if all(any(name == one or name.startswith(f"{one}.") for one in known) for name in wanted):
            return tree
    raise OptionError(f"no training has all of the settings in {shown(config)}: {', '.join(sorted(wanted))}")


def _named(tree: dict[str, Any], before: str = "") -> list[str]:
    found = []
    for name, value in tree.items():
        found += _named(value, f"{before}{name}.") if isinstance(value, dict) and value else [f"{before}{name}"]
    return found


def settings_of(run: Path) -> RunSettings:
    """The settings of a run, whoever learns in it."""
    trainer = json.loads((run / "made_by.json").read_text())["trainer"]
    return load(TREES[trainer], run / "config.yaml")
