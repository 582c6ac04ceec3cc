"""How King Lui is played, for people, in four languages and in our own words."""

from __future__ import annotations

RULES = {
    "en": """
# Your aim
- Have breakfast with the king: own many portions of what he has much of, but never more of a dish than he has.
# A course
- The chef lays out two cards per player. Then everybody acts once, from the chef on clockwise.
- Take all portions of one dish from the table, or draw a card from the supply: nobody else sees it.
- Or feed an Emerald, the king's dragon, that lies on the table: it eats two of the king's portions, which you choose,
  and all three cards leave the game.
- An Emerald that you draw yourself is shown: feed it at once, or place it on the table.
- At the end the king gets every dish that is left, and the next player is chef.
# The end
- When too few cards are left to lay out a course, the game is over.
- Of a dish of which you have more than the king you lose all portions. Every other portion is worth as many points as
  the king has portions of that dish.
- Most points win; between equals the one who lost fewer cards.
""",
    "de": """
# Dein Ziel
- Frühstücke mit dem König: Besitze viel von dem, wovon er viel hat, aber nie mehr von einer Speise als er.
# Ein Gang
- Der Koch legt zwei Karten je Spieler aus. Dann ist jeder einmal am Zug, vom Koch an im Uhrzeigersinn.
- Nimm alle Portionen einer Speise vom Tisch, oder zieh eine Karte vom Vorrat: Sonst sieht sie niemand.
- Oder füttere einen Emerald, den Drachen des Königs, der auf dem Tisch liegt: Er frisst zwei Portionen des Königs,
  die du auswählst, und alle drei Karten sind aus dem Spiel.
- Ein Emerald, den du selbst ziehst, wird gezeigt: Füttere ihn sofort, oder leg ihn auf den Tisch.
- Am Ende bekommt der König alle Speisen, die übrig sind, und der Nächste ist Koch.
# Das Ende
- Reichen die Karten nicht mehr für einen Gang, ist das Spiel aus.
- Hast du von einer Speise mehr als der König, verlierst du alle Portionen davon. Jede andere Portion zählt so viele
  Punkte, wie der König Portionen dieser Speise hat.
- Die meisten Punkte gewinnen; bei Gleichstand, wer weniger Karten verloren hat.
""",
    "fr": """
# Le but
- Déjeuner avec le roi : avoir beaucoup de ce dont il a beaucoup, mais jamais plus que lui d'un même plat.
# Un service
- Le chef pose deux cartes par joueur. Puis chacun joue une fois, à partir du chef, dans le sens horaire.
- Prendre toutes les portions d'un plat sur la table, ou piocher une carte que personne d'autre ne voit.
- Ou nourrir un Emerald, le dragon du roi, posé sur la table : il mange deux portions du roi, au choix, et les trois
  cartes quittent le jeu.
- Un Emerald pioché est montré : on le nourrit tout de suite, ou on le pose sur la table.
- À la fin, le roi reçoit tous les plats qui restent, et le joueur suivant est chef.
# La fin
- Quand il ne reste plus assez de cartes pour un service, la partie est finie.
- Qui a plus que le roi d'un plat en perd toutes les portions. Chaque autre portion vaut autant de points que le roi a
  de portions de ce plat.
- Le plus de points gagne ; à égalité, celui qui a perdu le moins de cartes.
""",
    "it": """
# Lo scopo
- Fare colazione con il re: avere molto di ciò di cui lui ha molto, ma mai più di lui di uno stesso piatto.
# Una portata
- Il cuoco scopre due carte per giocatore. Poi ognuno gioca una volta, dal cuoco in senso orario.
- Prendere dal tavolo tutte le porzioni di un piatto, o pescare una carta che nessun altro vede.
- Oppure nutrire un Emerald, il drago del re, che sta sul tavolo: mangia due porzioni del re, a scelta, e le tre carte
  escono dal gioco.
- Un Emerald pescato viene mostrato: lo si nutre subito, o lo si posa sul tavolo.
- Alla fine il re riceve tutti i piatti rimasti, e il giocatore seguente è cuoco.
# La fine
- Quando le carte non bastano più per una portata, la partita è finita.
- Chi ha di un piatto più del re ne perde tutte le porzioni. Ogni altra porzione vale tanti punti quante porzioni di
  quel piatto ha il re.
- Vince chi ha più punti; a parità, chi ha perso meno carte.
""",
}
