"""What the server refuses, each with the status that it is answered with."""

from __future__ import annotations

from card_envs.errors import CardEnvsError


class WebError(CardEnvsError):
    """A request that cannot be granted."""

    status = 400


class NotFoundError(WebError):
    """Something that is not here."""

    status = 404


class NotYoursError(WebError):
    """A key is missing, or it is not the right one."""

    status = 403


class ConflictError(WebError):
    """Right in itself, but not now: the game has moved on, is over, or is not over yet."""

    status = 409


class UnavailableError(WebError):
    """The server cannot do it, through no fault of the request."""

    status = 503


class TooMuchError(CardEnvsError, RuntimeError):
    """More than the server gives. Try later, or end something first."""
