"""King Lui, for 3 to 5 players."""

from __future__ import annotations

from pathlib import Path

from card_envs.core.game import Game, Symmetry, Words
from card_envs.core.rules import Rules
from card_envs.games.king_lui.bot import choose
from card_envs.games.king_lui.bounds import possible, worst_margin
from card_envs.games.king_lui.drawing import to_svg
from card_envs.games.king_lui.how_to_play import RULES
from card_envs.games.king_lui.observation import LAYOUT, observe, relabel
from card_envs.games.king_lui.render import to_text
from card_envs.games.king_lui.rules import apply, deal, legal, redraw_hidden, score
from card_envs.games.king_lui.state import ACTIONS, DISHES, FEWEST_PLAYERS, MOST_PLAYERS, SCORE_COLUMNS, STATE, Options
from card_envs.games.king_lui.view import all_cards, breakdown, public_view, view
from card_envs.games.king_lui.words import GUIDE, LABELS, notes, say, tell

GAME = Game(
    name="king_lui",
    title="King Lui",
    version=0,
    home=__name__,
    players=tuple(range(FEWEST_PLAYERS, MOST_PLAYERS + 1)),
    record=STATE,
    options=Options,
    actions=ACTIONS,
    rules=Rules(deal, legal, apply, score, redraw_hidden),
    layout=LAYOUT,
    observe=observe,
    view=view,
    public_view=public_view,
    score_columns=SCORE_COLUMNS,
    tiebreak_column=len(DISHES),
    margin_scale=20.0,
    worst_margin=worst_margin,
    breakdown=breakdown,
    bot=choose,
    champion=Path(__file__).with_name("champion.safetensors"),
    symmetry=Symmetry(len(DISHES), relabel),
    to_text=to_text,
    words=Words(say, tell, LABELS, RULES, GUIDE, notes),
    drawing=to_svg,
    all_cards=all_cards,
    possible=possible,
)
