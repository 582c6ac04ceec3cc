"""Golden playthroughs: whole games as text files that a person can read. A changed rule shows as a diff.

Rewrite them all, after looking at why they differ, with `python -m card_envs.testing FOLDER` (`make golden`).
"""

from __future__ import annotations

from pathlib import Path

from card_envs.core.game import Game
from card_envs.games import game_names, get_game
from card_envs.presentation.playthrough import play_through
from card_envs.testing.require import require

SEED = 7


def golden_text(game: str) -> str:
    """One game of each number of players; the first of them with all that the seat to act observes."""
    return tell_golden(get_game(game))


def tell_golden(rules: Game) -> str:
    """The same of a game that nobody has registered."""
    parts = [f"Layout {rules.layout.hash}, {rules.layout.size} numbers, {len(rules.actions)} actions."]
    for players in rules.players:
        detailed = players == rules.players[0]
        parts.append("\n".join(play_through(rules, SEED, detailed=detailed, players=players)))
    return "\n\n\n".join(parts) + "\n"


def check_golden(game: str, path: Path) -> None:
    """The file tells the very game that is played now."""
    expected, now = path.read_text(encoding="utf-8").splitlines(), golden_text(game).splitlines()
    for line, (then, today) in enumerate(zip(expected, now, strict=False), start=1):
        require(
            then == today,
            f"{path.name}, line {line}: the playthrough says {then!r}, the game now says {today!r}. If the change "
            f"is meant, rewrite it with: python -m card_envs.testing {path.parent}",
        )
    require(len(expected) == len(now), f"{path.name} has {len(expected)} lines, the game now has {len(now)}")


def write_golden(folder: Path) -> None:
    """Write the playthrough of every registered game."""
    for game in game_names():
        path = folder / f"{game}.txt"
        path.write_text(golden_text(game), encoding="utf-8")
        print(f"wrote {path}")
