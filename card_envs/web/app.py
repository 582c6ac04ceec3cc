"""The application: what each address answers. Rules, secrets and limits are kept by the modules that it calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, FastAPI, Header, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from card_envs import __version__
from card_envs.games import usable_games
from card_envs.presentation.film import Film, break_down
from card_envs.presentation.languages import LANGUAGES
from card_envs.presentation.phrases import explain
from card_envs.web import schema
from card_envs.web.agent_library import AgentLibrary, games_by_name
from card_envs.web.errors import ConflictError, NotFoundError, TooMuchError, WebError
from card_envs.web.guard import Guard
from card_envs.web.hosted_game import HostedGame
from card_envs.web.hosted_games import HostedGames
from card_envs.web.limits import Limits, Taps
from card_envs.web.pages import add_pages, add_refusals
from card_envs.web.record import Records
from card_envs.web.streams import Streams
from card_envs.web.tournament_library import TournamentLibrary

LONGEST_LOG = 400
THREADS = 6
SeatKey = Annotated[str, Header(alias="X-Seat-Key", min_length=10, max_length=80, pattern=r"^[A-Za-z0-9_-]+$")]


def make_app(
    *,
    runs: Sequence[Path] = (),
    state: Path | None = None,
    limits: Limits | None = None,
    hosts: Iterable[str] = (),
) -> FastAPI:
    """The whole application. `state` is the file in which games are kept; None keeps them in memory only."""
    limits = limits or Limits()
    records = Records(state)
    records.forget_older_than(limits.days_kept)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # Few threads, so that requests are answered one after the other rather than all of them late; and more than
        # one or two, so that nobody waits for a long replay.
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield
        records.close()

    app = FastAPI(
        title="card_envs", version=__version__, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )  # fmt: skip
    agents, streams, tournaments = AgentLibrary(runs), Streams(limits), TournamentLibrary(runs)
    app.state.streams = streams
    tables = HostedGames(records, agents, streams, limits)
    app.include_router(_choosing(agents, tournaments))
    app.include_router(_playing(tables, streams, Taps(limits.new_games_per_second, limits.new_games_at_once)))
    app.include_router(_watching(tables))
    app.include_router(_tournaments(tournaments))
    add_pages(app)
    add_refusals(app)
    app.add_middleware(Guard, limits=limits, hosts=["localhost", *hosts])
    return app


def _router() -> APIRouter:
    return APIRouter(prefix="/api", responses=schema.PROBLEMS)


def _choosing(library: AgentLibrary, tournaments: TournamentLibrary) -> APIRouter:
    router = _router()

    @router.get("/setup")
    def setup() -> schema.Setup:
        """The games and languages to choose from."""
        games = [
            schema.GameInfo(
                name=game.name,
                title=game.title,
                players=list(game.players),
                default_players=game.options().players,
                simultaneous=game.simultaneous,
            )
            for game in usable_games()
        ]
        return schema.Setup(games=games, languages=list(LANGUAGES), tournaments=bool(tournaments.folders))

    @router.get("/agents/{game}/{players}")
    def agents(game: str, players: int) -> list[schema.AgentInfo]:
        """The agents that can play at such a table."""
        rules = games_by_name(game)
        if players not in rules.players:
            raise WebError(f"{rules.title} is for {rules.players_text} players, not {players}")
        return [schema.AgentInfo(id=choice.id, name=choice.name) for choice in library.choices(rules, players)]

    @router.get("/rules/{game}")
    def rules(game: str, language: schema.Language = "en") -> list[schema.Section]:
        """How a game is played."""
        sections = explain(games_by_name(game), language)
        return [schema.Section(heading=heading, sentences=sentences) for heading, sentences in sections]

    return router


def _playing(tables: HostedGames, streams: Streams, new_games: Taps) -> APIRouter:
    router = _router()

    @router.post("/games", status_code=201)
    def open_table(wanted: schema.NewGame, request: Request) -> schema.Opened:
        """Open a table."""
        if not new_games.take(request.client.host if request.client else "?"):
            raise TooMuchError("too many new games at once; wait a moment")
        table, seat, key, invitations = tables.open(wanted.game, wanted.seats)
        return schema.Opened(
            id=table.record.id,
            seat=seat,
            key=key,
            invitations=[schema.Invitation(seat=number, invitation=one) for number, one in invitations.items()],
        )

    @router.post("/games/{id}/claim")
    def claim(id: schema.GameId, wanted: schema.Claim) -> schema.Claimed:
        """Sit down on an open seat."""
        key = tables.claim(tables.find(id), wanted.seat, wanted.invitation)
        return schema.Claimed(seat=wanted.seat, key=key)

    @router.get("/games/{id}", response_model=schema.State)
    def look(
        id: schema.GameId, key: SeatKey, language: schema.Language = "en", shape: schema.Shape = "wide"
    ) -> Response:
        """What the seat of this key may know now."""
        table = tables.find(id)
        return _answer(_state(table, tables.own_seat(table, key), language, shape))

    @router.post("/games/{id}/moves", response_model=schema.State)
    def play(
        id: schema.GameId,
        move: schema.Move,
        key: SeatKey,
        language: schema.Language = "en",
        shape: schema.Shape = "wide",
    ) -> Response:
        """Play an action."""
        table = tables.find(id)
        seat = tables.own_seat(table, key)
        tables.play(table, seat, move.action, move.version)
        return _answer(_state(table, seat, language, shape))

    @router.get("/games/{id}/coach")
    def coach(id: schema.GameId, key: SeatKey, language: schema.Language = "en") -> schema.Advice:
        """What the champion (or the bot) would do here, from what the seat may know."""
        table = tables.find(id)
        seat = tables.own_seat(table, key)
        with table.lock:
            adviser, likely = table.coach(seat)
            actions, version = table.actions(seat, language), table.version
        bars = [
            schema.Bar(number=number, text=text, probability=float(likely[number])) for number, text in actions.items()
        ]
        return schema.Advice(adviser=adviser, version=version, bars=sorted(bars, key=lambda bar: -bar.probability))

    @router.get("/games/{id}/events", response_class=StreamingResponse)
    async def events(id: schema.GameId, key: SeatKey) -> StreamingResponse:
        """A stream that says when the game has moved on, and nothing more."""
        tables.seat_of(await run_in_threadpool(tables.find, id), key)
        streams.check_room(id)
        return StreamingResponse(streams.events(id), media_type="text/event-stream")

    return router


def _answer(state: schema.State) -> Response:
    """The state as JSON. It is checked when it is made; FastAPI would check it once more, which takes as long."""
    return Response(state.model_dump_json(), media_type="application/json")


def _state(table: HostedGame, seat: int, language: str, shape: str) -> schema.State:
    with table.lock:
        over = table.over
        actions = table.actions(seat, language)
        return schema.State(
            id=table.record.id,
            game=table.game.name,
            title=table.game.title,
            seat=seat,
            names=table.names,
            version=table.version,
            over=over,
            to_act=None if over else table.seat,
            your_turn=bool(actions),
            open_seats=table.open_seats,
            picture=table.picture(seat, language, shape),
            actions=[schema.Action(number=number, text=text) for number, text in actions.items()],
            log=[
                schema.Told(move=move, seat=who, text=words[language])
                for move, who, words in table.lines[seat][-LONGEST_LOG:]
            ],
            result=schema.Result(**break_down(table.batch, table.names, language)) if over else None,
            seed=str(table.record.seed) if over else None,
            moves=[action for _, action in table.moves] if over else None,
        )


def _watching(tables: HostedGames) -> APIRouter:
    router = _router()

    def film_of(id_: str, key: str) -> Film:
        table = tables.find(id_)
        tables.seat_of(table, key)
        with table.lock:
            if not table.over:
                raise ConflictError("a game can be stepped through once it is over")
            return table.film

    @router.get("/games/{id}/film")
    def film(id: schema.GameId, key: SeatKey, language: schema.Language = "en") -> schema.FilmInfo:
        """A game that is over, to step through."""
        return _film_info(film_of(id, key), language)

    @router.get("/games/{id}/film/{position}")
    def frame(
        id: schema.GameId,
        position: schema.Position,
        key: SeatKey,
        viewer: schema.Viewer = None,
        language: schema.Language = "en",
        shape: schema.Shape = "wide",
    ) -> schema.Frame:
        """One position of it."""
        return _frame(film_of(id, key), position, viewer, language, shape)

    return router


def _film_info(film: Film, language: str) -> schema.FilmInfo:
    return schema.FilmInfo(
        title=film.game.title,
        game=film.game.name,
        names=film.names,
        positions=len(film.moves) + 1,
        result=schema.Result(**film.result(language)),
    )


def _frame(film: Film, position: int, viewer: int | None, language: str, shape: str) -> schema.Frame:
    if position > len(film.moves) or (viewer is not None and viewer >= film.players):
        raise NotFoundError(f"this game has the positions 0 to {len(film.moves)} and the seats 0 to {film.players - 1}")
    log = [schema.Told(move=position - 1, seat=seat, text=text) for seat, text in film.told(position, viewer, language)]
    return schema.Frame(position=position, picture=film.picture(position, viewer, language, shape), log=log)


def _tournaments(tournaments: TournamentLibrary) -> APIRouter:
    router = _router()

    @router.get("/tournaments")
    def every() -> list[schema.TournamentInfo]:
        """The tournaments found."""
        return [schema.TournamentInfo(**tournaments.summary(one)) for one in tournaments.all()]

    @router.get("/tournaments/{id}")
    def standings(id: schema.TournamentId) -> schema.TournamentStandings:
        """The standings of one."""
        return schema.TournamentStandings(**tournaments.standings(tournaments.find(id)))

    @router.get("/tournaments/{id}/games/{number}/film")
    def film(id: schema.TournamentId, number: schema.Number, language: schema.Language = "en") -> schema.FilmInfo:
        """One of its games, to step through."""
        return _film_info(tournaments.film(tournaments.find(id), number), language)

    @router.get("/tournaments/{id}/games/{number}/film/{position}")
    def frame(
        id: schema.TournamentId,
        number: schema.Number,
        position: schema.Position,
        viewer: schema.Viewer = None,
        language: schema.Language = "en",
        shape: schema.Shape = "wide",
    ) -> schema.Frame:
        """One position of it."""
        return _frame(tournaments.film(tournaments.find(id), number), position, viewer, language, shape)

    return router
