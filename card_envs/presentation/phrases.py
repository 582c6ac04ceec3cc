"""A game in words, in four languages: what an action is called, what a move has brought, how the game is played.

Each game says so itself, in words.py and how_to_play.py of its package. A game of another package that has none is told
by the English names of its actions.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from typing import Any

from card_envs.core.game import Game
from card_envs.presentation.languages import translate

Line = tuple[int | None, str]


@functools.cache
def _part(package: str, name: str) -> Any:
    """A module of a game's package, or None if the game has none."""
    path = f"{package}.{name}"
    return importlib.import_module(path) if importlib.util.find_spec(path) else None


def say_action(game: Game, action: int, language: str, view: dict[str, Any] | None = None) -> str:
    """An action in words. A view lets the game say more about it."""
    telling = _part(game.package, "words")
    return str(telling.say(action, language, view)) if telling else game.actions[action]


def tell_move(game: Game, before: dict[str, Any], after: dict[str, Any], action: int, language: str) -> list[Line]:
    """What a listener hears of a move: seat (None where things happen by themselves) and words.

    Both views are the listener's own. Of simultaneous choices the action is not even handed on.
    """
    telling = _part(game.package, "words")
    if telling:
        lines: list[Line] = telling.tell(before, after, None if game.simultaneous else action, language)
        return lines
    return [(before.get("to_act"), "…" if game.simultaneous else game.actions[action])]


def say_label(game: Game, key: str, language: str) -> str:
    """The name of a card or of a row of the score sheet."""
    telling = _part(game.package, "words")
    if telling and key in telling.LABELS:
        return translate(telling.LABELS, key, language)
    return key.replace("_", " ")


def explain(game: Game, language: str) -> list[tuple[str, list[str]]]:
    """How the game is played: headings, each with its sentences."""
    explained = _part(game.package, "how_to_play")
    sections: list[tuple[str, list[str]]] = []
    for line in explained.RULES[language].strip().splitlines() if explained else []:
        if line.startswith("# "):
            sections.append((line[2:], []))
        elif line.startswith("- "):
            sections[-1][1].append(line[2:])
        else:
            sections[-1][1][-1] += f" {line.strip()}"
    return sections
