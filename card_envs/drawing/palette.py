"""Colours. The hues are those of Okabe and Ito, which colour-blind people can tell apart; none carries meaning alone.

Everything that changes between light and dark has a class; cards look the same in both, as cards do.
"""

from __future__ import annotations

ORANGE, SKY, GREEN, YELLOW = "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#9AA0A6"
PAPER, INK, BACK = "#FFFDF6", "#23262B", "#5B6472"  # a card's face, what is printed on it, and its back

# class: property, colour in the light, colour in the dark
ROLES = {
    "felt": ("fill", "#F1F3EE", "#16191D"),
    "panel": ("fill", "#FFFFFF", "#21262C"),
    "own": ("fill", "#E4F0FA", "#1D3346"),
    "line": ("stroke", "#CBD2CC", "#3B444D"),
    "ink": ("fill", "#1D2126", "#F2F4F5"),
    "soft": ("fill", "#565F69", "#AEB8C2"),
    "mark": ("fill", "#005F95", "#7CC7F2"),
    "warn": ("fill", "#A84300", "#FFA05C"),
    "slot": ("stroke", "#A9B3AC", "#56616C"),
    "turn": ("stroke", "#0072B2", "#7CC7F2"),
    "play": ("stroke", "#0072B2", "#7CC7F2"),
}


def stylesheet(theme: str) -> str:
    """The rules for all classes; for "auto" both sets, the dark one under the reader's own preference."""
    rules = [
        "".join(f".{name}{{{kind}:{colours[dark]}}}" for name, (kind, *colours) in ROLES.items()) for dark in (0, 1)
    ]
    if theme == "auto":
        return f"{rules[0]}@media (prefers-color-scheme:dark){{{rules[1]}}}"
    return rules[THEME_COLUMNS.index(theme)]


THEME_COLUMNS = ("light", "dark")
