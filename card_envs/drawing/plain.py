"""A plain table drawn from a view, with a button for each legal action: for games that have no picture of their own."""

from __future__ import annotations

from typing import Any

from card_envs.drawing.canvas import Canvas
from card_envs.drawing.look import Look
from card_envs.presentation.plain import plain_rows

WIDTHS = {True: 400.0, False: 900.0}  # tall, wide
EDGE, LINE, BUTTON, GAP = 16.0, 26.0, 40.0, 8.0


def draw_view(view: dict[str, Any], look: Look) -> str:
    """Names and values of the view in rows, then what may be played."""
    width = WIDTHS[look.tall]
    canvas = Canvas(look, width)
    rows = plain_rows(view)
    column = width * (0.4 if look.tall else 0.25)
    y = EDGE + LINE
    for name, value in rows:
        canvas.text(EDGE, y, name, 14, css="soft", width=column - 2 * EDGE)
        canvas.text(column, y, value, 14, width=width - column - EDGE)
        y += LINE
    columns = 2 if look.tall else 5
    size = (width - 2 * EDGE - (columns - 1) * GAP) / columns
    for place, (action, name) in enumerate((look.actions or {}).items()):
        left, top = EDGE + place % columns * (size + GAP), y + place // columns * (BUTTON + GAP)
        with canvas.playable([action], left, top, size, BUTTON):
            canvas.panel(left, top, size, BUTTON)
            canvas.text(left + size / 2, top + BUTTON / 2 + 5, name, 14, anchor="middle", width=size - GAP)
    buttons = -(-len(look.actions or {}) // columns)
    return canvas.svg(y + buttons * (BUTTON + GAP) + EDGE, ", ".join(f"{name}: {value}" for name, value in rows))
