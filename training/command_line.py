"""Settings from a YAML file and the command line, saved whole with every run; bad ones are refused in one sentence."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import jsonargparse
import yaml

from card_envs.errors import CardEnvsError, OptionError
from training.plain_yaml import MODE, read_config, refused
from training.settings import RunSettings

Tree = TypeVar("Tree", bound=RunSettings)

LONGEST_SENTENCE = 2000  # characters; jsonargparse repeats whatever it does not understand
PLACE = ("ray", "workers")  # where a run works: of each command, and not of the run
EXTENDING: dict[str, Any] = {  # what can be given anew to a run that goes on
    "decisions": int,
    "minutes": float | None,
    "threads": int,
    "ray": str | None,
    "workers": int | None,
}
CHANGEABLE = (*EXTENDING, "run", "save_seconds")  # what does not change what is learned


@dataclass(frozen=True)
class Resumption:
    """A run to go on with, and what is given anew: how long, where, and on how many threads or workers."""

    folder: Path
    changes: dict[str, Any]


# What settings are called elsewhere, or were called here: for those who look for them by that name.
ALSO_CALLED = {
    "hidden": "network.hidden",
    "activation": "network.activation",
    "ppo.steps": "ppo.n_steps",
    "ppo.epochs": "ppo.n_epochs",
    "ppo.minibatch": "ppo.batch_size",
    "ppo.entropy": "ppo.ent_coef",
    "ppo.entropy_end": "ppo.ent_coef_end",
    "ppo.discount": "ppo.gamma",
    "ppo.trace": "ppo.gae_lambda",
    "ppo.clip": "ppo.clip_range",
    "ppo.value_clip": "ppo.clip_range_vf",
    "ppo.value_weight": "ppo.vf_coef",
    "ppo.kl_stop": "ppo.target_kl",
    "ppo.gradient_clip": "ppo.max_grad_norm",
    "ppo.teacher_weight": "ppo.teacher_coef",
}


def parse(tree: type[Tree], description: str, arguments: Sequence[str] | None = None) -> Tree | Resumption:
    """Settings from the command line, or a run to resume. Bad ones end the program with one sentence."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser(description)
    parser.add_argument("--config", action="config", help="a YAML file of settings; what stands later on the line wins")
    parser.add_argument("--resume", type=Path | None, help=f"a run's folder to go on with; only {_resuming(tree)}")
    parser.add_class_arguments(tree, as_group=False)
    try:
        if any(one.partition("=")[0] == "--resume" for one in arguments):
            return _resumption(tree, arguments)
        for config in _configs(arguments):
            read_config(config)  # whatever is no file of settings is refused before jsonargparse reads all of it
        chosen = parser.instantiate(parser.parse_args(arguments)).as_dict()
        del chosen["resume"], chosen["config"]
        return tree(**chosen)
    except (argparse.ArgumentError, CardEnvsError) as error:
        sys.exit(_sentence(error, tree))


def _configs(arguments: Sequence[str]) -> list[Path]:
    following = [after for one, after in pairwise(arguments) if one == "--config"]
    return [Path(one) for one in (*following, *(one[9:] for one in arguments if one.startswith("--config=")))]


def _parser(description: str = "") -> jsonargparse.ArgumentParser:
    return jsonargparse.ArgumentParser(
        description=description, exit_on_error=False, allow_abbrev=False, parser_mode=MODE
    )


def _resumption(tree: type[RunSettings], arguments: Sequence[str]) -> Resumption:
    names = [one.partition("=")[0] for one in arguments if one.startswith("--")]
    extending = _extending(tree)
    others = [name for name in names if name.removeprefix("--") not in ("resume", *extending)]
    if others:
        named = ", ".join(others)
        raise OptionError(f"--resume goes on with a run by its own settings; leave out {named}: {_resuming(tree)}")
    parser = _parser()
    parser.add_argument("--resume", type=str)
    for name, kind in extending.items():
        parser.add_argument(f"--{name}", type=kind, default=argparse.SUPPRESS)
    chosen = parser.parse_args(list(arguments)).as_dict()
    return Resumption(Path(chosen.pop("resume")), chosen)


def _extending(tree: type[RunSettings]) -> dict[str, Any]:
    return {name: kind for name, kind in EXTENDING.items() if name in names_of(tree)}


def _resuming(tree: type[RunSettings]) -> str:
    *names, last = (f"--{name}" for name in _extending(tree))
    return f"{', '.join(names)} and {last} can be given with it"


def load(tree: type[Tree], path: Path) -> Tree:
    """Settings that were saved with a run."""
    parser = _parser()
    parser.add_class_arguments(tree, as_group=False)
    try:
        text = read_config(path)
        if not text.strip():
            raise refused(path, "it is empty")
        return tree(**parser.instantiate(parser.parse_string(text)).as_dict())
    except (argparse.ArgumentError, TypeError) as error:
        raise refused(path, _sentence(error, tree)) from None


def _sentence(error: Exception, tree: type[RunSettings]) -> str:
    """What is wrong, and, where a name is not known, which one may have been meant."""
    text = " ".join(str(error).split())
    unknown = re.search(r"(?:[Oo]ption '|arguments: --)([\w.]+)", text)
    if unknown and isinstance(error, argparse.ArgumentError):
        group = re.search(r"Group '([\w.]+)'", text)
        name = f"{group[1]}.{unknown[1]}" if group else unknown[1]
        known = names_of(tree)
        meant = _meant(name, known)
        hint = f"did you mean {meant}? " if meant else ""
        text = f"there is no setting {name}: {hint}there are {', '.join(known)}"
    return text if len(text) <= LONGEST_SENTENCE else f"{text[:LONGEST_SENTENCE]} ..."


def _meant(name: str, known: Sequence[str]) -> str | None:
    if ALSO_CALLED.get(name) in known:
        return ALSO_CALLED[name]
    near = difflib.get_close_matches(name, known, n=1)
    return near[0] if near else None


def names_of(tree: type, before: str = "") -> list[str]:
    """All settings of a tree, those of its branches with dots."""
    found = []
    for one in dataclasses.fields(tree):
        branch = one.default_factory
        if isinstance(branch, type) and dataclasses.is_dataclass(branch):
            found += names_of(branch, f"{before}{one.name}.")
        else:
            found.append(before + one.name)
    return found


def to_yaml(settings: RunSettings) -> str:
    """The whole tree as a file that `--config` reads, but for where the run works: that may be elsewhere next time."""
    kept = {name: value for name, value in dataclasses.asdict(settings).items() if name not in PLACE}
    text: str = yaml.safe_dump(_lists(kept), sort_keys=False)
    return text


def fixed_settings(settings: RunSettings) -> dict[str, object]:
    """All settings that stay as they are while a run goes on, by name, as plain values."""
    found: dict[str, object] = {}
    for one in dataclasses.fields(settings):
        value = getattr(settings, one.name)
        if dataclasses.is_dataclass(value):
            inner = dataclasses.asdict(value)  # type: ignore[arg-type]  # an instance of one
            found |= {f"{one.name}.{name}": _lists(inside) for name, inside in inner.items()}
        elif one.name not in CHANGEABLE:
            found[one.name] = _lists(value)
    return found


def _lists(value: object) -> object:
    if isinstance(value, dict):
        return {key: _lists(one) for key, one in value.items()}
    return [_lists(one) for one in value] if isinstance(value, tuple | list) else value
