"""King Lui, for 3 to 5 players."""

from __future__ import annotations

from card_envs.core.game import Game
from card_envs.games.king_lui import bot as bot
from card_envs.games.king_lui import rules as rules
from card_envs.games.king_lui.drawing import to_svg
from card_envs.games.king_lui.observation import LAYOUT, relabel
from card_envs.games.king_lui.render import to_text
from card_envs.games.king_lui.state import ACTIONS, DISHES, FEWEST_PLAYERS, MOST_PLAYERS, STATE, Options
from card_envs.games.king_lui.view import all_cards, breakdown, view

GAME = Game(
    name="king_lui",
    title="King Lui",
    version=0,
    package=__name__,
    players=tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1)),
    simultaneous=False,
    state=STATE,
    options=Options,
    actions=ACTIONS,
    layout=LAYOUT,
    score_columns=(*DISHES, "discarded"),
    tiebreak_column=len(DISHES),
    margin_scale=20.0,
    view=view,
    all_cards=all_cards,
    breakdown=breakdown,
    to_text=to_text,
    to_svg=to_svg,
    alike=len(DISHES),
    relabel=relabel,
)
