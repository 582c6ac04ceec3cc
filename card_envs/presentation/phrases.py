"""A game in words, in four languages: what an action is called, what a move has brought, how the game is played.

Each game says so itself, in `Game(words=...)`. One that does not is told by the English names of its actions.
"""

from __future__ import annotations

from typing import Any

from card_envs.core.game import Game, Line
from card_envs.presentation.languages import translate


def say_action(game: Game, action: int, language: str, view: dict[str, Any] | None = None) -> str:
    """An action in words. A view lets the game say more about it."""
    return game.words.say(action, language, view) if game.words else game.actions[action]


def tell_move(game: Game, before: dict[str, Any], after: dict[str, Any], action: int, language: str) -> list[Line]:
    """What a listener hears of a move: seat (None where things happen by themselves) and words.

    Both views are the listener's own. Of simultaneous choices the action is not even handed on.
    """
    if game.words:
        return game.words.tell(before, after, None if game.simultaneous else action, language)
    return [(before.get("to_act"), "…" if game.simultaneous else game.actions[action])]


def say_label(game: Game, key: str, language: str) -> str:
    """The name of a card or of a row of the score sheet."""
    if game.words and key in game.words.labels:
        return translate(game.words.labels, key, language)
    return key.replace("_", " ")


def guide(game: Game, view: dict[str, Any], seat: int, language: str) -> list[tuple[str, str]]:
    """Notes for somebody's first game that fit this position, in the order in which they are given: key and text."""
    if game.words is None or game.words.notes is None:
        return []
    return [(key, translate(game.words.guide, key, language)) for key in game.words.notes(view, seat)]


def explain(game: Game, language: str) -> list[tuple[str, list[str]]]:
    """How the game is played: headings, each with its sentences."""
    return [
        (
            translate(section, "heading", language),
            [translate(section, key, language) for key in section if key != "heading"],
        )
        for section in (game.words.how_to_play.values() if game.words else ())
    ]
