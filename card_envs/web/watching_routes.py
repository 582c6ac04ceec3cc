"""Addresses of games at the table for those who do not play: spectators while it lasts, films when it is over."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends

from card_envs.arena.game_file import describe_game
from card_envs.presentation.film import break_down
from card_envs.web import lab_schema, schema
from card_envs.web.errors import ConflictError
from card_envs.web.film_routes import Filmed, add_film_routes
from card_envs.web.hosted_games import HostedGames
from card_envs.web.jobs import Jobs
from card_envs.web.routing import LONGEST_LOG, SeatKey, new_router


def watching_routes(tables: HostedGames, jobs: Jobs) -> APIRouter:
    """All of them."""
    router = new_router()

    @router.get("/games/{id}/spectator")
    def invite(id: schema.GameId, key: SeatKey) -> lab_schema.SpectatorKey:
        """A key with which others can watch and nothing else, for whoever has a seat."""
        table = tables.find(id)
        seat = tables.seat_of(table, key)
        return lab_schema.SpectatorKey(key=key if seat is None else tables.spectator_key(table))

    @router.get("/games/{id}/table")
    def watch(
        id: schema.GameId, key: SeatKey, language: schema.Language = "en", shape: schema.Shape = "wide"
    ) -> lab_schema.TableState:
        """What the table as a whole may know now."""
        table = tables.find(id)
        tables.seat_of(table, key)
        with table.lock:
            spectator, over = table.spectator(), table.over
            return lab_schema.TableState(
                id=table.record.id,
                game=table.game.name,
                title=table.game.title,
                names=table.names,
                version=table.version,
                over=over,
                to_act=None if over else table.seat,
                open_seats=table.open_seats,
                picture=spectator.picture(language, shape),
                log=[
                    schema.Told(move=move, seat=who, text=words[language])
                    for move, who, words in spectator.lines[-LONGEST_LOG:]
                ],
                result=schema.Result(**break_down(table.batch, table.called(language), language)) if over else None,
            )

    def finished(id: schema.GameId, key: SeatKey) -> Filmed:
        table = tables.find(id)
        tables.seat_of(table, key)
        with table.lock:
            if not table.over:
                raise ConflictError("a game can be stepped through once it is over")
            return Filmed(("game", id), table.film, table.start, table.players_at_seats, "card-envs replay game.json")

    @router.get("/games/{id}/file")
    def file(game: Filmed = Depends(finished)) -> dict[str, Any]:  # noqa: B008
        """The whole game, as card-envs replay reads it."""
        return describe_game(game.start, game.film.moves, game.film.names)

    add_film_routes(router, "/games/{id}", finished, tables.agents, jobs)
    return router
