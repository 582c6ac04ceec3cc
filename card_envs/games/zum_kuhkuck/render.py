"""A position of Zum Kuhkuck as text, in four languages."""

from __future__ import annotations

from typing import Any

from card_envs.games.zum_kuhkuck.state import CARD_TYPES, COLOURS, PLAYERS, TYPES
from card_envs.presentation.languages import number, text_table, translate

# In the order of card_envs.presentation.languages.LANGUAGES.
WORDS = {
    "boots": ("boots", "Stiefel", "bottes", "stivali"),
    "bell": ("bell", "Glocke", "cloche", "campanaccio"),
    "milking stool": ("milking stool", "Melkschemel", "tabouret de traite", "sgabello da mungitura"),
    "milk churn": ("milk churn", "Milchkanne", "bidon à lait", "bidone del latte"),
    "brush": ("brush", "Bürste", "brosse", "spazzola"),
    "electricity": ("electricity", "Strom", "électricité", "elettricità"),
    "red": ("red", "rot", "rouge", "rosso"),
    "yellow": ("yellow", "gelb", "jaune", "giallo"),
    "green": ("green", "grün", "vert", "verde"),
    "blue": ("blue", "blau", "bleu", "blu"),
    "purple": ("purple", "lila", "violet", "viola"),
    "hand": ("hand", "Hand", "main", "mano"),
    "points": ("points", "Punkte", "points", "punti"),
    "knows": ("knows", "kennt", "connaît", "conosce"),
    "pile": ("pile", "Stapel", "pioche", "mazzo"),
    "discards": ("discards", "Ablage", "défausse", "scarti"),
    "total": ("total", "Summe", "total", "totale"),
    "known": (
        "knows: cards in the discards that this player has seen",
        "kennt: Karten in der Ablage, die dieser Spieler gesehen hat",
        "connaît : cartes de la défausse que ce joueur a vues",
        "conosce: carte negli scarti che questo giocatore ha visto",
    ),
    "player": ("player", "Spieler", "joueur", "giocatore"),
    "to act": ("to act", "am Zug", "à jouer", "di turno"),
    "over": ("the game is over", "das Spiel ist aus", "la partie est finie", "la partita è finita"),
}


def to_text(view: dict[str, Any], language: str = "en") -> str:
    """The position that a view describes. What the view hides shows as "?"."""

    def word(key: str) -> str:
        return translate(WORDS, key, language)

    def card(name: str) -> str:
        colour = f" ({word(COLOURS[TYPES.index(name)])})" if name in TYPES else ""
        return word(name) + colour

    def column(heading: str, counts: dict[str, int | None] | None, total: int | None) -> list[str]:
        cells = [number(counts[name] or 0 if counts else None) for name in TYPES]
        return [
            heading,
            *cells,
            number(counts["electricity"]) if counts and "electricity" in counts else "",
            number(total),
        ]

    columns = [["", *map(card, CARD_TYPES), word("total")]]
    for player in range(PLAYERS):
        hand, sheet, known = view["hands"][player], view["sheets"][player], view["known_discards"][player]
        columns.append(column(f"{word('hand')} {player}", hand["cards"], hand["size"]))
        columns.append(column(f"{word('points')} {player}", sheet, sum(points or 0 for points in sheet.values())))
        columns.append(column(f"{word('knows')} {player}", known, sum(known.values()) if known else None))
    electricity = view["electricity_discarded"]
    columns.append(column(word("pile"), view["pile_cards"], view["pile"]))
    columns.append(column(word("discards"), view["discard_cards"], view["discards"]))
    columns[-1][-2] = number(electricity)  # for all to see
    header, *rows = zip(*columns, strict=True)
    to_act = view["to_act"]
    last_line = word("over") if to_act is None else f"{word('to act')}: {word('player')} {to_act}"
    return "\n".join([text_table(header, rows), f"({word('known')})", last_line])
