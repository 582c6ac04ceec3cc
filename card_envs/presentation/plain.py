"""A position as plain lines, for games that do not say themselves how they look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def plain_rows(view: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name and value of everything in a view; "?" for what is hidden, and one row per entry of what has several."""
    rows: list[tuple[str, str]] = []
    for name, value in view.items():
        label = name.replace("_", " ")
        if (
            isinstance(value, Sequence)
            and not isinstance(value, str)
            and any(isinstance(one, Mapping) for one in value)
        ):
            rows += [(f"{label} {number}", _plain(one)) for number, one in enumerate(value)]
        else:
            rows.append((label, _plain(value)))
    return rows


def _plain(value: Any, between: str = ", ") -> str:
    """A value in one line; what stands `between` the entries of a list tells them from what comes after the list."""
    if value is None:
        return "?"
    if isinstance(value, Mapping):
        return ", ".join(f"{str(name).replace('_', ' ')} {_plain(one, ' ')}" for name, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return between.join(map(_plain, value)) or "-"
    return str(value)


def plain_text(view: Mapping[str, Any]) -> str:
    """The view as text, one line per thing."""
    rows = plain_rows(view)
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"  {name.ljust(width)}  {value}" for name, value in rows)
