"""`card-envs ...` as a person types it, in the tests' own process: another one would load everything for seconds."""

from __future__ import annotations

import contextlib
import io
import sys
from unittest import mock

from card_envs.cli import main


def run(*arguments: str, typed: str = "", code: int = 0, columns: int = 120) -> str:
    """What the command prints; standard error where an error is expected. Real processes: tests/usage/test_cli.py."""
    out, errors, ended = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["card-envs", *arguments]),
        mock.patch.object(sys, "stdin", io.StringIO(typed)),
        mock.patch.dict("os.environ", {"COLUMNS": str(columns)}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
    ):
        try:
            main()
        except SystemExit as ending:
            ended = int(ending.code or 0)
    assert ended == code, out.getvalue() + errors.getvalue()
    return errors.getvalue() if code else out.getvalue()
