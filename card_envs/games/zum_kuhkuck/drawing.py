"""A position of Zum Kuhkuck as a picture: one column per colour, the other player above, the own hand below."""

from __future__ import annotations

from typing import Any

from card_envs.drawing.canvas import TALL, Canvas
from card_envs.drawing.look import Look
from card_envs.drawing.palette import INK
from card_envs.games.zum_kuhkuck.icons import ICONS
from card_envs.games.zum_kuhkuck.render import WORDS, ahead
from card_envs.games.zum_kuhkuck.state import ANNOUNCE, COLOURS, DRAW, ELECTRICITY_CARDS, HAND_IN, PLAYERS, TYPES

MORE_WORDS = {
    "seen": ("seen in the discards", "in der Ablage gesehen", "vues dans la défausse", "viste negli scarti"),
    "announced": ("announced", "angesagt", "annoncé", "annunciato"),
    "cards": ("cards", "Karten", "cartes", "carte"),
    "hand in": ("hand in", "abgeben", "rendre", "consegnare"),
    "would bring": (
        "{0} points if you announce it now",
        "{0} Punkte, wenn du die Farbe jetzt ansagst",
        "{0} points si tu l'annonces maintenant",
        "{0} punti se lo annunci ora",
    ),
    "entry": ("{0} cards: {1} points", "{0} Karten: {1} Punkte", "{0} cartes : {1} points", "{0} carte: {1} punti"),
    "info": ("cards / points", "Karten / Punkte", "cartes / points", "carte / punti"),
    "colour card": (
        "+2 per card of the colour", "+2 je Karte der Farbe", "+2 par carte de la couleur", "+2 per carta del colore"
    ),
    "open": ("not announced yet", "noch nicht angesagt", "pas encore annoncé", "non ancora annunciato"),
}  # fmt: skip


def to_svg(view: dict[str, Any], look: Look) -> str:
    """The picture of what a view tells. What it hides shows as cards face down."""
    return _Cowshed(view, look).draw()


class _Cowshed:
    def __init__(self, view: dict[str, Any], look: Look) -> None:
        self.view, self.look = view, look
        self.margin = 12 if look.tall else 20
        self.label = 0 if look.tall else 200
        self.column = (TALL - 2 * self.margin) / len(TYPES) if look.tall else 160.0
        self.left = self.margin + self.label
        self.inside = self.label + self.column * len(TYPES)
        self.canvas = Canvas(look, self.inside + 2 * self.margin)

    def word(self, key: str) -> str:
        return self.look.word(WORDS if key in WORDS else MORE_WORDS, key)

    def draw(self) -> str:
        own = self.look.seat if self.look.seat is not None else 0
        y = self.head()
        y = self.player(y, 1 - own)
        y = self.stacks(y)
        y = self.info(y)
        y = self.player(y, own)
        return self.canvas.svg(y + self.margin - 8, "Zum Kuhkuck")

    def head(self) -> float:
        to_act = self.view["to_act"]
        status = self.word("over")
        if to_act is not None:
            status = f"{self.word('to act')}: {self.look.player(WORDS, to_act)}"
        return self.canvas.heading(self.margin, self.inside, "Zum Kuhkuck", "", status)

    def player(self, y: float, seat: int) -> float:
        """A player's sheet and hand, and what the player knows of the discards."""
        view, canvas, tall = self.view, self.canvas, self.look.tall
        own, turn = seat == self.look.seat, seat == view["to_act"]
        hand, sheet, known = view["hands"][seat], view["sheets"][seat], view["known_discards"][seat]
        hand_height = (92 if tall else 126) if hand["cards"] is not None else (52 if tall else 60)
        seen_height = (28 if tall else 34) if known is not None else 0
        sheet_height = 62 if tall else 66
        name_height = 28 if tall else 0
        height = name_height + sheet_height + hand_height + seen_height + 16
        canvas.panel(self.margin - 6, y, self.inside + 12, height, own=own, turn=turn)
        name, points = self.look.player(WORDS, seat), f"{view['points_now'][seat]} {self.word('points')}"
        if tall:
            canvas.text(self.margin + 4, y + 21, name, 15, bold=True, width=self.inside * 0.62)
            canvas.text(self.margin + self.inside - 4, y + 21, points, 15, bold=True, anchor="end", css="mark")
        else:
            canvas.text(self.margin + 4, y + 30, name, 18, bold=True, width=self.label - 16)
            canvas.text(self.margin + 4, y + 54, points, 17, bold=True, css="mark")
        y += name_height + 8
        self.sheet(y, seat, sheet)
        y += sheet_height
        self.hand(y, seat, hand)
        y += hand_height
        if known is not None:
            self.seen(y, known)
            y += seen_height
        return y + 16 + (4 if tall else 8)

    def sheet(self, y: float, seat: int, sheet: dict[str, int | None]) -> None:
        """Points announced per colour; a colour that is open has an empty frame. The own ones can be announced."""
        canvas, tall = self.canvas, self.look.tall
        for number, name in enumerate(TYPES):
            x, width, height = self.left + number * self.column + 3, self.column - 6, 52 if tall else 56
            points = sheet[name]
            actions = [ANNOUNCE + number] if seat == self.look.seat else []
            worth = self.view["worth"][seat]
            brings = worth[name] if worth and points is None else None
            what = f"{points} {self.word('points')}" if points else self.word("open")
            what = self.word("would bring").format(brings) if brings else what
            hint = f"{self.word(COLOURS[number])}: {what}"
            if ahead(self.view, seat, name):
                hint += f"; {self.word('star')}"
            with (
                canvas.playable(actions, x, y, width, height),
                canvas.thing(f"sheet{seat}", f"points of {name}", points or 0, hint),
            ):
                if points is None:
                    canvas.slot(x, y, width, height)
                else:
                    canvas.card(x, y, width, height, ICONS[name][0])
                icon = 17 if tall else 30
                self.thing(
                    name,
                    x + (5 if tall else 9),
                    y + (height - icon) / 2 + 2,
                    icon,
                    on_card=points is not None,
                    faint=points is None,
                )
                middle = x + icon + (6 if tall else 9) + (width - icon - (7 if tall else 12)) / 2
                if points is None:
                    room = width - icon - (9 if tall else 14)
                    lift = 8 if brings else 0
                    canvas.text(
                        middle, y + height / 2 + 5 - lift, self.word(COLOURS[number]), 14 if tall else 16,
                        css="soft", anchor="middle", width=room,
                    )  # fmt: skip
                    if brings:
                        canvas.text(
                            middle, y + height / 2 + 15, f"→ {brings}", 15 if tall else 18,
                            css="mark", anchor="middle", bold=True, width=room,
                        )  # fmt: skip
                else:
                    paint = f'fill="{INK}"'
                    star = " ★" if ahead(self.view, seat, name) else ""
                    canvas.text(
                        middle,
                        y + height / 2 + 12,
                        f"{points}{star}",
                        21 if tall else 26,
                        anchor="middle",
                        bold=True,
                        paint=paint,
                        width=width - icon - 12,
                    )

    def thing(self, name: str, x: float, y: float, size: float, *, on_card: bool = False, faint: bool = False) -> None:
        colour, shapes = ICONS[name]
        self.canvas.icon(shapes, colour, x, y, size, on_card=on_card, faint=faint)

    def hand(self, y: float, seat: int, hand: dict[str, Any]) -> None:
        """The own cards by colour; of the other's hand only how many there are."""
        canvas, tall = self.canvas, self.look.tall
        count = f"{self.word('hand')}: {hand['size']}"
        if hand["cards"] is None:
            room = self.inside - self.label - 150 if tall else self.column * len(TYPES)
            start = self.margin + 4 if tall else self.left
            width, height = (24.0, 34.0) if tall else (30.0, 42.0)
            step = min(width + 4, (room - width) / max(hand["size"] - 1, 1))
            with canvas.thing(f"hand{seat}", "?", hand["size"], count):
                for card in range(hand["size"]):
                    canvas.back(start + card * step, y + 6, width, height)
            if tall:
                canvas.text(self.margin + self.inside - 4, y + 29, count, 14, anchor="end", css="soft")
            else:
                canvas.text(self.margin + 4, y + 34, count, 16, css="soft", width=self.label - 16)
            return
        height = 80 if tall else 112
        if not tall:
            canvas.text(self.margin + 4, y + 60, count, 16, css="soft", width=self.label - 16)
        for number, name in enumerate(TYPES):
            x, width = self.left + number * self.column + 3, self.column - 6
            actions = [ANNOUNCE + number] if seat == self.look.seat else []
            hint = f"{self.word(COLOURS[number])}: {hand['cards'][name]}"
            with (
                canvas.playable(actions, x, y + 4, width, height - 6),
                canvas.thing(f"hand{seat}", name, hand["cards"][name], hint),
            ):
                self.cards(x, y + 4, width, height - 6, name, hand["cards"][name])
        if tall:
            canvas.text(self.margin + 4, y + height + 12, count, 12.5, css="soft", width=self.inside * 0.45)
        legal = self.look.legal([HAND_IN]) if seat == self.look.seat else ()
        if legal:
            x, width = self.margin + self.inside - 124, 120
            with canvas.playable([HAND_IN], x, y + height - 20, width, 24):
                canvas.panel(x, y + height - 20, width, 24)
                canvas.text(x + width / 2, y + height - 3, self.word("hand in"), 14, anchor="middle", bold=True)

    def cards(self, x: float, y: float, width: float, height: float, name: str, count: int) -> None:
        """Cards of one colour: a small fan, and their number."""
        canvas, tall = self.canvas, self.look.tall
        if not count:
            canvas.slot(x, y, width, height)
            canvas.text(x + width / 2, y + height / 2 + 6, "·", 20, anchor="middle", css="soft")
            return
        shift = min(count - 1, 3) * (4 if tall else 6)
        for card in range(min(count, 4)):
            at = x + card * (4 if tall else 6)
            canvas.card(at, y, width - shift, height, ICONS[name][0])
        icon = 26 if tall else 40
        front, inner = x + shift, width - shift
        self.thing(name, front + (6 if tall else 14), y + (16 if tall else 20), icon, on_card=True)
        paint = f'fill="{INK}"'
        canvas.text(
            front + inner - (8 if tall else 16),
            y + (38 if tall else 52),
            str(count),
            22 if tall else 32,
            anchor="end",
            bold=True,
            paint=paint,
        )
        canvas.lines(
            front + inner / 2,
            y + height - (14 if tall else 16),
            self.word(COLOURS[TYPES.index(name)]),
            12 if tall else 15,
            inner - 6,
            paint=paint,
        )

    def seen(self, y: float, known: dict[str, int]) -> None:
        """How many cards of each colour this player has seen going into the discards."""
        canvas, tall = self.canvas, self.look.tall
        label, size = f"{self.word('seen')}:", 12.5 if tall else 14
        if tall:
            x, step = self.margin + self.inside * 0.44, self.inside * 0.56 / len(TYPES)
            canvas.text(self.margin + 4, y + 18, label, size, css="soft", width=self.inside * 0.42)
        else:
            x, step = self.left, self.column
            canvas.text(self.margin + 4, y + 22, label, size, css="soft", width=self.label - 12)
        icon = 16 if tall else 20
        for number, name in enumerate(TYPES):
            at = x + number * step + (0 if tall else self.column / 2 - 24)
            with canvas.hint(f"{self.word('seen')}: {self.word(COLOURS[number])} {known[name]}"):
                self.known(at, y, icon, size, name, known[name])

    def known(self, at: float, y: float, icon: float, size: float, name: str, count: int) -> None:
        self.thing(name, at, y + 5, icon, faint=not count)
        self.canvas.text(
            at + icon + 6, y + 5 + icon * 0.82, str(count), size + 1, css="ink" if count else "soft", bold=True
        )

    def stacks(self, y: float) -> float:
        """The pile, from which both draw, and the discards with the electricity cards that are out."""
        view, canvas, tall = self.view, self.canvas, self.look.tall
        height, gap = (76, 10) if tall else (92, 20)
        width = (self.inside - gap) / 2
        size = 14 if tall else 18
        card_width, card_height = (height - 20) * 0.7, height - 20
        with (
            canvas.playable([DRAW], self.margin, y, width, height),
            canvas.thing("pile", "?", view["pile"], f"{self.word('pile')}: {view['pile']}"),
        ):
            canvas.panel(self.margin, y, width, height)
            for shift in (0, 4, 8):
                canvas.back(self.margin + 12 + shift, y + 10, card_width, card_height)
            x = self.margin + card_width + 34
            canvas.text(x, y + height * 0.4, self.word("pile"), size, css="soft")
            canvas.text(x, y + height * 0.76, str(view["pile"]), size * 1.5, bold=True)
        x = self.margin + width + gap
        out = f"{self.word('electricity')} {view['electricity_discarded']} / {ELECTRICITY_CARDS}"
        with canvas.thing("discards", "?", view["discards"], f"{self.word('discards')}: {view['discards']}; {out}"):
            self.discards(x, y, width, height, size)
        return y + height + 12

    def discards(self, x: float, y: float, width: float, height: float, size: float) -> None:
        view, canvas = self.view, self.canvas
        card_width, card_height = (height - 20) * 0.7, height - 20
        canvas.panel(x, y, width, height)
        canvas.slot(x + 12, y + 10, card_width, card_height)
        with canvas.thing("discards", "alarm", view["electricity_discarded"], self.word("electricity")):
            self.thing(
                "electricity",
                x + 12 + card_width / 2 - 14,
                y + height / 2 - 14,
                28,
                faint=not view["electricity_discarded"],
            )
        out = f"{self.word('electricity')} {view['electricity_discarded']} / {ELECTRICITY_CARDS}"
        at = x + card_width + 26
        canvas.text(
            at,
            y + height * 0.4,
            f"{self.word('discards')}: {view['discards']}",
            size,
            css="soft",
            width=x + width - at - 6,
        )
        canvas.text(at, y + height * 0.76, out, size, bold=True, width=x + width - at - 6)

    def info(self, y: float) -> float:
        """The table of points that lies open for both; the entry for the own number of cards is marked."""
        canvas, tall, table = self.canvas, self.look.tall, self.view["points_for_cards"]
        lines = 2 if tall else 1
        per_line = -(-len(table) // lines)
        cell, size, head = 40, 13 if tall else 15, 18 if tall else 0
        own = self.view["hands"][self.look.seat]["size"] if self.look.seat is not None else None
        canvas.panel(self.margin - 6, y, self.inside + 12, lines * cell + head + 6)
        label, more = self.word("info"), self.word("colour card")
        if tall:
            canvas.text(self.margin + 4, y + 17, f"{label}; {more}", 12, css="soft", width=self.inside - 8)
        else:
            canvas.text(self.margin + 4, y + 20, label, 14, css="soft", width=self.label - 12)
            canvas.text(self.margin + 4, y + 38, more, 14, css="soft", width=self.label - 12)
        step = (self.inside - self.label) / per_line
        for number, (cards, points) in enumerate(table.items()):
            x, top = self.left + (number % per_line) * step, y + head + (number // per_line) * cell + 3
            with canvas.hint(self.word("entry").format(cards, points)):
                if cards == own:
                    canvas.rect(x + 1, top, step - 2, cell - 1, 'fill-opacity="0.2"', radius=6, css="mark")
                canvas.text(x + step / 2, top + 15, str(cards), size - 1, css="soft", anchor="middle")
                canvas.text(x + step / 2, top + 33, str(points), size + 1, anchor="middle", bold=True)
        return y + lines * cell + head + 6 + 12


assert PLAYERS == 2  # one above the stacks, one below
