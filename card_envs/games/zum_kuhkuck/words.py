"""Zum Kuhkuck told to people: actions in words, and what a move has brought, from what the listener may know."""

from __future__ import annotations

from typing import Any

from card_envs.games.zum_kuhkuck.render import WORDS
from card_envs.games.zum_kuhkuck.state import ANNOUNCE, COLOURS, DRAW, FEWEST_TO_ANNOUNCE, HAND_IN, TYPES
from card_envs.presentation.languages import colon, numbered, translate

# In the order of card_envs.presentation.languages.LANGUAGES; "one|several" where a number decides.
PHRASES = {
    "draw": ("draw a card", "eine Karte ziehen", "piocher une carte", "pescare una carta"),
    "announce": ("announce {0}", "{0} ansagen", "annoncer le {0}", "annunciare il {0}"),
    "hand in": (
        "show the cards and hand them in for nothing",
        "die Karten zeigen und ohne Punkte abgeben",
        "montrer les cartes et les rendre sans points",
        "mostrare le carte e consegnarle senza punti",
    ),
    "no loss": (
        "electricity! But no card in the hand",
        "Strom! Aber keine Karte auf der Hand",
        "électricité ! Mais aucune carte en main",
        "elettricità! Ma nessuna carta in mano",
    ),
    "lost": (
        "electricity! {0} card lost|electricity! {0} cards lost",
        "Strom! {0} Karte verloren|Strom! {0} Karten verloren",
        "électricité ! {0} carte perdue|électricité ! {0} cartes perdues",
        "elettricità! {0} carta persa|elettricità! {0} carte perse",
    ),
    "points": ("{0} point|{0} points", "{0} Punkt|{0} Punkte", "{0} point|{0} points", "{0} punto|{0} punti"),
    "with": (
        "with {0} card|with {0} cards", "mit {0} Karte|mit {0} Karten",
        "avec {0} carte|avec {0} cartes", "con {0} carta|con {0} carte",
    ),
    "shuffled": (
        "pile and discards are shuffled together",
        "Stapel und Ablage werden zusammen gemischt",
        "pioche et défausse sont mélangées",
        "mazzo e scarti vengono mescolati",
    ),
}  # fmt: skip
# People announce colours, so colours are what they read everywhere; the pictures show what is on the cards.
LABELS = {
    **WORDS,
    **{name: WORDS[colour] for name, colour in zip(TYPES, COLOURS, strict=True)},
    "points_per_colour": ("announced", "angesagt", "annoncé", "annunciato"),
    "bonus_per_colour": (
        "bonus for the higher announcement",
        "Bonus für die höhere Ansage",
        "bonus de la meilleure annonce",
        "bonus per l'annuncio più alto",
    ),
}
GUIDE = {
    "draw": (
        "Click the pile to draw a card. The more cards you hold, the more they bring; but electricity takes them all. "
        "How many of the five electricity cards are out already stands beside the discards.",
        "Klick auf den Stapel, um eine Karte zu ziehen. Je mehr Karten du hast, desto mehr bringen sie; aber der Strom "
        "nimmt sie alle. Wie viele der fünf Stromkarten schon weg sind, steht neben der Ablage.",
        "Clique sur la pioche pour tirer une carte. Plus tu as de cartes, plus elles rapportent ; mais l'électricité "
        "les prend toutes. À côté de la défausse tu vois combien des cinq cartes d'électricité sont déjà sorties.",
        "Fai clic sul mazzo per pescare una carta. Più carte hai, più portano; ma l'elettricità le prende "
        "tutte. Accanto "
        "agli scarti vedi quante delle cinque carte di elettricità sono già uscite.",
    ),
    "announce": (
        "You have five cards or more: you can announce a colour. Click one of your cards or the frame above "
        "it. What it "
        "would bring is written there: the table's points for all your cards, and 2 for each of that colour.",
        "Du hast mindestens fünf Karten und kannst eine Farbe ansagen. Klick auf deine Karten oder den Rahmen darüber. "
        "Dort steht, was sie bringt: die Punkte der Tabelle für alle Karten und 2 für jede dieser Farbe.",
        "Tu as au moins cinq cartes : tu peux annoncer une couleur. Clique sur tes cartes ou sur le cadre "
        "au-dessus. Ce qu'elle "
        "rapporterait y est écrit : les points du tableau pour toutes tes cartes, et 2 pour chacune de la couleur.",
        "Hai almeno cinque carte: puoi annunciare un colore. Fai clic sulle tue carte o sul riquadro sopra. "
        "Lì è scritto "
        "quanto porta: i punti della tabella per tutte le carte, e 2 per ognuna di quel colore.",
    ),
    "announced": (
        "Each colour can be announced once. The game ends with somebody's fifth announcement, and in every colour that "
        "both announced the higher announcement earns 10 more (★).",
        "Jede Farbe kann einmal angesagt werden. Mit der fünften Ansage eines Spielers ist Schluss, und in "
        "jeder Farbe, "
        "die beide angesagt haben, bringt die höhere Ansage 10 mehr (★).",
        "Chaque couleur ne s'annonce qu'une fois. La partie finit à la cinquième annonce d'un joueur, et dans chaque "
        "couleur que les deux ont annoncée la meilleure rapporte 10 de plus (★).",
        "Ogni colore si annuncia una volta sola. La partita finisce al quinto annuncio di un giocatore, e in "
        "ogni colore "
        "annunciato da entrambi l'annuncio più alto vale 10 in più (★).",
    ),
    "danger": (
        "Ten cards and more are worth much, and are much to lose. The fewer electricity cards are out, the "
        "more of them "
        "still wait in the pile.",
        "Zehn Karten oder mehr sind viel wert, und es ist viel zu verlieren. Je weniger Stromkarten weg sind, desto "
        "mehr warten "
        "noch im Stapel.",
        "Dix cartes ou plus valent beaucoup, et c'est beaucoup à perdre. Moins il est sorti de cartes d'électricité, "
        "plus il en reste dans la pioche.",
        "Dieci carte o più valgono molto, e c'è molto da perdere. Meno carte di elettricità sono uscite, più ne "
        "restano nel mazzo.",
    ),
}


def notes(view: dict[str, Any], seat: int) -> list[str]:
    """Which notes of the guide fit this position."""
    size = view["hands"][seat]["size"]
    fitting = ["draw"] + ["announce"] * (size >= FEWEST_TO_ANNOUNCE)
    fitting += ["announced"] * any(points for sheet in view["sheets"] for points in sheet.values())
    return fitting + ["danger"] * (size >= 10)


def say(action: int, language: str, view: dict[str, Any] | None = None) -> str:
    """An action in words; with a view of whoever is to act also what an announcement would bring."""
    if action == DRAW:
        return translate(PHRASES, "draw", language)
    if action == HAND_IN:
        return translate(PHRASES, "hand in", language)
    kind = action - ANNOUNCE
    text = translate(PHRASES, "announce", language).format(translate(WORDS, COLOURS[kind], language))
    worth = view["worth"][view["to_act"]] if view and view["to_act"] is not None else None
    points = worth[TYPES[kind]] if worth else None
    return text + colon(language) + numbered(PHRASES, "points", language, points) if points else text


def tell(before: dict[str, Any], after: dict[str, Any], action: int, language: str) -> list[tuple[int | None, str]]:
    """Who did what, and what came of it; nobody (None) where it happens by itself."""
    seat = before["to_act"]
    then, now = before["hands"][seat], after["hands"][seat]
    brought = ""
    if action == DRAW and now["size"] != then["size"] + 1:
        lost = then["size"]
        brought = numbered(PHRASES, "lost", language, lost) if lost else translate(PHRASES, "no loss", language)
    elif action == DRAW and now["cards"] is not None:
        card = next(name for name in TYPES if now["cards"][name] > then["cards"][name])
        brought = translate(LABELS, card, language)
    elif ANNOUNCE <= action < HAND_IN:
        points = after["sheets"][seat][TYPES[action - ANNOUNCE]]
        brought = f"{numbered(PHRASES, 'points', language, points)} {numbered(PHRASES, 'with', language, then['size'])}"
    text = say(action, language)
    lines: list[tuple[int | None, str]] = [(seat, text + colon(language) + brought if brought else text)]
    if after["pile"] > before["pile"]:
        lines.append((None, translate(PHRASES, "shuffled", language)))
    return lines
