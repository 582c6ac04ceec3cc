"""What pages send and get. Whatever does not fit is refused before anything is done with it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path as PathPart
from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[\w. ()-]+$")]  # also champion(greedy)
Key = Annotated[str, Field(min_length=10, max_length=80, pattern=r"^[A-Za-z0-9_-]+$")]
Name = Annotated[str, Field(max_length=24, pattern=r"^[\w .'-]*$")]  # what a person is called
Since = Annotated[int | None, Query(ge=0, le=100_000, description="the version after which all moves are to be shown")]
GameId = Annotated[str, PathPart(min_length=8, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
TournamentId = Annotated[str, PathPart(min_length=20, max_length=20, pattern=r"^[0-9a-f]+$")]
Position = Annotated[int, PathPart(ge=0, le=100_000)]
Number = Annotated[int, PathPart(ge=0, le=2**53)]
Language = Annotated[Literal["en", "de", "fr", "it"], Query(description="of words and pictures")]
Shape = Annotated[Literal["wide", "tall"], Query(description="of the picture")]
AgentId = Annotated[
    str | None, Query(min_length=1, max_length=80, pattern=r"^[\w. ()-]+$", description="an agent's id")
]
AgentName = Annotated[str | None, Query(max_length=300, description="an agent's name in the standings")]
LineUpNames = Annotated[list[Annotated[str, Field(max_length=300)]], Query(max_length=16, description="all who play")]
Points = Annotated[int | None, Query(ge=-1_000_000, le=1_000_000)]
Order = Annotated[Literal["number", "margin", "close", "upset", "points"], Query(description="which come first")]
Most = Annotated[int, Query(ge=1, le=500)]
Viewer = Annotated[int | None, Query(ge=0, le=15, description="the seat whose view it is; the table's if not given")]


class Strict(BaseModel):
    """Nothing that was not asked for, and no text where a number is meant."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewGame(Strict):
    """A table to open: for each seat an agent's id, or "me", or "person" for somebody to be invited."""

    game: Text
    seats: list[Text] = Field(min_length=1, max_length=16)
    name: Name = ""


class Seen(Strict):
    """The position that somebody saw: how many moves had been played, and how many times one had been taken back.

    Both together, since after a take-back another position has the same number of moves.
    """

    version: int = Field(ge=0, le=100_000)
    taken_back: int = Field(default=0, ge=0, le=1_000_000)


class Move(Seen):
    """An action, and the position for which it was chosen."""

    action: int = Field(ge=0, le=10_000)


class Claim(Strict):
    """An open seat and the invitation to it."""

    seat: int = Field(ge=0, le=15)
    invitation: Key
    name: Name = ""


class Back(Seen):
    """The position in which it was decided to take the last own move back."""


class Problem(BaseModel):
    """Why something was refused, in one sentence."""

    error: str


class GameInfo(BaseModel):
    """A game to choose."""

    name: str
    title: str
    players: list[int]
    default_players: int
    simultaneous: bool
    aim: str


class Setup(BaseModel):
    """What can be chosen before anybody sits down."""

    games: list[GameInfo]
    languages: list[str]
    tournaments: bool


class Preview(BaseModel):
    """What a game looks like, and how many turns everybody has in it."""

    picture: str
    turns: int


class FilmMove(BaseModel):
    """What led to a position, in one line."""

    position: int
    text: str


class AgentInfo(BaseModel):
    """An agent to choose."""

    id: str
    name: str


class Invitation(BaseModel):
    """For somebody else: whoever comes first with it gets the seat."""

    seat: int
    invitation: str


class Opened(BaseModel):
    """A new table: the own seat (null for whoever watches), its key, and invitations to open seats."""

    id: str
    seat: int | None
    key: str
    invitations: list[Invitation]


class Claimed(BaseModel):
    """The key of a seat."""

    seat: int
    key: str


class Action(BaseModel):
    """Something that can be played now."""

    number: int
    text: str


class Told(BaseModel):
    """What somebody did (seat null: what happened by itself), in words."""

    move: int
    seat: int | None
    text: str


class ResultRow(BaseModel):
    """One row of the score sheet."""

    label: str
    values: list[int]


class ResultPart(BaseModel):
    """Rows of the score sheet that belong together."""

    title: str
    rows: list[ResultRow]


class Result(BaseModel):
    """How a game has ended, in one line and by seat."""

    headline: str
    names: list[str]
    points: list[int]
    ranks: list[int]
    parts: list[ResultPart]


class Step(BaseModel):
    """What the seat saw of a move: while it was carried out, or after it."""

    move: int
    picture: str


class Note(BaseModel):
    """Something that helps in a first game."""

    key: str
    text: str


class Following(BaseModel):
    """Another game with the same players, in which everybody's key is the same."""

    id: str
    seat: int


class State(BaseModel):
    """All that one seat may know of a game now. The seed is told when the game is over, for it tells everything."""

    id: str
    game: str
    title: str
    seat: int
    names: list[str]
    called: list[str]
    version: int
    over: bool
    to_act: int | None
    your_turn: bool
    can_take_back: bool
    taken_back: int
    rematch: bool
    steps: list[Step]
    notes: list[Note]
    open_seats: list[int]
    picture: str
    actions: list[Action]
    log: list[Told]
    result: Result | None
    seed: str | None
    moves: list[int] | None


class Bar(BaseModel):
    """How likely an agent is to play an action, and what reward it expects then, if it says so."""

    number: int
    text: str
    probability: float
    value: float | None = None


class Advice(BaseModel):
    """What the coach says."""

    adviser: str
    version: int
    taken_back: int
    bars: list[Bar]
    value: float | None = None


class FilmInfo(BaseModel):
    """A finished game to step through."""

    title: str
    game: str
    names: list[str]
    positions: int
    result: Result
    command: str


class Frame(BaseModel):
    """One position of it, and what led there."""

    position: int
    picture: str
    log: list[Told]


class Section(BaseModel):
    """A heading of the rules and its sentences."""

    heading: str
    sentences: list[str]


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (400, 403, 404, 409, 413, 421, 422, 429, 503)
}
