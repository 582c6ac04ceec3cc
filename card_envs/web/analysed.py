"""An analysis as pages get it: the likeliest actions in words, values, costs, and where to look first."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from card_envs.agents.opinions import Opinions
from card_envs.arena.analysis import Analysis
from card_envs.core.game import Game, View
from card_envs.presentation.phrases import say_action
from card_envs.web import lab_schema, schema

MOST_BARS = 6
LEAST_LIKELY = 0.0005  # what is shown; the action that was played is shown however likely it was


def tell_analysis(analysis: Analysis, names: Sequence[str], second: str, language: str) -> lab_schema.AnalysisInfo:
    """All of a finished analysis, in one language. `names` are those who played, `second` is who was asked besides."""
    rows = [_row(analysis, move, names, second, language) for move in range(len(analysis.moves))]
    return lab_schema.AnalysisInfo(
        done=analysis.done,
        of=analysis.of,
        second=second,
        rows=rows,
        curves={
            who: [[list(point) for point in analysis.curve(who, seat)] for seat in range(analysis.players)]
            for who in ("acting", "second")
        },
        widest=analysis.widest(),
        costliest=analysis.costliest(),
    )


def _row(analysis: Analysis, move: int, names: Sequence[str], second: str, language: str) -> lab_schema.AnalysedMove:
    seat, action = analysis.moves[move]
    view = analysis.game.view(analysis.batch.states[move], seat)
    cost = analysis.cost(move)
    by = "" if cost is None else second if cost.who == "second" else names[seat]
    opinions = {
        who: tell_opinion(analysis.game, analysis.opinions[who], move, view, language, played=action)
        for who in ("acting", "second")
    }
    return lab_schema.AnalysedMove(
        move=move,
        seat=seat,
        action=action,
        text=say_action(analysis.game, action, language, view),
        disagreement=analysis.disagreement(move),
        cost=None if cost is None else cost.cost,
        cost_by=by,
        cost_how=None if cost is None else cost.how,
        acting=opinions["acting"],
        second=opinions["second"],
    )


def tell_opinion(
    game: Game,
    opinions: Opinions,
    row: int,
    view: View,
    language: str,
    *,
    played: int | None = None,
    least: float = LEAST_LIKELY,
    most: int = MOST_BARS,
) -> lab_schema.Opinion:
    """What one agent thinks of one position: its likeliest actions first."""
    likely, values = opinions.probabilities[row], opinions.action_values[row]
    shown = [action for action in np.argsort(-likely, kind="stable").tolist() if likely[action] > least][:most]
    best = [int(np.nanargmax(values))] if np.isfinite(values).any() else []
    wanted = best if played is None else [*best, played]
    shown += [action for action in dict.fromkeys(wanted) if action not in shown]
    bars = [
        schema.Bar(
            number=action,
            text=say_action(game, action, language, view),
            probability=float(likely[action]),
            value=known(float(values[action])),
        )
        for action in shown
    ]
    return lab_schema.Opinion(value=known(float(opinions.values[row])), bars=bars)


def known(value: float) -> float | None:
    """A number, or None for what is none."""
    return value if math.isfinite(value) else None
