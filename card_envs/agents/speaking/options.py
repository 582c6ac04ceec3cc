"""How an agent that speaks is spelt: `command("python mine.py", seconds=10)`, `chat("http://...", model="llama3")`.

In Python `card_envs.command("python mine.py", seconds=10)` is the same player as that text.
"""

from __future__ import annotations

import ipaddress
import os
import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from card_envs.agents.naming import SPEAKERS, options_text
from card_envs.core.options import real_number, refuse_unknown, whole_number
from card_envs.errors import OptionError

LONGEST_WAIT = 3600.0  # seconds
MOST_TRIES = 100
LONGEST_TEXT = 4096
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _text(value: object, what: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_TEXT or not value.isprintable():
        raise OptionError(f"{what} must be a text that can be printed, not {str(value)[:100]!r}")
    return value


@dataclass(frozen=True)
class CommandOptions:
    """A program that reads questions as lines of JSON and answers each with a line.

    program     the command, taken apart as a shell would, but run without one
    seconds     how long a decision may take, all tries together
    tries       how often it is asked before it has forfeited
    """

    program: str
    seconds: float = 10.0
    tries: int = 3

    def __post_init__(self) -> None:
        _text(self.program, "program")
        real_number(self.seconds, "seconds", 0.001, LONGEST_WAIT)
        whole_number(self.tries, "tries", 1, MOST_TRIES)
        if shutil.which(self.words[0]) is None:
            raise OptionError(f"there is no program {self.words[0]!r} to be started for {self.program!r}")

    @property
    def words(self) -> list[str]:
        """The program and its arguments."""
        try:
            words = shlex.split(self.program)
        except ValueError as error:
            raise OptionError(f"the program {self.program!r} cannot be taken apart into words: {error}") from None
        if not words:
            raise OptionError(f"the program {self.program!r} has no words")
        return words

    @property
    def title(self) -> str:
        """A short name that tells no path."""
        return " ".join(Path(word).name for word in self.words[:2])


@dataclass(frozen=True)
class ChatOptions:
    """A model behind an address that speaks as OpenAI's does: `url` followed by /chat/completions.

    model       what the model is called there
    seconds     how long a decision may take, all tries together
    tries       how often it is asked before it has forfeited
    key         the name of the environment variable that holds the key, if one is needed; never the key itself
    temperature what to ask for, if anything
    """

    url: str
    model: str
    seconds: float = 30.0
    tries: int = 3
    key: str | None = None
    temperature: float | None = None

    def __post_init__(self) -> None:
        _text(self.model, "model")
        real_number(self.seconds, "seconds", 0.001, LONGEST_WAIT)
        whole_number(self.tries, "tries", 1, MOST_TRIES)
        if self.temperature is not None:
            real_number(self.temperature, "temperature", 0.0, 2.0)
        self._check_address()
        if self.key is not None:
            self._check_key(self.key)

    def _check_address(self) -> None:
        if set("@?#") & set(_text(self.url, "url")):  # not shown: it may hold a secret
            raise OptionError(
                "url must be an address without a user, a password, a ? or a #; a key is read from the environment "
                "variable that key names"
            )
        try:
            parts = urlsplit(self.url)
            known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            known = False
        if not known or " " in self.url or not self.url.isascii():
            raise OptionError(f"url must be an address such as http://127.0.0.1:11434/v1, not {self.url[:100]!r}")

    def _check_key(self, key: object) -> None:
        # Whoever gives the key itself must not find it in a message.
        if not isinstance(key, str) or not _VARIABLE.fullmatch(key) or not os.environ.get(key, "").strip():
            raise OptionError(
                "key must be the name of an environment variable that is set and holds the key, such as MY_KEY; a key "
                "itself is never given as an option"
            )
        if urlsplit(self.url).scheme == "http" and not _is_here(urlsplit(self.url).hostname or ""):
            raise OptionError(f"a key is sent to this computer or over https only, not to {self.url}")

    @property
    def title(self) -> str:
        """A short name."""
        return f"chat {self.model}"


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


OPTIONS: dict[str, type[CommandOptions] | type[ChatOptions]] = {"command": CommandOptions, "chat": ChatOptions}


@dataclass(frozen=True)
class Speaker:
    """An agent that speaks before it sits down anywhere: nothing has been started or opened for it."""

    kind: str
    options: CommandOptions | ChatOptions

    @property
    def name(self) -> str:
        """As it is spelt, which says all about it."""
        chosen = {one.name: getattr(self.options, one.name) for one in fields(self.options)}
        defaults = {one.name: one.default for one in fields(self.options)}
        return f"{self.kind}{options_text({name: value for name, value in chosen.items() if value != defaults[name]})}"

    @property
    def title(self) -> str:
        """A short name that tells no path."""
        return self.options.title


def make_speaker(kind: str, given: Mapping[str, Any]) -> Speaker:
    """The agent that is spelt so, with its options checked."""
    own = OPTIONS[kind]
    refuse_unknown(given, [one.name for one in fields(own)], kind)
    for one in fields(own):
        if one.default is MISSING and one.name not in given:
            example = 'command("python mine.py")' if kind == "command" else 'chat("http://127.0.0.1:11434/v1", model=x)'
            raise OptionError(f"{kind} needs {one.name}, such as in {example}")
    return Speaker(kind, own(**given))


def command(program: str, *, seconds: float = CommandOptions.seconds, tries: int = CommandOptions.tries) -> Speaker:
    """A program that is told positions as lines of JSON and answers with actions: docs/speaking.md."""
    return make_speaker("command", {SPEAKERS["command"]: program, "seconds": seconds, "tries": tries})


def chat(
    url: str,
    *,
    model: str,
    seconds: float = ChatOptions.seconds,
    tries: int = ChatOptions.tries,
    key: str | None = None,
    temperature: float | None = None,
) -> Speaker:
    """A model behind an address that speaks as OpenAI's does, which is told positions in words: docs/speaking.md.

    `key` is the name of the environment variable that holds the key.
    """
    options = {"model": model, "seconds": seconds, "tries": tries, "key": key, "temperature": temperature}
    return make_speaker("chat", {SPEAKERS["chat"]: url, **options})
