"""Results as small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a title. All texts are plain; whatever HTML they hold is shown, not obeyed."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
