"""Words and plain-text tables that every game's text rendering shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

LANGUAGES = ("en", "de", "fr", "it")
PLAYER = {
    "player": ("player", "Spieler", "joueur", "giocatore"),
    "Player": ("Player", "Spieler", "Joueur", "Giocatore"),
    "You": ("You", "Du", "Toi", "Tu"),
}


def translate(words: Mapping[str, Sequence[str]], word: str, language: str) -> str:
    """A word in one of the LANGUAGES, from a table that has it in their order."""
    return words[word][LANGUAGES.index(language)]


def numbered(words: Mapping[str, Sequence[str]], word: str, language: str, count: int) -> str:
    """A phrase about so many things: "one|several" in the table, {0} being the number. In French zero is singular."""
    one, _, several = translate(words, word, language).partition("|")
    singular = count == 1 or (count == 0 and language == "fr")
    return (one if singular or not several else several).format(count)


def colon(language: str) -> str:
    """What stands between a phrase and what it is about: French has a space before it too."""
    return " : " if language == "fr" else ": "


def player_name(view: Mapping[str, Any], seat: int, language: str) -> str:
    """What to call a player: by the name that the view was given (`named`), else by the number of the seat."""
    names = view.get("names")
    return str(names[seat]) if names else f"{translate(PLAYER, 'player', language)} {seat}"


def named(view: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """A view for people, who are called by names rather than by the numbers of seats."""
    return {**view, "names": list(names)}


def people(names: Sequence[str], language: str, own: int | None = None) -> list[str]:
    """What people at a table call each other: you, or by number from 1 on and by name, if there is one."""
    called = [
        f"{translate(PLAYER, 'Player', language)} {seat}" + (f" · {name}" if name else "")
        for seat, name in enumerate(names, start=1)
    ]
    if own is not None:
        called[own] = translate(PLAYER, "You", language)
    return called


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], indent: str = "  ") -> str:
    """Columns of equal width: the first to the left, the others to the right; each at least as wide as its heading."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        (indent + "  ".join(cell.rjust(width) if column else cell.ljust(width)
                            for column, (cell, width) in enumerate(zip(line, widths, strict=True)))).rstrip()
        for line in lines
    )  # fmt: skip


def number(value: int | None) -> str:
    """A count as a person would write it: nothing for none, a question mark for what cannot be known."""
    return "?" if value is None else str(value) if value else "·"


def by_name(counts: Iterable[int], names: Sequence[str]) -> dict[str, int]:
    """Numbers of a state as a dictionary with a name for each."""
    return {name: int(count) for name, count in zip(names, counts, strict=True)}
