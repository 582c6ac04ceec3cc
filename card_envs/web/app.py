"""The application: what each address answers. Rules, secrets and limits are kept by the modules that it calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio.to_thread
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import Response, StreamingResponse

from card_envs import __version__
from card_envs.core.game import Game
from card_envs.errors import CardEnvsError
from card_envs.games import game_names
from card_envs.presentation.film import break_down
from card_envs.presentation.languages import LANGUAGES
from card_envs.presentation.phrases import explain
from card_envs.presentation.preview import preview_of
from card_envs.web import schema
from card_envs.web.agent_library import AgentLibrary, games_by_name
from card_envs.web.analysed import tell_opinion
from card_envs.web.errors import TooMuchError, UnavailableError, WebError
from card_envs.web.folders import Folders
from card_envs.web.guard import Guard
from card_envs.web.hosted_game import HostedGame
from card_envs.web.hosted_games import HostedGames
from card_envs.web.jobs import Jobs
from card_envs.web.limits import Limits, Taps
from card_envs.web.pages import add_pages, add_refusals
from card_envs.web.people import People
from card_envs.web.people_routes import people_routes
from card_envs.web.record import Records
from card_envs.web.routing import LONGEST_LOG, SeatKey, new_router
from card_envs.web.run_library import RunLibrary
from card_envs.web.run_routes import run_routes
from card_envs.web.streams import EventStream, Streams
from card_envs.web.tournament_library import TournamentLibrary
from card_envs.web.tournament_routes import tournament_routes
from card_envs.web.watching_routes import watching_routes

THREADS = 6
FOR_PLAYERS = 8  # pages that may listen to a game, however many spectators do


def make_app(
    *,
    runs: Sequence[Path] = (),
    state: Path | None = None,
    limits: Limits | None = None,
    hosts: Iterable[str] = (),
    named: Sequence[str] = (),
) -> FastAPI:
    """The whole application. `state` is the file in which games are kept; None keeps them in memory only. `named` are
    agents that may be chosen besides those found, spelt as everywhere.
    """
    limits = (limits or Limits()).fitted()
    records = Records(state, days_kept=limits.days_kept)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # Few threads, so that requests are answered one after the other rather than all of them late; and more than
        # one or two, so that nobody waits for a long replay.
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield
        tables.thinking.close()
        records.close()

    app = FastAPI(
        title="card_envs", version=__version__, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )  # fmt: skip
    agents, streams, tournaments = AgentLibrary(runs, named), Streams(limits), TournamentLibrary(runs)
    app.state.streams, app.state.limits = streams, limits
    tables = HostedGames(records, agents, streams, limits)
    app.include_router(_choosing(agents, tournaments))
    new_games = Taps(limits.new_games_per_second, limits.new_games_at_once)
    app.include_router(_playing(tables, streams, new_games))
    jobs = Jobs(tables.thinking)
    app.include_router(watching_routes(tables, jobs))
    app.include_router(tournament_routes(tournaments, agents, jobs))
    app.include_router(people_routes(tables, People(records, agents, tournaments), new_games))
    app.include_router(run_routes(RunLibrary(runs, agents), tournaments))
    add_pages(app)
    add_refusals(app, Folders(runs))
    app.add_middleware(Guard, limits=limits, hosts=["localhost", *hosts])
    return app


def _choosing(library: AgentLibrary, tournaments: TournamentLibrary) -> APIRouter:
    router = new_router()

    @router.get("/setup")
    def setup(language: schema.Language = "en") -> schema.Setup:
        """The games and languages to choose from."""
        games = []
        for name in game_names():
            with suppress(CardEnvsError):  # somebody's package is broken; the other games are not
                games.append(_game_info(games_by_name(name), language))
        return schema.Setup(games=games, languages=list(LANGUAGES), tournaments=bool(tournaments.folders))

    @router.get("/agents/{game}/{players}")
    def agents(game: str, players: int) -> list[schema.AgentInfo]:
        """The agents that can play at such a table."""
        rules = games_by_name(game)
        if players not in rules.players:
            raise WebError(f"{rules.title} is for {rules.players_text} players, not {players}")
        return [schema.AgentInfo(id=choice.id, name=choice.name) for choice in library.choices(rules, players)]

    @router.get("/preview/{game}")
    def preview(game: str, language: schema.Language = "en") -> schema.Preview:
        """A position of a game between bots, and how long such a game takes."""
        return schema.Preview(**preview_of(games_by_name(game), language))

    @router.get("/rules/{game}")
    def rules(game: str, language: schema.Language = "en") -> list[schema.Section]:
        """How a game is played."""
        sections = explain(games_by_name(game), language)
        return [schema.Section(heading=heading, sentences=sentences) for heading, sentences in sections]

    return router


def _game_info(game: Game, language: str) -> schema.GameInfo:
    try:
        rules = explain(game, language)
        return schema.GameInfo(
            name=game.name,
            title=game.title,
            players=list(game.players),
            default_players=game.options().players,
            simultaneous=game.simultaneous,
            aim=rules[0][1][0] if rules else "",
        )
    except Exception as error:
        raise UnavailableError(f"{game.name} cannot be played here: {error}") from None


def _playing(tables: HostedGames, streams: Streams, new_games: Taps) -> APIRouter:
    router = new_router()

    @router.post("/games", status_code=201)
    def open_table(wanted: schema.NewGame, request: Request) -> schema.Opened:
        """Open a table."""
        if not new_games.take(request.client.host if request.client else "?"):
            raise TooMuchError("too many new games at once; wait a moment")
        table, seat, key, invitations = tables.open(wanted.game, wanted.seats, wanted.name)
        return schema.Opened(
            id=table.record.id,
            seat=seat,
            key=key,
            invitations=[schema.Invitation(seat=number, invitation=one) for number, one in invitations.items()],
        )

    @router.post("/games/{id}/claim")
    def claim(id: schema.GameId, wanted: schema.Claim) -> schema.Claimed:
        """Sit down on an open seat."""
        key = tables.claim(tables.find(id), wanted.seat, wanted.invitation, wanted.name)
        return schema.Claimed(seat=wanted.seat, key=key)

    @router.get("/games/{id}", response_model=schema.State)
    def look(
        id: schema.GameId,
        key: SeatKey,
        language: schema.Language = "en",
        shape: schema.Shape = "wide",
        since: schema.Since = None,
    ) -> Response:
        """What the seat of this key may know now; with `since` also what it saw of each move after that version."""
        table = tables.find(id)
        state = _state(table, tables.own_seat(table, key), language, shape, since)
        return _answer(state, rematch=tables.has_rematch(table))

    @router.post("/games/{id}/moves", response_model=schema.State)
    def play(
        id: schema.GameId,
        move: schema.Move,
        key: SeatKey,
        language: schema.Language = "en",
        shape: schema.Shape = "wide",
        since: schema.Since = None,
    ) -> Response:
        """Play an action."""
        table = tables.find(id)
        seat = tables.own_seat(table, key)
        tables.play(table, seat, move.action, move.version, move.taken_back)
        return _answer(_state(table, seat, language, shape, since))

    @router.post("/games/{id}/back", response_model=schema.State)
    def take_back(
        id: schema.GameId,
        wanted: schema.Back,
        key: SeatKey,
        language: schema.Language = "en",
        shape: schema.Shape = "wide",
    ) -> Response:
        """Take the last own move back, in a game against agents."""
        table = tables.find(id)
        seat = tables.own_seat(table, key)
        earlier = tables.take_back(table, seat, wanted.version, wanted.taken_back)
        return _answer(_state(earlier, seat, language, shape))

    @router.post("/games/{id}/again")
    def again(id: schema.GameId, key: SeatKey, request: Request) -> schema.Following:
        """Another game with the same players on the same seats; for everybody who played, whoever asks first."""
        table = tables.find(id)
        seat = tables.own_seat(table, key)
        if not new_games.take(request.client.host if request.client else "?"):
            raise TooMuchError("too many new games at once; wait a moment")
        return schema.Following(id=tables.again(table), seat=seat)

    @router.get("/games/{id}/coach")
    def coach(
        id: schema.GameId, key: SeatKey, agent: schema.AgentId = None, language: schema.Language = "en"
    ) -> schema.Advice:
        """What an agent (the champion, or whoever else is best, if none is named) thinks, from what the seat knows."""
        table = tables.find(id)
        seat = tables.own_seat(table, key)
        with table.lock:
            adviser, ask = table.coach(seat, agent)
            view, version, taken_back = table.view(seat), table.version, table.record.seats[seat].taken_back
        told = tell_opinion(table.game, ask(), 0, view, language, least=0.0, most=len(table.game.actions))
        return schema.Advice(adviser=adviser, version=version, taken_back=taken_back, bars=told.bars, value=told.value)

    @router.get("/games/{id}/events", response_class=StreamingResponse)
    def events(id: schema.GameId, key: SeatKey) -> StreamingResponse:
        """A stream that says when the game has moved on, and nothing more."""
        watches = tables.seat_of(tables.find(id), key) is None
        return EventStream(streams, id, FOR_PLAYERS if watches else 0)

    return router


def _answer(state: schema.State, *, rematch: bool = False) -> Response:
    """The state as JSON. It is checked when it is made; FastAPI would check it once more, which takes as long."""
    state.rematch = rematch
    return Response(state.model_dump_json(), media_type="application/json")


def _state(table: HostedGame, seat: int, language: str, shape: str, since: int | None = None) -> schema.State:
    with table.lock:
        over, called = table.over, table.called(language, seat)
        steps = [] if since is None else table.steps(seat, since, language, shape)
        own_moves = any(actor == seat for actor, _ in table.moves)
        actions = table.actions(seat, language)
        return schema.State(
            id=table.record.id,
            game=table.game.name,
            title=table.game.title,
            seat=seat,
            names=table.names,
            called=called,
            version=table.version,
            over=over,
            to_act=None if over else table.seat,
            your_turn=bool(actions),
            can_take_back=table.practice and own_moves and not over,
            taken_back=table.record.seats[seat].taken_back,
            rematch=False,
            steps=[schema.Step(move=move, picture=picture) for move, picture in steps],
            notes=[schema.Note(key=key, text=text) for key, text in table.notes(seat, language)],
            open_seats=table.open_seats,
            picture=table.picture(seat, language, shape),
            actions=[schema.Action(number=number, text=text) for number, text in actions.items()],
            log=[
                schema.Told(move=move, seat=who, text=words[language])
                for move, who, words in table.lines[seat][-LONGEST_LOG:]
            ],
            result=schema.Result(**break_down(table.batch, called, language, seat)) if over else None,
            seed=str(table.record.seed) if over else None,
            moves=[action for _, action in table.moves] if over else None,
        )
