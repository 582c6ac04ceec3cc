"""How a game has ended, in one line: who won, and by how much; for one seat also its place."""

from __future__ import annotations

from collections.abc import Sequence

from card_envs.presentation.languages import numbered, translate

# In the order of card_envs.presentation.languages.LANGUAGES.
HEADLINES = {
    "you won": ("You won {0}", "Du hast {0} gewonnen", "Tu as gagné {0}", "Hai vinto {0}"),
    "you lost": ("You lost {0}", "Du hast {0} verloren", "Tu as perdu {0}", "Hai perso {0}"),
    "draw": ("A draw, {0}", "Unentschieden, {0}", "Match nul, {0}", "Pareggio, {0}"),
    "your place": (
        "You are {0} of {1}, with {2}",
        "Du bist {0} von {1}, mit {2}",
        "Tu es {0} sur {1}, avec {2}",
        "Sei {0} su {1}, con {2}",
    ),
    "you share": (
        "You share the win, with {2}",
        "Du teilst dir den Sieg, mit {2}",
        "Tu partages la victoire, avec {2}",
        "Condividi la vittoria, con {2}",
    ),
    "won": ("{0} won {1}", "{0} gewinnt {1}", "{0} gagne {1}", "{0} vince {1}"),
    "shared": (
        "{0} share the win {1}",
        "{0} teilen sich den Sieg {1}",
        "{0} se partagent la victoire {1}",
        "{0} si dividono la vittoria {1}",
    ),
    "points": ("{0} point|{0} points", "{0} Punkt|{0} Punkten", "{0} point|{0} points", "{0} punto|{0} punti"),
    "place": ("{0}th", "{0}.", "{0}e", "{0}º"),
    "1": ("1st", "1.", "1er", "1º"),
    "2": ("2nd", "2.", "2e", "2º"),
    "3": ("3rd", "3.", "3e", "3º"),
}


def headline(
    points: Sequence[int], ranks: Sequence[int], names: Sequence[str], language: str, seat: int | None = None
) -> str:
    """One line, for a seat or for those who watch."""

    def say(key: str, *parts: object) -> str:
        return translate(HEADLINES, key, language).format(*parts)

    first = [one for one, rank in enumerate(ranks) if rank == 1]
    order = sorted(range(len(points)), key=lambda one: (ranks[one], one != seat))
    score = " : ".join(str(points[one]) for one in order)
    if seat is None:
        winners = ", ".join(names[one] for one in first)
        return say("won" if len(first) == 1 else "shared", winners, score)
    if len(points) == 2:
        mine = f"{points[seat]} : {points[1 - seat]}"
        return say("draw" if len(first) == 2 else "you won" if seat in first else "you lost", mine)
    if first == [seat]:
        return say("you won", score)
    rank = ranks[seat]
    mine = numbered(HEADLINES, "points", language, points[seat])
    place = say(str(rank)) if rank <= 3 else say("place", rank)
    return say("you share" if rank == 1 else "your place", place, len(points), mine)
