"""Whose lines are counted: those of pytest's own processes, and of others only where a test asks for it.

Counting makes a process slower, its start most of all, and most processes that tests start do what others do here.
"""

from __future__ import annotations

import os

VARIABLE = "COVERAGE_PROCESS_CONFIG"  # by which coverage counts in whatever process finds it
_found: dict[str, str] = {}


def count_only_here() -> None:
    """From now on processes are started without counting."""
    if VARIABLE in os.environ:
        _found[VARIABLE] = os.environ.pop(VARIABLE)


def counted() -> dict[str, str]:
    """The environment of a process whose lines are counted, if any are."""
    return {**os.environ, **_found}


def uncounted() -> dict[str, str]:
    """The environment of a process whose lines are not counted, before `count_only_here` too."""
    return {name: value for name, value in os.environ.items() if name != VARIABLE}
