"""Players by name: built in, from a checkpoint's path, or from another package."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib.metadata import entry_points
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from card_envs.agents.base import Agent
from card_envs.agents.bot import BotAgent
from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.random import RandomAgent
from card_envs.core.game import Game
from card_envs.core.playing import BOT, RANDOM
from card_envs.errors import OptionError
from card_envs.games import get_game

GROUP = "card_envs.agents"
SUFFIX = ".safetensors"

CHAMPION = "champion"
IN_ENGINE = {"random": RANDOM, "bot": BOT}  # who plays inside the compiled engine
Player = str | PathLike[str] | Agent
BUILT_IN: dict[str, Callable[[Game, int | None], Agent]] = {
    "random": lambda game, seed: RandomAgent(seed),
    "bot": BotAgent,
}


def plays_inside(player: Player) -> bool:
    """Does this player play inside the compiled engine? Everyone else is asked for actions."""
    return isinstance(player, str) and player in IN_ENGINE


def agent_names(game: str | Game | None = None) -> tuple[str, ...]:
    """Names that `load_agent` knows: ours, and those that installed packages add. Of a game: those that it has."""
    rules = get_game(game) if isinstance(game, str) else game
    ours = [
        name
        for name in (*BUILT_IN, CHAMPION)
        if rules is None or (rules.bot if name == "bot" else rules.champion if name == CHAMPION else True)
    ]
    return (*ours, *sorted(point.name for point in entry_points(group=GROUP)))


def usual_opponent(game: Game) -> str:
    """Who plays against a person who names nobody: the bot, or whoever else comes with the game."""
    return next(name for name in ("bot", CHAMPION, "random") if name in agent_names(game))


def champion_path(game: Game) -> Path:
    """The checkpoint that comes with a game, in its package."""
    if game.champion is None:
        raise OptionError(f"{game.title} comes without a champion; train a player, and name its checkpoint instead")
    return game.champion


def load_agent(
    game: str | Game,
    agent: str | PathLike[str] | Agent,
    *,
    players: int | None = None,
    seed: int | None = None,
    greedy: bool = False,
) -> Agent:
    """A player for this game: a name (`random`, `bot`, `champion`, or one that a package adds), a checkpoint's path, or
    an agent itself.

    `greedy`: a trained player takes its likeliest action instead of drawing lots.

    A package adds a player with an entry point in the group `card_envs.agents`: a function of the game and a seed.
    """
    rules = get_game(game) if isinstance(game, str) else game
    if not isinstance(agent, str | PathLike):
        if isinstance(agent, Agent):
            return agent
        raise OptionError(
            f"an agent is a name, a path or an object with a name and act(observation, action_mask), not {agent!r}"
        )
    name = fspath(agent)
    if name in BUILT_IN:
        return BUILT_IN[name](rules, seed)
    if name == CHAMPION:
        made = CheckpointAgent(champion_path(rules), rules, players, seed=seed, greedy=greedy)
        made.name = CHAMPION
        return made
    if name.endswith(SUFFIX) or isinstance(agent, PathLike):
        return CheckpointAgent(Path(name), rules, players, seed=seed, greedy=greedy)
    for point in entry_points(group=GROUP):
        if point.name == name:
            try:
                found: Any = point.load()(rules, seed)
            except Exception as error:
                raise OptionError(f"the package that adds the agent {name!r} could not make it: {error}") from error
            if not isinstance(found, Agent):
                raise OptionError(
                    f"the package that adds the agent {name!r} made {found!r}, which has no name and act()"
                )
            return found
    near = difflib.get_close_matches(name, agent_names(), n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    known = ", ".join(agent_names())
    raise OptionError(
        f"there is no agent {name!r}: {hint}there are {known}, and paths of checkpoints that end in {SUFFIX}"
    )
