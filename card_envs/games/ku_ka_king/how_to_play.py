"""How Ku-Ka-King is played, for people, in four languages and in our own words."""

from __future__ import annotations

RULES = {
    "en": """
# Your aim
- Collect cards that score together. Everybody points at a row at the same time.
# A round
- All who have no row yet choose one in secret; then all choices are shown.
- Alone on a row, you take all its cards. A row that several want loses its outermost card (to the right), and they
  choose again.
- When everybody has a row, all rows are filled up again.
# Points
- Kings: 0, 1, 4, 9, 16, 25, 36 for one to seven. Knights: 1 each, 2 each for whoever has the most.
- Churches: 10 for the most. Victory cards: what is written on them.
- A farmer with a wife: 7, with a farmhouse 14. Animals: 1, 3, 6, 10, 15 for one to five of a kind.
- There are two scorings: when somebody has 13 cards, and at the end. After the first one, cards with a red cross
  leave.
- When the pile is empty, the last round is played. Most points win.
""",
    "de": """
# Dein Ziel
- Sammle Karten, die zusammen zählen. Alle zeigen gleichzeitig auf eine Reihe.
# Eine Runde
- Wer noch keine Reihe hat, wählt heimlich eine; dann werden alle Wahlen gezeigt.
- Wer allein auf einer Reihe ist, nimmt alle Karten. Wollen mehrere sie, verliert sie ihre äußerste Karte (rechts),
  und diese Spieler wählen noch einmal.
- Haben alle eine Reihe, werden die Reihen wieder aufgefüllt.
# Punkte
- Könige: 0, 1, 4, 9, 16, 25, 36 für einen bis sieben. Ritter: je 1, für die Mehrheit je 2.
- Kirchen: 10 für die meisten. Siegkarten: was darauf steht.
- Bauer mit Bäuerin: 7, mit Bauernhof 14. Tiere: 1, 3, 6, 10, 15 für eins bis fünf einer Art.
- Gewertet wird zweimal: wenn jemand 13 Karten hat, und am Ende. Nach dem ersten Mal gehen Karten mit rotem Kreuz weg.
- Ist der Stapel leer, folgt die letzte Runde. Die meisten Punkte gewinnen.
""",
    "fr": """
# Le but
- Rassembler des cartes qui comptent ensemble. Tous désignent une rangée en même temps.
# Un tour
- Ceux qui n'ont pas encore de rangée en choisissent une en secret ; puis tous les choix sont montrés.
- Seul sur une rangée, on en prend toutes les cartes. Si plusieurs la veulent, elle perd sa carte extérieure (à
  droite), et ils choisissent encore.
- Quand tous ont une rangée, on complète les rangées.
# Points
- Rois : 0, 1, 4, 9, 16, 25, 36 pour un à sept. Chevaliers : 1 chacun, 2 pour qui en a le plus.
- Églises : 10 pour le plus grand nombre. Cartes victoire : ce qui y est écrit.
- Paysan et paysanne : 7, avec une ferme 14. Animaux : 1, 3, 6, 10, 15 pour un à cinq de la même sorte.
- Il y a deux évaluations : quand quelqu'un a 13 cartes, et à la fin. Après la première, les cartes à croix rouge
  partent.
- Quand la pioche est vide, on joue le dernier tour. Le plus de points gagne.
""",
    "it": """
# Lo scopo
- Raccogliere carte che valgono insieme. Tutti indicano una fila nello stesso momento.
# Un giro
- Chi non ha ancora una fila ne sceglie una in segreto; poi si mostrano tutte le scelte.
- Chi è solo su una fila ne prende tutte le carte. Se la vogliono in più, perde la carta esterna (a destra), e loro
  scelgono di nuovo.
- Quando tutti hanno una fila, le file si riempiono di nuovo.
# Punti
- Re: 0, 1, 4, 9, 16, 25, 36 da uno a sette. Cavalieri: 1 ciascuno, 2 per chi ne ha di più.
- Chiese: 10 per chi ne ha di più. Carte vittoria: ciò che vi è scritto.
- Contadino e contadina: 7, con una fattoria 14. Animali: 1, 3, 6, 10, 15 da uno a cinque della stessa specie.
- Si contano i punti due volte: quando qualcuno ha 13 carte, e alla fine. Dopo la prima, le carte con la croce rossa
  escono.
- Quando il mazzo è vuoto si gioca l'ultimo giro. Vince chi ha più punti.
""",
}
