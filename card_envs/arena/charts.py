"""Pictures for the report: inline SVG that stretches to whatever width a screen has, and no script."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from card_envs.arena.standings import Figure

MOST_BARS = 60


def _svg(height: int, title: str, *shapes: str) -> str:
    """A picture 100 wide, whatever that is on the screen. `title` is for those who cannot see it; it must be safe."""
    return (
        f'<svg viewBox="0 0 100 {height}" height="{height}" preserveAspectRatio="none" role="img" aria-label="{title}">'
        f"{''.join(shapes)}</svg>"
    )


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line class="{kind}" x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" '
        'vector-effect="non-scaling-stroke"/>'
    )


def span(figures: Sequence[Figure], include: float) -> tuple[float, float]:
    """From the lowest end of all intervals to the highest, with a number that must be in it and some room."""
    ends = [end for figure in figures for end in (figure.low, figure.high) if math.isfinite(end)] + [include]
    low, high = min(ends), max(ends)
    room = (high - low) * 0.04 or 1.0
    return low - room, high + room


def error_bar(figure: Figure, low: float, high: float, mark: float) -> str:
    """A value with its interval, on a scale from low to high, with a line at `mark`."""

    def place(value: float) -> float:
        return 100 * (value - low) / (high - low)

    shapes = [_line("mark", place(mark), 0, place(mark), 18)]
    if math.isfinite(figure.value):
        shapes += [
            _line("interval", place(figure.low), 9, place(figure.high), 9),
            *(_line("interval", place(end), 5, place(end), 13) for end in (figure.low, figure.high)),
            _line("value", place(figure.value), 3, place(figure.value), 15),
        ]
    return _svg(18, f"{figure.value:.3g}, from {figure.low:.3g} to {figure.high:.3g}", *shapes)


def share_bar(share: float, most: float, fair: float) -> str:
    """A bar for a share, with a line at the fair one."""
    width = 100 * share / most if math.isfinite(share) and most > 0 else 0.0
    bar = f'<rect class="bar" x="0" y="3" width="{width:.2f}" height="10"/>'
    return _svg(16, f"{share:.3f}", bar, _line("mark", 100 * fair / most, 0, 100 * fair / most, 16))


def histogram(counts: Mapping[int, int], low: int, high: int) -> str:
    """How often how many points, as bars on a scale from low to high."""
    wide = max(1, -(-(high - low + 1) // MOST_BARS))
    bars = [0] * (-(-(high - low + 1) // wide))
    for points, count in counts.items():
        bars[(points - low) // wide] += count
    most, width = max([1, *bars]), 100 / len(bars)
    shapes = [
        f'<rect class="bar" x="{place * width:.2f}" y="{40 - 40 * count / most:.2f}" width="{width * 0.9:.2f}" '
        f'height="{40 * count / most:.2f}"/>'
        for place, count in enumerate(bars)
        if count
    ]
    return _svg(40, f"points from {low} to {high}", *shapes)


def heat(share: float) -> str:
    """The colour of a share of games in which one finished ahead: blue above one half, orange below, none at it."""
    if not math.isfinite(share):
        return ""
    strength = min(1.0, abs(share - 0.5) * 2) * 0.75
    return f"background:rgba({'30,110,220' if share >= 0.5 else '230,120,20'},{strength:.2f})"
