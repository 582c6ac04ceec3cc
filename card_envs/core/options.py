"""Options: checked once, when an environment or a batch is made, with errors that name what is allowed."""

from __future__ import annotations

import difflib
import math
import operator
import os
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, get_args

from card_envs.errors import OptionError

LARGEST_SEED = 2**63 - 1
Reward = Literal["outcome", "margin"]
IllegalAction = Literal["raise", "lose"]
RenderMode = Literal["ansi", "rgb_array", "human"]
Language = Literal["en", "de", "fr", "it"]
MaskPlace = Literal["observation", "info"]


def whole_number(value: Any, what: str, low: int, high: int) -> int:
    """`value` as an int from low to high, or an OptionError that names it."""
    expected = f"a whole number from {low} to {high}" if low < high else f"{low}"
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise OptionError(f"{what} must be {expected}, not {value!r}") from None
    if not low <= number <= high:
        raise OptionError(f"{what} must be {expected}, not {number}")
    return number


def real_number(value: Any, what: str, low: float, high: float = math.inf) -> float:
    """`value` as a finite float from low to high, or an OptionError that names it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high or value == math.inf:
        bounds = f"from {low:g} to {high:g}" if high < math.inf else f"from {low:g} on"
        raise OptionError(f"{what} must be a number {bounds}, not {value!r}")
    return float(value)


def one_of(value: Any, what: str, allowed: Iterable[Any]) -> Any:
    """`value` itself if it is allowed, or an OptionError that lists what is."""
    allowed = tuple(allowed)
    if not any(value is choice or (type(value) is type(choice) and value == choice) for choice in allowed):
        raise OptionError(f"{what} must be one of {', '.join(map(repr, allowed))}, not {value!r}")
    return value


def refuse_unknown(given: Iterable[str], allowed: Iterable[str], where: str) -> None:
    """An OptionError for the first name that is not allowed, with the nearest one that is."""
    allowed = tuple(allowed)
    for name in given:
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise OptionError(f"{where} has no option {name!r}: {hint}it has {', '.join(allowed)}")


def non_default(options: Any) -> dict[str, Any]:
    """The options that were chosen differently from their defaults; what `repr` shows."""
    chosen = {}
    for field in fields(options):
        default = field.default if field.default is not MISSING else None
        if getattr(options, field.name) != default:
            chosen[field.name] = getattr(options, field.name)
    return chosen


def check_seed(seed: Any) -> int:
    """A seed as an int, or an OptionError."""
    return whole_number(seed, "seed", 0, LARGEST_SEED)


def check_threads(threads: Any) -> int:
    """The number of threads: a whole number, or None for one per core."""
    cores = os.cpu_count() or 1
    return cores if threads is None else whole_number(threads, "threads", 1, max(cores, 64))


@dataclass(frozen=True)
class CommonOptions:
    """What every game has besides its own options: how it is rewarded and what an illegal action does."""

    reward: Reward = "outcome"
    illegal_action: IllegalAction = "raise"

    def __post_init__(self) -> None:
        one_of(self.reward, "reward", get_args(Reward))
        one_of(self.illegal_action, "illegal_action", get_args(IllegalAction))
