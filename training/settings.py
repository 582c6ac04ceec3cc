"""Settings: one tree of dataclasses, from a YAML file and the command line, saved whole with every run."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import jsonargparse
import yaml

from card_envs.agents.network import Mlp
from card_envs.core.errors import CardEnvsError, OptionError
from card_envs.core.game import Game
from card_envs.core.options import check_seed, real_number, whole_number
from card_envs.games import get_game
from training import evaluation, league, ppo

Tree = TypeVar("Tree")


@dataclass(frozen=True)
class NetworkSettings:
    """The network's form.

    Args:
        hidden: units of each hidden layer
        activation: what comes between layers
        tied: treat alike what the game's rules treat alike (dishes, colours, rows); see training/network.py
    """

    hidden: tuple[int, ...] = (128, 128)
    activation: Literal["relu", "tanh"] = "relu"
    tied: bool = True

    def __post_init__(self) -> None:
        if not self.hidden:
            raise OptionError("network.hidden must name at least one layer, such as [128, 128]")
        for size in self.hidden:
            whole_number(size, "a layer in network.hidden", 1, 2**16)

    @property
    def shape(self) -> Mlp:
        """As checkpoints describe it."""
        return Mlp(tuple(self.hidden), self.activation)


@dataclass(frozen=True)
class SelfPlaySettings:
    """A league of self-play.

    Args:
        game: which game
        players: numbers of players, all of them in one run; the game's own if null
        options: other options of the game, such as deck or score_table
        reward: what is learned: to win (outcome), or to have more points than the others (margin)
        run: the folder to make; runs/<game>-<date and time> if null
        seed: the same seed, settings and number of threads give the same weights
        decisions: how many decisions of the learner in all
        minutes: stop after so many minutes, if the decisions are not done by then; no limit if null
        games: how many games are played at once
        threads: how many threads play and learn
        save_seconds: seconds between two saves; a crash loses no more than that
        start: a checkpoint to go on from; a new network if null
        network: the network's form
        ppo: how it learns
        league: whom it meets
        evaluation: how it is measured
    """

    game: str
    players: tuple[int, ...] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    reward: Literal["outcome", "margin"] = "outcome"
    run: str | None = None
    seed: int = 0
    decisions: int = 20_000_000
    minutes: float | None = None
    games: int = 1024
    threads: int = 2
    save_seconds: float = 20.0
    start: str | None = None
    network: NetworkSettings = field(default_factory=NetworkSettings)
    ppo: ppo.Settings = field(default_factory=ppo.Settings)
    league: league.Settings = field(default_factory=league.Settings)
    evaluation: evaluation.Settings = field(default_factory=evaluation.Settings)

    def __post_init__(self) -> None:
        check_common(self)
        whole_number(self.threads, "threads", 1, 1024)
        real_number(self.save_seconds, "save_seconds", 0.0)
        least = self.threads * len(self.numbers)
        whole_number(self.games, "games", least, 2**20)

    @property
    def rules(self) -> Game:
        """The game itself."""
        return get_game(self.game)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of players that are played."""
        return tuple(self.players) if self.players is not None else self.rules.players


def check_common(settings: Any) -> None:
    """What every training script asks of its settings."""
    game = get_game(settings.game)
    for number in settings.numbers:
        game.make_options({**settings.options, "players": number})
    if not settings.numbers or len(set(settings.numbers)) < len(settings.numbers):
        raise OptionError(f"players must name each number once, such as {list(game.players)}, not {settings.players!r}")
    for name in ("reward", "illegal_action", "players"):
        if name in settings.options:
            raise OptionError(f"options.{name} cannot be set: it is a setting of the training itself")
    check_seed(settings.seed)
    whole_number(settings.decisions, "decisions", 1, 2**62)
    if settings.minutes is not None:
        real_number(settings.minutes, "minutes", 0.0)


def parse(tree: type[Tree], description: str, arguments: Sequence[str] | None = None) -> Tree | Path:
    """Settings from the command line, or the folder of a run to resume. Bad ones end the program with one sentence."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    parser = jsonargparse.ArgumentParser(description=description, exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--config", action="config", help="a YAML file of settings; what stands later on the line wins")
    parser.add_argument("--resume", type=Path | None, help="the folder of a run to go on with, by its own settings")
    parser.add_class_arguments(tree, as_group=False)
    try:
        if arguments and arguments[0].partition("=")[0] == "--resume":
            folder = arguments[0].partition("=")[2:] if "=" in arguments[0] else tuple(arguments[1:])
            if len(folder) != 1 or len(arguments) > 2:
                raise OptionError("--resume takes the folder of a run and nothing else: its settings are kept there")
            return Path(folder[0])
        chosen = parser.instantiate(parser.parse_args(arguments)).as_dict()
        if chosen.pop("resume") is not None:
            raise OptionError("--resume goes on with a run by its own settings; give it alone")
        chosen.pop("config")
        return tree(**chosen)
    except (argparse.ArgumentError, CardEnvsError) as error:
        sys.exit(_sentence(error, tree))


def load(tree: type[Tree], path: Path) -> Tree:
    """Settings that were saved with a run."""
    parser = jsonargparse.ArgumentParser(exit_on_error=False)
    parser.add_class_arguments(tree, as_group=False)
    try:
        return tree(**parser.instantiate(parser.parse_path(path)).as_dict())
    except (argparse.ArgumentError, TypeError) as error:
        raise OptionError(f"cannot read {path}: {_sentence(error, tree)}") from None


def _sentence(error: Exception, tree: type) -> str:
    """What is wrong, and, where a name is not known, which one may have been meant."""
    text = " ".join(str(error).split())
    unknown = re.search(r"(?:option '|arguments: --)([\w.]+)", text)
    if unknown and isinstance(error, argparse.ArgumentError):
        group = re.search(r"Group '([\w.]+)'", text)
        name = f"{group[1]}.{unknown[1]}" if group else unknown[1]
        known = _names(tree)
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        text = f"there is no setting {name}: {hint}there are {', '.join(known)}"
    return text


def _names(tree: type, before: str = "") -> list[str]:
    found = []
    for one in dataclasses.fields(tree):
        branch = one.default_factory
        if isinstance(branch, type) and dataclasses.is_dataclass(branch):
            found += _names(branch, f"{before}{one.name}.")
        else:
            found.append(before + one.name)
    return found


def to_yaml(settings: Any) -> str:
    """The whole tree as a file that `--config` reads."""
    plain = dataclasses.asdict(settings)
    text: str = yaml.safe_dump(_lists(plain), sort_keys=False)
    return text


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lists(one) for key, one in value.items()}
    return [_lists(one) for one in value] if isinstance(value, tuple | list) else value
