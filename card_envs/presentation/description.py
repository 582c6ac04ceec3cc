"""A game described to whoever wants to program for it: how to play, options, actions, observation."""

from __future__ import annotations

import textwrap
from dataclasses import MISSING, fields
from typing import Any

from card_envs.core.game import Game
from card_envs.presentation.phrases import explain, say_action

ACTIONS_IN_FULL = 8  # of a run of actions that begin alike; of a longer one the first and the last are shown


def action_runs(game: Game, language: str = "en") -> list[tuple[str, list[str]]]:
    """Actions in runs whose names begin alike, such as 0-6 for `take bread` to `take wine`: numbers, and names."""
    runs: list[list[int]] = []
    for number, name in enumerate(game.actions):
        if runs and game.actions[runs[-1][-1]].split()[0] == name.split()[0]:
            runs[-1].append(number)
        else:
            runs.append([number])
    told = []
    for run in runs:
        shown = run if len(run) <= ACTIONS_IN_FULL else [run[0], run[1], run[-1]]
        names = [game.actions[number] if language == "en" else say_action(game, number, language) for number in shown]
        if shown != run:
            names.insert(2, "...")
        told.append((str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}", names))
    return told


def describe(game: Game, language: str = "en", width: int = 100) -> str:
    """All of it as text. Names of options and fields are the same in every language."""
    choices = "everyone chooses at the same time" if game.simultaneous else "in turns"
    parts = [f"{game.title}: {game.players_text} players, {choices}. The id is {game.id}."]
    for heading, sentences in explain(game, language):
        parts.append("\n".join([heading, *(_wrapped(sentence, "  - ", width) for sentence in sentences)]))
    parts.append("\n".join(["Options", *(f"  {line}" for line in _options(game))]))
    runs = action_runs(game, language)
    wide = max(len(numbers) for numbers, _ in runs)
    actions = [_wrapped(", ".join(names), f"  {numbers.rjust(wide)}  ", width) for numbers, names in runs]
    parts.append("\n".join([f"Actions, {len(game.actions)} in all", *actions]))
    parts.append("Observation\n" + textwrap.indent(str(game.layout), "  "))
    return "\n\n".join(parts)


def _wrapped(text: str, before: str, width: int) -> str:
    return textwrap.fill(text, width, initial_indent=before, subsequent_indent=" " * len(before))


def _options(game: Game) -> list[str]:
    """The game's own options with their defaults."""
    own: Any = game.options
    return [f"{one.name} = {_plain('' if one.default is MISSING else one.default)}" for one in fields(own)]


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
