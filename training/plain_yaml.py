"""YAML as plain values, whoever wrote it: within bounds, and no aliases, by which a short text can mean gigabytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonargparse
import yaml

from card_envs.errors import OptionError
from card_envs.files import read_regular, shown

MODE = "plain_yaml"  # what jsonargparse calls this way of reading
LARGEST_CONFIG = 2**16  # bytes; ours have a thousandth of a megabyte, with all settings spelt out
DEEPEST = 20
_Parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_plain(text: str) -> Any:
    """What a text means, as jsonargparse reads YAML."""
    _check(text)
    return jsonargparse.get_loader("yaml")(text)


def _check(text: str) -> None:
    """Refuse what would take long or much to read, by looking at its parts one after the other."""
    if len(text) > LARGEST_CONFIG:
        raise yaml.YAMLError(f"settings have {LARGEST_CONFIG} characters at most, not {len(text)}")
    depth = 0
    for event in yaml.parse(text, Loader=_Parser):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError(f"aliases (*{shown(event.anchor)}) cannot be used in settings: write it out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise yaml.YAMLError(f"settings are at most {DEEPEST} lists or groups deep")


jsonargparse.set_loader(MODE, load_plain, exceptions=(yaml.YAMLError,))


def read_config(path: Path) -> str:
    """The text of a file of settings."""
    try:
        return read_regular(path, LARGEST_CONFIG, lambda why: refused(path, why)).decode()
    except UnicodeDecodeError:
        raise refused(path, "it is no text") from None


def refused(path: Path, why: str) -> OptionError:
    """The sentence about a file that is no settings."""
    return OptionError(f"cannot read the settings in {shown(path)}: {why}")
