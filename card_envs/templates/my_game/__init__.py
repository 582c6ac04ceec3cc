"""My Game, for 2 to 4 players."""

from __future__ import annotations

from card_envs.core.game import Game
from card_envs.core.rules import Rules

from .bot import choose
from .bounds import possible, worst_margin
from .observation import LAYOUT, observe
from .rules import apply, deal, legal, redraw_hidden, score
from .state import ACTIONS, FEWEST_PLAYERS, MOST_PLAYERS, STATE, Options
from .view import all_cards, public_view, view

# All that everything else knows of the game. What else can stand here: docs/add-a-game.md of card_envs.
GAME = Game(
    name="my_game",
    title="My Game",
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
    score_columns=("thrown",),
    tiebreak_column=0,
    margin_scale=10.0,
    worst_margin=worst_margin,
    bot=choose,
    all_cards=all_cards,
    possible=possible,
    variants=({"throws": 0}, {"players": 4, "throws": 7}),
)
