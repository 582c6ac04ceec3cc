"""What the laboratory's pages send and get: analyses, spectators, tournaments, runs, people."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from card_envs.web.schema import Bar, Key, Result, Strict, Told


class OwnGame(Strict):
    """A game, and the key to one's seat there."""

    id: str = Field(min_length=8, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")
    key: Key


class OwnGames(Strict):
    """Games to look up, the newest first."""

    games: list[OwnGame] = Field(max_length=150)


class Opinion(BaseModel):
    """What an agent thinks of a position: the reward that it expects for the seat, and its likeliest actions."""

    value: float | None
    bars: list[Bar]


class AnalysedMove(BaseModel):
    """A move of a finished game, as those who acted and a second agent see it."""

    move: int
    seat: int
    action: int
    text: str
    disagreement: float | None
    cost: float | None
    cost_by: str
    cost_how: str | None
    acting: Opinion
    second: Opinion


class AnalysisInfo(BaseModel):
    """An analysis; while it is being made, only how far it is. Curves: by seat, positions and expected rewards."""

    done: int
    of: int
    second: str
    rows: list[AnalysedMove] | None = None
    curves: dict[str, list[list[list[float]]]] | None = None
    widest: int | None = None
    costliest: int | None = None


class Progress(BaseModel):
    """How far something is that takes a while."""

    done: int
    of: int


class SpectatorKey(BaseModel):
    """The key with which others may watch."""

    key: str


class TableState(BaseModel):
    """All that the table as a whole may know of a game now, for those who watch."""

    id: str
    game: str
    title: str
    names: list[str]
    version: int
    over: bool
    to_act: int | None
    open_seats: list[int]
    picture: str
    log: list[Told]
    result: Result | None


class TournamentInfo(BaseModel):
    """A tournament; if it cannot be read, `problem` says why."""

    id: str
    name: str
    title: str
    players: int
    games: int
    problem: str


class CupRow(BaseModel):
    """One agent's figures, each with its 95 % interval; null for what is not known."""

    name: str
    mark: str
    games: int
    rating: list[float | None]
    win_share: list[float | None]
    points: list[float | None]
    rank: list[float | None]


class Histograms(BaseModel):
    """How often each agent, in the order of the rows, had how many points: bars of `wide` points from `low` on."""

    low: int
    wide: int
    bars: list[list[int]]


class LineUp(BaseModel):
    """Who sat down together, how often, and the win share per seat of each."""

    agents: list[str]
    games: int
    win_shares: list[float | None]


class FoundGame(BaseModel):
    """A game that is worth seeing."""

    number: int
    agents: list[str]
    points: list[int]
    ranks: list[int]
    margin: int
    upset: float


class FoundGames(BaseModel):
    """The first games of those that fit, how many there are in all, and the command that lists the same."""

    count: int
    games: list[FoundGame]
    command: str


class TournamentStandings(BaseModel):
    """The standings of a tournament."""

    id: str
    name: str
    title: str
    players: int
    games: int
    games_in_all: int
    rows: list[CupRow]
    forfeits: list[str]
    head_to_head: list[list[float | None]]
    histograms: Histograms
    line_ups: list[LineUp]
    line_ups_in_all: int


class RunInfo(BaseModel):
    """A training run. `newest` is the id of the player that was saved last."""

    id: str
    name: str
    game: str
    title: str
    players: list[int]
    step: int | None
    changed: float
    newest: str | None
    checkpoints: int


class RunPlayer(BaseModel):
    """A checkpoint of a run: latest, best, or a snapshot."""

    id: str
    name: str
    step: int
    kind: Literal["latest", "best", "snapshot"]


class RunCurve(BaseModel):
    """Measured win shares: decisions, share, standard error."""

    against: str
    points: list[list[float]]


class LeagueRow(BaseModel):
    """Somebody whom the learner meets, and the learner's win share against it."""

    name: str
    games: float
    share: float
    active: bool


class RunDetails(RunInfo):
    """All of a run, as far as it has been written."""

    decisions: float
    players_of_run: list[RunPlayer]
    curves: list[RunCurve]
    league: list[LeagueRow]


class RunStandings(BaseModel):
    """A tournament in which players of a run took part: their rows, and the places of these."""

    id: str
    name: str
    places: list[int]
    rows: list[CupRow]
    of: int


class OwnResult(BaseModel):
    """A finished game of one's own. `alone`: nobody else but agents played."""

    id: str
    game: str
    title: str
    seat: int
    names: list[str]
    points: list[int]
    ranks: list[int]
    seed: str
    alone: bool


class Against(BaseModel):
    """How often one finished ahead of an opponent, with an interval; no name for other people."""

    name: str
    games: int
    ahead: list[float | None]


class ScaleInfo(BaseModel):
    """The tournament on whose scale somebody is rated."""

    id: str
    name: str


class OwnTable(BaseModel):
    """One's figures at tables of one kind, each with its 95 % interval where it has one."""

    game: str
    title: str
    players: int
    games: int
    deals: int
    win_share: list[float | None]
    points: float
    rank: float
    scale: ScaleInfo | None
    rating: list[float | None] | None
    against: list[Against]


class OwnHistory(BaseModel):
    """All that one has played."""

    results: list[OwnResult]
    tables: list[OwnTable]
