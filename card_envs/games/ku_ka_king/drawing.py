"""A position of Ku-Ka-King as a picture: the rows to choose from, and what everybody has collected."""

from __future__ import annotations

from typing import Any

from card_envs.drawing.canvas import Canvas
from card_envs.drawing.look import Look
from card_envs.drawing.metrics import text_width
from card_envs.drawing.palette import INK
from card_envs.games.ku_ka_king.icons import ICONS
from card_envs.games.ku_ka_king.render import WORDS
from card_envs.games.ku_ka_king.state import CARD_TYPES, FIRST_RED_CROSS, FULL_ROW, LAST_RED_CROSS

RED_CROSS = CARD_TYPES[FIRST_RED_CROSS : LAST_RED_CROSS + 1]
MORE_WORDS = {
    "cards": ("cards", "Karten", "cartes", "carte"),
    "mine": ("your choice", "deine Wahl", "ton choix", "la tua scelta"),
    "points": ("points", "Punkte", "points", "punti"),
}


def to_svg(view: dict[str, Any], look: Look) -> str:
    """The picture of what a view tells."""
    return _Realm(view, look).draw()


class _Realm:
    def __init__(self, view: dict[str, Any], look: Look) -> None:
        self.view, self.look = view, look
        self.margin = 12 if look.tall else 20
        self.inside = 416 if look.tall else 1100
        self.gap = 10 if look.tall else 16
        self.canvas = Canvas(look, self.inside + 2 * self.margin)

    def word(self, key: str) -> str:
        return self.look.word(WORDS if key in WORDS else MORE_WORDS, key)

    def draw(self) -> str:
        y = self.head()
        y = self.rows(y)
        y = self.collections(y)
        y = self.counts(y, "box")
        y = self.counts(y, "unseen")
        return self.canvas.svg(y + self.margin - self.gap, "Ku-Ka-King")

    def head(self) -> float:
        view = self.view
        turn = self.word("last round") if view["last_round"] else f"{self.word('round')} {view['round']}"
        aside = f"{turn} · {self.word('pile')}: {view['pile']}"
        status = self.word("over")
        if view["to_act"] is not None:
            status = f"{self.word('to act')}: {self.look.player(WORDS, view['to_act'])}"
        return self.canvas.heading(self.margin, self.inside, "Ku-Ka-King", aside, status)

    def rows(self, y: float) -> float:
        """Two rows of cards abreast on a phone, four on a screen; the outermost card to the right."""
        abreast = 2 if self.look.tall else 4
        width = (self.inside - self.gap * (abreast - 1)) / abreast
        height = 116 if self.look.tall else 140
        for number in range(len(self.view["rows"])):
            x = self.margin + (number % abreast) * (width + self.gap)
            self.row(number, x, y + (number // abreast) * (height + self.gap), width, height)
        lines = -(-len(self.view["rows"]) // abreast)
        return y + lines * (height + self.gap)

    def row(self, number: int, x: float, y: float, width: float, height: float) -> None:
        canvas, tall = self.canvas, self.look.tall
        cards, size = self.view["rows"][number], 13 if tall else 16
        head = size + 12
        mine = self.look.seat is not None and self.view["choices"][self.look.seat] == number + 1
        with canvas.playable([number], x, y, width, height):
            canvas.panel(x, y, width, height, own=mine)
            label = f"{self.word('row')} {number + 1}"
            canvas.text(x + 8, y + size + 5, label, size, bold=True)
            at = x + 8 + text_width(label, size, True) + 8
            if mine:
                canvas.badge(at, y + size + 5, f"✓ {self.word('mine')}", size * 0.82)
            else:
                self.shown(number, at, y + size + 5, size * 0.82)
            inner = (width - 12 - 4 * (FULL_ROW - 1)) / FULL_ROW
            for place in range(FULL_ROW):
                left = x + 6 + place * (inner + 4)
                if place < len(cards):
                    self.card(cards[place], left, y + head, inner, height - head - 6)
                else:
                    canvas.slot(left, y + head, inner, height - head - 6)
            if not cards:
                word = self.word("taken" if self.view["row_taken"][number] else "empty")
                middle = y + head + (height - head) / 2
                canvas.text(x + width / 2, middle, word, size, css="soft", anchor="middle", width=inner - 8)

    def shown(self, number: int, x: float, y: float, size: float) -> None:
        """Who pointed at this row in the last reveal."""
        seats = [str(seat) for seat, row in enumerate(self.view["last_reveal"]) if row == number + 1]
        if seats:
            self.canvas.badge(x, y, f"← {self.word('player')} {', '.join(seats)}", size)

    def card(self, kind: str, x: float, y: float, width: float, height: float) -> None:
        canvas, tall = self.canvas, self.look.tall
        band, colour, shapes = ICONS[kind]
        canvas.card(x, y, width, height, band)
        icon = 34 if tall else 52
        canvas.icon(shapes, colour, x + (width - icon) / 2, y + 13, icon, on_card=True)
        if kind in RED_CROSS:
            self.cross(x + width - 8, y + 15)
        paint = f'fill="{INK}"'
        canvas.lines(
            x + width / 2,
            y + height - (10 if tall else 14),
            self.word(kind),
            11.5 if tall else 14,
            width - 4,
            paint=paint,
        )

    def cross(self, x: float, y: float) -> None:
        """The red cross of cards that leave after the first scoring."""
        self.canvas.add(
            f'<path d="M{x - 3:.1f} {y - 3:.1f}l6 6m0-6l-6 6" stroke="#B3261E" stroke-width="2.2" fill="none"/>'
        )

    def collections(self, y: float) -> float:
        """What each player has, side by side on a screen."""
        players: int = self.view["players"]
        abreast = 1 if self.look.tall else (3 if players == 3 else 2)
        width = (self.inside - self.gap * (abreast - 1)) / abreast
        owned = [sum(1 for count in cards.values() if count) for cards in self.view["collections"]]
        height: float = (34 if self.look.tall else 38) + self.chip_lines(max(owned), width - 20) * self.chip_height
        if self.view["scored"]:
            height += 24
        for seat in range(players):
            x = self.margin + (seat % abreast) * (width + self.gap)
            self.collection(seat, x, y + (seat // abreast) * (height + self.gap), width, height)
        return y + -(-players // abreast) * (height + self.gap)

    def collection(self, seat: int, x: float, y: float, width: float, height: float) -> None:
        view, canvas, tall = self.view, self.canvas, self.look.tall
        cards = view["collections"][seat]
        waits = seat in view["waiting"]
        canvas.panel(x, y, width, height, own=seat == self.look.seat, turn=waits and seat == self.look.seat)
        size = 14 if tall else 16
        total = f"{sum(cards.values())} {self.word('cards')}"
        canvas.text(x + width - 10, y + size + 8, total, size * 0.9, anchor="end", css="soft")
        room = width - 30 - text_width(total, size * 0.9)
        badge = self.word("waiting")
        name_room = room - text_width(badge, size * 0.75, True) - 24 if waits else room
        name = self.look.player(WORDS, seat)
        canvas.text(x + 10, y + size + 8, name, size, bold=True, width=name_room)
        if waits:
            canvas.badge(x + 18 + min(text_width(name, size, True), name_room), y + size + 8, badge, size * 0.75)
        owned = [kind for kind in CARD_TYPES if cards[kind]]
        self.chips(owned, cards, x + 10, y + size + 18, width - 20)
        if view["scored"]:
            points = sum(view["first_scoring"][seat].values())
            line = f"{self.word('first scoring')}: {points} {self.word('points')}"
            canvas.text(x + 10, y + height - 9, line, size * 0.9, css="mark", bold=True, width=width - 20)

    @property
    def chip_height(self) -> int:
        return 30 if self.look.tall else 34

    def chips_per_line(self, width: float) -> int:
        return int(width // (45 if self.look.tall else 52))

    def chip_lines(self, kinds: int, width: float) -> int:
        return max(-(-kinds // self.chips_per_line(width)), 1)

    def chips(self, kinds: list[str], counts: dict[str, int], x: float, y: float, width: float) -> None:
        """Pictures with numbers, in as many lines as they need."""
        canvas, per_line = self.canvas, self.chips_per_line(width)
        icon, size = (20, 15) if self.look.tall else (25, 17)
        for place, kind in enumerate(kinds):
            at = x + (place % per_line) * width / per_line
            line = y + (place // per_line) * self.chip_height
            canvas.icon(ICONS[kind][2], ICONS[kind][1], at + 2, line, icon)
            canvas.text(at + icon + 8, line + icon * 0.78, str(counts[kind]), size, bold=True)

    def counts(self, y: float, place: str) -> float:
        """How many cards of each type are in the box, or have not been seen yet."""
        canvas, tall = self.canvas, self.look.tall
        counts, size = self.view[place], 13 if tall else 15
        kinds = [kind for kind in CARD_TYPES if counts[kind]]
        left = 0 if tall else 130
        width = self.inside - left - 20
        height = (
            size + 16 if not kinds else self.chip_lines(len(kinds), width) * self.chip_height + (26 if tall else 10)
        )
        canvas.panel(self.margin, y, self.inside, height)
        label = f"{self.word(place)}: {sum(counts.values())}"
        canvas.text(self.margin + 10, y + size + (7 if tall or not kinds else 14), label, size, css="soft", width=130)
        self.chips(kinds, counts, self.margin + 10 + left, y + (size + 15 if tall else 10), width)
        return y + height + self.gap
