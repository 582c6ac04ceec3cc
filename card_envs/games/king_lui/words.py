"""King Lui told to people: actions in words, and what a move has brought, from what the listener may know."""

from __future__ import annotations

from typing import Any

from card_envs.games.king_lui.render import WORDS
from card_envs.games.king_lui.state import DISHES, DRAW, FEED, PAIRS, PLACE
from card_envs.presentation.languages import translate

# In the order of card_envs.presentation.languages.LANGUAGES.
PHRASES = {
    "take": ("take {0}", "{0} nehmen", "prendre : {0}", "prendere: {0}"),
    "draw": ("draw a card", "eine Karte ziehen", "piocher une carte", "pescare una carta"),
    "feed": ("feed Emerald: {0}", "Emerald füttern: {0}", "nourrir Emerald : {0}", "nutrire Emerald: {0}"),
    "place": (
        "place Emerald on the table",
        "Emerald auf den Tisch legen",
        "poser Emerald sur la table",
        "posare Emerald sul tavolo",
    ),
    "pass": ("pass", "passen", "passer", "passare"),
    "nothing": ("nothing", "nichts", "rien", "niente"),
    "served": ("the king gets {0}", "der König bekommt {0}", "le roi reçoit {0}", "il re riceve {0}"),
}
LABELS = {
    **WORDS,
    "points_per_dish": ("points per dish", "Punkte je Speise", "points par plat", "punti per piatto"),
    "discarded": ("cards discarded", "abgeworfene Karten", "cartes défaussées", "carte scartate"),
}


def say(action: int, language: str, view: dict[str, Any] | None = None) -> str:
    """An action in words; with a view also how many portions it is about."""

    def word(key: str) -> str:
        return translate(WORDS, key, language)

    def phrase(key: str, *parts: str) -> str:
        return translate(PHRASES, key, language).format(*parts)

    if action < DRAW:
        portions = f" ({view['table'][DISHES[action]]})" if view else ""
        return phrase("take", word(DISHES[action]) + portions)
    if action == DRAW:
        return phrase("draw")
    if action < PLACE:
        return phrase("feed", " + ".join(word(DISHES[dish]) for dish in PAIRS[action - FEED]))
    return phrase("place" if action == PLACE else "pass")


def tell(before: dict[str, Any], after: dict[str, Any], action: int, language: str) -> list[tuple[int | None, str]]:
    """Who did what, and what came of it; nobody (None) where it happens by itself."""
    seat = before["to_act"]
    text = say(action, language, before)
    if action == DRAW:
        drawn = _drawn(before, after, seat)
        if drawn:
            text += f": {translate(WORDS, drawn, language)}"
    lines: list[tuple[int | None, str]] = [(seat, text)]
    if after["course"] > before["course"] or after["to_act"] is None:
        served = {dish: after["king"][dish] - before["king"][dish] for dish in DISHES}
        got = ", ".join(f"{translate(WORDS, dish, language)} {n}" for dish, n in served.items() if n > 0)
        lines.append(
            (None, translate(PHRASES, "served", language).format(got or translate(PHRASES, "nothing", language)))
        )
    return lines


def _drawn(before: dict[str, Any], after: dict[str, Any], seat: int) -> str | None:
    """The card drawn, if the listener may know it: an Emerald always, a dish only in one's own hand."""
    then, now = before["hands"][seat], after["hands"][seat]
    if now["drawn_count"] == then["drawn_count"]:
        return "emerald"
    if now["drawn"] is None:
        return None
    return next(dish for dish in DISHES if now["drawn"][dish] > then["drawn"][dish])
