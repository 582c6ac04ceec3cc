"""What a page shows of a tournament's standings, as plain numbers; None for what is not known."""

from __future__ import annotations

from typing import Any

from card_envs.arena.charts import bars_of
from card_envs.arena.standings import Standings
from card_envs.web.analysed import known
from card_envs.web.folders import shown

MOST_COMPARED, MOST_LINE_UPS = 60, 300  # agents in the table of everyone against everyone; line-ups


def plain_standings(standings: Standings) -> dict[str, Any]:
    """All of it, the best agent first."""
    rows = [
        {
            "name": shown(row.name),
            "mark": row.mark,
            "games": row.games,
            **{
                figure: [known(number) for number in getattr(row, figure)]
                for figure in ("rating", "win_share", "points", "rank")
            },
        }
        for row in standings.rows
    ]
    order = [row.number for row in standings.rows]
    compared = order[:MOST_COMPARED]
    all_points = [points for counts in standings.distributions for points in counts] or [0]
    low, high = min(all_points), max(all_points)
    histograms = [bars_of(standings.distributions[number], low, high) for number in order]
    wide = histograms[0][1] if histograms else 1
    return {
        "title": standings.title,
        "players": standings.players,
        "games": standings.games_played,
        "games_in_all": standings.games_in_all,
        "rows": rows,
        "forfeits": [shown(sentence) for sentence in standings.told_forfeits()],
        "head_to_head": [[known(float(standings.head_to_head[one, other])) for other in compared] for one in compared],
        "histograms": {"low": low, "wide": wide, "bars": [one[0] for one in histograms]},
        "line_ups": [
            {
                "agents": [shown(name) for name in line_up["agents"]],
                "games": line_up["games"],
                "win_shares": [known(share) for share in line_up["win_shares"]],
            }
            for line_up in sorted(standings.line_ups, key=lambda one: -one["games"])[:MOST_LINE_UPS]
        ],
        "line_ups_in_all": len(standings.line_ups),
    }
