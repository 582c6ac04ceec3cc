"""What an agent that speaks is asked: all that its seat knows of a game, as a table for JSON and as a text to read.

Everything in it comes from the seat's own view, observation and mask, and from what it has heard: see
tests/unit/test_speaking.py, which draws anew what the seat cannot know and compares.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from card_envs.agents.positions import Positions
from card_envs.core.game import Game
from card_envs.presentation.history import Heard, names_for
from card_envs.presentation.phrases import explain, say_action

FORMAT = 1  # of the messages; another number means that a program must be changed


def _rules(game: Game) -> str:
    """How the game is played, in short."""
    parts = ["\n".join([heading, *(f"- {sentence}" for sentence in told)]) for heading, told in explain(game, "en")]
    return "\n\n".join(parts)


def make_question(positions: Positions, row: int) -> dict[str, Any]:
    """The question about one position; docs/speaking.md says what each part of it is."""
    game, players, seat = positions.game, positions.players, int(positions.seat[row])
    view, (earlier, since) = positions.view(row), positions.heard(row)
    legal = [
        {"number": number, "name": game.actions[number], "words": say_action(game, number, "en", view)}
        for number in np.flatnonzero(positions.action_mask[row]).tolist()
    ]
    asked = {
        "format": FORMAT,
        "game": game.name,
        "version": game.version,
        "title": game.title,
        "players": players,
        "options": positions.options(),
        "seat": seat,
        "table": positions.number(row),
        "position": game.to_text(view, "en"),
        "view": {name: value for name, value in view.items() if name != "names"},
        "history": [_line(heard) for heard in (*earlier, *since)],
        "new": len(since),
        "legal": legal,
        "observation": [float(f"{value:.9g}") for value in positions.observation[row].tolist()],
        "action_mask": positions.action_mask[row].tolist(),
    }
    return {**asked, "rules": _rules(game), "prompt": _prompt(game, asked)}


def to_json(question: dict[str, Any]) -> str:
    """A question as one line; what NumPy has left in somebody's view is written as what it stands for."""
    return json.dumps(question, default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value))


def _line(heard: Heard) -> dict[str, Any]:
    return {"move": heard.move, "seat": heard.seat, "text": heard.text}


def _prompt(game: Game, asked: dict[str, Any]) -> str:
    """The same as one text, from which a person or a language model could play."""
    players, seat, new = asked["players"], asked["seat"], asked["new"]
    names = names_for(players, seat)
    history = asked["history"]
    earlier, since = history[: len(history) - new], history[len(history) - new :]
    choices = "all players choose at the same time" if game.simultaneous else "players act in turns"
    parts = [f"You are player {seat} of the {players} players 0 to {players - 1} in {game.title}; {choices}."]
    parts += [_section("What has happened before", _told(earlier, names))] if earlier else []
    parts += [_section("What has happened since your last choice", _told(since, names))] if since else []
    parts.append(_section("The position, as you know it", [asked["position"]]))
    parts.append(_section("You can choose, by number or by exact name", [_choice(**one) for one in asked["legal"]]))
    return "\n\n".join(parts)


def _section(heading: str, lines: Iterable[str]) -> str:
    return "\n".join([f"{heading}:", *lines])


def _told(history: list[dict[str, Any]], names: list[str]) -> list[str]:
    return [f"- {one['text']}" if one["seat"] is None else f"- {names[one['seat']]}: {one['text']}" for one in history]


def _choice(number: int, name: str, words: str) -> str:
    return f"{number}: {name}" if words.startswith(name) else f"{number}: {name} ({words})"
