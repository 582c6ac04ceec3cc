"""A position of Zum Kuhkuck as text, in four languages."""

from __future__ import annotations

from typing import Any

from card_envs.games.zum_kuhkuck.state import CARD_TYPES, COLOURS, PLAYERS, TYPES
from card_envs.presentation.languages import number, player_name, text_table, translate

# In the order of card_envs.presentation.languages.LANGUAGES.
WORDS = {
    "boots": ("boots", "Stiefel", "bottes", "stivali"),
    "bell": ("bell", "Glocke", "cloche", "campanaccio"),
    "milking stool": ("milking stool", "Melkschemel", "tabouret de traite", "sgabello da mungitura"),
    "milk churn": ("milk churn", "Milchkanne", "bidon à lait", "bidone del latte"),
    "brush": ("brush", "Bürste", "brosse", "spazzola"),
    "electricity": ("electricity", "Strom", "électricité", "elettricità"),
    "red": ("red", "Rot", "rouge", "rosso"),
    "yellow": ("yellow", "Gelb", "jaune", "giallo"),
    "green": ("green", "Grün", "vert", "verde"),
    "blue": ("blue", "Blau", "bleu", "blu"),
    "purple": ("purple", "Lila", "violet", "viola"),
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
    "table": (
        "points for the number of cards",
        "Punkte nach Zahl der Karten",
        "points selon le nombre de cartes",
        "punti secondo il numero di carte",
    ),
    "per card": (
        "and 2 for each card of the colour",
        "und 2 für jede Karte der Farbe",
        "et 2 par carte de la couleur",
        "e 2 per ogni carta del colore",
    ),
    "star": (
        "★: 10 more for the higher announcement",
        "★: 10 mehr für die höhere Ansage",
        "★ : 10 de plus pour la meilleure annonce",
        "★: 10 in più per l'annuncio più alto",
    ),
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
        name = view["names"][player].split(" · ")[0] if "names" in view else player  # columns are narrow
        columns.append(column(f"{word('hand')} {name}", hand["cards"], hand["size"]))
        columns.append(column(f"{word('points')} {name}", sheet, view["points_now"][player]))
        for row, kind in enumerate(TYPES, start=1):
            columns[-1][row] += "★" * ahead(view, player, kind)
        columns.append(column(f"{word('knows')} {name}", known, sum(known.values()) if known else None))
    electricity = view["electricity_discarded"]
    columns.append(column(word("pile"), view["pile_cards"], view["pile"]))
    columns.append(column(word("discards"), view["discard_cards"], view["discards"]))
    columns[-1][-2] = number(electricity)  # for all to see
    header, *rows = zip(*columns, strict=True)
    to_act = view["to_act"]
    last_line = word("over") if to_act is None else f"{word('to act')}: {player_name(view, to_act, language)}"
    entries = ", ".join(f"{cards}: {points}" for cards, points in view["points_for_cards"].items())
    worth = f"{word('table')}: {entries}; {word('per card')}"
    return "\n".join([text_table(header, rows), worth, f"({word('known')}; {word('star')})", last_line])


def ahead(view: dict[str, Any], player: int, kind: str) -> bool:
    """Has this player announced more for a colour than the other, who has announced it too?"""
    own, other = view["sheets"][player][kind], view["sheets"][1 - player][kind]
    return own is not None and other is not None and own > other
