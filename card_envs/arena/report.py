"""The report of a tournament: one HTML page that needs nothing else, and tables for other programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from os import PathLike
from pathlib import Path

from card_envs.arena.charts import error_bar, heat, histogram, share_bar, span
from card_envs.arena.entrants import Entrant
from card_envs.arena.standings import Figure, Standings, compute_standings
from card_envs.arena.store import Store
from card_envs.errors import TournamentError
from card_envs.files import write_whole

PAGE, TABLE, EVERYTHING = "report.html", "standings.csv", "standings.json"
MOST_LINE_UPS = 200

_STYLE = """
:root { color-scheme: light dark;
  --ink: #1c1d20; --paper: #fdfdfb; --faint: #6b6e76; --line: #d9dad6; --blue: #1e6edc; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e4; --paper: #17181b; --faint: #9a9da6; --line: #34363c; --blue: #6ea8ff; }
}
body { margin: 0 auto; max-width: 62rem; padding: 1rem; font: 1rem/1.45 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .4rem; }
p { color: var(--faint); margin: .3rem 0; max-width: 45rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .5rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { font-weight: 600; color: var(--faint); } .name { text-align: left; } td.name { max-width: 16rem; overflow: hidden;
  text-overflow: ellipsis; } .long { white-space: normal; overflow-wrap: anywhere; text-align: left; }
small { color: var(--faint); } svg { display: block; width: 100%; min-width: 7rem; overflow: visible; }
.picture { width: 34%; } .bar { fill: var(--blue); opacity: .75; } line { stroke: var(--ink); stroke-width: 1.5; }
.value { stroke: var(--blue); stroke-width: 3; } .mark { stroke: var(--faint); stroke-dasharray: 3 3; stroke-width: 1; }
@media (max-width: 40rem) { .extra { display: none; } th, td { padding: .25rem .35rem; font-size: .9rem; } }
"""


def write_reports(folder: str | PathLike[str], *, csv: bool = False, json: bool = False) -> list[Path]:
    """Write the page, and the tables that are asked for, into the tournament's folder; returns their paths."""
    store = Store.open(folder)
    try:
        standings = compute_standings(store)
        written = [write_page(Path(folder), standings, store.entrants)]
    finally:
        store.close()
    texts = {TABLE: standings.to_csv()} if csv else {}
    texts |= {EVERYTHING: standings.to_json()} if json else {}
    return written + [_write(Path(folder) / name, text) for name, text in texts.items()]


def write_page(folder: Path, standings: Standings, entrants: Sequence[Entrant]) -> Path:
    """Write the page alone; returns its path."""
    sources = [(one.name, one.source, one.content_hash) for one in entrants]
    return _write(folder / PAGE, make_page(standings, sources))


def _write(path: Path, text: str) -> Path:
    try:
        return write_whole(path, text.encode())
    except OSError as error:
        raise TournamentError(f"cannot write {path}: {error.strerror}; the games themselves are safe") from None


def make_page(standings: Standings, sources: Sequence[tuple[str, str, str]]) -> str:
    """The whole page."""
    games = f"{standings.games_played:,} games"
    if standings.games_played < standings.games_in_all:
        games = f"{standings.games_played:,} of {standings.games_in_all:,} games so far"
    title = f"{standings.title}: {len(standings.names)} agents, {standings.players} players, {games}"
    sections = (_standings, _head_to_head, _points, _seats, _sources, _line_ups)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>"
        + "".join(section(standings) for section in sections)
        + _settings(standings, sources)
        + "</body></html>\n"
    )


def _section(title: str, text: str, header: Sequence[str], rows: Iterable[Sequence[str]], kinds: str) -> str:
    """A heading, a sentence and a table. Cells are HTML; `kinds` has a letter per column: n name, p picture, e extra
    that a phone leaves out, l long text, . number.
    """
    classes = {"n": ' class="name"', "p": ' class="picture"', "e": ' class="extra"', "l": ' class="long"', ".": ""}
    marks = [classes[kind] for kind in kinds]
    head = "".join(f"<th{mark}>{cell}</th>" for mark, cell in zip(marks, header, strict=True))
    body = "".join(
        "<tr>"
        + "".join(
            cell if cell.startswith("<td") else f"<td{mark}>{cell}</td>" for mark, cell in zip(marks, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<h2>{title}</h2><p>{text}</p><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _number(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:,.{digits}f}" if math.isfinite(value) else "–"


def _interval(figure: Figure, digits: int) -> str:
    ends = f"{_number(figure.low, digits)} to {_number(figure.high, digits)}"
    return f"{_number(figure.value, digits)}<br><small>{ends}</small>"


def _standings(standings: Standings) -> str:
    low, high = span([row.rating for row in standings.rows], 0.0)
    rows = []
    for place, row in enumerate(standings.rows, start=1):
        mark = f"<br><small>{escape(row.mark)}</small>" if row.mark else ""
        picture = error_bar(row.rating, low, high, 0.0)
        figures = [_interval(row.rating, 0), picture, _interval(row.win_share, 3), _interval(row.points, 2)]
        rows.append([str(place), escape(row.name) + mark, *figures, _interval(row.rank, 2), f"{row.games:,}"])
    text = (
        f"Ratings are on Elo's scale ({escape(standings.anchor)}): 400 points more are ten times the odds of finishing "
        f"ahead. Small figures are 95 % intervals, from a bootstrap over deals. A fair win share is "
        f"{1 / standings.players:.3f}."
    )
    header = ["", "agent", "rating", "", "win share", "points", "rank", "games"]
    return _section("Standings", text, header, rows, ".n.p.eee")


def _order(standings: Standings) -> list[int]:
    return [row.number for row in standings.rows]


def _head_to_head(standings: Standings) -> str:
    order = _order(standings)
    rows = []
    for one in order:
        cells = [escape(standings.names[one])]
        for other in order:
            share = float(standings.head_to_head[one, other])
            cells.append(f'<td style="{heat(share)}">{_number(share, 3)}</td>' if one != other else "<td></td>")
        rows.append(cells)
    header = ["", *(escape(standings.names[one]) for one in order)]
    text = "How often the agent of the row finishes ahead of the agent of the column; a tie is half."
    return _section("Head to head", text, header, rows, "n" + "." * len(order))


def _points(standings: Standings) -> str:
    all_points = [points for counts in standings.distributions for points in counts] or [0]
    low, high = min(all_points), max(all_points)
    rows = [
        [escape(row.name), histogram(standings.distributions[row.number], low, high), _number(row.points.value, 2)]
        for row in standings.rows
    ]
    text = f"How often each agent had how many points, from {low} on the left to {high} on the right."
    return _section("Points", text, ["agent", "", "mean"], rows, "np.")


def _seats(standings: Standings) -> str:
    fair = 1 / standings.players
    shares = standings.seat_shares.tolist()
    most = max([fair, *(share for share in shares if math.isfinite(share))])
    order = _order(standings)
    header = ["seat", "win share", "", *(escape(standings.names[one]) for one in order)]
    rows = []
    for seat, share in enumerate(shares):
        own = [_number(float(standings.seat_shares_by_agent[one, seat]), 3) for one in order]
        rows.append([str(seat), _number(share, 3), share_bar(share, most, fair), *own])
    text = "Win share by seat: of all agents, and of each. Every deal is played on every seat, so that none profits."
    return _section("Seat advantage", text, header, rows, "n.p" + "e" * len(order))


def _sources(standings: Standings) -> str:
    order = _order(standings)
    rows = [
        [escape(standings.names[one]), *(_number(float(value), 2) for value in standings.sources[one])] for one in order
    ]
    header = ["agent", *map(escape, standings.source_names)]
    return _section("Points by source", "The mean score sheet of a game.", header, rows, "n" + "." * len(header[1:]))


def _line_ups(standings: Standings) -> str:
    rows = []
    for line_up in standings.line_ups[:MOST_LINE_UPS]:
        who = dict(zip(line_up["agents"], line_up["win_shares"], strict=True))
        names = [
            f"{escape(name)}{f' × {seats}' if (seats := line_up['agents'].count(name)) > 1 else ''} "
            f"<small>{_number(share, 3)}</small>"
            for name, share in who.items()
        ]
        rows.append([", ".join(names), f"{line_up['games']:,}"])
    text = f"The {len(standings.line_ups)} line-ups that have played, with the win share per seat of each agent."
    if len(standings.line_ups) > MOST_LINE_UPS:
        text += f" Here are the first {MOST_LINE_UPS}; card-envs report --json has all."
    return _section("Line-ups", text, ["agents", "games"], rows, "l.")


def _settings(standings: Standings, sources: Sequence[tuple[str, str, str]]) -> str:
    agents = _section(
        "Agents",
        "What each agent is: where it came from, and the hash of its content.",
        ["agent", "from", "content"],
        [[escape(name), escape(source), f"<code>{content[:16]}</code>"] for name, source, content in sources],
        "nl.",
    )
    rows = [[escape(name), escape(value)] for name, value in standings.settings.items()]
    return agents + _section("Settings", "All games follow from these and the agents.", ["", ""], rows, "nl")
