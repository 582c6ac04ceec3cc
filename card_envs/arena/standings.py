"""The standings of a tournament: every figure with the interval in which it would lie 95 times of 100."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.arena.contents import CHALLENGE, LINE_UPS
from card_envs.arena.entrants import Entrant
from card_envs.arena.isolation import REASONS
from card_envs.arena.notebook import html_table
from card_envs.arena.play import Setting, one_thread
from card_envs.arena.ratings import rate, rate_many
from card_envs.arena.store import Store
from card_envs.arena.tally import POINTS, RANKS, SEATS, WINS, Tally
from card_envs.presentation.languages import text_table

_INTERVAL = (2.5, 97.5)
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # wide signs too: spreadsheets in some languages take them for the narrow ones
Array = NDArray[np.float64]


class Figure(NamedTuple):
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Row:
    """One agent's figures. `games` counts a game once for each seat that the agent had in it."""

    number: int
    name: str
    mark: str
    content_hash: str
    games: int
    rating: Figure
    win_share: Figure
    points: Figure
    rank: Figure


@dataclass(frozen=True, eq=False, repr=False)
class Standings:
    """Everything that a tournament tells. `rows` begin with the best; arrays have an entry per agent by number."""

    game: str
    title: str
    players: int
    names: tuple[str, ...]
    rows: tuple[Row, ...]
    games_played: int
    games_in_all: int
    anchor: str
    head_to_head: Array  # how often the row's agent finishes ahead of the column's; nan if they never met
    seat_shares: Array  # win share by seat, over all agents
    seat_shares_by_agent: Array
    source_names: tuple[str, ...]
    sources: Array  # mean score sheet by agent
    distributions: tuple[dict[int, int], ...]  # how often each agent had how many points
    line_ups: tuple[dict[str, Any], ...]
    settings: dict[str, str] = field(default_factory=dict)
    forfeits: dict[str, dict[str, int]] = field(default_factory=dict)  # by agent: games lost so, by reason

    def __getitem__(self, name: str) -> Row:
        """The row of an agent by its name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"there is no agent {name!r}; there are {', '.join(self.names)}")

    def __repr__(self) -> str:
        return f"<Standings: {self}>"

    def __str__(self) -> str:
        header, *lines = self._cells()
        width = max(len(line[1]) for line in (header, *lines))
        for line in (header, *lines):
            line[1] = line[1].ljust(width)
        return "\n".join([self.heading, text_table(header, lines, indent=""), *self.told_forfeits()])

    def told_forfeits(self) -> list[str]:
        """A sentence for each agent that lost games without playing them to their end."""
        return [
            f"{name} forfeited {sum(reasons.values())} of its {self[name].games} games: "
            + ", ".join(f"{count} by {reason}" for reason, count in reasons.items())
            for name, reasons in self.forfeits.items()
        ]

    def told_challenge(self) -> list[str]:
        """A sentence for each who challenges the first agent: what it wins, alone among copies of it."""
        if self.settings.get(LINE_UPS) != CHALLENGE:
            return []
        fair = 1 / self.players
        return [
            f"{row.name} wins {share} ({low} to {high}) from copies of {self.names[0]}: "
            f"{row.win_share.value - fair:+.3f} beside a fair {fair:.3f}, {row.games} games"
            for row in self.rows
            for share, low, high in [[_text(value, 3) for value in row.win_share]]
            if row.number > 0
        ]

    def _repr_html_(self) -> str:
        """A small table, for notebooks."""
        header, *lines = self._cells()
        return html_table(self.heading, header, lines)

    @property
    def heading(self) -> str:
        """What was played."""
        played = f"{self.games_played} games"
        if self.games_played < self.games_in_all:
            played = f"{self.games_played} of {self.games_in_all} games so far"
        return f"{self.title}, {self.players} players, {played}. Ratings: {self.anchor}."

    def _cells(self) -> list[list[str]]:
        """The table as texts, its header first."""
        lines = [["", "agent", "rating", "95 %", "win share", "95 %", "points", "95 %", "rank", "games"]]
        for place, row in enumerate(self.rows, start=1):
            cells = [str(place), row.name + (f" ({row.mark})" if row.mark else "")]
            for figure, digits in ((row.rating, 0), (row.win_share, 3), (row.points, 2)):
                cells += [_text(figure.value, digits), f"{_text(figure.low, digits)} .. {_text(figure.high, digits)}"]
            lines.append([*cells, _text(row.rank.value, 2), str(row.games)])
        return lines

    def to_csv(self) -> str:
        """The standings as a table for other programs. Names that a spreadsheet would calculate begin with an
        apostrophe; `to_json` has all names as they are.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        figures = ("rating", "win_share", "points", "rank")
        names = [f"{name}{end}" for name in figures for end in ("", "_low", "_high")]
        writer.writerow(["place", "agent", "mark", "content_hash", "games", *names])
        for place, row in enumerate(self.rows, start=1):
            numbers = [number for name in figures for number in getattr(row, name)]
            texts = map(_no_formula, (row.name, row.mark, row.content_hash))
            writer.writerow([place, *texts, row.games, *numbers])
        return out.getvalue()

    def to_json(self) -> str:
        """Everything, as JSON; what is not known is null."""
        figures = ("rating", "win_share", "points", "rank")
        rows = [
            {
                "place": place,
                "agent": row.name,
                "mark": row.mark,
                "content_hash": row.content_hash,
                "games": row.games,
                **{name: dict(zip(("value", "low", "high"), getattr(row, name), strict=True)) for name in figures},
            }
            for place, row in enumerate(self.rows, start=1)
        ]
        everything = {
            "game": self.game,
            "players": self.players,
            "games_played": self.games_played,
            "games_in_all": self.games_in_all,
            "anchor": self.anchor,
            "standings": rows,
            "agents": self.names,
            "head_to_head": self.head_to_head.tolist(),
            "seat_shares": self.seat_shares.tolist(),
            "seat_shares_by_agent": self.seat_shares_by_agent.tolist(),
            "points_by_source": {
                name: dict(zip(self.source_names, values, strict=True))
                for name, values in zip(self.names, self.sources.tolist(), strict=True)
            },
            "distributions": dict(zip(self.names, self.distributions, strict=True)),
            "line_ups": self.line_ups,
            "forfeits": self.forfeits,
            "settings": self.settings,
        }
        return json.dumps(_known(everything), indent=1, ensure_ascii=False, allow_nan=False)


def _known(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _known(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_known(part) for part in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _no_formula(text: str) -> str:
    """A name as text in a spreadsheet too, which would calculate what begins like this: names are strangers'."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _text(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}" if np.isfinite(value) else "–"  # + 0.0: no minus zero


def compute_standings(store: Store) -> Standings:
    """Read all games that have been played, chunk by chunk, and work out the standings."""
    setting, entrants = store.setting, store.entrants
    tally = Tally(len(entrants), setting.players, len(setting.rules.score_columns), setting.seed)
    with one_thread():
        for number, games in store.chunks():
            tally.add(number, games)
        figures, anchor = _figures(tally, entrants)
    ahead, _ = tally.ahead()
    seats, _ = tally.per_agent(SEATS)
    names = tuple(entrant.name for entrant in entrants)
    rows = [
        Row(
            entrant.number,
            entrant.name,
            _mark(entrant, entrants, setting),
            entrant.content_hash,
            int(seats[entrant.number]),
            *(Figure(*map(float, figure[:, entrant.number])) for figure in figures),
        )
        for entrant in entrants
    ]
    return Standings(
        game=setting.rules.name,
        title=setting.rules.title,
        players=setting.players,
        names=names,
        rows=tuple(sorted(rows, key=_order)),
        games_played=tally.games,
        games_in_all=store.schedule.games,
        anchor=anchor,
        head_to_head=_divide(ahead, ahead + ahead.T),
        seat_shares=_divide(tally.by_seat[1].sum(axis=0), tally.by_seat[0].sum(axis=0)),
        seat_shares_by_agent=_divide(tally.by_seat[1], tally.by_seat[0]),
        source_names=setting.rules.score_columns,
        sources=_divide(tally.sources, seats[:, None]),
        distributions=tuple(
            {points: count for (agent, points), count in sorted(tally.histogram.items()) if agent == entrant.number}
            for entrant in entrants
        ),
        line_ups=tuple(
            {
                "agents": [names[agent] for agent in line_up],
                "games": int(sums[0]),
                "win_shares": [
                    float(won / sums[0] / line_up.count(agent)) for agent, won in zip(line_up, sums[1:], strict=True)
                ],
            }
            for line_up, sums in sorted(tally.line_ups.items())
        ),
        settings=store.settings(),
        forfeits={
            name: {reason: int(count) for reason, count in zip(REASONS, counts, strict=True) if count}
            for name, counts in zip(names, tally.forfeits.tolist(), strict=True)
            if any(counts)
        },
    )


def _order(row: Row) -> tuple[bool, float, int]:
    return not np.isfinite(row.rating.value), -round(row.rating.value, 6), row.number


def _mark(entrant: Entrant, entrants: list[Entrant], setting: Setting) -> str:
    marks = []
    if entrant.copy > 1:
        first = next(one for one in entrants if (one.content_hash, one.copy) == (entrant.content_hash, 1))
        marks.append(f"same as {first.name}")
    several = setting.players > 2 and entrant.number == 0 if setting.challenge else len(entrants) < setting.players
    if several:
        marks.append("on several seats")
    return ", ".join(marks)


def _figures(tally: Tally, entrants: list[Entrant]) -> tuple[list[Array], str]:
    """Rating, win share, points and rank: each three rows (value, low, high) with a column per agent."""
    seats, drawn_seats = tally.per_agent(SEATS)
    ahead, drawn_ahead = tally.ahead()
    anchors = [one.number for one in entrants if (one.source, one.copy) == ("random", 1)]
    ratings = rate(ahead)
    drawn = rate_many(drawn_ahead, ratings)
    if anchors:
        ratings, drawn = ratings - ratings[anchors[0]], drawn - drawn[:, anchors]
    unseen = (seats == 0) if len(entrants) > 1 else np.zeros(1, bool)
    ratings[unseen], drawn[:, unseen] = np.nan, np.nan
    figures = [_with_interval(ratings, drawn)]
    for what in (WINS, POINTS, RANKS):
        sums, drawn_sums = tally.per_agent(what)
        figures.append(_with_interval(_divide(sums, seats), _divide(drawn_sums, drawn_seats)))
    if tally.deals < 2:  # nobody can tell from one deal how much deals differ
        for figure in figures:
            figure[1:] = np.nan
    return figures, "random = 0" if anchors else "their mean = 0, for random does not take part"


def _with_interval(values: Array, drawn: Array) -> Array:
    known = np.where(np.isfinite(drawn), drawn, values)  # a draw without this agent's deals tells nothing of it
    return np.concatenate([values[None], np.percentile(known, _INTERVAL, axis=0)])


def _divide(sums: Array, counts: Array) -> Array:
    quotient: Array = np.divide(sums, counts, out=np.full(np.broadcast_shapes(sums.shape, counts.shape), np.nan),
                                where=counts > 0)  # fmt: skip
    return quotient
