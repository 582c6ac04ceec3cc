"""A position of King Lui as a picture: one column per dish, from the table down to the king and the guests."""

from __future__ import annotations

from typing import Any

from card_envs.drawing.canvas import TALL, Canvas
from card_envs.drawing.look import Look
from card_envs.drawing.metrics import text_width
from card_envs.drawing.palette import INK
from card_envs.games.king_lui.icons import ICONS
from card_envs.games.king_lui.render import WORDS
from card_envs.games.king_lui.state import DISHES, DRAW, FEED, PAIRS, PLACE, TAKE
from card_envs.presentation.languages import numbered

# For each dish the ways to feed an Emerald with it, and the one that takes two of it.
FEEDS = [[FEED + pair for pair, dishes in enumerate(PAIRS) if dish in dishes] for dish in range(len(DISHES))]
TWICE = [
    FEED + next(pair for pair, dishes in enumerate(PAIRS) if (dishes == dish).all()) for dish in range(len(DISHES))
]
ALL_FEEDS = [FEED + pair for pair in range(len(PAIRS))]
MORE_WORDS = {
    "above": (
        "more than the king: would bring nothing",
        "mehr als der König: brächte nichts",
        "plus que le roi : ne rapporterait rien",
        "più del re: non porterebbe niente",
    ),
    "plus": (
        "+ drawn, seen by its owner only",
        "+ gezogen, sieht nur, wem sie gehören",
        "+ piochées, vues de leur seul joueur",
        "+ pescate, viste solo da chi le ha",
    ),
    "points": ("now {0}", "jetzt {0}", "à présent {0}", "ora {0}"),
    "points hint": (
        "points if it ended now, of the cards that you can see",
        "Punkte, wenn jetzt Schluss wäre, aus den Karten, die du sehen kannst",
        "points si la partie s'arrêtait là, pour les cartes que tu peux voir",
        "punti se finisse ora, per le carte che puoi vedere",
    ),
    "chef hint": (
        "lays out this course and acts first",
        "legt diesen Gang aus und ist als Erstes dran",
        "pose ce service et joue en premier",
        "scopre questa portata e gioca per primo",
    ),
    "eaten": ("eaten by Emerald", "gefressen", "mangé", "mangiato"),
    "final": ("{0} point|{0} points", "{0} Punkt|{0} Punkte", "{0} point|{0} points", "{0} punto|{0} punti"),
}
# Long names, and where they may be parted on a phone.
PARTED = {name.replace("\u00ad", ""): name for name in ("Schin\u00adken", "for\u00admaggio", "pro\u00adsciutto")}


def to_svg(view: dict[str, Any], look: Look) -> str:
    """The picture of what a view tells. What it hides shows as cards face down."""
    return _Breakfast(view, look).draw()


class _Breakfast:
    def __init__(self, view: dict[str, Any], look: Look) -> None:
        self.view, self.look = view, look
        self.margin = 12 if look.tall else 20
        self.label = 0 if look.tall else 186
        self.column = (TALL - 2 * self.margin) / len(DISHES) if look.tall else 112.0
        self.left = self.margin + self.label
        self.inside = self.label + self.column * len(DISHES)
        self.canvas = Canvas(look, self.inside + 2 * self.margin)

    def word(self, key: str) -> str:
        return self.look.word(WORDS if key in WORDS else MORE_WORDS, key)

    def count(self, key: str, number: int) -> str:
        return numbered(WORDS if key in WORDS else MORE_WORDS, key, self.look.language, number)

    def draw(self) -> str:
        y = self.head()
        y = self.table(y)
        y = self.strip(y)
        y = self.row(y, None)
        for seat in range(self.view["players"]):
            y = self.row(y, seat)
        size = 12 if self.look.tall else 14
        for text, css in ((f"▲ {self.word('above')}", "warn"), (self.word("plus"), "mark")):
            self.canvas.text(self.margin, y + size, text, size, css=css, width=self.inside)
            y += size + 5
        y -= size
        return self.canvas.svg(y + size + self.margin, "King Lui")

    def head(self) -> float:
        view = self.view
        who = "" if view["to_act"] is None else self.look.player(WORDS, view["to_act"])
        if view["to_act"] is None:
            status = self.word("over")
        elif view["emerald_drawn"]:
            status = f"{self.word('drew')}: {who}"
        else:
            status = f"{self.word('to act')}: {who}"
        course = f"{self.word('course')} {view['course']}"
        return self.canvas.heading(self.margin, self.inside, "King Lui", course, status)

    def table(self, y: float) -> float:
        """The dishes that lie out, each a card with the number of portions."""
        canvas, tall = self.canvas, self.look.tall
        height = 84 if tall else 118
        if not tall:
            canvas.text(self.margin, y + height / 2 + 6, self.word("table"), 18, bold=True, width=self.label - 12)
        with canvas.playable([PLACE], self.left, y, self.column * len(DISHES) - 8, height):
            self.dishes(y, height)
        return y + height + 12

    def dishes(self, y: float, height: float) -> None:
        canvas, tall = self.canvas, self.look.tall
        for number, dish in enumerate(DISHES):
            x, width = self.left + number * self.column + 2, self.column - (5 if tall else 12)
            portions = self.view["table"][dish]
            hint = f"{self.word('table')}: {self.word(dish)} {portions}"
            with (
                canvas.playable([TAKE + number], x, y, width, height),
                canvas.thing("table", dish, portions, hint),
            ):
                if portions:
                    canvas.card(x, y, width, height, ICONS[dish][0])
                else:
                    canvas.slot(x, y, width, height)
                icon = 24 if tall else 42
                self.dish(
                    dish,
                    x + (3 if tall else 10),
                    y + (20 if tall else 22),
                    icon,
                    on_card=portions > 0,
                    faint=not portions,
                )
                if portions:
                    size = 19 if tall else 32
                    paint = f'fill="{INK}"'
                    right = x + width - (5 if tall else 14)
                    canvas.text(
                        right, y + (40 if tall else 56), str(portions), size, anchor="end", bold=True, paint=paint
                    )
                name_paint = f'fill="{INK}"' if portions else ""
                name = PARTED.get(self.word(dish), self.word(dish))
                canvas.lines(
                    x + width / 2, y + height - (12 if tall else 16), name, 13 if tall else 16, width - 2,
                    paint=name_paint, css="soft",
                )  # fmt: skip

    def dish(self, dish: str, x: float, y: float, size: float, *, on_card: bool = False, faint: bool = False) -> None:
        colour, shapes = ICONS[dish]
        self.canvas.icon(shapes, colour, x, y, size, on_card=on_card, faint=faint)

    def strip(self, y: float) -> float:
        """The supply, Emeralds on the table, and what Emeralds have eaten."""
        view, canvas, tall = self.view, self.canvas, self.look.tall
        height, gap = (54, 8) if tall else (62, 14)
        size = 13 if tall else 16
        start = self.margin
        widths = [self.inside * part - gap * 2 / 3 for part in ((0.3, 0.31, 0.39) if tall else (0.2, 0.2, 0.6))]
        with (
            canvas.playable([DRAW], start, y, widths[0], height),
            canvas.thing("supply", "?", view["supply"], f"{self.word('supply')}: {view['supply']}"),
        ):
            canvas.panel(start, y, widths[0], height)
            canvas.back(start + 12, y + 9, (height - 18) * 0.7, height - 18)
            canvas.back(start + 17, y + 9, (height - 18) * 0.7, height - 18)
            self.figure(
                start + height * 0.7 + 18, y, height, self.word("supply"), str(view["supply"]), size, start + widths[0]
            )
        x = start + widths[0] + gap
        emeralds = view["table_emeralds"] + view["emerald_drawn"]
        with (
            canvas.playable(ALL_FEEDS, x, y, widths[1], height, name=self.word("feed")),
            canvas.thing("emeralds", "emerald", emeralds, f"{self.word('emerald')}: {emeralds}"),
        ):
            canvas.panel(x, y, widths[1], height)
            icon = height - 18
            waiting = view["emerald_drawn"]
            self.dish("emerald", x + 8, y + 9, icon, faint=not (view["table_emeralds"] or waiting))
            count = f"{view['table_emeralds']}{' +1' if waiting else ''}"
            self.figure(x + icon + 18, y, height, self.word("emerald"), count, size, x + widths[1])
        x += widths[1] + gap
        with canvas.thing("fed", "?", sum(view["fed"].values()), self.word("fed")):
            self.eaten(x, y, widths[2], height, size)
        return y + height + 12

    def eaten(self, x: float, y: float, width: float, height: float, size: float) -> None:
        """What Emeralds have eaten."""
        view, canvas, tall = self.view, self.canvas, self.look.tall
        canvas.panel(x, y, width, height)
        fed = [(dish, view["fed"][dish]) for dish in DISHES if view["fed"][dish]]
        title = f"{self.word('eaten' if tall else 'fed')}: {sum(view['fed'].values())}"
        canvas.text(x + 10, y + size + 7, title, size, css="soft", width=width - 20)
        lines = 2 if tall and len(fed) > 4 else 1
        icon = (12.0 if lines == 2 else 16.0) if tall else 22.0
        step = min((width - 20) / max(-(-len(fed) // lines), 1), icon + 22)
        for number, (dish, portions) in enumerate(fed):
            line, place = divmod(number, -(-len(fed) // lines))
            at, bottom = x + 10 + place * step, y + height - (4 if lines == 2 else 7) - (lines - 1 - line) * 15
            self.dish(dish, at, bottom - icon, icon)
            canvas.text(at + icon + 3, bottom - 3, str(portions), 12 if tall else 16, bold=True)

    def figure(self, x: float, y: float, height: float, name: str, value: str, size: float, end: float) -> None:
        self.canvas.text(x, y + size + 7, name, size, css="soft", width=end - x - 6)
        self.canvas.text(x, y + height - 11, value, size * 1.35, bold=True, width=end - x - 6)

    def row(self, y: float, seat: int | None) -> float:
        """What the king (no seat) or a guest has of each dish."""
        view, canvas, tall = self.view, self.canvas, self.look.tall
        height = 66 if tall else 58
        own = seat is not None and seat == self.look.seat
        turn = seat is not None and seat == view["to_act"]
        canvas.panel(self.margin - 6, y, self.inside + 12, height, own=own, turn=turn)
        self.name(y, seat)
        cells, cell_height = y + (24 if tall else 4), 40 if tall else 50
        for number, dish in enumerate(DISHES):
            x = self.left + number * self.column
            if seat is None:
                name = f"{self.word('feed')}: {self.word(dish)}"
                hint = f"{self.word('king')}: {self.word(dish)} {view['king'][dish]}"
                with (
                    canvas.playable(
                        FEEDS[number], x + 3, cells, self.column - 8, cell_height - 4, twice=TWICE[number], name=name
                    ),
                    canvas.thing("king", dish, view["king"][dish], hint),
                ):
                    self.cell(x, cells, cell_height, dish, view["king"][dish], 0)
            else:
                hand = view["hands"][seat]
                drawn = hand["drawn"][dish] if hand["drawn"] else 0
                hint = f"{self.look.player(WORDS, seat)}: {self.word(dish)} {hand['taken'][dish] + drawn}"
                hint += f" ▲ {self.word('above')}" if hand["taken"][dish] + drawn > view["king"][dish] else ""
                with canvas.thing(f"hand{seat}", dish, hand["taken"][dish] + drawn, hint):
                    self.cell(x, cells, cell_height, dish, hand["taken"][dish], drawn, view["king"][dish])
        return y + height + 8

    def name(self, y: float, seat: int | None) -> None:
        """To the left of a row, or above it on a phone: who, chef or not, and how many cards nobody else has seen."""
        view, canvas, tall = self.view, self.canvas, self.look.tall
        size = 14 if tall else 16
        x, baseline = self.margin + 4, y + (17 if tall else 35 if seat is None else 24)
        room = self.inside * 0.5 if tall else self.label - 14
        if seat is None:
            self.dish("king", x, baseline - size - 1, size + 5)
            canvas.text(x + size + 12, baseline, self.word("king"), size + 1, bold=True)
            return
        name = self.look.player(WORDS, seat)
        canvas.text(x, baseline, name, size, bold=True, width=room)
        points = "points" if view["to_act"] is not None else "final"
        with canvas.hint(self.word("points hint")):
            canvas.text(
                self.margin + (self.inside - 4 if tall else self.label - 10), baseline + (0 if tall else 23),
                self.count(points, view["points_now"][seat]), 13 if tall else 14,
                bold=True, css="mark", anchor="end",
            )  # fmt: skip
        at, below = (x + min(text_width(name, size, True), room) + 10, baseline) if tall else (x, baseline + 23)
        if seat == view["chef"]:
            with canvas.hint(self.word("chef hint")):
                at = canvas.badge(at, below, self.word("chef"), 11.6 if tall else 13) + 8
        count = self.unseen(seat)
        with canvas.thing(f"hand{seat}", "?", count, self.count("unseen", count) if count else ""):
            if count:
                canvas.back(at, below - 12, 10, 14)
                canvas.text(at + 14, below, str(count), 12.5 if tall else 14, css="soft")

    def unseen(self, seat: int) -> int:
        """How many cards a guest has drawn that this picture may not show."""
        hand = self.view["hands"][seat]
        return hand["drawn_count"] if hand["drawn"] is None else 0

    def cell(
        self, x: float, y: float, height: float, dish: str, seen: int, drawn: int, kings: int | None = None
    ) -> None:
        canvas, tall = self.canvas, self.look.tall
        middle = x + self.column / 2
        if not seen and not drawn:
            canvas.text(middle, y + height / 2 + 5, "·", 20, css="soft", anchor="middle")
            return
        icon, size = (20.0, 18.0) if tall else (28.0, 24.0)
        text = str(seen) if seen or not drawn else ""
        more = f"+{drawn}" if drawn else ""
        sign = "▲" if kings is not None and seen + drawn > kings else ""

        def needed() -> float:
            return icon + gap + text_width(text, size, True) + text_width(more + sign, small, True)

        gap, small = 6.0, max(size * 0.68, canvas.smallest)
        if needed() > self.column - 5:
            icon, size, gap = icon * 0.72, size * 0.8, 3.0 if tall else 6.0
            small = max(size * 0.68, canvas.smallest)
        width = needed()
        start = middle - width / 2
        self.dish(dish, start, y + (height - icon) / 2, icon)
        at, base = start + icon + gap, y + height / 2 + size * 0.36
        canvas.text(at, base, text, size, bold=True)
        at += text_width(text, size, True)
        if more:
            canvas.text(at, base, more, small, bold=True, css="mark")
        if sign:
            canvas.text(at + text_width(more, small, True), base, sign, small, css="warn", bold=True)
