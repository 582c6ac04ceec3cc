"""Players by name: built in, from a checkpoint's path, or from another package."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from importlib.metadata import entry_points
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from card_envs.agents.base import Agent
from card_envs.agents.bot import BotAgent
from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.naming import SEARCHERS, SPEAKERS, AgentName, options_text, parse_agent
from card_envs.agents.naming import SUFFIX as SUFFIX
from card_envs.agents.random import RandomAgent
from card_envs.agents.search.options import Recipe, make_recipe
from card_envs.agents.speaking.options import Speaker, make_speaker
from card_envs.core.game import Game
from card_envs.core.playing import BOT, RANDOM
from card_envs.errors import OptionError
from card_envs.games import get_game

GROUP = "card_envs.agents"

CHAMPION = "champion"
IN_ENGINE = {"random": RANDOM, "bot": BOT}  # who plays inside the compiled engine
Player = str | PathLike[str] | Agent | Recipe | Speaker
BUILT_IN: dict[str, Callable[[Game, int | None], Agent]] = {
    "random": lambda game, seed: RandomAgent(seed),
    "bot": BotAgent,
}


def plays_inside(player: Player) -> bool:
    """Does this player play inside the compiled engine? Everyone else is asked for actions."""
    return isinstance(player, str) and player in IN_ENGINE


def from_package(player: Player) -> bool:
    """Is this a name that another package has to know? Whatever it does is that package's code."""
    if not isinstance(player, str):
        return False
    name = parse_agent(player)
    return not name.is_path and name.agent not in (*BUILT_IN, CHAMPION, *SEARCHERS, *SPEAKERS)


def agent_names(game: str | Game | None = None) -> tuple[str, ...]:
    """Names that `load_agent` knows: ours, and those that installed packages add. Of a game: those that it has."""
    rules = get_game(game) if isinstance(game, str) else game
    ours = [
        name
        for name in (*BUILT_IN, CHAMPION, *SEARCHERS)
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
    agent: Player,
    *,
    players: int | None = None,
    seed: int | None = None,
    greedy: bool = False,
) -> Agent:
    """A player for this game: a name (`random`, `bot`, `champion`, or one that a package adds), a checkpoint's path, or
    an agent itself.

    `search(model="champion", playouts=256)` is a player that thinks ahead; see docs/search.md. `command("...")` and
    `chat("...")` are programs and models that are told games in words; see docs/speaking.md.

    Names and paths may have options: `champion(greedy)` or `champion:greedy` always takes the likeliest action, and
    `champion(temperature=0.5)` draws more cautious lots. `greedy` says the first of a trained player, too.

    A package adds a player with an entry point in the group `card_envs.agents`: a function of the game, a seed and
    the player's options, if it has any.
    """
    rules = get_game(game) if isinstance(game, str) else game
    if isinstance(agent, Recipe):
        return _make_searcher(rules, agent, players)
    if isinstance(agent, Speaker):
        return _make_speaker(agent)
    if not isinstance(agent, str | PathLike):
        if isinstance(agent, Agent):
            return agent
        raise OptionError(
            f"an agent is a name, a path or an object with a name and act(observation, action_mask), not {agent!r}"
        )
    name = parse_agent(agent)
    if name.alias:
        raise OptionError(
            f"{fspath(agent)!r} calls an agent {name.alias!r}, which is for tournaments and matches; give {name.text!r}"
        )
    if name.agent in BUILT_IN:
        if name.options:
            raise OptionError(f"the agent {name.agent!r} has no options; leave out {', '.join(name.options)}")
        return BUILT_IN[name.agent](rules, seed)
    if name.agent in SEARCHERS:
        return _make_searcher(rules, make_recipe(name.agent, name.options), players)
    if name.agent in SPEAKERS:
        return _make_speaker(make_speaker(name.agent, name.options))
    if name.agent == CHAMPION or name.is_path or isinstance(agent, PathLike):
        return _load_trained(rules, name, players, seed, greedy)
    for point in entry_points(group=GROUP):
        if point.name == name.agent:
            return _load_from_package(point, rules, name, seed)
    near = difflib.get_close_matches(name.agent, agent_names(), n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    known = ", ".join(agent_names())
    raise OptionError(
        f"there is no agent {name.agent!r}: {hint}there are {known}, and paths of checkpoints that end in {SUFFIX}"
    )


def _make_searcher(rules: Game, recipe: Recipe, players: int | None) -> Agent:
    from card_envs.agents.search.searcher import Searcher  # which loads its models from here

    return Searcher(recipe, rules, players)


def _make_speaker(speaker: Speaker) -> Agent:
    from card_envs.agents.speaking.agent import SpokenAgent  # with what only those who speak need

    return SpokenAgent(speaker)


def _load_trained(rules: Game, name: AgentName, players: int | None, seed: int | None, greedy: bool) -> Agent:
    options: dict[str, Any] = {**name.options, **({"greedy": True} if greedy else {})}
    unknown = ", ".join(options.keys() - {"greedy", "temperature"})
    if unknown:
        raise OptionError(f"the trained player {name.agent!r} has no option {unknown}; it has greedy and temperature")
    path = champion_path(rules) if name.agent == CHAMPION else Path(name.agent)
    made = CheckpointAgent(path, rules, players, seed=seed, **options)
    if name.agent == CHAMPION:
        made.name = f"{CHAMPION}{options_text(made.choosing.options)}"
    return made


def _load_from_package(point: Any, rules: Game, name: AgentName, seed: int | None) -> Agent:
    try:
        make = point.load()
        if name.options:
            _refuse_unknown_options(make, name)
        found: Any = make(rules, seed, **name.options)
    except OptionError:
        raise
    except Exception as error:
        raise OptionError(f"the package that adds the agent {name.agent!r} could not make it: {error}") from error
    if not isinstance(found, Agent):
        raise OptionError(f"the package that adds the agent {name.agent!r} made {found!r}, which has no name and act()")
    return found


def _refuse_unknown_options(make: Callable[..., Any], name: AgentName) -> None:
    """The options of a package's agent are what its function takes besides the game and the seed."""
    parameters = list(inspect.signature(make).parameters.values())[2:]
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return
    known = [one.name for one in parameters if one.kind is not one.VAR_POSITIONAL]
    for option in name.options:
        if option not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise OptionError(f"the agent {name.agent!r} has no option {option!r}; {has}")
