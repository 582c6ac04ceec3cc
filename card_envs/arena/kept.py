"""The weights of trained players inside a tournament's file, each once, whatever becomes of the files of theirs."""

from __future__ import annotations

from collections.abc import Iterable

from card_envs.agents.checkpoint import Checkpoint, checkpoint_bytes, parse_checkpoint
from card_envs.agents.weights_file import LARGEST_FILE
from card_envs.arena.database import Database
from card_envs.core.game import Game
from card_envs.errors import CheckpointError

TABLE = "CREATE TABLE checkpoints (content_hash TEXT PRIMARY KEY, data BLOB NOT NULL)"


def keep(base: Database, game: Game, checkpoints: Iterable[Checkpoint]) -> None:
    """Keep players that are not there yet, as part of a transaction."""
    for checkpoint in checkpoints:
        row = (checkpoint.content_hash, checkpoint_bytes(checkpoint, game))
        base.change("INSERT OR IGNORE INTO checkpoints VALUES (?, ?)", row)


def read_kept(base: Database, game: Game, players: int, content_hash: str) -> Checkpoint:
    """A player that was kept; CheckpointError if it is not there, or not whole."""
    question = "SELECT data FROM checkpoints WHERE content_hash = ?"
    rows = base.rows(question, (content_hash,), longest=LARGEST_FILE)
    if not rows or not isinstance(rows[0][0], bytes):
        raise CheckpointError("it is not there")
    found = parse_checkpoint(rows[0][0], game, players)
    if found.content_hash != content_hash:
        raise CheckpointError("it is another player")
    return found
