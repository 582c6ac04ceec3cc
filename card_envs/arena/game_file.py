"""One game in a small JSON file: where it began and what was played, which is all that there is to know of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.core.options import check_seed, whole_number
from card_envs.errors import CardEnvsError, OptionError
from card_envs.files import read_regular, shown
from card_envs.games import get_game

FORMAT = "card_envs game 1"
LARGEST, LONGEST_NAME, MOST_MOVES = 2**20, 200, 100_000


@dataclass(frozen=True, eq=False)
class GameFile:
    """A game at its start, its moves (seat and action), and who sat where: what a `Replay` has of a tournament's."""

    game: Game
    batch: Batch
    moves: list[tuple[int, int]]
    agents: tuple[str, ...]


def describe_game(batch: Batch, moves: list[tuple[int, int]], names: list[str]) -> dict[str, Any]:
    """What is written down of a game. `batch` holds it at its start."""
    return {
        "format": FORMAT,
        "game": batch.game.key,
        "options": batch.chosen,
        "seed": str(int(batch.seeds[0])),  # as text, for a browser's numbers end before seeds do
        "names": names,
        "moves": [action for _, action in moves],
    }


def read_game(path: Path) -> GameFile:
    """A game from a file, or one sentence that says why it cannot be shown."""

    def refuse(why: object) -> OptionError:
        return OptionError(f"cannot show {shown(path)}: {why}")

    text = read_regular(path, LARGEST, refuse)
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise refuse("it is no JSON; a game is saved from the page of a finished game") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise refuse(f"it is no file of the format {FORMAT!r}")
    try:
        return _play(told)
    except CardEnvsError as error:
        raise refuse(str(error)[:400]) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise refuse(f"it is damaged ({type(error).__name__}: {str(error)[:100]})") from None


def _play(told: dict[str, Any]) -> GameFile:
    game = get_game(str(told["game"]))
    seed = check_seed(int(told["seed"]))
    batch = Batch(game, 1, seed=seed, auto_reset=False, **told["options"])
    actions, names = told["moves"], tuple(str(name)[:LONGEST_NAME] for name in told["names"])
    if len(names) != batch.players:
        raise OptionError(f"it names {len(names)} players, and {batch.players} played")
    moves, playing = [], batch.copy()
    for action in actions[:MOST_MOVES]:
        moves.append((int(playing.seat[0]), whole_number(action, "a move", 0, len(game.actions) - 1)))
        playing.step_one(action)
    return GameFile(game, batch, moves, tuple(shown(name) for name in names))
