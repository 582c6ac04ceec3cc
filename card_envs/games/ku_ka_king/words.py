"""Ku-Ka-King told to people: actions in words, and what a reveal has brought, from what the listener may know."""

from __future__ import annotations

from typing import Any

from card_envs.games.ku_ka_king.render import WORDS
from card_envs.games.ku_ka_king.state import WAIT
from card_envs.presentation.languages import colon, player_name, translate

# In the order of card_envs.presentation.languages.LANGUAGES. Nobody is the subject of a phrase that follows a name, so
# that it reads well after "You:" and after "Player 2:".
PHRASES = {
    "wait": ("wait", "warten", "attendre", "aspettare"),
    "chosen": ("row {0} in secret", "heimlich Reihe {0}", "rangée {0}, en secret", "fila {0}, in segreto"),
    "takes": (
        "row {0}, alone: {1}",
        "Reihe {0}, allein: {1}",
        "rangée {0}, sans rival : {1}",
        "fila {0}, senza rivali: {1}",
    ),
    "clash": (
        "row {0}, not alone: {1} goes to the box",
        "Reihe {0}, nicht allein; in die Schachtel: {1}",
        "rangée {0}, à plusieurs ; dans la boîte : {1}",
        "fila {0}, contesa; nella scatola: {1}",
    ),
    "nothing": (
        "too few rows are left: the round ends, and these get nothing: {0}",
        "zu wenige Reihen sind übrig: Die Runde endet, und leer gehen aus: {0}",
        "il reste trop peu de rangées : la manche finit, et ne reçoivent rien : {0}",
        "restano troppo poche file: il giro finisce, e non ricevono niente: {0}",
    ),
    "scoring": (
        "first scoring: {0}; cards with a red cross leave",
        "erste Wertung: {0}; Karten mit rotem Kreuz gehen weg",
        "premier décompte : {0} ; les cartes à croix rouge partent",
        "primo conteggio: {0}; le carte con la croce rossa escono",
    ),
    "last round": (
        "the pile is empty: last round",
        "der Stapel ist leer: letzte Runde",
        "la pioche est vide : dernière manche",
        "il mazzo è vuoto: ultimo giro",
    ),
}
LABELS = {
    **WORDS,
    "first_scoring": WORDS["first scoring"],
    "second_scoring": ("second scoring", "zweite Wertung", "second décompte", "secondo conteggio"),
}
GUIDE = {
    "choose": (
        "Click the row that you want. All choose at the same time: alone on a row, you get all its cards.",
        "Klick auf die Reihe, die du willst. Alle wählen gleichzeitig: Allein auf einer Reihe bekommst du alle ihre "
        "Karten.",
        "Clique sur la rangée que tu veux. Tous choisissent en même temps : sans rival, tu reçois toutes ses cartes.",
        "Fai clic sulla fila che vuoi. Tutti scelgono insieme: se non hai rivali, ricevi tutte le sue carte.",
    ),
    "again": (
        "Somebody else wanted your row too: it has lost its outermost card, and you choose again. The second best row "
        "is often the better choice.",
        "Noch jemand wollte deine Reihe: Sie hat ihre äußerste Karte verloren, und du wählst noch einmal. Oft ist die "
        "zweitbeste Reihe die bessere Wahl.",
        "Quelqu'un d'autre voulait ta rangée : elle a perdu sa carte extérieure, et tu choisis encore. La deuxième "
        "meilleure rangée est souvent le meilleur choix.",
        "Qualcun altro voleva la tua fila: ha perso la carta esterna, e tu scegli di nuovo. Spesso la seconda fila "
        "migliore è la scelta migliore.",
    ),
    "sets": (
        "Kings and animals of a kind are worth more the more you have. The points beside each name are what the cards "
        "would bring if they were counted now.",
        "Könige und Tiere einer Art zählen mehr, je mehr du davon hast. Die Punkte neben jedem Namen sind, was die "
        "Karten jetzt brächten.",
        "Plus tu as de rois, ou d'animaux d'une même sorte, plus chacun d'eux vaut. Les points à côté de chaque nom "
        "sont ce que les cartes rapporteraient maintenant.",
        "Più re hai, o animali della stessa specie, più vale ciascuno di loro. I punti accanto a ogni nome sono ciò "
        "che le carte porterebbero ora.",
    ),
    "cross": (
        "Cards with a red cross count in the first scoring only, which comes when somebody has 13 cards. "
        "Kings, knights "
        "and animals count twice.",
        "Karten mit rotem Kreuz zählen nur in der ersten Wertung, die kommt, wenn jemand 13 Karten hat. Könige, Ritter "
        "und Tiere zählen zweimal.",
        "Les cartes à croix rouge ne comptent qu'au premier décompte, quand quelqu'un a 13 cartes. Rois, chevaliers et "
        "animaux comptent deux fois.",
        "Le carte con la croce rossa contano solo nel primo conteggio, quando qualcuno ha 13 carte. Re, cavalieri e "
        "animali contano due volte.",
    ),
    "scored": (
        "The first scoring is done. New cards with a red cross count again at the end.",
        "Die erste Wertung ist vorbei. Neue Karten mit rotem Kreuz zählen wieder am Ende.",
        "Le premier décompte est fait. De nouvelles cartes à croix rouge compteront à la fin.",
        "Il primo conteggio è fatto. Nuove carte con la croce rossa conteranno alla fine.",
    ),
}


def notes(view: dict[str, Any], seat: int) -> list[str]:
    """Which notes of the guide fit this position."""
    mine = view["last_reveal"][seat]
    fitting = ["choose"]
    fitting += ["again"] * (seat in view["waiting"] and any(view["row_taken"]) and mine is not None)
    fitting += ["sets"] * (view["round"] > 1) + ["cross"] * (view["round"] > 2 and not view["scored"])
    return fitting + ["scored"] * view["scored"]


def say(action: int, language: str, view: dict[str, Any] | None = None) -> str:
    """An action in words; with a view also which cards lie in the row."""
    if action == WAIT:
        return translate(PHRASES, "wait", language)
    row = f"{translate(WORDS, 'row', language)} {action + 1}"
    return f"{row}{colon(language)}{_cards(view['rows'][action], language)}" if view else row


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

    def phrase(key: str, *parts: Any) -> str:
        return translate(PHRASES, key, language).format(*parts)

    lines: list[tuple[int | None, str]] = []
    shown = {who: after["last_reveal"][who] for who in before["waiting"]}
    rivals = {who for who, row in shown.items() if list(shown.values()).count(row) > 1}
    for who, row in shown.items():
        cards = before["rows"][row - 1]
        taken = phrase("takes", row, _cards(cards, language))
        lines.append((who, phrase("clash", row, _cards(cards[-1:], language)) if who in rivals else taken))
    if rivals and (after["round"] > before["round"] or after["to_act"] is None):
        lines.append((None, phrase("nothing", ", ".join(player_name(after, who, language) for who in sorted(rivals)))))
    if after["scored"] and not before["scored"]:
        points = ", ".join(
            f"{player_name(after, who, language)} {sum(scores.values())}"
            for who, scores in enumerate(after["first_scoring"])
        )
        lines.append((None, phrase("scoring", points)))
    if after["last_round"] and not before["last_round"]:
        lines.append((None, phrase("last round")))
    return lines
