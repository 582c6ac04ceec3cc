"""A whole game as a GIF, which takes seconds to draw."""

from __future__ import annotations

from collections.abc import Iterator

from card_envs.drawing.gif import to_gif
from card_envs.presentation.film import Film

PER_SECOND = 2.0


class GifTask:
    """See web/jobs.py. `made` is the file once it is done."""

    thinks = False

    def __init__(self, film: Film, seat: int | None, language: str) -> None:
        self.film, self.seat, self.language = film, seat, language
        self.done, self.made = 0, b""

    @property
    def of(self) -> int:
        """How many positions there are to draw."""
        return len(self.film.moves) + 1

    def _pictures(self) -> Iterator[str]:
        for position in range(self.of):
            yield self.film.picture(position, self.seat, self.language, "wide", "light")
            self.done = position + 1

    def steps(self) -> Iterator[None]:
        """Draw it."""
        self.made = to_gif(self._pictures(), PER_SECOND)
        yield
