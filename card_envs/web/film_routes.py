"""Addresses of finished games, of whatever origin: positions, pictures to keep, and what agents think of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response

from card_envs.agents.base import Agent
from card_envs.arena.analysis import Analysis
from card_envs.core.batch import Batch
from card_envs.presentation.film import Film
from card_envs.web import lab_schema, schema
from card_envs.web.agent_library import AgentLibrary
from card_envs.web.analysed import tell_analysis
from card_envs.web.errors import NotFoundError
from card_envs.web.gif_task import GifTask
from card_envs.web.jobs import Jobs


@dataclass(frozen=True)
class Filmed:
    """A finished game: its film, who played it (None for people), and how the command line gets at it."""

    key: Hashable
    film: Film
    start: Batch
    players: Callable[[], Sequence[Agent | None]]
    command: str


def add_film_routes(
    router: APIRouter, prefix: str, find: Callable[..., Filmed], library: AgentLibrary, jobs: Jobs
) -> None:
    """Put all of it below a prefix. `find` is a dependency that gives the game, or refuses."""
    found = Depends(find)

    @router.get(f"{prefix}/film")
    def film(language: schema.Language = "en", game: Filmed = found) -> schema.FilmInfo:
        """A game that is over, to step through."""
        film = game.film
        return schema.FilmInfo(
            title=film.game.title,
            game=film.game.name,
            names=film.names,
            positions=len(film.moves) + 1,
            result=schema.Result(**film.result(language)),
            command=game.command,
        )

    @router.get(f"{prefix}/film/moves")
    def moves(language: schema.Language = "en", game: Filmed = found) -> list[schema.FilmMove]:
        """All moves in words, as the table sees them."""
        positions = range(1, len(game.film.moves) + 1)
        return [schema.FilmMove(position=one, text=game.film.caption(one, None, language)) for one in positions]

    @router.get(f"{prefix}/film/{{position}}")
    def frame(
        position: schema.Position,
        viewer: schema.Viewer = None,
        language: schema.Language = "en",
        shape: schema.Shape = "wide",
        game: Filmed = found,
    ) -> schema.Frame:
        """One position of it."""
        film = _checked(game, position, viewer)
        told = film.told(position, viewer, language)
        log = [schema.Told(move=position - 1, seat=seat, text=text) for seat, text in told]
        return schema.Frame(position=position, picture=film.picture(position, viewer, language, shape), log=log)

    @router.get(f"{prefix}/film/{{position}}/svg", response_class=Response, responses=SVG)
    def picture(
        position: schema.Position,
        viewer: schema.Viewer = None,
        language: schema.Language = "en",
        game: Filmed = found,
    ) -> Response:
        """One position as a file."""
        drawn = _checked(game, position, viewer).picture(position, viewer, language, "wide", "auto")
        return Response(drawn, media_type="image/svg+xml")

    @router.get(f"{prefix}/gif", response_class=Response, responses=GIF)
    def gif(viewer: schema.Viewer = None, language: schema.Language = "en", game: Filmed = found) -> Response:
        """The whole game as a file, or with status 202 how far it has been drawn; ask again then."""
        film = _checked(game, 0, viewer)
        key = ("gif", game.key, viewer, language)
        task, job = jobs.ask(key, lambda: GifTask(film, viewer, language))
        if not job.finished:
            return JSONResponse({"done": task.done, "of": task.of}, 202)
        return Response(task.made, media_type="image/gif")

    @router.get(f"{prefix}/analysis")
    def analysis(
        second: schema.AgentId = None, language: schema.Language = "en", game: Filmed = found
    ) -> lab_schema.AnalysisInfo:
        """What those who acted thought, beside a second agent; while that is worked out, how far it is."""
        film = game.film
        chosen = second or library.adviser(film.game, film.players)[0]
        agent = library.player(film.game, film.players, chosen)
        key = ("analysis", game.key, chosen, id(agent))
        task, job = jobs.ask(key, lambda: Analysis(game.start, film.moves, game.players(), agent))
        name = library.name_of(chosen)
        if not job.finished:
            return lab_schema.AnalysisInfo(done=task.done, of=task.of, second=name)
        return tell_analysis(task, film.names, name, language)


SVG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {}}}}
GIF: dict[int | str, dict[str, Any]] = {200: {"content": {"image/gif": {}}}, 202: {"model": lab_schema.Progress}}


def _checked(game: Filmed, position: int, viewer: int | None) -> Film:
    film = game.film
    if position > len(film.moves) or (viewer is not None and viewer >= film.players):
        raise NotFoundError(f"this game has the positions 0 to {len(film.moves)} and the seats 0 to {film.players - 1}")
    return film
