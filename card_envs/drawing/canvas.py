"""A sheet on which a game draws: shapes, text that fits, cards, panels, and what can be clicked."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from xml.sax.saxutils import escape, quoteattr

from card_envs.drawing.look import Look
from card_envs.drawing.metrics import fit_size, shorten, text_width
from card_envs.drawing.palette import BACK, INK, PAPER, stylesheet

TALL = 392  # how wide tall pictures are drawn: as a phone shows them, so that sizes are what they say
SMALLEST_TALL, SMALLEST_WIDE = 11.6, 13.0
SOFT_HYPHEN = "\u00ad"
FAMILY = "Inter, 'Helvetica Neue', Arial, sans-serif"


@functools.lru_cache(16384)  # pictures of a game use the same coordinates again and again
def plain(value: float) -> str:
    """A coordinate as short as it can be said."""
    return f"{value:.1f}".removesuffix(".0")


class Canvas:
    """Collects the elements of a picture from the back to the front."""

    def __init__(self, look: Look, width: float) -> None:
        self.look, self.width = look, width
        self._parts: list[str] = []

    @property
    def smallest(self) -> float:
        """The size of the smallest letters: 11 pixels on a phone, and on the smallest screen with a wide picture."""
        return SMALLEST_TALL if self.look.tall else SMALLEST_WIDE

    def add(self, element: str) -> None:
        """One element of SVG, from code and never from a player."""
        self._parts.append(element)

    def rect(
        self, x: float, y: float, width: float, height: float, paint: str = "", *, radius: float = 8, css: str = ""
    ) -> None:
        """A rectangle with round corners: `css` names classes of the palette, `paint` gives fixed attributes."""
        classes = f' class="{css}"' if css else ""
        size = f'x="{plain(x)}" y="{plain(y)}" width="{plain(width)}" height="{plain(height)}" rx="{plain(radius)}"'
        self.add(f"<rect {size}{classes}{' ' if paint else ''}{paint}/>")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 15,
        *,
        css: str = "ink",
        paint: str = "",
        anchor: str = "start",
        bold: bool = False,
        width: float | None = None,
    ) -> None:
        """A line of text on the baseline y, made smaller (to what can still be read) and then shortened to fit."""
        if width is not None:
            size = fit_size(text, width, size, bold, self.smallest)
            text = shorten(text, width + 0.5, size, bold)
        look = f' class="{css}"' if css and not paint else f" {paint}"
        at = f'x="{plain(x)}" y="{plain(y)}" font-size="{plain(size)}"'
        ends = "" if anchor == "start" else f' text-anchor="{anchor}"'
        weight = ' font-weight="700"' if bold else ""
        self.add(f"<text {at}{look}{ends}{weight}>{escape(text)}</text>")

    def lines(
        self, x: float, y: float, text: str, size: float, width: float, *, paint: str = "", css: str = "ink"
    ) -> None:
        """A centred name in one line, or in two if it is too wide and has a space or a soft hyphen."""
        whole = text.replace(SOFT_HYPHEN, "")
        places = [place for place, sign in enumerate(text) if sign in (" ", SOFT_HYPHEN)]
        if places and text_width(whole, size) > width:
            middle = min(places, key=lambda place: abs(place - len(text) / 2))
            first = text[:middle] + ("-" if text[middle] == SOFT_HYPHEN else "")
            for line, half in enumerate((first, text[middle + 1 :])):
                at, half = y + (line - 0.5) * size * 1.02, half.replace(SOFT_HYPHEN, "")
                self.text(x, at, half, size, anchor="middle", width=width, paint=paint, css=css)
            return
        self.text(x, y, whole, size, anchor="middle", width=width, paint=paint, css=css)

    def icon(
        self,
        shapes: str,
        colour: str,
        x: float,
        y: float,
        size: float,
        *,
        on_card: bool = False,
        faint: bool = False,
    ) -> None:
        """A picture drawn in a square of 32, put at (x, y) in the given size; what it does not colour gets `colour`.

        Off a card it lies on a small piece of paper, so that it can be seen on a dark table too.
        """
        scale = f"translate({plain(x)} {plain(y)}) scale({size / 32:.3f})"
        dim = ' opacity="0.4"' if faint else ""
        paper = "" if on_card else f'<rect x="-2" y="-2" width="36" height="36" rx="7" fill="{PAPER}" stroke="none"/>'
        self.add(
            f'<g transform="{scale}" fill="{colour}" stroke="{INK}" stroke-width="1.7" '
            f'stroke-linejoin="round" stroke-linecap="round"{dim}>{paper}{shapes}</g>'
        )

    def card(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """A card's face, with a band of its colour at the top."""
        self.rect(x, y, width, height, f'fill="{PAPER}" stroke="{INK}" stroke-width="1"', radius=7)
        self.add(
            f'<path d="M{plain(x)} {plain(y + 9)}v-2a7 7 0 0 1 7-7h{plain(width - 14)}a7 7 0 0 1 7 7v2z" '
            f'fill="{colour}" stroke="{INK}" stroke-width="1"/>'
        )

    def back(self, x: float, y: float, width: float, height: float) -> None:
        """A card's back."""
        self.rect(x, y, width, height, f'fill="{BACK}" stroke="{PAPER}" stroke-width="1.5"', radius=min(7, width / 6))
        inset = min(5, width / 6)
        self.rect(
            x + inset,
            y + inset,
            width - 2 * inset,
            height - 2 * inset,
            f'fill="none" stroke="{PAPER}" stroke-opacity="0.45"',
            radius=3,
        )

    def heading(self, margin: float, width: float, title: str, aside: str, status: str) -> float:
        """The game's name, at the other end how far it is, below who is to act; returns where the rest begins."""
        size = 17 if self.look.tall else 22
        room = width - text_width(title, size, True) - 20
        self.text(margin, margin + size, title, size, bold=True)
        self.text(margin + width, margin + size, aside, size * 0.86, anchor="end", css="soft", width=room)
        self.text(margin, margin + size * 2.4, status, size * 0.86, css="mark", bold=True, width=width)
        return margin + size * 2.4 + 14

    def slot(self, x: float, y: float, width: float, height: float) -> None:
        """A place where a card could lie."""
        self.rect(x, y, width, height, 'fill="none" stroke-dasharray="4 4"', radius=7, css="slot")

    def panel(self, x: float, y: float, width: float, height: float, *, own: bool = False, turn: bool = False) -> None:
        """The ground on which a player's things lie; that of the player to act has a strong border."""
        self.rect(x, y, width, height, radius=10, css="own" if own else "panel")
        if turn:
            self.rect(x, y, width, height, 'fill="none" stroke-width="3"', radius=10, css="turn")

    def badge(self, x: float, y: float, text: str, size: float = 12, *, css: str = "mark") -> float:
        """A word in a round frame, from x on, around the baseline y; returns where it ends."""
        width = text_width(text, size, True) + size * 1.2
        self.rect(x, y - size * 1.12, width, size * 1.62, 'fill-opacity="0.16"', radius=size * 0.8, css=css)
        self.text(x + size * 0.6, y, text, size, css=css, bold=True)
        return x + width

    @contextmanager
    def thing(self, at: str, kind: str, count: int, hint: str = "") -> Iterator[None]:
        """So many cards of a kind at a place, with a hint for whoever points there.

        A page compares two pictures by these, marks what has changed, and lets cards move from where there are fewer to
        where there are more. Cards of which the kind is not to be seen are of the kind "?"; of the kind "alarm" more is
        bad news.
        """
        told = f"<title>{escape(hint)}</title>" if hint else ""
        about = f" data-at={quoteattr(at)} data-kind={quoteattr(kind)} data-count={quoteattr(str(count))}"
        self.add(f"<g{about if self.look.theme == 'page' else ''}>{told}")
        yield
        self.add("</g>")

    @contextmanager
    def hint(self, text: str) -> Iterator[None]:
        """What is drawn inside says this to whoever points at it."""
        self.add(f"<g><title>{escape(text)}</title>")
        yield
        self.add("</g>")

    @contextmanager
    def playable(
        self,
        actions: Sequence[int],
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        twice: int | None = None,
        name: str = "",
    ) -> Iterator[None]:
        """What is drawn inside can be clicked, if any of the actions is legal now; then it gets a strong frame.

        Of several actions that one thing takes part in, a click on a second thing decides; `twice` is what a second
        click on the same thing plays, and `name` what the thing is called.
        """
        legal = self.look.legal(actions)
        if not legal or self.look.actions is None:
            yield
            return
        label = (
            self.look.actions[legal[0]]
            if len(legal) == 1
            else name or ", ".join(self.look.actions[one] for one in legal)
        )
        numbers = " ".join(map(str, legal))
        again = f' data-twice="{twice}"' if twice is not None and twice in legal else ""
        self.add(
            f'<g class="can-play" data-actions="{numbers}"{again} role="button" tabindex="0" '
            f"aria-label={quoteattr(label)}>"
        )
        yield
        self.rect(x - 1, y - 1, width + 2, height + 2, 'fill="none" stroke-width="3.5"', radius=9, css="play")
        # What is only framed must be hit by a click all over.
        self.rect(x - 1, y - 1, width + 2, height + 2, 'fill="#fff" fill-opacity="0"', radius=9)
        self.add("</g>")

    def svg(self, height: float, title: str) -> str:
        """The whole picture, with its caption."""
        height = math.ceil(height)
        if self.look.caption:
            letters = 15 if self.look.tall else 22
            self.rect(0, height, self.width, letters * 2, radius=0, css="own")
            self.text(12, height + letters * 1.35, self.look.caption, letters, bold=True, width=self.width - 24)
            height += letters * 2
        size = f"{plain(self.width)} {plain(height)}"
        style = "" if self.look.theme == "page" else f"<style>{stylesheet(self.look.theme)}</style>"
        role = "group" if self.look.actions else "img"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{plain(self.width)}" '
            f'height="{plain(height)}" font-family="{FAMILY}" role="{role}" aria-label={quoteattr(title)}>'
        )
        felt = f'<rect class="felt" width="{plain(self.width)}" height="{plain(height)}"/>'
        return "\n".join([head + style, felt, *self._parts, "</svg>\n"])
