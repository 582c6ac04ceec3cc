"""Reading what an agent that speaks has answered: exactly one legal action, or one sentence about what was wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from card_envs.agents.isolated.wire import plain
from card_envs.errors import UnreadableError

HOW_IN_JSON = 'answer with one line that is a JSON object with an action by number or by exact name: {"action": 3}'
HOW_IN_WORDS = (
    "end your answer with a line of its own that names one of these choices by number or by exact name and nothing "
    "else, such as\naction: 3"
)
_LINE = re.compile(r"action\s*:\s*(.+)", re.IGNORECASE)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


def read_json(text: str) -> int | str:
    """The action of a JSON object, which may say other things besides."""
    try:
        found = json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        raise UnreadableError(f"this is no JSON object: {plain(text, 80)!r}; {HOW_IN_JSON}") from None
    action = found.get("action") if isinstance(found, dict) else None
    if isinstance(action, bool) or not isinstance(action, int | str):
        raise UnreadableError(f"there is no action in {plain(text, 80)!r}; {HOW_IN_JSON}")
    return action


def read_words(text: str) -> int | str:
    """The action that the last line of a text names: `action: 3`, `action: take bread`, or a JSON object."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    if last.startswith("{"):
        return read_json(last)
    found = _LINE.fullmatch(last)
    if found is None:
        raise UnreadableError(f"the last line of your answer is {plain(last, 80)!r}, which names no action")
    return found[1].strip()


def find_action(action: int | str, legal: Sequence[dict[str, Any]]) -> int | None:
    """The number of the legal action that is meant: by exact name, or by number. None if it is none of them."""
    by_name = {one["name"]: int(one["number"]) for one in legal}
    if isinstance(action, str) and action not in by_name:
        action = int(action) if action.isascii() and action.isdecimal() and len(action) < 10 else -1
    number = by_name[action] if isinstance(action, str) else action
    return number if number in by_name.values() else None


def why_not(action: int | str, legal: Sequence[dict[str, Any]]) -> str:
    """One sentence about an action that cannot be chosen."""
    allowed = ", ".join(f"{one['number']} ({one['name']})" for one in legal)
    return f"{plain(action, 80)!r} is none of the actions that you can choose now; these are {allowed}"
