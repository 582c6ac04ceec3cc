"""What `card-envs play` says, in the order of card_envs.presentation.languages.LANGUAGES."""

from __future__ import annotations

TERMINAL = {
    "can play": ("You can play:", "Du kannst spielen:", "Tu peux jouer :", "Puoi giocare:"),
    "help": (
        "a number or the beginning of a name plays it; h: hint, r: rules, q: quit",
        "tippe eine Zahl oder den Anfang eines Namens; h: Rat, r: Regeln, q: aufhören",
        "tape un nombre ou le début d'un nom pour jouer ; h : conseil, r : règles, q : arrêter",
        "scrivi un numero o l'inizio di un nome per giocare; h: consiglio, r: regole, q: smettere",
    ),
    "choose": ("Your choice", "Deine Wahl", "Ton choix", "La tua scelta"),
    "hint": ("{0} would play:", "{0} würde spielen:", "{0} jouerait :", "{0} giocherebbe:"),
    "none": (
        "{0} is none of these, or could be several; type one of the numbers",
        "{0} ist nichts davon oder könnte mehreres sein; tippe eine der Zahlen",
        "{0} n'en est aucun, ou pourrait en être plusieurs ; tape un des nombres",
        "{0} non è nessuno di questi, o potrebbe essere più d'uno; scrivi uno dei numeri",
    ),
    "points": ("{0} point|{0} points", "{0} Punkt|{0} Punkte", "{0} point|{0} points", "{0} punto|{0} punti"),
    "forfeit": (
        "the game is forfeited ({0})",
        "das Spiel ist kampflos verloren ({0})",
        "la partie est perdue par forfait ({0})",
        "la partita è persa a tavolino ({0})",
    ),
    "stopped": (
        "Stopped. --seed {0} --seat {1} deals the same cards again.",
        "Abgebrochen. --seed {0} --seat {1} gibt dieselben Karten noch einmal.",
        "Partie interrompue. --seed {0} --seat {1} redonne les mêmes cartes.",
        "Partita interrotta. --seed {0} --seat {1} dà di nuovo le stesse carte.",
    ),
}
