"""How Zum Kuhkuck is played, for people, in four languages and in our own words."""

from __future__ import annotations

RULES = {
    "en": """
# Your aim
- Collect cards and announce them for points, before electricity takes them all.
# Your turn
- Draw a card: the other player does not see it. Electricity costs you the whole hand.
- Or announce a colour, once per colour and game: you need five cards or more, and one of them must have that colour.
  The more cards, the more points, and 2 more for each card of the colour.
- Then all your cards go to the discards. With 20 cards you must announce.
- When two cards are left, the pile is shuffled again with the discards; hands stay.
# The end
- The game ends at once when somebody has announced all five colours.
- In each colour that both announced, the higher announcement earns 10 more (★). Most points win.
""",
    "de": """
# Dein Ziel
- Sammle Karten und sage sie für Punkte an, bevor der Strom sie alle nimmt.
# Dein Zug
- Zieh eine Karte: Der andere sieht sie nicht. Strom kostet dich die ganze Hand.
- Oder sage eine Farbe an, jede nur einmal im Spiel: Du brauchst mindestens fünf Karten, und eine davon muss diese
  Farbe haben. Je mehr Karten, desto mehr Punkte, und 2 mehr für jede Karte der Farbe.
- Danach gehen alle deine Karten in die Ablage. Mit 20 Karten musst du ansagen.
- Sind noch zwei Karten da, wird der Stapel mit der Ablage neu gemischt; die Hände bleiben.
# Das Ende
- Das Spiel endet sofort, wenn jemand alle fünf Farben angesagt hat.
- In jeder Farbe, die beide angesagt haben, bringt die höhere Ansage 10 Punkte mehr (★). Die meisten Punkte gewinnen.
""",
    "fr": """
# Le but
- Rassembler des cartes et les annoncer pour des points, avant que l'électricité ne les prenne toutes.
# À ton tour
- Pioche une carte : l'autre ne la voit pas. L'électricité te coûte toute la main.
- Ou annonce une couleur, chacune une seule fois par partie : il faut au moins cinq cartes, dont une de cette couleur.
  Plus il y a de cartes, plus il y a de points, et 2 de plus par carte de la couleur.
- Ensuite toutes tes cartes vont à la défausse. Avec 20 cartes, il faut annoncer.
- Quand il reste deux cartes, pioche et défausse sont mélangées ; les mains restent.
# La fin
- La partie finit aussitôt que quelqu'un a annoncé les cinq couleurs.
- Dans chaque couleur annoncée par les deux, la meilleure annonce gagne 10 de plus (★). Le plus de points gagne.
""",
    "it": """
# Lo scopo
- Raccogliere carte e annunciarle per fare punti, prima che l'elettricità le prenda tutte.
# Il tuo turno
- Pesca una carta: l'altro non la vede. L'elettricità ti costa tutta la mano.
- Oppure annuncia un colore, ciascuno una sola volta: servono almeno cinque carte, di cui una di quel colore. Più
  carte, più punti, e 2 in più per ogni carta del colore.
- Poi tutte le tue carte vanno negli scarti. Con 20 carte bisogna annunciare.
- Quando restano due carte, mazzo e scarti vengono mescolati; le mani restano.
# La fine
- La partita finisce subito quando qualcuno ha annunciato tutti e cinque i colori.
- In ogni colore annunciato da entrambi, l'annuncio più alto vale 10 in più (★). Vince chi ha più punti.
""",
}
