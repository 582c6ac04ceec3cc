"""The pictures on the cards of Ku-Ka-King, drawn by us."""

from __future__ import annotations

from card_envs.drawing.palette import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILION, YELLOW

SKIN, PINK, BROWN, CREAM, WHITE = "#F3D3B0", "#F2B8C6", "#B98B5E", "#E8DCC4", "#FFFFFF"
_EYES = f'<circle cx="12.5" cy="{{y}}" r="1" fill="{INK}"/><circle cx="19.5" cy="{{y}}" r="1" fill="{INK}"/>'
_STAR = '<path d="M16 2l4.2 8.6 9.4 1.4-6.8 6.6 1.6 9.4-8.4-4.4L7.6 28l1.6-9.4L2.4 12l9.4-1.4z"/>'


def _victory(points: int) -> str:
    return (
        f'{_STAR}<text x="16" y="21.5" font-size="13" font-weight="700" text-anchor="middle" fill="{INK}" '
        f'stroke="none">{points}</text>'
    )


# For each type the colour of what it scores with, the colour of the thing itself, and its shapes in a square of 32.
ICONS = {
    "king": (YELLOW, YELLOW, '<path d="M4 26V9l6 7 6-12 6 12 6-7v17z"/><path d="M4 21.5h24" fill="none"/>'),
    "knight": (
        SKY,
        SKY,
        '<path d="M16 4c3-4 9-3 11 1-4-1-6 0-8 2z" fill="#fff"/>'
        '<path d="M7 28V14c0-6 4-10 9-10s9 4 9 10v14h-6V19h-6v9z"/>'
        '<path d="M7 15h18" fill="none"/>',
    ),
    "church": (
        PURPLE,
        PURPLE,
        '<path d="M13 28V18l8-5 8 5v10z"/><path d="M3 28V14l5-6 5 6v14z"/><path d="M8 8V2M5.5 4.5h5" fill="none"/>'
        '<path d="M18.5 28v-6h5v6z" fill="#fff"/>',
    ),
    "farmer": (
        VERMILION,
        VERMILION,
        f'<circle cx="16" cy="18" r="8.5" fill="{SKIN}"/><path d="M3 14h26l-6-3-1-7H10l-1 7z"/>'
        + _EYES.format(y=18)
        + '<path d="M12 22c2 2 6 2 8 0" fill="none"/>',
    ),
    "farmer's wife": (
        VERMILION,
        VERMILION,
        '<path d="M16 3c9 0 11 7 11 14 0 6-2 10-4 11H9c-2-1-4-5-4-11C5 10 7 3 16 3z"/>'
        f'<circle cx="16" cy="17" r="7.5" fill="{SKIN}"/>'
        + _EYES.format(y=16)
        + '<path d="M13 20.5c2 1.5 4 1.5 6 0" fill="none"/>',
    ),
    "farmhouse": (
        VERMILION,
        VERMILION,
        '<path d="M5 28V15L16 5l11 10v13z"/><path d="M2 17L16 4l14 13" fill="none" stroke-width="2.5"/>'
        '<path d="M12 28v-9h8v9z" fill="#fff"/>',
    ),
    "victory 2": (BLUE, ORANGE, _victory(2)),
    "victory 3": (BLUE, ORANGE, _victory(3)),
    "victory 4": (BLUE, ORANGE, _victory(4)),
    "sheep": (
        GREEN,
        WHITE,
        '<path d="M8 11c-5-1-5 6-1 7-3 4 3 7 5 4 2 3 6 3 8 0 2 3 8 0 5-4 4-1 4-8-1-7 0-5-5-7-8-4-3-3-8-1-8 4z"/>'
        f'<path d="M11 13h10l-1.5 11c-1 4-6 4-7 0z" fill="{CREAM}"/>' + _EYES.format(y=17),
    ),
    "horse": (
        GREEN,
        BROWN,
        '<path d="M8 29c-2-9 0-15 5-19l-1-7 6 5c6 2 9 8 11 14l-3 4-5-2-5-3c-1 3 0 5 1 8z"/>'
        f'<circle cx="18.5" cy="13.5" r="1.2" fill="{INK}"/>'
        '<path d="M13 10c-4 3-6 8-6 14" fill="none" stroke-width="3"/>',
    ),
    "pig": (
        GREEN,
        PINK,
        '<path d="M5 5l7 4h8l7-4-1 9c1 2 1 3 1 5 0 6-5 9-11 9S5 25 5 19c0-2 0-3 1-5z"/>'
        '<ellipse cx="16" cy="21" rx="5" ry="3.5"/><path d="M14.5 20.5v1M17.5 20.5v1" fill="none"/>'
        + _EYES.format(y=15),
    ),
    "cow": (
        GREEN,
        WHITE,
        '<path d="M5 3c-2 5 0 7 5 7M27 3c2 5 0 7-5 7" fill="none" stroke-width="2.5"/>'
        '<path d="M9 12l-6 1 5 4zM23 12l6 1-5 4z"/>'
        f'<path d="M9 8h14l-1 14H10z"/><path d="M9 8h6v6c0 3-5 4-5.5 2z" fill="{INK}"/>'
        f'<ellipse cx="16" cy="24" rx="7.5" ry="5" fill="{PINK}"/><path d="M13 24v.5M19 24v.5" fill="none"/>'
        f'<circle cx="19.5" cy="14" r="1" fill="{INK}"/><circle cx="12" cy="13" r="1" fill="#fff" stroke="none"/>',
    ),
    "goat": (
        GREEN,
        CREAM,
        '<path d="M13 10c-1-5-4-7-8-7M19 10c1-5 4-7 8-7" fill="none" stroke-width="2.5"/>'
        '<path d="M10 12l-7 2 7 3zM22 12l7 2-7 3z"/><path d="M13.5 23l2.5 7 2.5-7z" fill="#fff"/>'
        '<path d="M10 9h12l-2.5 13L16 25l-3.5-3z"/>' + _EYES.format(y=15),
    ),
    "goose": (
        GREEN,
        WHITE,
        f'<path d="M9 5L2 8l7 2z" fill="{ORANGE}"/><path d="M17 27v3M21 27v3" fill="none"/>'
        '<path d="M8 6c3-4 9-2 9 4l-1 8c4-3 9-2 14-4-1 8-5 14-12 14-7 0-10-4-9-9l1-9c-1-1-2-2-2-4z"/>'
        f'<circle cx="12" cy="6.5" r="1" fill="{INK}"/>',
    ),
    "chicken": (
        GREEN,
        WHITE,
        f'<path d="M7 8c-1-4 2-5 3-3 1-3 5-2 4 3z" fill="{VERMILION}"/><path d="M6 12l-4 2 4 2z" fill="{ORANGE}"/>'
        '<path d="M14 27v3M19 27v3" fill="none"/><path d="M6 13c0-7 9-7 10-1 1 4 6 4 12-2 1 10-3 17-11 17S6 21 6 13z"/>'
        f'<circle cx="10.5" cy="12" r="1" fill="{INK}"/>',
    ),
    "rabbit": (
        GREEN,
        "#C9CED4",
        '<path d="M12 15C7 9 8 2 11 2s5 7 3 12zM20 15c5-6 4-13 1-13s-5 7-3 12z"/><circle cx="16" cy="21" r="8.5"/>'
        + _EYES.format(y=19)
        + '<path d="M16 22.5v2M14 26c1-2 3-2 4 0" fill="none"/>',
    ),
}
