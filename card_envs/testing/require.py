"""How checks fail: by an exception of their own and not by `assert`, which `python -O` leaves out."""

from __future__ import annotations


class CheckFailed(AssertionError):  # noqa: N818 - it is said of a check, as in a test's report
    """A game does not do what every game must. The message says which statement does not hold."""


def require(condition: object, sentence: str) -> None:
    """Let a check fail with this sentence unless the condition holds."""
    if not condition:
        raise CheckFailed(sentence)
