"""Ku-Ka-King, for 2 to 4 players."""

from __future__ import annotations

from pathlib import Path

from card_envs.core.game import Game, Symmetry, Words
from card_envs.core.rules import Rules
from card_envs.games.ku_ka_king.bot import choose
from card_envs.games.ku_ka_king.bounds import possible, worst_margin
from card_envs.games.ku_ka_king.drawing import between, to_svg
from card_envs.games.ku_ka_king.how_to_play import RULES
from card_envs.games.ku_ka_king.observation import LAYOUT, observe, relabel
from card_envs.games.ku_ka_king.render import to_text
from card_envs.games.ku_ka_king.rules import apply, deal, legal, redraw_hidden, score, take_back
from card_envs.games.ku_ka_king.state import (
    ACTIONS,
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    MOST_ROWS,
    SCORE_COLUMNS,
    STATE,
    WAIT,
    Options,
)
from card_envs.games.ku_ka_king.view import all_cards, breakdown, public_view, table_view, view
from card_envs.games.ku_ka_king.words import GUIDE, LABELS, notes, say, tell

GAME = Game(
    name="ku_ka_king",
    title="Ku-Ka-King",
    version=0,
    home=__name__,
    players=tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1)),
    record=STATE,
    options=Options,
    actions=ACTIONS,
    wait=WAIT,
    rules=Rules(deal, legal, apply, score, redraw_hidden, take_back),
    layout=LAYOUT,
    observe=observe,
    view=view,
    public_view=public_view,
    table_view=table_view,
    score_columns=SCORE_COLUMNS,
    margin_scale=12.0,
    worst_margin=worst_margin,
    breakdown=breakdown,
    bot=choose,
    champion=Path(__file__).with_name("champion.safetensors"),
    symmetry=Symmetry(MOST_ROWS, relabel),
    to_text=to_text,
    words=Words(say, tell, LABELS, RULES, GUIDE, notes),
    drawing=to_svg,
    between=between,
    all_cards=all_cards,
    possible=possible,
    variants=({"players": 3, "deck": {"knight": 40, "church": 32, "sheep": 40}},),
)
