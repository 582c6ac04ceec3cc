"""Checkpoints: trained players in one .safetensors file. Opening one never runs code, and whatever is wrong with it
is said.

The file holds the weights of a network (see network.py) and, as metadata:

format      FORMAT
game        the game's name
version     the game's version
layout      hash of the observation
network     JSON: its kind, and what that kind needs to know
players     JSON: the numbers of players that it was trained for
options     JSON: other options of the game with which it was trained
step        decisions that it has learned from
parent      content hash of the checkpoint that it was trained on from, or nothing
checksum    hash of all of these and of the weights
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from card_envs.agents.choosing import Choosing
from card_envs.agents.naming import options_text
from card_envs.agents.network import Duelist, Mlp, Network, Weights, read_network, ready
from card_envs.agents.weights_file import (
    LARGEST_FILE,
    check_weights,
    hash_weights,
    parse_safetensors,
    refuse_what_is_no_weight,
)
from card_envs.core.game import Game
from card_envs.errors import CheckpointError
from card_envs.files import read_regular, shown, write_whole
from card_envs.games import get_game

FORMAT = "card_envs checkpoint 2"
MOST_DIGITS = 18
MOST_BRACKETS = 100  # in what is written as JSON: nobody needs more, and deep nesting would end in a RecursionError
LONGEST_PARENT = 64
KEYS = ("game", "version", "layout", "network", "players", "options", "step", "parent", "checksum")


@dataclass(frozen=True)
class Checkpoint:
    """All that a checkpoint file says. Its weights cannot be written to."""

    game: str
    version: int
    layout: str
    network: Network
    players: tuple[int, ...]
    options: dict[str, Any]
    step: int
    parent: str
    weights: Weights

    @property
    def content_hash(self) -> str:
        """Who this player is: a hash of what it consists of and what that means, not of a file.

        The same player saved twice, at another step or under another name is still the same one.
        """
        meaning = {
            "game": self.game,
            "version": self.version,
            "layout": self.layout,
            "network": self.network.describe(),
            "players": sorted(self.players),
            "options": self.options,
            "weights": hash_weights(self.weights),
        }
        return hashlib.sha256(json.dumps(meaning, sort_keys=True).encode()).hexdigest()


def checksum(metadata: Mapping[str, str], weights: Weights) -> str:
    """What `checksum` must be in a file with these weights and these metadata, itself left out."""
    others = {key: value for key, value in metadata.items() if key != "checksum"}
    return hashlib.sha256(json.dumps([others, hash_weights(weights)], sort_keys=True).encode()).hexdigest()


def save_checkpoint(
    path: str | Path,
    game: Game | str,
    weights: Weights,
    network: Network,
    *,
    players: Iterable[int],
    options: Mapping[str, Any] | None = None,
    step: int = 0,
    parent: str = "",
) -> None:
    """Write a checkpoint, whole or not at all. What could not be loaded again is refused before anything is written."""
    rules = get_game(game) if isinstance(game, str) else game
    layout, numbers = rules.layout.hash, tuple(players)
    made = Checkpoint(rules.name, rules.version, layout, network, numbers, dict(options or {}), step, parent, weights)
    try:
        data = checkpoint_bytes(made, rules)
    except CheckpointError as error:
        raise CheckpointError(f"cannot save a player as {shown(path)}: {error}") from None
    write_whole(path, data)


def checkpoint_bytes(checkpoint: Checkpoint, game: Game) -> bytes:
    """A checkpoint as a file holds it, which `parse_checkpoint` reads again."""
    metadata = {
        "format": FORMAT,
        "game": checkpoint.game,
        "version": str(checkpoint.version),
        "layout": checkpoint.layout,
        "network": _as_json("network", checkpoint.network.describe()),
        "players": _as_json("players", checkpoint.players),
        "options": _as_json("options", checkpoint.options),
        "step": str(checkpoint.step),
        "parent": checkpoint.parent,
    }
    weights = checkpoint.weights
    refuse_what_is_no_weight(weights)
    metadata["checksum"] = checksum(metadata, weights)
    _check(_interpret(metadata, weights), game, None)
    data: bytes = safetensors.numpy.save(
        {name: np.ascontiguousarray(array) for name, array in weights.items()}, metadata
    )
    if len(data) > LARGEST_FILE:
        raise CheckpointError(f"it would have {len(data)} bytes, and can have {LARGEST_FILE} at most")
    return data


def _as_json(name: str, value: object) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        raise CheckpointError(f"its {name} cannot be written as JSON: {str(value)[:200]}") from None


def read_checkpoint(path: str | Path, game: Game | str, players: int | None = None) -> Checkpoint:
    """Read a checkpoint for this game (and this number of players), or say in one CheckpointError why it cannot be."""
    try:
        return parse_checkpoint(read_regular(Path(path), LARGEST_FILE, CheckpointError), game, players)
    except CheckpointError as error:
        raise CheckpointError(f"cannot use {shown(path)} as a player: {error}") from None


def parse_checkpoint(data: bytes, game: Game | str, players: int | None = None) -> Checkpoint:
    """The same from the bytes of a whole file."""
    metadata, weights = parse_safetensors(data)
    _check_format(metadata)
    checkpoint = _interpret(metadata, weights)
    _check(checkpoint, get_game(game) if isinstance(game, str) else game, players)
    return checkpoint


def _check_format(metadata: Mapping[str, str]) -> None:
    found = metadata.get("format")
    if found is None:
        raise CheckpointError("it has no metadata of card_envs, so it is some other .safetensors file")
    if found != FORMAT:
        raise CheckpointError(f"it is of the format {found[:80]!r}, and this version reads {FORMAT!r}; train it anew")
    missing = [key for key in KEYS if key not in metadata]
    if missing:
        raise CheckpointError(f"its metadata lacks {', '.join(missing)}")


def _interpret(metadata: Mapping[str, str], weights: Weights) -> Checkpoint:
    """What metadata and weights say, once it is certain that they are the ones that were saved."""
    if checksum(metadata, weights) != metadata["checksum"]:
        raise CheckpointError("its checksum does not fit: the file is damaged, or somebody has changed it")
    described, players, options = (_from_json(name, metadata[name]) for name in ("network", "players", "options"))
    if not isinstance(described, dict):
        raise CheckpointError(f"its network must be a table, not {_brief(described)}")
    if not isinstance(options, dict):
        raise CheckpointError(f"its options must be a table, not {_brief(options)}")
    if not isinstance(players, list) or not players or any(type(one) is not int for one in players):
        raise CheckpointError(f"its players must be a list of numbers, not {_brief(players)}")
    if len(set(players)) < len(players):
        raise CheckpointError(f"its players must have each number once, not {_brief(players)}")
    parent = metadata["parent"]
    if len(parent) > LONGEST_PARENT or not parent.isprintable():
        raise CheckpointError(f"its parent must be the content hash of a checkpoint, or nothing, not {_brief(parent)}")
    return Checkpoint(
        game=metadata["game"],
        version=_whole(metadata, "version"),
        layout=metadata["layout"],
        network=read_network(described),
        players=tuple(players),
        options=options,
        step=_whole(metadata, "step"),
        parent=parent,
        weights=weights,
    )


def _from_json(name: str, text: str) -> object:
    try:
        if text.count("[") + text.count("{") <= MOST_BRACKETS:
            return json.loads(text)
    except ValueError:
        pass
    raise CheckpointError(f"its {name} cannot be read from {_brief(text)}")


def _whole(metadata: Mapping[str, str], name: str) -> int:
    text = metadata[name]
    if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS):
        raise CheckpointError(f"its {name} must be a whole number from 0 on, not {_brief(text)}")
    return int(text)


def _brief(value: object) -> str:
    """What a file says, cut short, so that a stranger's text cannot fill the screen or speak to the terminal."""
    return shown(str(value)[:80])


def _check(checkpoint: Checkpoint, game: Game, players: int | None) -> None:
    if (checkpoint.game, checkpoint.version) != (game.name, game.version):
        raise CheckpointError(
            f"it plays {_brief(checkpoint.game)} v{checkpoint.version}, not {game.name} v{game.version}"
        )
    if checkpoint.layout != game.layout.hash:
        raise CheckpointError(
            f"it was trained on another observation (layout {_brief(checkpoint.layout)}, now {game.layout.hash}); "
            f"train it anew"
        )
    trained_for = ", ".join(map(str, checkpoint.players))
    if not set(checkpoint.players) <= set(game.players):
        raise CheckpointError(
            f"it was trained for {_brief(trained_for)} players, and {game.title} is for {game.players_text}"
        )
    for number in checkpoint.players:
        if problem := game.problem_with(checkpoint.options, number):
            raise CheckpointError(f"it was trained with options that its game has not: {_brief(problem)}")
    if players is not None and players not in checkpoint.players:
        raise CheckpointError(f"it was trained for {trained_for} players, and this table has {players}")
    check_weights(checkpoint.weights, checkpoint.network.tensors(game.layout.size, len(game.actions)))


def perceptron_of(checkpoint: Checkpoint) -> Checkpoint:
    """What can be learned on from: of a player who works out what it plays at tables of two, its other perceptron.

    That knows the game, too. Anybody else's is the checkpoint itself.
    """
    network = checkpoint.network
    if not isinstance(network, Duelist) or not isinstance(network.elsewhere, Mlp):
        return checkpoint
    return replace(checkpoint, network=network.elsewhere, weights=network.weights_elsewhere(checkpoint.weights))


class CheckpointAgent:
    """A trained player. It draws its action by its policy's probabilities.

    `greedy` takes the likeliest action instead; `temperature` makes the lots bolder above 1, and more cautious below.
    It is asked about a batch, or about one observation and one mask: then the answer is one, too. `player` is a
    checkpoint's path, or a checkpoint that was read before.
    """

    def __init__(
        self,
        player: str | Path | Checkpoint,
        game: Game | str,
        players: int | None = None,
        *,
        seed: int | None = None,
        greedy: bool = False,
        temperature: float = 1.0,
    ) -> None:
        self.choosing = Choosing(greedy, temperature)
        if isinstance(player, Checkpoint):
            self.checkpoint, origin = player, player.content_hash[:12]
        else:
            self.checkpoint, origin = read_checkpoint(player, game, players), shown(player)
        self.name = f"{origin}{options_text(self.choosing.options)}"
        rules = get_game(game) if isinstance(game, str) else game
        self.run = ready(self.checkpoint.network, self.checkpoint.weights, rules.symmetry)
        self._rng = np.random.default_rng(seed)

    @property
    def content_hash(self) -> str:
        """Who this player is: its checkpoint, and how it chooses."""
        player, options = self.checkpoint.content_hash, options_text(self.choosing.options)
        return hashlib.sha256(f"{player}{options}".encode()).hexdigest() if options else player

    def probabilities(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """How likely it is to choose each action."""
        return self.choosing.probabilities(self.logits(observation), action_mask)

    def logits(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        """Its network's logits of all actions, legal or not, before any temperature."""
        return self._ask(observation)[0]

    def values(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        """What reward it expects for the seat."""
        return np.nan_to_num(self._ask(observation)[1])

    def _ask(self, observation: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits and values, for one observation or a batch of them."""
        rows = np.ascontiguousarray(observation, np.float32).reshape(-1, np.shape(observation)[-1])
        with np.errstate(over="ignore", invalid="ignore"):  # of weights as large as numbers can be
            logits, values = self.run(rows)
        shape = np.shape(observation)[:-1]
        return logits.reshape(*shape, -1), values.reshape(shape)

    def act(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """One legal action per row, by lots of its own."""
        return self.act_with_lots(observation, action_mask, self._rng.random(np.shape(action_mask)[:-1]))

    def act_with_lots(
        self, observation: NDArray[np.float32], action_mask: NDArray[np.int8], lots: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """One legal action per row, by a number from 0 to below 1 for each."""
        logits = np.ascontiguousarray(self.logits(observation), np.float32)
        masks = np.ascontiguousarray(action_mask, np.int8).reshape(-1, logits.shape[-1])
        actions = np.empty(len(masks), np.int64)
        self.choosing.choose(logits.reshape(masks.shape), masks, np.ascontiguousarray(lots).reshape(-1), actions)
        return actions.reshape(np.shape(action_mask)[:-1])
