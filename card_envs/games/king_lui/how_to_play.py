"""How King Lui is played, for people, in four languages and in our own words."""

from __future__ import annotations

# Sections, each with its heading and its sentences by key; in the order of card_envs.presentation.languages.LANGUAGES.
RULES = {
    "aim": {
        "heading": ("Your aim", "Dein Ziel", "Ton but", "Il tuo scopo"),
        "breakfast": (
            "Have breakfast with the king: own many portions of what he has much of, but never more of a dish than he"
            " has.",
            "Frühstücke mit dem König: Besitze viel von dem, wovon er viel hat, aber nie mehr von einer Speise als er.",
            "Prends le petit-déjeuner avec le roi : possède beaucoup de ce dont il a beaucoup, mais jamais plus que lui"
            " d'un même plat.",
            "Fai colazione con il re: procurati molto di ciò di cui lui ha molto, ma mai più di lui di uno stesso"
            " piatto.",
        ),
    },
    "course": {
        "heading": ("A course", "Ein Gang", "Un service", "Una portata"),
        "layout": (
            "The chef lays out two cards per player. Then everybody acts once, from the chef on clockwise.",
            "Der Koch legt zwei Karten je Spieler aus. Dann ist jeder einmal am Zug, vom Koch an im Uhrzeigersinn.",
            "Le chef pose deux cartes par joueur. Puis chacun joue une fois, à partir du chef, dans le sens horaire.",
            "Il cuoco scopre due carte per giocatore. Poi ognuno gioca una volta, dal cuoco in senso orario.",
        ),
        "take or draw": (
            "Take all portions of one dish from the table, or draw a card from the supply: nobody else sees it.",
            "Nimm alle Portionen einer Speise vom Tisch, oder zieh eine Karte vom Vorrat: Sonst sieht sie niemand.",
            "Prends toutes les portions d'un plat sur la table, ou pioche une carte que personne d'autre ne voit.",
            "Prendi dal tavolo tutte le porzioni di un piatto, o pesca una carta che nessun altro vede.",
        ),
        "feed": (
            "Or feed an Emerald, the king's dragon, that lies on the table: it eats two of the king's portions, which"
            " you choose, and all three cards leave the game.",
            "Oder füttere einen Emerald, den Drachen des Königs, der auf dem Tisch liegt: Er frisst zwei Portionen des"
            " Königs, die du auswählst, und alle drei Karten sind aus dem Spiel.",
            "Ou nourris un Emerald, le dragon du roi, posé sur la table : il mange deux portions du roi, que tu"
            " choisis, et les trois cartes quittent le jeu.",
            "Oppure nutri un Emerald, il drago del re, che sta sul tavolo: mangia due porzioni del re, che scegli tu,"
            " e le tre carte escono dal gioco.",
        ),
        "two portions": (
            "Feeding needs two portions with the king. As long as he has fewer, no Emerald can be fed.",
            "Zum Füttern braucht der König zwei Portionen. Solange er weniger hat, kann kein Emerald gefüttert werden.",
            "Pour nourrir un Emerald, il faut deux portions du roi. Tant qu'il en a moins, aucun ne peut être nourri.",
            "Per nutrire un Emerald servono due porzioni del re. Finché ne ha meno, nessuno può essere nutrito.",
        ),
        "must draw": (
            "If no dish lies on the table, you must draw, even if an Emerald lies there. Once the supply is empty as"
            " well, feed an Emerald if you can, or pass.",
            "Liegt keine Speise auf dem Tisch, musst du ziehen, auch wenn dort ein Emerald liegt. Ist auch der Vorrat"
            " leer, fütterst du einen Emerald, wenn du kannst, oder passt.",
            "S'il n'y a aucun plat sur la table, tu dois piocher, même si un Emerald s'y trouve. Si la pioche est vide"
            " elle aussi, tu nourris un Emerald si tu le peux, ou tu passes.",
            "Se sul tavolo non c'è nessun piatto, devi pescare, anche se c'è un Emerald. Se anche il mazzo è vuoto,"
            " nutri un Emerald se puoi, oppure passi.",
        ),
        "own Emerald": (
            "An Emerald that you draw yourself is shown: feed it at once, or place it on the table.",
            "Ein Emerald, den du selbst ziehst, wird gezeigt: Füttere ihn sofort, oder leg ihn auf den Tisch.",
            "Un Emerald que tu pioches est montré : nourris-le tout de suite, ou pose-le sur la table.",
            "Un Emerald che peschi viene mostrato: nutrilo subito, o posalo sul tavolo.",
        ),
        "serve": (
            "At the end of a course the king gets every dish that is left, and the next player is chef. Emeralds stay"
            " on the table until somebody feeds them.",
            "Am Ende eines Gangs bekommt der König alle Speisen, die übrig sind, und der Nächste ist Koch. Emeralds"
            " bleiben auf dem Tisch, bis jemand sie füttert.",
            "À la fin d'un service, le roi reçoit tous les plats qui restent, et le joueur suivant est chef. Les"
            " Emeralds restent sur la table jusqu'à ce que quelqu'un les nourrisse.",
            "Alla fine di una portata il re riceve tutti i piatti rimasti, e il giocatore seguente è cuoco. Gli Emerald"
            " restano sul tavolo finché qualcuno non li nutre.",
        ),
    },
    "end": {
        "heading": ("The end", "Das Ende", "La fin", "La fine"),
        "over": (
            "When too few cards are left to lay out a course, the game is over, and all hands are turned over.",
            "Reichen die Karten nicht mehr für einen Gang, ist das Spiel aus, und alle Hände werden aufgedeckt.",
            "Quand il ne reste plus assez de cartes pour un service, la partie est finie, et toutes les mains sont"
            " retournées.",
            "Quando le carte non bastano più per una portata, la partita è finita, e tutte le mani si scoprono.",
        ),
        "too much": (
            "Of a dish of which you have more than the king you lose all portions.",
            "Hast du von einer Speise mehr als der König, verlierst du alle Portionen davon.",
            "Si tu as plus de portions d'un plat que le roi, tu les perds toutes.",
            "Se di un piatto hai più porzioni del re, le perdi tutte.",
        ),
        "worth": (
            "Every other portion is worth as many points as the king has portions of that dish.",
            "Jede andere Portion zählt so viele Punkte, wie der König Portionen dieser Speise hat.",
            "Chaque autre portion vaut autant de points que le roi a de portions de ce plat.",
            "Ogni altra porzione vale tanti punti quante porzioni di quel piatto ha il re.",
        ),
        "win": (
            "Whoever has the most points wins; between equals whoever lost fewer cards; else they share the win.",
            "Wer die meisten Punkte hat, gewinnt; bei Gleichstand, wer weniger Karten verloren hat; sonst teilen sie"
            " sich den Sieg.",
            "Qui a le plus de points gagne ; à égalité, qui a perdu le moins de cartes ; sinon la victoire est"
            " partagée.",
            "Vince chi ha più punti; a parità, chi ha perso meno carte; altrimenti la vittoria è condivisa.",
        ),
    },
}
