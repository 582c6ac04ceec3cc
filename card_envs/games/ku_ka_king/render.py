"""A position of Ku-Ka-King as text, in four languages."""

from __future__ import annotations

from typing import Any

from card_envs.games.ku_ka_king.state import CARD_TYPES, CATEGORIES
from card_envs.presentation.languages import number, player_name, text_table, translate

# In the order of card_envs.presentation.languages.LANGUAGES.
WORDS = {
    "king": ("king", "König", "roi", "re"),
    "knight": ("knight", "Ritter", "chevalier", "cavaliere"),
    "church": ("church", "Kirche", "église", "chiesa"),
    "farmer": ("farmer", "Bauer", "paysan", "contadino"),
    "farmer's wife": ("farmer's wife", "Bäuerin", "paysanne", "contadina"),
    "farmhouse": ("farmhouse", "Bauernhof", "ferme", "fattoria"),
    "victory 2": ("victory 2", "Sieg 2", "victoire 2", "vittoria 2"),
    "victory 3": ("victory 3", "Sieg 3", "victoire 3", "vittoria 3"),
    "victory 4": ("victory 4", "Sieg 4", "victoire 4", "vittoria 4"),
    "sheep": ("sheep", "Schaf", "mouton", "pecora"),
    "horse": ("horse", "Pferd", "cheval", "cavallo"),
    "pig": ("pig", "Schwein", "cochon", "maiale"),
    "cow": ("cow", "Kuh", "vache", "mucca"),
    "goat": ("goat", "Ziege", "chèvre", "capra"),
    "goose": ("goose", "Gans", "oie", "oca"),
    "chicken": ("chicken", "Huhn", "poule", "gallina"),
    "rabbit": ("rabbit", "Kaninchen", "lapin", "coniglio"),
    "kings": ("kings", "Könige", "rois", "re"),
    "churches": ("churches", "Kirchen", "églises", "chiese"),
    "victory points": ("victory points", "Siegpunkte", "points de victoire", "punti vittoria"),
    "knights": ("knights", "Ritter", "chevaliers", "cavalieri"),
    "animals": ("animals", "Tiere", "animaux", "animali"),
    "farm": ("farm", "Hof", "ferme", "fattoria"),
    "round": ("round", "Runde", "manche", "giro"),
    "last round": ("last round", "letzte Runde", "dernière manche", "ultimo giro"),
    "pile": ("pile", "Stapel", "pioche", "mazzo"),
    "row": ("row", "Reihe", "rangée", "fila"),
    "taken": ("taken", "genommen", "prise", "presa"),
    "empty": ("empty", "leer", "vide", "vuota"),
    "player": ("player", "Spieler", "joueur", "giocatore"),
    "box": ("box", "Schachtel", "boîte", "scatola"),
    "unseen": ("unseen", "verdeckt", "cachées", "coperte"),
    "first scoring": ("first scoring", "erste Wertung", "premier décompte", "primo conteggio"),
    "last reveal": ("last shown", "zuletzt gezeigt", "derniers choix", "ultime scelte"),
    "chosen": ("chosen in secret", "geheim gewählt", "choix secrets", "scelte segrete"),
    "waiting": ("still without a row", "noch ohne Reihe", "encore sans rangée", "ancora senza fila"),
    "to act": ("to act", "am Zug", "à jouer", "di turno"),
    "now": ("if it ended now", "wenn jetzt Schluss wäre", "si la partie s'arrêtait là", "se finisse ora"),
    "over": ("the game is over", "das Spiel ist aus", "la partie est finie", "la partita è finita"),
}


def to_text(view: dict[str, Any], language: str = "en") -> str:
    """The position that a view describes. Rows are shown from the innermost card to the outermost."""

    def word(key: str) -> str:
        return translate(WORDS, key, language)

    def player(seat: int) -> str:
        return player_name(view, seat, language)

    def shown(rows: list[int | None]) -> str:
        return ", ".join(f"{player(seat)} {word('row')} {row}" for seat, row in enumerate(rows) if row is not None)

    seats = range(view["players"])
    head = [f"{word('round')} {view['round']}", f"{word('pile')}: {view['pile']}"]
    if view["last_round"]:
        head.insert(1, word("last round"))
    lines = [" · ".join(head)]
    for row, cards in enumerate(view["rows"]):
        no_cards = word("taken" if view["row_taken"][row] else "empty")
        lines.append(f"  {word('row')} {row + 1}: {', '.join(map(word, cards)) or f'({no_cards})'}")
    places = [*view["collections"], view["box"], view["unseen"]]
    header = ["", *map(player, seats), word("box"), word("unseen")]
    lines.append(text_table(header, [[word(kind), *(number(place[kind]) for place in places)] for kind in CARD_TYPES]))
    if view["scored"]:
        scores = view["first_scoring"]
        points = [[word(name), *(number(scores[seat][name]) for seat in seats)] for name in CATEGORIES]
        lines.append(text_table([word("first scoring"), *map(player, seats)], points))
    if any(view["last_reveal"]):
        lines.append(f"{word('last reveal')}: {shown(view['last_reveal'])}")
    if view["to_act"] is None:
        lines.append(word("over"))
        return "\n".join(lines)
    now = ", ".join(f"{player(seat)} {view['points_now'][seat]}" for seat in seats)
    lines.append(f"{word('now')}: {now}")
    if any(view["choices"]):
        lines.append(f"{word('chosen')}: {shown(view['choices'])}")
    lines.append(f"{word('waiting')}: {', '.join(map(player, view['waiting']))}")
    lines.append(f"{word('to act')}: {player(view['to_act'])}")
    return "\n".join(lines)
