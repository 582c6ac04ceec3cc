"""The questions that the engine asks of a game. Each game's rules.py and observation.py answer them.

`state` is one record. Every state has, whatever the game, the fields of `core.game.COMMON_FIELDS`: `stream` (chance),
`players`, and `seat`, the seat to act, which is -1 once the game is over.
`own` of the hand-written player is a blank record of the same type, with a stream for drawing lots: Numba finds the
player by its type, and it knows nothing of the game that is played.
"""

from __future__ import annotations

from card_envs.core.compile import Role

DEAL = Role("deal", "state", "Start a game. Options, players and stream are set, everything else is zero.")
LEGAL = Role("legal", "state, seat, mask", "Mark with 1 what the seat may do now. The mask comes filled with zeros.")
APPLY = Role("apply", "state, action", "Play a legal action of the seat to act, and all that follows by itself.")
OBSERVE = Role("observe", "state, seat, out", "Write what the seat knows, in [0, 1], into every entry of `out`.")
SCORE = Role("score", "state, points, sheet", "Write each player's points and score sheet row. Both come as zeros.")
REDRAW = Role(
    "redraw_hidden", "state, seat", "Draw anew everything that the seat cannot know, true to what it does know."
)
CHOOSE = Role("choose", "own, observation, mask", "The game's hand-written player: a legal action from these alone.")

ROLES = (DEAL, LEGAL, APPLY, OBSERVE, SCORE, REDRAW, CHOOSE)

deal = DEAL.stub
legal = LEGAL.stub
apply = APPLY.stub
observe = OBSERVE.stub
score = SCORE.stub
redraw_hidden = REDRAW.stub
choose = CHOOSE.stub
