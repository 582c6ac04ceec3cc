"""Zum Kuhkuck, for 2 players."""

from __future__ import annotations

from pathlib import Path

from card_envs.core.game import Game, Symmetry, Words
from card_envs.core.rules import Rules
from card_envs.games.zum_kuhkuck.bot import choose
from card_envs.games.zum_kuhkuck.bounds import possible, worst_margin
from card_envs.games.zum_kuhkuck.drawing import to_svg
from card_envs.games.zum_kuhkuck.how_to_play import RULES
from card_envs.games.zum_kuhkuck.observation import LAYOUT, observe, relabel
from card_envs.games.zum_kuhkuck.render import to_text
from card_envs.games.zum_kuhkuck.rules import apply, deal, legal, redraw_hidden, score
from card_envs.games.zum_kuhkuck.state import ACTIONS, PLAYERS, SCORE_COLUMNS, STATE, TYPES, Options
from card_envs.games.zum_kuhkuck.view import all_cards, breakdown, public_view, view
from card_envs.games.zum_kuhkuck.words import GUIDE, LABELS, notes, say, tell

GAME = Game(
    name="zum_kuhkuck",
    title="Zum Kuhkuck",
    version=0,
    home=__name__,
    players=(PLAYERS,),
    record=STATE,
    options=Options,
    actions=ACTIONS,
    rules=Rules(deal, legal, apply, score, redraw_hidden),
    layout=LAYOUT,
    observe=observe,
    view=view,
    public_view=public_view,
    score_columns=SCORE_COLUMNS,
    margin_scale=26.0,
    worst_margin=worst_margin,
    breakdown=breakdown,
    bot=choose,
    champion=Path(__file__).with_name("champion.safetensors"),
    symmetry=Symmetry(len(TYPES), relabel),
    to_text=to_text,
    words=Words(say, tell, LABELS, RULES, GUIDE, notes),
    drawing=to_svg,
    all_cards=all_cards,
    possible=possible,
    variants=({"score_table": (0, *range(0, 28, 2), 200)},),
)
