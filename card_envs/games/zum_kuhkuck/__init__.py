"""Zum Kuhkuck, for 2 players."""

from __future__ import annotations

from card_envs.core.game import Game
from card_envs.games.zum_kuhkuck import bot as bot
from card_envs.games.zum_kuhkuck import rules as rules
from card_envs.games.zum_kuhkuck.drawing import to_svg
from card_envs.games.zum_kuhkuck.observation import LAYOUT, relabel
from card_envs.games.zum_kuhkuck.render import to_text
from card_envs.games.zum_kuhkuck.state import ACTIONS, PLAYERS, STATE, TYPES, Options
from card_envs.games.zum_kuhkuck.view import all_cards, breakdown, view

GAME = Game(
    name="zum_kuhkuck",
    title="Zum Kuhkuck",
    version=0,
    package=__name__,
    players=(PLAYERS,),
    simultaneous=False,
    state=STATE,
    options=Options,
    actions=ACTIONS,
    layout=LAYOUT,
    score_columns=(*TYPES, *(f"{name} bonus" for name in TYPES)),
    tiebreak_column=-1,
    margin_scale=26.0,
    view=view,
    all_cards=all_cards,
    breakdown=breakdown,
    to_text=to_text,
    to_svg=to_svg,
    alike=len(TYPES),
    relabel=relabel,
    variants=({"score_table": (0, *range(0, 28, 2), 200)},),
)
