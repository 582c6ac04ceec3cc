"""How Ku-Ka-King is played, for people, in four languages and in our own words."""

from __future__ import annotations

# Sections, each with its heading and its sentences by key; in the order of card_envs.presentation.languages.LANGUAGES.
RULES = {
    "aim": {
        "heading": ("Your aim", "Dein Ziel", "Ton but", "Il tuo scopo"),
        "collect": (
            "Collect cards that score together. Everybody points at a row at the same time.",
            "Sammle Karten, die zusammen zählen. Alle zeigen gleichzeitig auf eine Reihe.",
            "Rassemble des cartes qui rapportent ensemble. Tous désignent une rangée en même temps.",
            "Raccogli carte che insieme fanno punti. Tutti indicano una fila nello stesso momento.",
        ),
    },
    "round": {
        "heading": ("A round", "Eine Runde", "Une manche", "Un giro"),
        "choose": (
            "All who have no row yet choose one in secret; then all choices are shown.",
            "Wer noch keine Reihe hat, wählt heimlich eine; dann werden alle Wahlen gezeigt.",
            "Ceux qui n'ont pas encore de rangée en choisissent une en secret ; puis tous les choix sont montrés.",
            "Chi non ha ancora una fila ne sceglie una in segreto; poi si mostrano tutte le scelte.",
        ),
        "alone": (
            "Whoever is alone on a row takes all its cards.",
            "Wer allein auf einer Reihe ist, nimmt alle ihre Karten.",
            "Qui est seul sur une rangée en prend toutes les cartes.",
            "Chi è solo su una fila ne prende tutte le carte.",
        ),
        "clash": (
            "A row that several want loses its outermost card (to the right), which goes to the box, and they choose"
            " again.",
            "Wollen mehrere dieselbe Reihe, verliert sie ihre äußerste Karte (rechts) in die Schachtel, und diese"
            " Spieler wählen noch einmal.",
            "Une rangée que plusieurs veulent perd sa carte extérieure (à droite), qui va dans la boîte, et ces"
            " joueurs choisissent encore.",
            "Se più giocatori vogliono la stessa fila, essa perde la carta esterna (a destra), che va nella scatola, e"
            " loro scelgono di nuovo.",
        ),
        "nothing": (
            "When only one row with cards is left, or none, the round ends at once: whoever has no row yet gets"
            " nothing in it.",
            "Ist nur noch eine Reihe mit Karten übrig oder keine, endet die Runde sofort: Wer noch keine Reihe hat,"
            " bekommt in ihr nichts.",
            "Quand il ne reste qu'une rangée avec des cartes, ou aucune, la manche finit aussitôt : qui n'a pas encore"
            " de rangée n'y reçoit rien.",
            "Quando resta una sola fila con carte, o nessuna, il giro finisce subito: chi non ha ancora una fila non"
            " riceve niente.",
        ),
        "refill": (
            "After that all rows are filled up again to three cards, row 1 first.",
            "Danach werden alle Reihen wieder auf drei Karten aufgefüllt, zuerst Reihe 1.",
            "Ensuite toutes les rangées sont complétées à trois cartes, en commençant par la rangée 1.",
            "Poi tutte le file si riempiono di nuovo fino a tre carte, a cominciare dalla fila 1.",
        ),
    },
    "points": {
        "heading": ("Points", "Punkte", "Points", "Punti"),
        "kings": (
            "Kings: 0, 1, 4, 9, 16, 25, 36 for one to seven; more than seven bring 36 as well.",
            "Könige: 0, 1, 4, 9, 16, 25, 36 für einen bis sieben; mehr als sieben bringen auch 36.",
            "Rois : 0, 1, 4, 9, 16, 25, 36 pour un à sept ; plus de sept rapportent toujours 36.",
            "Re: 0, 1, 4, 9, 16, 25, 36 da uno a sette; più di sette portano sempre 36.",
        ),
        "knights": (
            "Knights: 1 each, 2 each for whoever has the most. If several tie for the most, each of them gets 2 per"
            " knight.",
            "Ritter: je 1, für den, der die meisten hat, je 2. Haben mehrere gleich viele, bekommt jeder von ihnen"
            " je 2.",
            "Chevaliers : 1 point par chevalier, 2 pour qui en a le plus. Si plusieurs sont à égalité, tous reçoivent 2"
            " par chevalier.",
            "Cavalieri: 1 punto per cavaliere, 2 per chi ne ha di più. Se più giocatori sono alla pari, tutti ricevono"
            " 2 per cavaliere.",
        ),
        "churches": (
            "Churches: 10 for the most. If several tie for the most, each of them gets 10; without a church nobody"
            " does.",
            "Kirchen: 10 für die meisten. Haben mehrere gleich viele, bekommt jeder von ihnen 10; ohne Kirche niemand.",
            "Églises : 10 pour qui en a le plus. Si plusieurs sont à égalité, chacun reçoit 10 ; sans église,"
            " personne.",
            "Chiese: 10 per chi ne ha di più. Se più giocatori sono alla pari, ognuno riceve 10; senza chiese nessuno.",
        ),
        "victory": (
            "Victory cards: what is written on them.",
            "Siegkarten: was darauf steht.",
            "Cartes victoire : ce qui y est écrit.",
            "Carte vittoria: ciò che vi è scritto.",
        ),
        "farm": (
            "A farmer with a wife: 7, with a farmhouse of their own 14; and so for each further couple.",
            "Bauer mit Bäuerin: 7, mit eigenem Bauernhof 14; ebenso jedes weitere Paar.",
            "Paysan et paysanne : 7, avec une ferme à eux 14 ; de même pour chaque autre couple.",
            "Contadino e contadina: 7, con una fattoria tutta loro 14; lo stesso per ogni altra coppia.",
        ),
        "animals": (
            "Animals: 1, 3, 6, 10, 15 for one to five of a kind.",
            "Tiere: 1, 3, 6, 10, 15 für eins bis fünf einer Art.",
            "Animaux : 1, 3, 6, 10, 15 pour un à cinq de la même sorte.",
            "Animali: 1, 3, 6, 10, 15 da uno a cinque della stessa specie.",
        ),
    },
    "scorings": {
        "heading": ("Two scorings", "Zwei Wertungen", "Deux décomptes", "Due conteggi"),
        "first": (
            "The first scoring comes after the round in which somebody reaches 13 cards. Then cards with a red cross"
            " (churches, farms, victory cards) leave; the others stay and score again.",
            "Die erste Wertung kommt nach der Runde, in der jemand 13 Karten erreicht. Danach gehen Karten mit rotem"
            " Kreuz (Kirchen, Höfe, Siegkarten) weg; die anderen bleiben und zählen noch einmal.",
            "Le premier décompte vient après la manche où quelqu'un atteint 13 cartes. Ensuite les cartes à croix rouge"
            " (églises, fermes, cartes victoire) partent ; les autres restent et comptent encore.",
            "Il primo conteggio viene dopo il giro in cui qualcuno arriva a 13 carte. Poi le carte con la croce rossa"
            " (chiese, fattorie, carte vittoria) escono; le altre restano e contano ancora.",
        ),
        "last round": (
            "When the pile is empty, the last round is played. Cards that are missing for it come from the box,"
            " shuffled.",
            "Ist der Stapel leer, folgt die letzte Runde. Karten, die dafür fehlen, kommen gemischt aus der Schachtel.",
            "Quand la pioche est vide, on joue la dernière manche. Les cartes qui manquent viennent de la boîte,"
            " mélangées.",
            "Quando il mazzo è vuoto si gioca l'ultimo giro. Le carte che mancano vengono dalla scatola, mescolate.",
        ),
        "second": (
            "The second scoring is at the end. If nobody had 13 cards before, it is the only one.",
            "Die zweite Wertung ist am Ende. Hatte vorher niemand 13 Karten, ist sie die einzige.",
            "Le second décompte est à la fin. Si personne n'avait 13 cartes avant, c'est le seul.",
            "Il secondo conteggio è alla fine. Se prima nessuno aveva 13 carte, è l'unico.",
        ),
        "win": (
            "Whoever has the most points in all wins; with equal points they share the win.",
            "Wer insgesamt die meisten Punkte hat, gewinnt; bei gleich vielen teilen sie sich den Sieg.",
            "Qui a le plus de points en tout gagne ; à égalité, la victoire est partagée.",
            "Vince chi ha più punti in tutto; a parità, la vittoria è condivisa.",
        ),
    },
}
