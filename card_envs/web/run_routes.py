"""Addresses of training runs."""

from __future__ import annotations

from fastapi import APIRouter

from card_envs.web import lab_schema, schema
from card_envs.web.routing import new_router
from card_envs.web.run_library import RunLibrary
from card_envs.web.tournament_library import TournamentLibrary


def run_routes(runs: RunLibrary, tournaments: TournamentLibrary) -> APIRouter:
    """All of them."""
    router = new_router()

    @router.get("/runs")
    def every() -> list[lab_schema.RunInfo]:
        """The runs found, the one that was written last first."""
        return [lab_schema.RunInfo(**runs.summary(run)) for run in runs.all()]

    @router.get("/runs/{id}")
    def one(id: schema.TournamentId) -> lab_schema.RunDetails:
        """One of them, as far as it has been written: ask again to follow it."""
        return lab_schema.RunDetails(**runs.details(runs.find(id)))

    @router.get("/runs/{id}/standings")
    def standings(id: schema.TournamentId) -> list[lab_schema.RunStandings]:
        """How its players did in the tournaments found."""
        return [lab_schema.RunStandings(**one) for one in tournaments.standings_of(runs.find(id).folder)]

    return router
