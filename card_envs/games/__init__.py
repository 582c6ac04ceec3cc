"""All games, by name. A game is imported when it is asked for."""

from __future__ import annotations

import importlib

from card_envs.core.errors import UnknownGameError

# The one list of games in the project: name and the package whose GAME it is.
_PACKAGES: dict[str, str] = {
    "king_lui": "card_envs.games.king_lui",
    "zum_kuhkuck": "card_envs.games.zum_kuhkuck",
    "ku_ka_king": "card_envs.games.ku_ka_king",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from card_envs.core.game import Game


def game_names() -> tuple[str, ...]:
    """The names of all registered games."""
    return tuple(_PACKAGES)


def register_game(name: str, package: str) -> None:
    """Add a game from another package, whose module `package` has it as GAME. See docs/add-a-game.md."""
    known = _PACKAGES.setdefault(name, package)
    if known != package:
        raise UnknownGameError(f"the name {name!r} is taken by {known}; give the game of {package} another name")


def get_game(name: str) -> Game:
    """The game with this name."""
    if name not in _PACKAGES:
        raise UnknownGameError(f"there is no game {name!r}; there are {', '.join(game_names())}")
    game: Game = importlib.import_module(_PACKAGES[name]).GAME
    return game
