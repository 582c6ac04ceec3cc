"""King Lui told to people: actions in words, and what a move has brought, from what the listener may know."""

from __future__ import annotations

from typing import Any

from card_envs.games.king_lui.render import WORDS
from card_envs.games.king_lui.state import DISHES, DRAW, FEED, PAIRS, PLACE
from card_envs.presentation.languages import colon, translate

# In the order of card_envs.presentation.languages.LANGUAGES. Nobody is the subject of a phrase that follows a name, so
# that it reads well after "You:" and after "Player 2:".
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
    "served": ("the king gets {0}", "der König bekommt {0}", "le roi reçoit : {0}", "il re riceve: {0}"),
    "nothing": (
        "the king gets nothing",
        "der König bekommt nichts",
        "le roi ne reçoit rien",
        "il re non riceve niente",
    ),
}
LABELS = {
    **WORDS,
    "points_per_dish": ("points per dish", "Punkte je Speise", "points par plat", "punti per piatto"),
    "discarded": ("cards discarded", "abgeworfene Karten", "cartes défaussées", "carte scartate"),
}
GUIDE = {
    "aim": (
        "Look at the king's row: each of your portions will be worth as many points as he has of that dish. But of a "
        "dish of which you have more than he, you lose all (▲).",
        "Schau auf die Reihe des Königs: Jede deiner Portionen zählt so viele Punkte, wie er von dieser Speise hat. "
        "Aber wovon du mehr hast als er, das verlierst du ganz (▲).",
        "Regarde la rangée du roi : chacune de tes portions vaudra autant de points qu'il a de ce plat. Mais d'un plat "
        "dont tu as plus que lui, tu perds tout (▲).",
        "Guarda la riga del re: ogni tua porzione varrà tanti punti quante ne ha lui di quel piatto. Ma di "
        "un piatto di "
        "cui hai più di lui perdi tutto (▲).",
    ),
    "take": (
        "Click a dish on the table: you take all its portions. What nobody takes goes to the king at the end of the "
        "course, and that makes it worth more.",
        "Klick eine Speise auf dem Tisch an: Du nimmst alle Portionen. Was niemand nimmt, bekommt am Ende des Gangs "
        "der König, und dann zählt es mehr.",
        "Clique sur un plat de la table : tu en prends toutes les portions. Ce que personne ne prend va au roi à la "
        "fin du service, et vaut alors davantage.",
        "Fai clic su un piatto del tavolo: ne prendi tutte le porzioni. Ciò che nessuno prende va al re alla "
        "fine della "
        "portata, e così vale di più.",
    ),
    "draw": (
        "Or click the supply and draw a card that nobody else sees. The others then do not know what you are after.",
        "Oder klick auf den Vorrat und zieh eine Karte, die sonst niemand sieht. Dann wissen die anderen nicht, worauf "
        "du aus bist.",
        "Ou clique sur la pioche et tire une carte que personne d'autre ne voit. Les autres ne savent alors pas ce que "
        "tu vises.",
        "Oppure fai clic sul mazzo e pesca una carta che nessun altro vede. Così gli altri non sanno a che cosa miri.",
    ),
    "emerald": (
        "An Emerald can be fed: click it, then two of the king's portions. They leave the game, so choose a dish that "
        "the others have much of.",
        "Ein Emerald kann gefüttert werden: Klick ihn an, dann zwei Portionen des Königs. Sie sind dann aus dem Spiel; "
        "nimm also etwas, wovon die anderen viel haben.",
        "Un Emerald peut être nourri : clique dessus, puis sur deux portions du roi. Elles quittent le jeu ; choisis "
        "donc un plat dont les autres ont beaucoup.",
        "Un Emerald può essere nutrito: fai clic su di esso, poi su due porzioni del re. Escono dal gioco, "
        "quindi scegli "
        "un piatto di cui gli altri hanno molto.",
    ),
    "too much": (
        "▲ means: here somebody has more than the king. If the game ended now, these cards would bring nothing.",
        "▲ heißt: Hier hat jemand mehr als der König. Wäre jetzt Schluss, brächten diese Karten nichts.",
        "▲ veut dire : ici quelqu'un a plus que le roi. Si la partie finissait maintenant, ces cartes ne "
        "rapporteraient "
        "rien.",
        "▲ significa: qui qualcuno ha più del re. Se la partita finisse ora, queste carte non porterebbero niente.",
    ),
}


def notes(view: dict[str, Any], seat: int) -> list[str]:
    """Which notes of the guide fit this position."""
    own = view["hands"][seat]
    above = any(own["taken"][dish] + own["drawn"][dish] > view["king"][dish] for dish in DISHES)
    fitting = ["aim"]
    fitting += ["take"] * any(view["table"].values())
    fitting += ["draw"] * (view["supply"] > 0)
    can_feed = sum(view["king"].values()) > 1 and (view["emerald_drawn"] or any(view["table"].values()))
    fitting += ["emerald"] * (can_feed and (view["table_emeralds"] > 0 or view["emerald_drawn"]))
    return fitting + ["too much"] * above


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
            text += colon(language) + translate(WORDS, drawn, language)
    lines: list[tuple[int | None, str]] = [(seat, text)]
    if after["course"] > before["course"] or after["to_act"] is None:
        served = {dish: after["king"][dish] - before["king"][dish] for dish in DISHES}
        got = ", ".join(f"{translate(WORDS, dish, language)} {n}" for dish, n in served.items() if n > 0)
        lines.append((None, translate(PHRASES, "served" if got else "nothing", language).format(got)))
    return lines


def _drawn(before: dict[str, Any], after: dict[str, Any], seat: int) -> str | None:
    """The card drawn, if the listener may know it: an Emerald always, a dish only in one's own hand."""
    then, now = before["hands"][seat], after["hands"][seat]
    if now["drawn_count"] == then["drawn_count"]:
        return "emerald"
    if now["drawn"] is None or then["drawn"] is None:  # with the last card of a game all hands are turned over
        return None
    return next(dish for dish in DISHES if now["drawn"][dish] > then["drawn"][dish])
