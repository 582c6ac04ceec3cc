"""What all groups of addresses share."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header

from card_envs.web import schema

SeatKey = Annotated[str, Header(alias="X-Seat-Key", min_length=10, max_length=80, pattern=r"^[A-Za-z0-9_-]+$")]
LONGEST_LOG = 400  # lines of what happened


def new_router() -> APIRouter:
    """Addresses below /api, with the refusals that any of them may answer with."""
    return APIRouter(prefix="/api", responses=schema.PROBLEMS)
