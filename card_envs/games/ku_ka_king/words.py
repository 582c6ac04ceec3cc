"""Ku-Ka-King told to people: actions in words, and what a reveal has brought, from what the listener may know."""

from __future__ import annotations

from typing import Any

from card_envs.games.ku_ka_king.render import WORDS
from card_envs.games.ku_ka_king.state import WAIT
from card_envs.presentation.languages import translate

# In the order of card_envs.presentation.languages.LANGUAGES.
PHRASES = {
    "wait": ("wait", "warten", "attendre", "aspettare"),
    "chosen": ("chooses row {0}", "wählt Reihe {0}", "choisit la rangée {0}", "sceglie la fila {0}"),
    "takes": (
        "row {0}, alone: takes {1}",
        "Reihe {0}, allein: nimmt {1}",
        "rangée {0}, seul : prend {1}",
        "fila {0}, da solo: prende {1}",
    ),
    "clash": (
        "row {0}, not alone: {1} goes to the box",
        "Reihe {0}, nicht allein: {1} geht in die Schachtel",
        "rangée {0}, pas seul : {1} va dans la boîte",
        "fila {0}, non da solo: {1} va nella scatola",
    ),
    "scoring": (
        "first scoring: {0}; cards with a red cross leave",
        "erste Wertung: {0}; Karten mit rotem Kreuz gehen weg",
        "première évaluation : {0} ; les cartes à croix rouge partent",
        "primo punteggio: {0}; le carte con la croce rossa escono",
    ),
    "last round": (
        "the pile is empty: last round",
        "der Stapel ist leer: letzte Runde",
        "la pioche est vide : dernier tour",
        "il mazzo è vuoto: ultimo giro",
    ),
}
LABELS = {
    **WORDS,
    "first_scoring": WORDS["first scoring"],
    "second_scoring": ("second scoring", "zweite Wertung", "deuxième évaluation", "secondo punteggio"),
}


def say(action: int, language: str, view: dict[str, Any] | None = None) -> str:
    """An action in words; with a view also which cards lie in the row."""
    if action == WAIT:
        return translate(PHRASES, "wait", language)
    row = f"{translate(WORDS, 'row', language)} {action + 1}"
    return f"{row}: {_cards(view['rows'][action], language)}" if view else row


def _cards(cards: list[str], language: str) -> str:
    return ", ".join(translate(WORDS, card, language) for card in cards)


def tell(
    before: dict[str, Any], after: dict[str, Any], action: int | None, language: str
) -> list[tuple[int | None, str]]:
    """What was revealed and what came of it; before that, only a choice that the listener may see.

    What was chosen is read from the view after it and never from the action.
    """
    seat = before["to_act"]
    choosing_goes_on = (
        after["to_act"] is not None and after["to_act"] > seat and after["last_reveal"] == before["last_reveal"]
    )
    if choosing_goes_on and after["waiting"] == before["waiting"] and after["rows"] == before["rows"]:
        row = after["choices"][seat]
        return [] if row is None else [(seat, translate(PHRASES, "chosen", language).format(row))]
    lines: list[tuple[int | None, str]] = []
    shown = {who: after["last_reveal"][who] for who in before["waiting"]}
    for who, row in shown.items():
        cards = before["rows"][row - 1]
        alone = list(shown.values()).count(row) == 1
        text = translate(PHRASES, "takes" if alone else "clash", language)
        lines.append((who, text.format(row, _cards(cards if alone else cards[-1:], language))))
    if after["scored"] and not before["scored"]:
        points = ", ".join(
            f"{translate(WORDS, 'player', language)} {who} {sum(scores.values())}"
            for who, scores in enumerate(after["first_scoring"])
        )
        lines.append((None, translate(PHRASES, "scoring", language).format(points)))
    if after["last_round"] and not before["last_round"]:
        lines.append((None, translate(PHRASES, "last round", language)))
    return lines
