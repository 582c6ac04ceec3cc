"""How agents are spelt: `champion`, `champion(temperature=0.5)`, `champion:greedy`, `mine=runs/king/best.safetensors`.

    [alias=]agent[(option, option=value, ...)]      or, with one option,      [alias=]agent:option[=value]

An agent is a name or a checkpoint's path. A value is a number, `true`, `false`, a word, or any text in quotation marks;
an option without a value is true. What ends in `.safetensors` is a path to its end, whatever characters it has, and so
is every path that is not a string. `command("python mine.py")` and `chat("http://...")` have a first option that needs
no name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from card_envs.errors import OptionError

SUFFIX = ".safetensors"
SEARCH = "search"
SEARCHERS = (SEARCH, "rollout", "ismcts")  # agents that are made of a model and options: see agents/search/
# Agents that are told positions in words (agents/speaking/), each with the option that can be given without its name.
SPEAKERS = {"command": "program", "chat": "url"}
LONGEST_ALIAS = 80
Value = bool | int | float | str

_ALIAS = re.compile(r"([^=/\\():,\"']+)=(.+)", re.DOTALL)
_OPTIONS = r"(\(.*\)|:[A-Za-z_]\w*(?:=[^:=]*)?)"
_FILE = re.compile(rf"(.*?{re.escape(SUFFIX)}){_OPTIONS}", re.DOTALL)  # whatever the path has before its ending
_NAMED = re.compile(rf"([^(:]+){_OPTIONS}", re.DOTALL)
_TEXT = r""""(?:[^"\\]|\\.)*"|'[^']*'"""
_OPTION = re.compile(rf"""\s*([A-Za-z_]\w*)\s*(?:=\s*({_TEXT}|[^,"'()=]*[^,"'()=\s]))?\s*(,|$)""", re.DOTALL)
_UNNAMED = re.compile(rf"\s*({_TEXT})\s*(,|$)", re.DOTALL)
_SPEAKER = re.compile(rf"(?:{'|'.join(SPEAKERS)})(?:[(:].*)?", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d{1,15}\.?\d{0,15}|\.\d{1,15})(e[+-]?\d{1,3})?", re.IGNORECASE)


@dataclass(frozen=True)
class AgentName:
    """An agent as somebody spelt it: a name or a path, its options, and what to call it."""

    agent: str
    options: Mapping[str, Value] = field(default_factory=dict)
    alias: str = ""

    @property
    def is_path(self) -> bool:
        """Whether it is a checkpoint's path."""
        return self.agent.endswith(SUFFIX)

    @property
    def text(self) -> str:
        """The one spelling of it, without the alias."""
        return f"{self.agent}{options_text(self.options)}"


def options_text(options: Mapping[str, Value]) -> str:
    """Options as they follow a name: `(greedy)`, `(model="champion", playouts=256)`, or nothing."""
    written = [name if value is True else f"{name}={_written(value)}" for name, value in sorted(options.items())]
    return f"({', '.join(written)})" if written else ""


def _written(value: Value) -> str:
    if isinstance(value, str):
        return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
    return str(value).lower() if isinstance(value, bool) else repr(value)


def parse_agent(given: str | PathLike[str]) -> AgentName:
    """Take apart how an agent is spelt. Whether there is such an agent is not asked here."""
    if isinstance(given, PathLike):
        return AgentName(fspath(given))
    alias, text = _split_alias(given)
    if text.endswith(SUFFIX):
        return AgentName(text, alias=alias)
    named = _NAMED.fullmatch(text)
    ours = named is not None and named[1] in (*SEARCHERS, *SPEAKERS)  # with a path among its options, perhaps
    if found := (None if ours else _FILE.fullmatch(text)) or named:
        return AgentName(found[1], _options(found[2], text, SPEAKERS.get(found[1], "")), alias)
    if "(" in text:
        raise OptionError(f"the options of {text!r} must end with a parenthesis: agent(option=value, ...)")
    return AgentName(text, alias=alias)


def _split_alias(text: str) -> tuple[str, str]:
    """The alias, or nothing, and the rest. A file's name may have an = too; where there is such a file, it is meant."""
    found = _ALIAS.fullmatch(text)
    if found is None or (text.endswith(SUFFIX) and os.path.isfile(text)):  # noqa: PTH113  # whatever the text is
        return "", text
    return check_alias(found[1]), found[2]


def check_alias(alias: object) -> str:
    """A name that somebody gave to an agent; it must be one that a table can show."""
    if not isinstance(alias, str) or not alias.strip() or len(alias) > LONGEST_ALIAS or not alias.isprintable():
        raise OptionError(
            f"an agent is called by 1 to {LONGEST_ALIAS} letters that can be printed, not by {str(alias)[:100]!r}"
        )
    return alias.strip()


def speaks(player: object) -> bool:
    """Is this how an agent is spelt that is a program or an address? Nothing may start one but whoever names it."""
    return isinstance(player, str) and _SPEAKER.fullmatch(player) is not None


def refuse_speakers(agents: Iterable[object], what: str) -> None:
    """An OptionError where an agent that is a program or an address is named for something that starts none."""
    for agent in agents:
        if speaks(agent):
            raise OptionError(f"{agent} is told games in words, which {what} does not do; name another agent")


def _options(text: str, whole: str, unnamed: str) -> dict[str, Value]:
    inside = text[1:-1] if text.startswith("(") else text[1:]
    options: dict[str, Value] = {}
    place = 0
    if unnamed and text.startswith("(") and (first := _UNNAMED.match(inside)):
        options[unnamed] = _value(first[1])
        place = first.end()
    while place < len(inside):
        found = _OPTION.match(inside, place)
        if found is None or (found[3] and found.end() == len(inside)):
            raise OptionError(
                f"the options of {whole!r} cannot be read from {inside[place:]!r} on; they are spelt "
                f'agent(option, option=number, option="text")'
            )
        if found[1] in options:
            raise OptionError(f"the option {found[1]!r} is given twice in {whole!r}; leave one of them out")
        options[found[1]] = True if found[2] is None else _value(found[2])
        place = found.end()
    return options


def _value(text: str) -> Value:
    if text.startswith('"'):
        return re.sub(r'\\(["\\])', r"\1", text[1:-1])  # no other escapes: a path of Windows is full of backslashes
    if text.startswith("'"):
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    if _NUMBER.fullmatch(text):
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    return text


def named_agents(agents: Any, what: str) -> list[tuple[str, Any]]:
    """A list of agents, each with its alias or nothing: from `{"mine": path}`, `[("mine", path)]`, `["mine=path"]`.

    `what` says what the list must be, for whoever gave something else.
    """
    if isinstance(agents, str) or not isinstance(agents, Sequence | Mapping) or not agents:
        raise OptionError(f"agents must be {what}, not {agents!r}")
    return [_with_alias(agent) for agent in (agents.items() if isinstance(agents, Mapping) else agents)]


def _with_alias(agent: Any) -> tuple[str, Any]:
    if isinstance(agent, tuple):
        if len(agent) != 2:
            raise OptionError(f"an agent with an alias is a pair such as ('mine', path), not {agent!r}")
        return check_alias(agent[0]), agent[1]
    return _split_alias(agent) if isinstance(agent, str) else ("", agent)
