"""Pictures for the report: inline SVG that stretches to whatever width a screen has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from card_envs.arena.standings import Figure
from card_envs.arena.titles import short_number

MOST_BARS = 60
FAR = 1.0  # an agent that is further away from all others than they lie apart does not stretch their axis


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


def span(figures: Sequence[Figure]) -> tuple[float, float]:
    """From the lowest end of all intervals to the highest, with some room.

    Those far below all others are left out, such as the random player among strong ones: `error_bar` shows them at
    the edge.
    """
    ordered = sorted((one for one in figures if math.isfinite(one.value)), key=lambda one: one.value)
    while len(ordered) > 2 and ordered[1].value - ordered[0].value > FAR * (ordered[-1].value - ordered[1].value):
        ordered = ordered[1:]
    ends = [end for one in ordered for end in one if math.isfinite(end)] or [0.0]
    room = (max(ends) - min(ends)) * 0.04 or 1.0
    return min(ends) - room, max(ends) + room


def error_bar(figure: Figure, low: float, high: float, mark: float | None = None) -> str:
    """A value with its interval, on a scale from low to high, with a line at `mark`. What lies below is an arrow."""

    def place(value: float) -> float:
        return min(max(100 * (value - low) / (high - low), 0.0), 100.0)

    shapes = [_line("mark", place(mark), 0, place(mark), 18)] if mark is not None and low <= mark <= high else []
    if math.isfinite(figure.value) and figure.value < low:
        shapes.append('<path class="away" d="M3 4L0 9L3 14" vector-effect="non-scaling-stroke"/>')
    elif math.isfinite(figure.value):
        ends = [end for end in (figure.low, figure.high) if math.isfinite(end)] or [figure.value]
        shapes += [
            _line("interval", place(ends[0]), 9, place(ends[-1]), 9),
            *(_line("interval", place(end), 5, place(end), 13) for end in ends),
            _line("value", place(figure.value), 3, place(figure.value), 15),
        ]
    return _svg(18, f"{figure.value:.3g}, from {figure.low:.3g} to {figure.high:.3g}", *shapes)


def share_bar(share: float, most: float, fair: float) -> str:
    """A bar for a share, with a line at the fair one."""
    width = 100 * share / most if math.isfinite(share) and most > 0 else 0.0
    bar = f'<rect class="bar" x="0" y="3" width="{width:.2f}" height="10"/>'
    return _svg(16, f"{share:.3f}", bar, _line("mark", 100 * fair / most, 0, 100 * fair / most, 16))


def bars_of(counts: Mapping[int, int], low: int, high: int) -> tuple[list[int], int]:
    """Counts of points put together into at most MOST_BARS bars from low to high, and how many points each has."""
    wide = max(1, -(-(high - low + 1) // MOST_BARS))
    bars = [0] * (-(-(high - low + 1) // wide))
    for points, count in counts.items():
        bars[(points - low) // wide] += count
    return bars, wide


def histogram(counts: Mapping[int, int], low: int, high: int) -> str:
    """How often how many points, as bars on a scale from low to high; each says from where to where it goes."""
    bars, wide = bars_of(counts, low, high)
    most, width = max([1, *bars]), 100 / len(bars)
    shapes = [
        f'<rect class="bar" x="{place * width:.2f}" y="{40 - 40 * count / most:.2f}" width="{width * 0.9:.2f}" '
        f'height="{40 * count / most:.2f}" data-from="{low + place * wide}" data-to="{low + place * wide + wide - 1}">'
        f"<title>{low + place * wide} to {low + place * wide + wide - 1} points: {count}</title></rect>"
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


WIDE, HIGH, LEFT, BELOW = 600, 220, 56, 26  # of a chart with axes


def step_chart(points: Sequence[tuple[int, Figure]], title: str) -> str:
    """Ratings by training step, with their intervals, and axes. `title` must be safe."""
    ends = [end for _, figure in points for end in figure if math.isfinite(end)] or [0.0]
    low, high = min(ends), max(max(ends), min(ends) + 1)
    first, last = min(step for step, _ in points), max(step for step, _ in points)

    def across(step: int) -> float:
        return LEFT + (WIDE - LEFT - 12) * (step - first) / max(last - first, 1)

    def up(value: float) -> float:
        return HIGH - BELOW - (HIGH - BELOW - 12) * (value - low) / (high - low)

    shapes = []
    for value in (low, (low + high) / 2, high):
        shapes += [
            _line("axis", LEFT, up(value), WIDE - 12, up(value)),
            f'<text x="{LEFT - 6}" y="{up(value) + 4:.1f}" text-anchor="end">{value:.0f}</text>',
        ]
    for step, anchor in ((first, "start"), (last, "end")):
        shapes.append(f'<text x="{across(step):.1f}" y="{HIGH - 6}" text-anchor="{anchor}">{short_number(step)}</text>')
    known = [(step, figure) for step, figure in sorted(points) if math.isfinite(figure.value)]
    path = "".join(
        f"{'L' if place else 'M'}{across(step):.1f} {up(figure.value):.1f}"
        for place, (step, figure) in enumerate(known)
    )
    shapes.append(f'<path class="curve" d="{path}"/>')
    for step, figure in known:
        x = across(step)
        if math.isfinite(figure.low) and math.isfinite(figure.high):
            shapes.append(_line("interval", x, up(figure.low), x, up(figure.high)))
        shapes.append(f'<circle cx="{x:.1f}" cy="{up(figure.value):.1f}" r="3.5"/>')
    return f'<svg class="chart" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{title}">{"".join(shapes)}</svg>'
