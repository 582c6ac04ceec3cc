"""The pictures on the cards of Zum Kuhkuck, drawn by us."""

from __future__ import annotations

from card_envs.drawing.palette import BLUE, GREEN, ORANGE, PURPLE, VERMILION, YELLOW

# The colour of each card, and its shapes in a square of 32.
ICONS = {
    "boots": (
        VERMILION,
        '<path d="M6 4h8v14l6 4v6H5z"/><path d="M17 7h8v11l4 3v7h-7" /><path d="M5 24h15" fill="none"/>',
    ),
    "bell": (
        YELLOW,
        '<path d="M12 6a4 4 0 0 1 8 0" fill="none"/><path d="M10 7h12l5 17H5z"/><circle cx="16" cy="26" r="3"/>',
    ),
    "milking stool": (
        GREEN,
        '<path d="M9 15L6 28M23 15l3 13M16 15v12" fill="none" stroke-width="3"/><path d="M4 9h24v6H4z"/>',
    ),
    "milk churn": (
        BLUE,
        '<path d="M11 4h10v5c4 2 6 5 6 9v10H5V18c0-4 2-7 6-9z"/><path d="M11 9h10M5 19h22" fill="none"/>'
        '<path d="M8 14c-4 0-4 6 0 6M24 14c4 0 4 6 0 6" fill="none"/>',
    ),
    "brush": (
        PURPLE,
        '<path d="M5 18v8M9.4 18v8M13.8 18v8M18.2 18v8M22.6 18v8M27 18v8" fill="none" stroke-width="2.2"/>'
        '<path d="M4 10h24v8H4z"/><path d="M10 10c0-6 12-6 12 0" fill="none" stroke-width="2.5"/>',
    ),
    "electricity": (ORANGE, '<path d="M18 3L6 18h8l-2 11 14-17h-9z"/>'),
}
