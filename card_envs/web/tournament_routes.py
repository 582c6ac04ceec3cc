"""Addresses of tournaments: the list, standings, and each of their games."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from card_envs.arena.find_games import Wanted
from card_envs.arena.report_page import POLICY
from card_envs.web import lab_schema, schema
from card_envs.web.agent_library import AgentLibrary
from card_envs.web.film_routes import Filmed, add_film_routes
from card_envs.web.guard import POLICY_HEADER
from card_envs.web.jobs import Jobs
from card_envs.web.routing import new_router
from card_envs.web.tournament_library import TournamentLibrary

NOBODY_NAMED: list[str] = []
ALONE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts"


def tournament_routes(tournaments: TournamentLibrary, agents: AgentLibrary, jobs: Jobs) -> APIRouter:
    """All of them."""
    router = new_router()

    @router.get("/tournaments")
    def every() -> list[lab_schema.TournamentInfo]:
        """The tournaments found."""
        return [lab_schema.TournamentInfo(**tournaments.summary(one)) for one in tournaments.all()]

    @router.get("/tournaments/{id}")
    def standings(id: schema.TournamentId) -> lab_schema.TournamentStandings:
        """The standings of one."""
        return lab_schema.TournamentStandings(**tournaments.standings(tournaments.find(id)))

    @router.get("/tournaments/{id}/games")
    def games(
        id: schema.TournamentId,
        agent: schema.AgentName = None,
        ahead_of: schema.AgentName = None,
        line_up: schema.LineUpNames = NOBODY_NAMED,
        margin_from: schema.Points = None,
        margin_to: schema.Points = None,
        points_from: schema.Points = None,
        points_to: schema.Points = None,
        upsets: bool = False,
        first: schema.Order = "number",
        most: schema.Most = 50,
    ) -> lab_schema.FoundGames:
        """Its games that are worth seeing: all that is given must hold."""
        given = (agent, ahead_of, tuple(line_up), margin_from, margin_to, points_from, points_to, upsets, first)
        return lab_schema.FoundGames(**tournaments.find_games(tournaments.find(id), Wanted(*given), most))

    @router.get("/tournaments/{id}/report", response_class=Response, responses={200: {"content": {"text/html": {}}}})
    def report(id: schema.TournamentId) -> Response:
        """The whole report, a page of its own that can run nothing but its one script, and reach nothing here."""
        page = tournaments.report(tournaments.find(id))
        return Response(page, media_type="text/html", headers={POLICY_HEADER: f"{POLICY}; {ALONE}"})

    def replayed(id: schema.TournamentId, number: schema.Number) -> Filmed:
        one = tournaments.find(id)
        game = tournaments.game(one, number)
        return Filmed((id, number), game.film, game.start, lambda: tournaments.players(one, game), game.command)

    add_film_routes(router, "/tournaments/{id}/games/{number}", replayed, agents, jobs)
    return router
