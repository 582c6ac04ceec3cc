"""Zum Kuhkuck told to people: actions in words, and what a move has brought, from what the listener may know."""

from __future__ import annotations

from typing import Any

from card_envs.games.zum_kuhkuck.render import WORDS
from card_envs.games.zum_kuhkuck.state import ANNOUNCE, COLOURS, DRAW, HAND_IN, TYPES
from card_envs.presentation.languages import translate

# In the order of card_envs.presentation.languages.LANGUAGES.
PHRASES = {
    "draw": ("draw a card", "eine Karte ziehen", "piocher une carte", "pescare una carta"),
    "announce": ("announce {0} ({1})", "{0} ansagen ({1})", "annoncer {0} ({1})", "annunciare {0} ({1})"),
    "hand in": (
        "hand in the cards for nothing",
        "die Karten ohne Punkte abgeben",
        "rendre les cartes sans points",
        "consegnare le carte senza punti",
    ),
    "lost": (
        "electricity! {0} cards lost",
        "Strom! {0} Karten verloren",
        "électricité ! {0} cartes perdues",
        "elettricità! {0} carte perse",
    ),
    "scored": (
        "{0} points with {1} cards",
        "{0} Punkte mit {1} Karten",
        "{0} points avec {1} cartes",
        "{0} punti con {1} carte",
    ),
    "shuffled": (
        "pile and discards are shuffled together",
        "Stapel und Ablage werden zusammen gemischt",
        "pioche et défausse sont mélangées",
        "mazzo e scarti vengono mescolati",
    ),
}
LABELS = {
    **WORDS,
    "points_per_colour": ("announced", "angesagt", "annoncé", "annunciato"),
    "bonus_per_colour": (
        "bonus for the higher announcement",
        "Bonus für die höhere Ansage",
        "bonus de la meilleure annonce",
        "bonus per l'annuncio più alto",
    ),
}


def say(action: int, language: str, view: dict[str, Any] | None = None) -> str:
    """An action in words."""
    if action == DRAW:
        return translate(PHRASES, "draw", language)
    if action == HAND_IN:
        return translate(PHRASES, "hand in", language)
    kind = action - ANNOUNCE
    colour, card = (translate(WORDS, word, language) for word in (COLOURS[kind], TYPES[kind]))
    return translate(PHRASES, "announce", language).format(colour, card)


def tell(before: dict[str, Any], after: dict[str, Any], action: int, language: str) -> list[tuple[int | None, str]]:
    """Who did what, and what came of it; nobody (None) where it happens by itself."""
    seat = before["to_act"]
    then, now = before["hands"][seat], after["hands"][seat]
    brought = ""
    if action == DRAW and now["size"] != then["size"] + 1:
        brought = translate(PHRASES, "lost", language).format(then["size"])
    elif action == DRAW and now["cards"] is not None:
        card = next(name for name in TYPES if now["cards"][name] > then["cards"][name])
        brought = translate(WORDS, card, language)
    elif ANNOUNCE <= action < HAND_IN:
        points = after["sheets"][seat][TYPES[action - ANNOUNCE]]
        brought = translate(PHRASES, "scored", language).format(points, then["size"])
    text = say(action, language)
    lines: list[tuple[int | None, str]] = [(seat, f"{text}: {brought}" if brought else text)]
    if after["pile"] > before["pile"]:
        lines.append((None, translate(PHRASES, "shuffled", language)))
    return lines
