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
    "cross": ("stroke", "#B3261E", "#FF8A80"),
    "play": ("stroke", "#0072B2", "#7CC7F2"),
}


def stylesheet(theme: str) -> str:
    """The rules for all classes; for "auto" both sets, the dark one under the reader's own preference."""
    if theme == "auto":
        return f"{_rules('light')}@media (prefers-color-scheme:dark){{{_rules('dark')}}}"
    return _rules(theme)


def _rules(theme: str, within: str = "") -> str:
    column = ("light", "dark").index(theme)
    return "".join(f"{within}.{name}{{{kind}:{colours[column]}}}" for name, (kind, *colours) in ROLES.items())


def page_stylesheet() -> str:
    """The rules for pictures within a page, whose reader may have chosen a theme against the system's."""
    dark = _rules("dark", ":root:not([data-theme=light]) svg ")
    by_system = f"@media (prefers-color-scheme:dark){{{dark}}}"
    return _rules("light", "svg ") + by_system + _rules("dark", ":root[data-theme=dark] svg ")
