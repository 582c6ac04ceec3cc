"""How Zum Kuhkuck is played, for people, in four languages and in our own words."""

from __future__ import annotations

from card_envs.games.zum_kuhkuck.state import DEFAULT_SCORE_TABLE, FEWEST_TO_ANNOUNCE

_TABLE = ", ".join(f"{cards}: {points}" for cards, points in enumerate(DEFAULT_SCORE_TABLE, FEWEST_TO_ANNOUNCE))

# Sections, each with its heading and its sentences by key; in the order of card_envs.presentation.languages.LANGUAGES.
RULES = {
    "aim": {
        "heading": ("Your aim", "Dein Ziel", "Ton but", "Il tuo scopo"),
        "collect": (
            "Collect cards and announce them for points, before electricity takes them all.",
            "Sammle Karten und sage sie für Punkte an, bevor der Strom sie alle nimmt.",
            "Rassemble des cartes et annonce-les pour des points, avant que l'électricité ne les prenne toutes.",
            "Raccogli carte e annunciale per fare punti, prima che l'elettricità le prenda tutte.",
        ),
    },
    "turn": {
        "heading": ("Your turn", "Dein Zug", "À ton tour", "Il tuo turno"),
        "draw": (
            "Draw a card: the other player does not see it. Electricity costs you the whole hand.",
            "Zieh eine Karte: Der andere sieht sie nicht. Strom kostet dich die ganze Hand.",
            "Pioche une carte : l'autre ne la voit pas. L'électricité te coûte toute ta main.",
            "Pesca una carta: l'altro non la vede. L'elettricità ti costa tutta la mano.",
        ),
        "lost": (
            "What electricity takes goes to the discards face down: the other player sees how many cards, not which.",
            "Was der Strom nimmt, geht verdeckt in die Ablage: Der andere sieht, wie viele Karten es sind, nicht"
            " welche.",
            "Ce que l'électricité prend va à la défausse face cachée : l'autre voit combien de cartes, pas lesquelles.",
            "Ciò che l'elettricità prende va negli scarti coperto: l'altro vede quante carte sono, non quali.",
        ),
        "announce": (
            "Or announce a colour, once per colour and game: you need five cards or more, and one of them must have"
            " that colour.",
            "Oder sage eine Farbe an, jede nur einmal im Spiel: Du brauchst mindestens fünf Karten, und eine davon muss"
            " diese Farbe haben.",
            "Ou annonce une couleur, chacune une seule fois par partie : il te faut au moins cinq cartes, dont une de"
            " cette couleur.",
            "Oppure annuncia un colore, ciascuno una sola volta per partita: ti servono almeno cinque carte, di cui"
            " una di quel colore.",
        ),
        "points": (
            f"All your cards count, by this table (cards: points): {_TABLE}. Each card of the colour brings 2 more.",
            f"Alle deine Karten zählen, nach dieser Tabelle (Karten: Punkte): {_TABLE}. Jede Karte der Farbe bringt 2"
            " mehr.",
            f"Toutes tes cartes comptent, selon ce tableau (cartes : points) : {_TABLE}. Chaque carte de la couleur"
            " rapporte 2 de plus.",
            f"Tutte le tue carte contano, secondo questa tabella (carte: punti): {_TABLE}. Ogni carta del colore porta"
            " 2 punti in più.",
        ),
        "discard": (
            "Then all your cards go to the discards, for both to see.",
            "Danach gehen alle deine Karten offen in die Ablage.",
            "Ensuite toutes tes cartes vont à la défausse, face visible.",
            "Poi tutte le tue carte vanno negli scarti, scoperte.",
        ),
        "twenty": (
            "With 20 cards you must announce.",
            "Mit 20 Karten musst du ansagen.",
            "Avec 20 cartes, tu dois annoncer.",
            "Con 20 carte devi annunciare.",
        ),
        "hand in": (
            "If none of 20 cards has a colour that you can still announce, you show them and hand them in for nothing;"
            " no colour is used up.",
            "Hat keine von 20 Karten eine Farbe, die du noch ansagen kannst, zeigst du sie und gibst sie ohne Punkte"
            " ab; keine Farbe ist damit verbraucht.",
            "Si aucune des 20 cartes n'est d'une couleur que tu peux encore annoncer, tu les montres et les rends sans"
            " points ; aucune couleur n'est perdue.",
            "Se nessuna delle 20 carte è di un colore che puoi ancora annunciare, le mostri e le consegni senza punti;"
            " nessun colore va perso.",
        ),
        "shuffle": (
            "When two cards are left, the pile is shuffled again with the discards; hands stay.",
            "Sind noch zwei Karten da, wird der Stapel mit der Ablage neu gemischt; die Hände bleiben.",
            "Quand il ne reste que deux cartes, la pioche est mélangée avec la défausse ; les mains restent.",
            "Quando restano solo due carte, il mazzo viene mescolato con gli scarti; le mani restano.",
        ),
    },
    "end": {
        "heading": ("The end", "Das Ende", "La fin", "La fine"),
        "fifth": (
            "The game ends at once when somebody has announced all five colours.",
            "Das Spiel endet sofort, wenn jemand alle fünf Farben angesagt hat.",
            "La partie finit aussitôt que quelqu'un a annoncé les cinq couleurs.",
            "La partita finisce subito quando qualcuno ha annunciato tutti e cinque i colori.",
        ),
        "bonus": (
            "In each colour that both announced, the higher announcement earns 10 more (★).",
            "In jeder Farbe, die beide angesagt haben, bringt die höhere Ansage 10 Punkte mehr (★).",
            "Dans chaque couleur que les deux ont annoncée, la meilleure annonce rapporte 10 de plus (★).",
            "In ogni colore annunciato da entrambi, l'annuncio più alto vale 10 in più (★).",
        ),
        "equal": (
            "If both announced a colour for equal points, nobody gets the 10.",
            "Haben beide in einer Farbe gleich viele Punkte angesagt, bekommt niemand die 10.",
            "Si les deux ont annoncé autant de points dans une couleur, personne ne reçoit les 10.",
            "Se entrambi hanno annunciato gli stessi punti in un colore, nessuno riceve i 10.",
        ),
        "win": (
            "Whoever has more points wins; with equal points it is a draw.",
            "Wer mehr Punkte hat, gewinnt; bei gleich vielen ist es unentschieden.",
            "Qui a le plus de points gagne ; à égalité, la partie est nulle.",
            "Vince chi ha più punti; a parità, la partita è patta.",
        ),
    },
}
