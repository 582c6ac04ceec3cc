"""log.jsonl, a run's training curve: one line per report, as it was written, whoever was killed while writing."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from card_envs.errors import OptionError
from card_envs.files import read_regular, shown

LOG = "log.jsonl"
LARGEST_LOG = 2**30


def read_log(run: Path) -> list[dict[str, Any]]:
    """All whole lines of a run's log. One that was cut off by a crash or a full disk was never a report."""

    def refuse(why: str) -> OptionError:
        return OptionError(f"cannot read {LOG} of the run in {shown(run)}: {why}")

    text = read_regular(run / LOG, LARGEST_LOG, refuse).decode(errors="replace")
    return [line for line in map(_line, text.splitlines()) if line]


def _line(text: str) -> dict[str, Any]:
    try:
        line = json.loads(text)
        return line if isinstance(line, dict) and math.isfinite(line["decisions"]) else {}
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return {}
