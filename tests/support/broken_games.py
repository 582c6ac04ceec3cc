"""A game that loses a card, one whose view tells a secret, one that takes back too much: what checks must find."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from card_envs.templates.my_game import GAME as RIGHT


def forget_a_card(state: Any) -> dict[str, int]:
    """Cards that are thrown away are lost."""
    cards = dict(RIGHT.all_cards(state))  # type: ignore[misc]
    cards[next(iter(cards))] -= int(state["thrown"].sum())
    return cards


def tell_all(state: Any, seat: int | None) -> dict[str, Any]:
    """Everybody sees the whole table."""
    return RIGHT.view(state, None)


def skip(state: Any) -> None:
    """The next seat is to act instead."""
    state.seat = (int(state.seat) + 1) % int(state.players)


LOSSY = replace(RIGHT, name="lossy", title="Lossy", home=f"{__name__}:LOSSY", all_cards=forget_a_card)
CHATTY = replace(RIGHT, name="chatty", title="Chatty", home=f"{__name__}:CHATTY", view=tell_all)
HASTY = replace(
    RIGHT, name="hasty", title="Hasty", home=f"{__name__}:HASTY", rules=replace(RIGHT.rules, take_back=skip)
)
