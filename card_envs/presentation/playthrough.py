"""A game as text, turn by turn: what `card-envs show` and `replay` print and what the golden files hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.random import RandomAgent
from card_envs.core.batch import Batch
from card_envs.core.game import Game

MOST_NUMBERS = 100


def play_through(
    game: Game, seed: int, *, language: str = "en", detailed: bool = False, **options: Any
) -> Iterator[str]:
    """Yield a game of random players piece by piece. `detailed`: see `tell_game`."""
    batch = Batch(game, 1, seed=seed, auto_reset=False, **options)
    agent = RandomAgent(seed)
    return tell_game(
        batch, lambda batch: int(agent.act(None, batch.action_mask)[0]), language=language, detailed=detailed
    )


def tell_game(
    batch: Batch,
    choose: Callable[[Batch], int],
    *,
    language: str = "en",
    detailed: bool = False,
    names: Sequence[str] = (),
) -> Iterator[str]:
    """Play the one game of a batch to its end and yield it piece by piece. `choose` tells the next action, `names` who
    sits on each seat. `detailed` adds the legal actions and what the seat to act observes.
    """
    game = batch.game
    who = [f"player {seat}" + (f" ({names[seat]})" if names else "") for seat in range(batch.players)]
    chosen = {**batch.chosen, "seed": int(batch.seeds[0])}
    yield f"{game.title} ({', '.join(f'{name}={value}' for name, value in chosen.items())})"
    turn = 0
    while batch.seat[0] >= 0:
        turn += 1
        action = choose(batch)
        yield "\n" + game.to_text(game.view(batch.states[0], None), language)
        if detailed:
            yield _details(game, batch)
        yield f"turn {turn}: {who[batch.seat[0]]} plays {game.actions[action]!r}"
        batch.step_one(action)
    yield "\n" + game.to_text(game.view(batch.states[0], None), language)
    for seat, result in enumerate(batch.result(0)):
        parts = ", ".join(
            f"{name}: {_plain(value)}" for name, value in result.items() if name not in ("points", "rank")
        )
        yield f"{who[seat]}: {result['points']} points, rank {result['rank']} ({parts})"


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items())
    return str(value)


def _details(game: Game, batch: Batch) -> str:
    legal = ", ".join(game.actions[action] for action in np.flatnonzero(batch.action_mask[0]))
    fields = game.layout.read(batch.observation[0])
    lines = [f"legal: {legal}", f"player {batch.seat[0]} observes:"]
    for name, values in fields.items():
        if values.any():
            lines.append(f"  {name}: {_numbers(values)}")
    return "\n".join(lines)


def _numbers(values: NDArray[np.float32]) -> str:
    """All numbers of a small field; of a large one those that are not zero, each with its place in the field."""
    if values.size <= MOST_NUMBERS:
        return " ".join(f"{value:.4g}" for value in values.ravel())
    return " ".join(
        f"{list(map(int, place))}={values[place]:.4g}".replace(" ", "") for place in zip(*values.nonzero(), strict=True)
    )
