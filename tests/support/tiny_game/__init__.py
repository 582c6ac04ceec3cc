"""Keep or give: a tiny game with a known answer, registered from outside the package.

Players act in turn, twice each. Only the second choice counts: whoever keeps then has one point, the others none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from card_envs.core.compile import compiled
from card_envs.core.game import Game
from card_envs.core.layout import Field, Layout
from card_envs.core.options import whole_number
from card_envs.core.rules import Rules, state_dtype
from card_envs.drawing.canvas import Canvas
from card_envs.drawing.look import Look

KEEP, GIVE = 0, 1
MOST_PLAYERS = 4
STATE = state_dtype(("tiny_turn", "u1"), ("kept", "u1", MOST_PLAYERS))
LAYOUT = Layout(
    Field("seat", (MOST_PLAYERS,), 1, "1 for the own seat"),
    Field("second", (1,), 1, "1 in the second round"),
)


@dataclass(frozen=True)
class Options:
    players: int = 2

    def __post_init__(self) -> None:
        whole_number(self.players, "players of Keep or give", 2, MOST_PLAYERS)

    def fill(self, state: Any) -> None:
        pass


@compiled
def deal(state: Any) -> None:
    state.seat = 0


@compiled
def legal(state: Any, seat: Any, mask: Any) -> None:
    mask[KEEP] = 1
    mask[GIVE] = 1


@compiled
def apply(state: Any, action: Any) -> None:
    state.kept[state.seat] = action == KEEP
    state.tiny_turn += 1
    state.seat = int(state.tiny_turn) % int(state.players) if state.tiny_turn < 2 * int(state.players) else -1


@compiled
def observe(state: Any, seat: Any, out: Any) -> None:
    out[:] = 0.0
    out[seat] = 1.0
    out[MOST_PLAYERS] = state.tiny_turn >= state.players


@compiled
def score(state: Any, points: Any, sheet: Any) -> None:
    for player in range(points.size):
        points[player] = state.kept[player]
        sheet[player, 0] = state.kept[player]


@compiled
def redraw_hidden(state: Any, seat: Any) -> None:
    """Nothing is hidden."""


@compiled
def choose(lots: Any, observation: Any, mask: Any) -> Any:
    return KEEP


def view(state: Any, seat: int | None) -> dict[str, Any]:
    return {"turn": int(state["tiny_turn"]), "to_act": int(state["seat"]) if state["seat"] >= 0 else None}


def to_svg(view: dict[str, Any], look: Look) -> str:
    canvas = Canvas(look, 200)
    for action, x in ((KEEP, 10), (GIVE, 105)):
        with canvas.playable([action], x, 40, 85, 50):
            canvas.panel(x, 40, 85, 50)
    canvas.text(10, 25, str(view["turn"]))
    return canvas.svg(100, "Keep or give")


GAME = Game(
    name="tiny_game",
    title="Keep or give",
    version=0,
    home=__name__,
    players=(2, 3, 4),
    record=STATE,
    options=Options,
    actions=("keep", "give"),
    rules=Rules(deal, legal, apply, score, redraw_hidden),
    layout=LAYOUT,
    observe=observe,
    bot=choose,
    score_columns=("kept",),
    worst_margin=lambda options: -1.0,
    view=view,
    drawing=to_svg,
)
