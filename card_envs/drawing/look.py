"""For whom a picture is drawn: language, light or dark, a wide screen or a phone, whose seat, what may be clicked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from card_envs.core.options import one_of
from card_envs.presentation.languages import LANGUAGES, translate

# "auto" follows the reader's system; "page" leaves all colours to the stylesheet of the page around the picture.
THEMES = ("light", "dark", "auto", "page")
SHAPES = ("wide", "tall")


@dataclass(frozen=True)
class Look:
    """What a drawing needs to know besides the view. `actions` are the names of the legal ones by their numbers.

    A drawing marks whatever a click on it would play with the numbers of those actions, and nothing if there are none.
    `caption` is a line below the picture, for pictures that leave the page.
    """

    language: str = "en"
    theme: str = "light"
    shape: str = "wide"
    seat: int | None = None
    names: Sequence[str] = ()
    actions: Mapping[int, str] | None = None
    caption: str = ""

    def __post_init__(self) -> None:
        one_of(self.language, "language", LANGUAGES)
        one_of(self.theme, "theme", THEMES)
        one_of(self.shape, "shape", SHAPES)

    @property
    def tall(self) -> bool:
        """Is it for a phone?"""
        return self.shape == "tall"

    def word(self, words: Mapping[str, Sequence[str]], key: str) -> str:
        """A word of a game's table in this language."""
        return translate(words, key, self.language)

    def legal(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Those of the actions that may be played now."""
        return tuple(number for number in numbers if self.actions and number in self.actions)

    def player(self, words: Mapping[str, Sequence[str]], seat: int) -> str:
        """What to call a player: by name if there are names, else by the number of the seat."""
        name = self.names[seat] if seat < len(self.names) else ""
        return name or f"{self.word(words, 'player')} {seat}"
