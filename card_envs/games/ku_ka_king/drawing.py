"""A position of Ku-Ka-King as a picture: the rows to choose from, and what everybody has collected."""

from __future__ import annotations

from typing import Any

from card_envs.drawing.canvas import TALL, Canvas
from card_envs.drawing.look import Look
from card_envs.drawing.metrics import text_width
from card_envs.drawing.palette import INK
from card_envs.games.ku_ka_king.icons import ICONS
from card_envs.games.ku_ka_king.render import WORDS
from card_envs.games.ku_ka_king.state import CARD_TYPES, FIRST_RED_CROSS, FULL_ROW, LAST_RED_CROSS
from card_envs.presentation.languages import numbered

RED_CROSS = CARD_TYPES[FIRST_RED_CROSS : LAST_RED_CROSS + 1]
MORE_WORDS = {
    "cards": ("{0} card|{0} cards", "{0} Karte|{0} Karten", "{0} carte|{0} cartes", "{0} carta|{0} carte"),
    "mine": ("your choice", "deine Wahl", "ton choix", "la tua scelta"),
    "points": ("{0} point|{0} points", "{0} Punkt|{0} Punkte", "{0} point|{0} points", "{0} punto|{0} punti"),
    "points hint": (
        "both scorings together, as if the game ended now",
        "beide Wertungen zusammen, als wäre jetzt Schluss",
        "les deux décomptes ensemble, comme si la partie s'arrêtait là",
        "i due conteggi insieme, come se finisse ora",
    ),
    "cross": (
        "leaves after the first scoring",
        "geht nach der ersten Wertung weg",
        "part après le premier décompte",
        "esce dopo il primo conteggio",
    ),
    "shown": ("all show their choice", "alle zeigen ihre Wahl", "tous montrent leur choix", "tutti mostrano la scelta"),
    "waiting": ("no row yet", "noch ohne Reihe", "sans rangée", "senza fila"),
}
# Long names, and where they may be parted on a phone.
PARTED = {
    name.replace("\u00ad", ""): name
    for name in ("farm\u00adhouse", "Bauern\u00adhof", "Kanin\u00adchen", "conta\u00addina", "conta\u00addino")
}


def between(before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
    """What is seen when all choices are shown, before anybody takes cards: the old rows, and who points where."""
    if not any(after["last_reveal"]) or after["rows"] == before["rows"]:
        return []
    pointing = [after["last_reveal"][seat] if seat in before["waiting"] else None for seat in range(before["players"])]
    nobody = [None] * before["players"]
    return [{**before, "last_reveal": pointing, "choices": nobody, "to_act": None, "revealing": True}]


def to_svg(view: dict[str, Any], look: Look) -> str:
    """The picture of what a view tells."""
    return _Realm(view, look).draw()


class _Realm:
    def __init__(self, view: dict[str, Any], look: Look) -> None:
        self.view, self.look = view, look
        self.margin = 12 if look.tall else 20
        self.inside = TALL - 24 if look.tall else 1000
        self.gap = 10 if look.tall else 16
        self.canvas = Canvas(look, self.inside + 2 * self.margin)

    def word(self, key: str) -> str:
        return self.look.word(MORE_WORDS if key in MORE_WORDS else WORDS, key)

    def draw(self) -> str:
        y = self.head()
        y = self.rows(y)
        y = self.collections(y)
        y = self.counts(y, "box")
        y = self.counts(y, "unseen")
        y = self.legend(y)
        return self.canvas.svg(y + self.margin - self.gap, "Ku-Ka-King")

    def legend(self, y: float) -> float:
        size = 12 if self.look.tall else 14
        self.cross(self.margin + 6, y + 8)
        text = f"= {self.word('cross')}"
        self.canvas.text(self.margin + 18, y + 12, text, size, css="soft", width=self.inside - 20)
        return y + 14 + self.gap

    def count(self, key: str, number: int) -> str:
        return numbered(MORE_WORDS, key, self.look.language, number)

    def head(self) -> float:
        view = self.view
        turn = self.word("last round") if view["last_round"] else f"{self.word('round')} {view['round']}"
        aside = f"{turn} · {self.word('pile')}: {view['pile']}"
        status = self.word("shown" if view.get("revealing") else "over")
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
            small = max(size * 0.82, canvas.smallest)
            if mine:
                canvas.badge(at, y + size + 5, f"✓ {self.word('mine')}", small)
            else:
                self.shown(number, at, y + size + 5, small, x + width - 6 - at)
            edge, gap = (4, 2) if tall else (6, 4)
            inner = (width - 2 * edge - gap * (FULL_ROW - 1)) / FULL_ROW
            for place in range(FULL_ROW if cards else 0):
                left = x + edge + place * (inner + gap)
                if place < len(cards):
                    hint = self.word(cards[place])
                    hint += f" (✕ {self.word('cross')})" if cards[place] in RED_CROSS else ""
                    with canvas.thing(f"row{number}.{place}", cards[place], 1, hint):
                        self.card(cards[place], left, y + head, inner, height - head - 6)
                else:
                    canvas.slot(left, y + head, inner, height - head - 6)
            if not cards:
                word = self.word("taken" if self.view["row_taken"][number] else "empty")
                middle = y + head + (height - head) / 2
                canvas.text(x + width / 2, middle, word, size, css="soft", anchor="middle", width=width - 16)

    def shown(self, number: int, x: float, y: float, size: float, room: float) -> None:
        """Who pointed at this row in the last reveal, until rows are filled up again."""
        this_round = self.view["row_taken"][number] or len(self.view["rows"][number]) < FULL_ROW
        seats = [seat for seat, row in enumerate(self.view["last_reveal"]) if row == number + 1]
        if seats and (this_round or self.view.get("revealing")):
            names = [self.short_name(seat) for seat in seats]
            text = f"← {', '.join(names)}"
            if text_width(text, size, True) > room - size * 1.2:  # numbers say enough
                text = f"← {', '.join(name.split(' ')[-1] for name in names)}"
            self.canvas.badge(x, y, text, size)

    def short_name(self, seat: int) -> str:
        """A player without the name of the agent."""
        return self.look.player(WORDS, seat).split(" · ")[0]

    def card(self, kind: str, x: float, y: float, width: float, height: float) -> None:
        canvas, tall = self.canvas, self.look.tall
        band, colour, shapes = ICONS[kind]
        canvas.card(x, y, width, height, band)
        icon = 34 if tall else 52
        canvas.icon(shapes, colour, x + (width - icon) / 2, y + 13, icon, on_card=True)
        if kind in RED_CROSS:
            self.cross(x + width - 9, y + 17)
        paint = f'fill="{INK}"'
        canvas.lines(
            x + width / 2,
            y + height - (10 if tall else 14),
            PARTED.get(self.word(kind), self.word(kind)),
            11.6 if tall else 14,
            width - 2,
            paint=paint,
        )

    def cross(self, x: float, y: float) -> None:
        """The red cross of cards that leave after the first scoring."""
        self.canvas.add(
            f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0-8l-8 8" class="cross" stroke-width="2.6" fill="none"/>'
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
        badge, small = self.word("waiting"), max(size * 0.75, canvas.smallest)
        waits = waits and len(view["waiting"]) < view["players"]  # at the beginning of a round all do
        room = width - 30 - (text_width(badge, small, True) + small * 1.2 + 8 if waits else 0)
        name, total, name_room = self.title(seat, size, room)
        with canvas.hint(self.word("points hint")):
            canvas.text(x + width - 10, y + size + 8, total, size * 0.9, anchor="end", css="mark", bold=True)
        canvas.text(x + 10, y + size + 8, name, size, bold=True, width=name_room)
        if waits:
            canvas.badge(x + 16 + min(text_width(name, size, True), name_room), y + size + 8, badge, small)
        owned = [kind for kind in CARD_TYPES if cards[kind]]
        self.chips(owned, cards, x + 10, y + size + 18, width - 20, f"cards{seat}")
        if view["scored"]:
            points = sum(view["first_scoring"][seat].values())
            line = f"{self.word('first scoring')}: {self.count('points', points)}"
            canvas.text(x + 10, y + height - 9, line, size * 0.9, css="mark", bold=True, width=width - 20)

    def title(self, seat: int, size: float, room: float) -> tuple[str, str, float]:
        """A player's name and what the cards count, as much of both as there is room for; and the room for the name."""
        name, short = self.look.player(WORDS, seat), self.short_name(seat)
        points = self.count("points", self.view["points_now"][seat])
        total = f"{self.count('cards', sum(self.view['collections'][seat].values()))} · {points}"
        for shown, count in ((name, total), (short, total), (short, points)):
            left = room - text_width(count, size * 0.9, True)
            if text_width(shown, size, True) <= left:
                break
        return shown, count, left

    @property
    def chip_height(self) -> int:
        return 30 if self.look.tall else 34

    def chips_per_line(self, width: float) -> int:
        return int(width // (45 if self.look.tall else 52))

    def chip_lines(self, kinds: int, width: float) -> int:
        return max(-(-kinds // self.chips_per_line(width)), 1)

    def chips(self, kinds: list[str], counts: dict[str, int], x: float, y: float, width: float, at: str) -> None:
        """Pictures with numbers, in as many lines as they need."""
        canvas, per_line = self.canvas, self.chips_per_line(width)
        icon, size = (20, 15) if self.look.tall else (25, 17)
        for place, kind in enumerate(kinds):
            left = x + (place % per_line) * width / per_line
            line = y + (place // per_line) * self.chip_height
            hint = f"{self.word(kind)}: {counts[kind]}"
            with canvas.hint(hint) if at == "unseen" else canvas.thing(at, kind, counts[kind], hint):
                canvas.icon(ICONS[kind][2], ICONS[kind][1], left + 2, line, icon)
                canvas.text(left + icon + 8, line + icon * 0.78, str(counts[kind]), size, bold=True)

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
        self.chips(kinds, counts, self.margin + 10 + left, y + (size + 15 if tall else 10), width, place)
        return y + height + self.gap
