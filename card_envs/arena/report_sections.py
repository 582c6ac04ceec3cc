"""The sections of a report: each a heading, a sentence and a table that can be sorted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

from card_envs.arena.charts import error_bar, heat, histogram, share_bar, span, step_chart
from card_envs.arena.entrants import Entrant
from card_envs.arena.exploits import Exploit
from card_envs.arena.standings import Figure, Standings
from card_envs.arena.titles import training_step

MOST_LINE_UPS = 500
FEWEST_STEPS = 3  # of one run that make a curve
_CLASSES = {"n": ' class="name"', "p": ' class="picture"', "e": ' class="extra"', "l": ' class="long"', ".": ""}


def _section(
    title: str,
    text: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    kinds: str,
    *,
    sorts: bool = True,
    row_marks: Sequence[str] = (),
) -> str:
    """A heading, a sentence and a table. Cells are HTML; `kinds` has a letter per column: n name, p picture, e extra
    that a phone leaves out, l long text, . number.
    """
    marks = [_CLASSES[kind] for kind in kinds]
    head = "".join(
        f"<th{_with_class(mark, 'sorts') if sorts else mark}>{cell}</th>" if cell else f"<td{mark}></td>"
        for mark, cell in zip(marks, header, strict=True)
    )
    body = "".join(
        f"<tr{row_marks[number] if row_marks else ''}>"
        + "".join(
            cell if cell.startswith("<td") else f"<td{mark}>{cell}</td>" for mark, cell in zip(marks, row, strict=True)
        )
        + "</tr>"
        for number, row in enumerate(rows)
    )
    heading = f"<h2>{title}</h2>" if title else ""
    return (
        f'{heading}<p>{text}</p><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _with_class(mark: str, name: str) -> str:
    return f'{mark[:-1]} {name}"' if mark else f' class="{name}"'


def _number(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:,.{digits}f}" if math.isfinite(value) else "–"


def _sorted_by(value: float, content: str, kind: str = ".") -> str:
    number = f"{value:.6g}" if math.isfinite(value) else "-1e99"
    return f'<td{_CLASSES[kind]} data-v="{number}">{content}</td>'


def _interval(figure: Figure, digits: int, kind: str = ".") -> str:
    ends = f"{_number(figure.low, digits)} to {_number(figure.high, digits)}"
    return _sorted_by(figure.value, f"{_number(figure.value, digits)}<br><small>{ends}</small>", kind)


def _standings(standings: Standings) -> str:
    low, high = span([row.rating for row in standings.rows])
    rows = []
    for place, row in enumerate(standings.rows, start=1):
        mark = f"<br><small>{escape(row.mark)}</small>" if row.mark else ""
        picture = error_bar(row.rating, low, high, 0.0)
        figures = [_interval(row.rating, 0), picture, _interval(row.win_share, 3), _interval(row.points, 2, "e")]
        games = _sorted_by(row.games, f"{row.games:,}", "e")
        rows.append(
            [_sorted_by(place, str(place)), escape(row.name) + mark, *figures, _interval(row.rank, 2, "e"), games]
        )
    away = [escape(row.name) for row in standings.rows if math.isfinite(row.rating.value) and row.rating.value < low]
    text = (
        f"Ratings are on Elo's scale ({escape(standings.anchor)}): 400 points more are ten times the odds of finishing "
        f"ahead. Small figures are 95 % intervals, from a bootstrap over deals. A fair win share is "
        f"{1 / standings.players:.3f}."
    )
    if away:
        text += f" The axis goes from {low:.0f} to {high:.0f}; an arrow stands for who is far below: {', '.join(away)}."
    header = ["place", "agent", "rating", "", "win share", "points", "rank", "games"]
    return _section("Standings", text, header, rows, ".n.p.eee")


def _challenge(standings: Standings) -> str:
    told = "".join(f"<li>{escape(sentence)}</li>" for sentence in standings.told_challenge())
    return (
        f"<h2>Responses</h2><p>One of them on one seat, copies of {escape(standings.names[0])} on all others: how "
        f"exploitable it is, at least.</p><ul>{told}</ul>"
        if told
        else ""
    )


def _forfeits(standings: Standings) -> str:
    told = "".join(f"<li>{escape(sentence)}</li>" for sentence in standings.told_forfeits())
    return (
        f"<h2>Forfeits</h2><p>Games that nobody scored in; the others share the win.</p><ul>{told}</ul>" if told else ""
    )


def _order(standings: Standings) -> list[int]:
    return [row.number for row in standings.rows]


def _head_to_head(standings: Standings) -> str:
    """Names turned above narrow columns, and a row's name that stays where it is: readable with many agents, too."""
    order = _order(standings)
    head = "".join(
        f'<th class="turned" scope="col"><span title="{escape(standings.names[one])}">{escape(standings.names[one])}'
        "</span></th>"
        for one in order
    )
    rows = []
    for one in order:
        cells = [f'<td class="name" title="{escape(standings.names[one])}">{escape(standings.names[one])}</td>']
        for other in order:
            share = float(standings.head_to_head[one, other])
            button = f'<button type="button" data-a="{one}" data-b="{other}">{_number(share, 3)}</button>'
            cells.append(f'<td style="{heat(share)}">{button}</td>' if one != other else "<td></td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return (
        "<h2>Head to head</h2><p>How often the agent of the row finishes ahead of the agent of the column; a tie is "
        "half. A click on a cell tells the command that lists such games.</p>"
        f'<div class="wide" tabindex="0"><table class="many"><thead><tr><td class="name"></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _points(standings: Standings) -> str:
    all_points = [points for counts in standings.distributions for points in counts] or [0]
    low, high = min(all_points), max(all_points)
    rows = [
        [
            escape(row.name),
            histogram(standings.distributions[row.number], low, high),
            _sorted_by(row.points.value, _number(row.points.value, 2)),
        ]
        for row in standings.rows
    ]
    text = (
        f"How often each agent had how many points, from {low} on the left to {high} on the right. A click on a bar "
        f"tells the command that lists its games."
    )
    marks = [f' data-agent="{row.number}"' for row in standings.rows]
    return _section("Points", text, ["agent", "", "mean"], rows, "np.", row_marks=marks)


def _seats(standings: Standings) -> str:
    fair = 1 / standings.players
    shares = standings.seat_shares.tolist()
    most = max([fair, *(share for share in shares if math.isfinite(share))])
    rows = [
        [str(seat), _sorted_by(share, _number(share, 3)), share_bar(share, most, fair)]
        for seat, share in enumerate(shares)
    ]
    header = ["agent", *(f"seat {seat}" for seat in range(standings.players))]
    own = [
        [
            escape(standings.names[one]),
            *(_sorted_by(float(share), _number(float(share), 3)) for share in standings.seat_shares_by_agent[one]),
        ]
        for one in _order(standings)
    ]
    text = "Win share by seat: of all agents, and of each. Every deal is played on every seat, so that none profits."
    return _section("Seat advantage", text, ["seat", "win share", ""], rows, "n.p", sorts=False) + _section(
        "", "", header, own, "n" + "." * standings.players
    )


def _sources(standings: Standings) -> str:
    rows = [
        [
            escape(standings.names[one]),
            *(_sorted_by(float(value), _number(float(value), 2)) for value in standings.sources[one]),
        ]
        for one in _order(standings)
    ]
    header = ["agent", *map(escape, standings.source_names)]
    return _section("Points by source", "The mean score sheet of a game.", header, rows, "n" + "." * len(header[1:]))


def _line_ups(standings: Standings) -> str:
    """Folded; those of the best agents first."""
    numbers = {name: number for number, name in enumerate(standings.names)}
    places = {row.name: place for place, row in enumerate(standings.rows)}
    ordered = sorted(standings.line_ups, key=lambda one: sorted(places[name] for name in one["agents"]))
    rows = []
    for line_up in ordered[:MOST_LINE_UPS]:
        who = dict(zip(line_up["agents"], line_up["win_shares"], strict=True))
        names = [
            f"{escape(name)}{f' × {seats}' if (seats := line_up['agents'].count(name)) > 1 else ''} "
            f"<small>{_number(share, 3)}</small>"
            for name, share in sorted(who.items(), key=lambda one: places[one[0]])
        ]
        line = " ".join(str(numbers[name]) for name in line_up["agents"])
        best = max(who.values(), key=lambda share: share if math.isfinite(share) else -1.0)
        rows.append(
            [
                f'<td class="long"><button type="button" data-line="{line}">{", ".join(names)}</button></td>',
                _sorted_by(best, _number(best, 3)),
                _sorted_by(line_up["games"], f"{line_up['games']:,}"),
            ]
        )
    text = "Who sat down together, with the win share per seat of each agent. A click tells the command for its games."
    if len(standings.line_ups) > MOST_LINE_UPS:
        text += f" Here are the first {MOST_LINE_UPS}; card-envs report --json has all."
    table = _section("", text, ["agents", "highest share", "games"], rows, "l..")
    return f"<h2>Line-ups</h2><details><summary>{len(standings.line_ups)} line-ups</summary>{table}</details>"


def steps_section(standings: Standings, entrants: Sequence[Entrant]) -> str:
    """Rating by training step, for each run of which several steps take part."""
    runs: dict[str, list[tuple[int, Figure]]] = {}
    for entrant in entrants:
        if found := training_step(entrant.name, entrant.source):
            runs.setdefault(found[0], []).append((found[1], standings[entrant.name].rating))
    charts = [
        f"<h3>{escape(run)}</h3>{step_chart(points, escape(f'ratings of {run} by step'))}"
        for run, points in sorted(runs.items())
        if len({step for step, _ in points}) >= FEWEST_STEPS
    ]
    text = "<p>Ratings of the players of a run by the decisions that they had learned from, with 95 % intervals.</p>"
    return f"<h2>Rating by training step</h2>{text}{''.join(charts)}" if charts else ""


def exploits_section(standings: Standings, exploits: Sequence[Exploit]) -> str:
    """What responses that know an agent win from it, where that was measured for this game and table."""
    known = {one.content_hash: one for one in exploits if (one.game, one.players) == _kind(standings)}
    rows = [
        [
            escape(row.name),
            _interval(found.win_share, 3),
            _sorted_by(found.win_share.value - found.fair_share, f"{found.win_share.value - found.fair_share:+.3f}"),
            escape(found.method),
            escape(found.budget),
        ]
        for row in standings.rows
        if (found := known.get(row.content_hash))
    ]
    text = (
        f"What the best response that card-envs exploit has found wins from copies of the agent; fair is "
        f"{1 / standings.players:.3f}. It is a lower bound: a better response may exist."
    )
    header = ["agent", "win share of the response", "above fair", "found by", "budget"]
    return _section("Exploitability", text, header, rows, "n..nl") if rows else ""


def _kind(standings: Standings) -> tuple[str, int]:
    return standings.game, standings.players


def settings_section(standings: Standings, entrants: Sequence[Entrant]) -> str:
    """Who took part, and all that the games follow from."""
    sources = [(one.name, one.source, one.content_hash) for one in entrants]
    agents = _section(
        "Agents",
        "What each agent is: where it came from, and the hash of its content.",
        ["agent", "from", "content"],
        [[escape(name), escape(source), f"<code>{escape(content[:16])}</code>"] for name, source, content in sources],
        "nl.",
    )
    rows = [[escape(name), escape(value)] for name, value in standings.settings.items()]
    told = [one.name for one in entrants if one.speaks]
    text = "All games follow from these and the agents."
    if told:
        text += (
            f" But whoever is told games in words need not answer alike twice, so that the games of "
            f"{escape(', '.join(told))} cannot be replayed."
        )
    return agents + _section("Settings", text, ["", ""], rows, "nl")


SECTIONS: tuple[Callable[[Standings], str], ...] = (
    _standings, _challenge, _forfeits, _head_to_head, _points, _seats, _sources, _line_ups,
)  # fmt: skip
