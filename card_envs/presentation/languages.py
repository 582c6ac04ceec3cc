"""Words and plain-text tables that every game's text rendering shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

LANGUAGES = ("en", "de", "fr", "it")


def translate(words: Mapping[str, Sequence[str]], word: str, language: str) -> str:
    """A word in one of the LANGUAGES, from a table that has it in their order."""
    return words[word][LANGUAGES.index(language)]


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
