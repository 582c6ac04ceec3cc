"""Addresses for people: their results, and a finished deal once more from another seat."""

from __future__ import annotations

from fastapi import APIRouter, Request

from card_envs.web import lab_schema, schema
from card_envs.web.errors import TooMuchError
from card_envs.web.hosted_games import HostedGames
from card_envs.web.limits import Taps
from card_envs.web.people import People
from card_envs.web.routing import SeatKey, new_router


def people_routes(tables: HostedGames, people: People, new_games: Taps) -> APIRouter:
    """All of them."""
    router = new_router()

    @router.post("/people")
    def history(wanted: lab_schema.OwnGames) -> lab_schema.OwnHistory:
        """What one has played, by the keys to one's seats; nothing of it is kept."""
        return lab_schema.OwnHistory(**people.history([(one.id, one.key) for one in wanted.games]))

    @router.post("/games/{id}/same-deal", status_code=201)
    def same_deal(id: schema.GameId, key: SeatKey, request: Request) -> schema.Opened:
        """The same deal once more, everybody one seat further. For games of one person with agents, once over."""
        if not new_games.take(request.client.host if request.client else "?"):
            raise TooMuchError("too many new games at once; wait a moment")
        table, seat, new_key = tables.same_deal(tables.find(id), key)
        return schema.Opened(id=table.record.id, seat=seat, key=new_key, invitations=[])

    return router
