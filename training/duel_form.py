"""The form of a network of duels for a game: what it looks at, and what of that belongs to which choice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.duel import Duel
from card_envs.agents.symmetry import inputs_of
from card_envs.core.game import Game
from card_envs.errors import OptionError
from training.duel_settings import DuelNetworkSettings

Floats = NDArray[np.float32]


def duel_of(game: Game, settings: DuelNetworkSettings, seen: Floats, choices: int, *, bounded: bool) -> Duel:
    """The form of a network for this game, where observations are as those seen, and there are so many choices.

    What never differs at the tables that are learned, such as what the third seat of two has, tells nothing, and would
    only take time.
    """
    all_choices = number_of_choices(game)
    legal = _place(game, "legal", settings.legal, f"choices of {game.title}", all_choices)
    waiting = _place(game, "waiting", settings.waiting, "seats", max(game.players))
    differs = (seen != seen[:1]).any(axis=0)
    level = None if game.symmetry is None or game.symmetry.things != all_choices else inputs_of(game.symmetry)
    if level is None:
        grouped, whole, things, each = np.empty((0, 1), np.int64), np.arange(game.layout.size), 1, 0
    else:
        grouped, whole, things, each = level.groups[:, :choices], level.whole, choices, settings.each
    grouped, whole = grouped[differs[grouped].any(axis=1)], whole[differs[whole]]
    return Duel(
        inputs=tuple(np.r_[grouped.reshape(-1), whole].tolist()),
        groups=len(grouped),
        choices=choices,
        things=things,
        hidden=((each, settings.whole),) * settings.layers,
        rank=settings.rank,
        rounds=settings.rounds,
        legal=legal,
        actions=len(game.actions),
        bounded=bounded,
        seats=settings.seats,
        waiting=waiting,
        ease=float(settings.ease),
    )


def _place(game: Game, setting: str, name: str | None, what: str, count: int) -> int | None:
    """Where a field begins that has one number for each of so many."""
    if name is None:
        return None
    place = game.layout[name]
    if place.stop - place.start != count:
        raise OptionError(f"network.{setting}: {name} has not one number for each of {count} {what}")
    return int(place.start)


def number_of_choices(game: Game) -> int:
    """How many actions are choices: all but that of those who wait, which must be the last one."""
    choices = len(game.actions) - (game.wait is not None)
    if game.wait not in (None, choices):
        raise OptionError(f"duels need the action of those who wait to be the last one, and in {game.title} it is not")
    return choices
