"""A running game for those who watch it: what the table may know, and nothing that somebody there does not know."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from card_envs.core.batch import Batch
from card_envs.core.game import View
from card_envs.drawing.look import Look
from card_envs.presentation.languages import LANGUAGES, named, people
from card_envs.presentation.phrases import tell_move
from card_envs.web.errors import ConflictError

Lines = list[tuple[int, int | None, dict[str, str]]]  # number of the move, seat, words by language


def spectator_key(game: str, seat_key: str) -> str:
    """The key with which anybody may watch a game, from its id and the hash of the key of whoever opened it.

    The server keeps that hash anyway, so that it can give the key to others at the table and keeps nothing more.
    """
    made = hashlib.sha256(f"spectator {game} {seat_key}".encode()).digest()
    return base64.urlsafe_b64encode(made[:24]).decode()


class Spectator:
    """Follows a game by its moves, when somebody wants to know. All that it shows and tells is made of public views."""

    def __init__(self, start: Batch, names: Sequence[str]) -> None:
        self.game, self.names, self.batch = start.game, list(names), start.copy()
        self.lines: Lines = []
        self._seen = 0
        self._view = self._look()

    def _look(self) -> View:
        if self.game.public_view is not None:
            return self.game.public_view(self.batch.states[0])
        if self.batch.seat[0] < 0:
            return self.game.view(self.batch.states[0], None)
        raise ConflictError(f"{self.game.title} does not say what spectators may see before it is over")

    def catch_up(self, moves: Sequence[tuple[int, int]]) -> None:
        """Follow the moves that have been played since."""
        for number in range(self._seen, len(moves)):
            action, before = moves[number][1], self._view
            self.batch.step_one(action)
            self._view = self._look()
            told = {}
            for language in LANGUAGES:
                names = people(self.names, language)
                told[language] = tell_move(self.game, named(before, names), named(self._view, names), action, language)
            for place, (who, _) in enumerate(told[LANGUAGES[0]]):
                words = {language: told[language][place][1] for language in LANGUAGES}
                self.lines.append((number, who, words))
        self._seen = len(moves)

    def picture(self, language: str, shape: str) -> str:
        """What the table may see."""
        names = people(self.names, language)
        return self.game.drawing(self._view, Look(language=language, theme="page", shape=shape, names=names))
