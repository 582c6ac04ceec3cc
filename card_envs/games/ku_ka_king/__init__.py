"""Ku-Ka-King, for 2 to 4 players."""

from __future__ import annotations

from card_envs.core.game import Game
from card_envs.games.ku_ka_king import bot as bot
from card_envs.games.ku_ka_king import rules as rules
from card_envs.games.ku_ka_king.drawing import to_svg
from card_envs.games.ku_ka_king.observation import LAYOUT, relabel
from card_envs.games.ku_ka_king.render import to_text
from card_envs.games.ku_ka_king.state import (
    ACTIONS,
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    MOST_ROWS,
    SCORE_COLUMNS,
    STATE,
    Options,
)
from card_envs.games.ku_ka_king.view import all_cards, breakdown, view

GAME = Game(
    name="ku_ka_king",
    title="Ku-Ka-King",
    version=0,
    package=__name__,
    players=tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1)),
    simultaneous=True,
    state=STATE,
    options=Options,
    actions=ACTIONS,
    layout=LAYOUT,
    score_columns=SCORE_COLUMNS,
    tiebreak_column=-1,
    margin_scale=12.0,
    view=view,
    all_cards=all_cards,
    breakdown=breakdown,
    to_text=to_text,
    to_svg=to_svg,
    alike=MOST_ROWS,
    relabel=relabel,
    variants=({"players": 3, "deck": {"knight": 40, "church": 32, "sheep": 40}},),
)
