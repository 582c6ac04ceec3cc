"""`--option name=value`: options of a game on the command line, such as another deck."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from card_envs.errors import OptionError

Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        help="An option of the game as name=value, the value in JSON, such as 'score_table=[4,5,...]'.",
    ),
]
EXAMPLE = "such as reward=margin or 'score_table=[4,5,7,...]'"


def read_options(given: Iterable[str] | None, **named: Any) -> dict[str, Any]:
    """Options by name. `named` are those that the command has names for; None is one that was not given."""
    options = {name: value for name, value in named.items() if value is not None}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise OptionError(f"--option takes name=value, {EXAMPLE}, not {one!r}")
        if name.strip() in named:
            raise OptionError(f"--option {one} is said as --{name.strip()} {value}")
        if name.strip() in options:
            raise OptionError(f"--option {name.strip()} is given twice; give it once")
        options[name.strip()] = _value(name.strip(), value.strip())
    return options


def _value(name: str, value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError as error:
        if value[:1] in ("[", "{", '"'):
            raise OptionError(f"--option {name} must have a value in JSON, not {value!r}: {error}") from None
        return value  # a plain word
