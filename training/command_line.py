"""Settings from a YAML file and the command line, saved whole with every run; bad ones are refused in one sentence."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import jsonargparse
import yaml

from card_envs.errors import CardEnvsError, OptionError
from training.settings import RunSettings

Tree = TypeVar("Tree", bound=RunSettings)

EXTENDING = ("decisions", "minutes")  # what can be given anew to a run that goes on
RESUMING = "--decisions and --minutes can be given with it"


@dataclass(frozen=True)
class Resumption:
    """A run to go on with, and how long if not as long as it was meant to be."""

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
    parser = jsonargparse.ArgumentParser(description=description, exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--config", action="config", help="a YAML file of settings; what stands later on the line wins")
    parser.add_argument("--resume", type=Path | None, help="a run's folder to go on with; only " + RESUMING)
    parser.add_class_arguments(tree, as_group=False)
    try:
        if any(one.partition("=")[0] == "--resume" for one in arguments):
            return _resumption(arguments)
        chosen = parser.instantiate(parser.parse_args(arguments)).as_dict()
        del chosen["resume"], chosen["config"]
        return tree(**chosen)
    except (argparse.ArgumentError, CardEnvsError) as error:
        sys.exit(_sentence(error, tree))


def _resumption(arguments: Sequence[str]) -> Resumption:
    names = [one.partition("=")[0] for one in arguments if one.startswith("--")]
    others = [name for name in names if name.removeprefix("--") not in ("resume", *EXTENDING)]
    if others:
        raise OptionError(f"--resume goes on with a run by its own settings; leave out {', '.join(others)}: {RESUMING}")
    parser = jsonargparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
    parser.add_argument("--resume", type=str)
    parser.add_argument("--decisions", type=int, default=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float | None, default=argparse.SUPPRESS)
    chosen = parser.parse_args(list(arguments)).as_dict()
    return Resumption(Path(chosen.pop("resume")), chosen)


def load(tree: type[Tree], path: Path) -> Tree:
    """Settings that were saved with a run."""
    parser = jsonargparse.ArgumentParser(exit_on_error=False)
    parser.add_class_arguments(tree, as_group=False)
    try:
        return tree(**parser.instantiate(parser.parse_path(path)).as_dict())
    except (argparse.ArgumentError, TypeError) as error:
        raise OptionError(f"cannot read {path}: {_sentence(error, tree)}") from None


def _sentence(error: Exception, tree: type[RunSettings]) -> str:
    """What is wrong, and, where a name is not known, which one may have been meant."""
    text = " ".join(str(error).split())
    unknown = re.search(r"(?:[Oo]ption '|arguments: --)([\w.]+)", text)
    if unknown and isinstance(error, argparse.ArgumentError):
        group = re.search(r"Group '([\w.]+)'", text)
        name = f"{group[1]}.{unknown[1]}" if group else unknown[1]
        known = _names(tree)
        meant = _meant(name, known)
        hint = f"did you mean {meant}? " if meant else ""
        text = f"there is no setting {name}: {hint}there are {', '.join(known)}"
    return text


def _meant(name: str, known: Sequence[str]) -> str | None:
    if ALSO_CALLED.get(name) in known:
        return ALSO_CALLED[name]
    near = difflib.get_close_matches(name, known, n=1)
    return near[0] if near else None


def _names(tree: type, before: str = "") -> list[str]:
    found = []
    for one in dataclasses.fields(tree):
        branch = one.default_factory
        if isinstance(branch, type) and dataclasses.is_dataclass(branch):
            found += _names(branch, f"{before}{one.name}.")
        else:
            found.append(before + one.name)
    return found


def to_yaml(settings: RunSettings) -> str:
    """The whole tree as a file that `--config` reads."""
    text: str = yaml.safe_dump(_lists(dataclasses.asdict(settings)), sort_keys=False)
    return text


def _lists(value: object) -> object:
    if isinstance(value, dict):
        return {key: _lists(one) for key, one in value.items()}
    return [_lists(one) for one in value] if isinstance(value, tuple | list) else value
