"""A position of King Lui as text, in four languages."""

from __future__ import annotations

from typing import Any

from card_envs.games.king_lui.state import DISHES
from card_envs.presentation.languages import number, numbered, player_name, text_table, translate

# In the order of card_envs.presentation.languages.LANGUAGES.
WORDS = {
    "bread": ("bread", "Brot", "pain", "pane"),
    "cake": ("cake", "Kuchen", "gâteau", "torta"),
    "cheese": ("cheese", "Käse", "fromage", "formaggio"),
    "chicken": ("chicken", "Huhn", "poulet", "pollo"),
    "fruit": ("fruit", "Obst", "fruits", "frutta"),
    "ham": ("ham", "Schinken", "jambon", "prosciutto"),
    "wine": ("wine", "Wein", "vin", "vino"),
    "emerald": ("Emerald", "Emerald", "Emerald", "Emerald"),
    "course": ("course", "Gang", "service", "portata"),
    "supply": ("supply", "Vorrat", "pioche", "mazzo"),
    "table": ("table", "Tisch", "table", "tavolo"),
    "king": ("king", "König", "roi", "re"),
    "fed": ("eaten by Emerald", "von Emerald gefressen", "mangé par Emerald", "mangiato da Emerald"),
    "player": ("player", "Spieler", "joueur", "giocatore"),
    "taken": ("taken", "genommen", "prises", "prese"),
    "drawn": ("drawn", "gezogen", "piochées", "pescate"),
    "unseen": ("{0} unseen", "{0} verdeckt", "{0} cachée|{0} cachées", "{0} coperta|{0} coperte"),
    "chef": ("chef", "Koch", "chef", "cuoco"),
    "to act": ("to act", "am Zug", "à jouer", "di turno"),
    "drew": (
        "an Emerald was drawn; it is decided by",
        "ein Emerald wurde gezogen; es entscheidet",
        "un Emerald a été pioché ; décision",
        "è stato pescato un Emerald; decisione",
    ),
    "feed": ("feed Emerald", "Emerald füttern", "nourrir Emerald", "nutrire Emerald"),
    "now": ("if it ended now", "wenn jetzt Schluss wäre", "si la partie s'arrêtait là", "se finisse ora"),
    "over": ("the game is over", "das Spiel ist aus", "la partie est finie", "la partita è finita"),
}


def to_text(view: dict[str, Any], language: str = "en") -> str:
    """The position that a view describes. What the view hides shows as "?"."""

    def word(key: str) -> str:
        return translate(WORDS, key, language)

    def row(label: str, counts: dict[str, int] | None, emeralds: int | None = None) -> list[str]:
        cells = [number(counts[dish] if counts else None) for dish in DISHES]
        return [label, *cells, "" if emeralds is None else number(emeralds)]

    rows = [
        row(word("table"), view["table"], view["table_emeralds"]),
        row(word("king"), view["king"]),
        row(word("fed"), view["fed"], view["fed_emeralds"]),
    ]
    for player, hand in enumerate(view["hands"]):
        name = player_name(view, player, language)
        rows.append(row(f"{name} {word('taken')}", hand["taken"]))
        rows.append(row(f"{name} {word('drawn')}", hand["drawn"]))
        if hand["drawn"] is None:
            rows[-1][0] += f" ({numbered(WORDS, 'unseen', language, hand['drawn_count'])})"
    lines = [
        f"{word('course')} {view['course']} · {word('chef')}: {player_name(view, view['chef'], language)}"
        f" · {word('supply')}: {view['supply']}",
        text_table(["", *map(word, DISHES), word("emerald")], rows),
    ]
    if view["to_act"] is not None:
        points = [f"{player_name(view, seat, language)} {now}" for seat, now in enumerate(view["points_now"])]
        lines.append(f"{word('now')}: {', '.join(points)}")
    if view["to_act"] is None:
        lines.append(word("over"))
    elif view["emerald_drawn"]:
        lines.append(f"{word('drew')}: {player_name(view, view['to_act'], language)}")
    else:
        lines.append(f"{word('to act')}: {player_name(view, view['to_act'], language)}")
    return "\n".join(lines)
