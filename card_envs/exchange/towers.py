"""Two stacks of layers, one for the policy and one for the value, as the one perceptron that a checkpoint holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from card_envs.agents.checkpoint import save_checkpoint
from card_envs.agents.network import ACTIVATIONS, Mlp, Numbers
from card_envs.core.game import Game
from card_envs.errors import CheckpointError
from card_envs.games import get_game

Layer = tuple[Numbers, Numbers]  # weight (outputs, inputs) and bias


@dataclass(frozen=True)
class Tower:
    """Plain layers, one after the other; between them an activation. The last one is the head."""

    layers: tuple[Layer, ...]

    @property
    def hidden(self) -> tuple[int, ...]:
        """The sizes of all layers but the last."""
        return tuple(len(bias) for _, bias in self.layers[:-1])

    def deepened(self, depth: int) -> Tower:
        """With as many hidden layers as this. Added ones hand on what they get, which is never below zero: it comes
        from relu, or is the observation.
        """
        size = self.layers[-1][0].shape[1]
        same = (np.eye(size, dtype=np.float32), np.zeros(size, np.float32))
        return Tower((*self.layers[:-1], *[same] * (depth - len(self.hidden)), self.layers[-1]))


def join(policy: Tower, value: Tower | None, activation: str) -> tuple[Mlp, dict[str, Numbers]]:
    """A perceptron that answers as these two do, to the last digit but for the order of sums.

    Layers that both have in common are taken once. Others stand side by side, and no weight leads from one stack to the
    other. Without a value, the value is 0 everywhere.
    """
    if activation not in ACTIVATIONS:
        raise CheckpointError(
            f"checkpoints know the activations {', '.join(ACTIVATIONS)} between layers, not {str(activation)[:80]}"
        )
    if value is None:
        head = (np.zeros((1, policy.layers[-1][0].shape[1]), np.float32), np.zeros(1, np.float32))
        value = Tower((*policy.layers[:-1], head))
    if _same(policy.layers[:-1], value.layers[:-1]):
        body, heads = policy.layers[:-1], (policy.layers[-1], value.layers[-1])
    else:
        body, heads = _side_by_side(policy, value, activation)
    weights: dict[str, Numbers] = {}
    for name, (weight, bias) in [
        *((f"body.{number}", layer) for number, layer in enumerate(body)),
        *zip(("policy", "value"), heads, strict=True),
    ]:
        weights[f"{name}.weight"] = np.ascontiguousarray(weight, np.float32)
        weights[f"{name}.bias"] = np.ascontiguousarray(bias, np.float32)
    return Mlp(tuple(len(bias) for _, bias in body), activation), weights


def _same(one: tuple[Layer, ...], other: tuple[Layer, ...]) -> bool:
    return len(one) == len(other) and all(
        np.array_equal(mine, theirs)
        for pair in zip(one, other, strict=True)
        for mine, theirs in zip(*pair, strict=True)
    )


def _side_by_side(policy: Tower, value: Tower, activation: str) -> tuple[tuple[Layer, ...], tuple[Layer, Layer]]:
    depth = max(len(policy.hidden), len(value.hidden))
    if len(policy.hidden) != len(value.hidden) and activation != "relu":
        raise CheckpointError(
            f"its policy has {len(policy.hidden)} hidden layers and its value {len(value.hidden)}, which one "
            f"perceptron can only have with relu between them; give both as many layers, or export it without the value"
        )
    policy, value = policy.deepened(depth), value.deepened(depth)
    body: list[Layer] = []
    for number, ((one, bias), (other, bias_too)) in enumerate(zip(policy.layers[:-1], value.layers[:-1], strict=True)):
        # Both read the observation; after that each reads only its own.
        both = np.concatenate([one, other]) if number == 0 else _diagonal(one, other)
        body.append((both, np.concatenate([bias, bias_too])))
    (chosen, chosen_bias), (worth, worth_bias) = policy.layers[-1], value.layers[-1]
    if not depth:
        return (), ((chosen, chosen_bias), (worth, worth_bias))
    left = np.concatenate([chosen, np.zeros((len(chosen), worth.shape[1]), np.float32)], axis=1)
    right = np.concatenate([np.zeros((1, chosen.shape[1]), np.float32), worth], axis=1)
    return tuple(body), ((left, chosen_bias), (right, worth_bias))


def _diagonal(one: Numbers, other: Numbers) -> Numbers:
    """Two matrices in one, in which neither touches what is the other's."""
    both = np.zeros((len(one) + len(other), one.shape[1] + other.shape[1]), np.float32)
    both[: len(one), : one.shape[1]] = one
    both[len(one) :, one.shape[1] :] = other
    return both


def save_towers(
    out: str | Path,
    game: Game | str,
    policy: Tower,
    value: Tower | None,
    activation: str,
    *,
    players: Iterable[int] | None = None,
    options: Mapping[str, Any] | None = None,
    step: int = 0,
) -> None:
    """Write them as a checkpoint. `players` are the numbers of players with whom it plays: all, if none are named."""
    rules = get_game(game) if isinstance(game, str) else game
    inputs, actions = policy.layers[0][0].shape[1], len(policy.layers[-1][1])
    if (inputs, actions) != (rules.layout.size, len(rules.actions)):
        added = " (a Parallel environment's `wait` is none of them)" if actions == len(rules.actions) + 1 else ""
        raise CheckpointError(
            f"it takes {inputs} numbers and knows {actions} actions, and {rules.title} has an observation of "
            f"{rules.layout.size} and {len(rules.actions)} actions{added}"
        )
    network, weights = join(policy, value, activation)
    save_checkpoint(out, rules, weights, network, players=players or rules.players, options=options, step=step)


def without_wait(policy: Tower, game: Game) -> Tower:
    """A policy that learned in a Parallel environment of a game of turns, without the action that is no one's own."""
    weight, bias = policy.layers[-1]
    if game.wait is None and len(bias) == len(game.actions) + 1:
        return Tower((*policy.layers[:-1], (weight[:-1], bias[:-1])))
    return policy
