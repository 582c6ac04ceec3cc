"""A small network of duels, what it plays, and what it learns from a few positions: to compare plain Python with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from card_envs.agents.network import Duelist
from card_envs.core.batch import Batch
from card_envs.games import get_game
from training.duel_form import duel_of
from training.duel_games import DuelGames, lessons_of
from training.duel_network import DuelActor
from training.duel_settings import DuelNetworkSettings

FORM = DuelNetworkSettings(
    each=2, whole=3, layers=1, rank=1, rounds=9, legal="available", waiting="waiting", tables="players"
)


def learned(players: int) -> dict[str, Any]:
    """Logits, values and a gradient, of a table with so many players."""
    game, chance = get_game("ku_ka_king"), np.random.default_rng(0)
    seen = Batch(game, 4, players=players, seed=5).observation.copy()
    duel = duel_of(game, replace(FORM, seats=players if players == 2 else 4), seen, players + 4, bounded=True)
    actor = DuelActor(duel, game.layout.size, 3)
    actor.measure(seen)
    logits, values = Duelist(duel).ready(actor.weights(), game.symmetry)(seen)
    games = DuelGames(game, 4, players, duel.choices, seed=3, explore=0.3)
    legal = games.look.legal
    even = (legal / legal.sum(axis=2, keepdims=True)).astype(np.float32)
    moment = games.play(even, np.zeros((4, players), np.float32), lambda view: actor.ready()(view)[1], chance)
    lessons = lessons_of([moment], 0.8, duel.seats)
    found = actor.gradient(lessons, np.arange(len(lessons.value)), (0.5, 0.3))
    return {"likely": np.exp(logits), "values": values, "gradient": found.gradients[0].numpy(), "loss": found.figures}
