"""What one seat has heard of a game so far, in words, from its own views of each position."""

from __future__ import annotations

from typing import Any, NamedTuple

from card_envs.core.game import Game
from card_envs.core.journal import Page
from card_envs.presentation.languages import named
from card_envs.presentation.phrases import tell_move


class Heard(NamedTuple):
    """Who did what (nobody, where it happened by itself), and with which move, counted from 0."""

    move: int
    seat: int | None
    text: str


def names_for(players: int, seat: int) -> list[str]:
    """What players are called for whoever sits on this seat: by the numbers of the seats, as environments do."""
    return ["you" if number == seat else f"player {number}" for number in range(players)]


def seat_view(game: Game, state: Any, players: int, seat: int) -> dict[str, Any]:
    """The position as a seat knows it, with names for everybody."""
    return named(game.view(state, seat), names_for(players, seat))


def tell_history(game: Game, page: Page, players: int, seat: int) -> list[list[Heard]]:
    """What the seat has heard of each move on a page, in order."""
    heard: list[list[Heard]] = page.heard.setdefault(seat, [])
    for move in range(len(heard), len(page.moves)):
        before, after = (seat_view(game, page.states[place][0], players, seat) for place in (move, move + 1))
        told = tell_move(game, before, after, page.moves[move][1], "en")
        heard.append([Heard(move, who, text) for who, text in told])
    return heard
