"""# King Lui

A breakfast at the king's for 3 to 5 guests, by Alan R. Moon and Aaron Weissblum. Eat much of what the king eats much
of, but never more of a dish than he does.

![A game of King Lui between bots](../pictures/king_lui.svg)

`card-envs picture king_lui --moves 30` drew it.

## The game

There are seven dishes with 15 portions each, and five cards with Emerald, the king's small dragon: 110 cards.

A game is a row of **courses**. In each course

1. the **chef** lays out two cards per player, face up: portions sorted by dish, Emeralds beside them;
2. every player, from the chef on clockwise, acts once:
    - **take** all portions of one dish from the table, or
    - **draw** a card from the supply. A portion goes into the hand unseen. An Emerald is shown, and its finder feeds
      it at once or places it on the table, or
    - **feed** an Emerald that lies on the table: it and any two of the king's portions leave the game;
3. the king gets every dish that is left. Emeralds stay on the table.

Then the next player clockwise is chef. When too few cards are left to lay out a course, the game is over.

**Scoring.** Whoever has more portions of a dish than the king discards all of them. Every other portion is worth as
many points as the king has portions of that dish. Three portions of cheese, with four at the king's, make 12 points.
Most points win; between equals the one who discarded fewer cards.

## Using it

```python
from card_envs import king_lui_v0

env = king_lui_v0.env(players=4, reward="outcome", render_mode="ansi")
```

| option | values | meaning |
|---|---|---|
| `players` | 3, 4 (default), 5 | how many play |
| `reward` | `"outcome"` (default), `"margin"` | zero-sum share of the win; or points above the others' mean, over 20 |
| `illegal_action` | `"raise"` (default), `"lose"` | an illegal action is refused, or loses the game at once |
| `max_cycles` | `None` (default), a number | truncate before anyone decides more often |
| `action_mask` | `"observation"` (default), `"info"` | the mask beside the observation, or in `infos` |
| `render_mode` | `None` (default), `"ansi"`, `"rgb_array"`, `"human"` | text, pixels, or a window |
| `language` | `"en"` (default), `"de"`, `"fr"`, `"it"` | of text and pictures |

An illegal action is refused, or, with `illegal_action="lose"`, never better than the worst legal result:
the offender then gets -1, or with `"margin"` a margin that no game can fall below: -9.8, -6.5 or -4.9 with 3, 4 or 5
players; the others share the opposite.

The id is `card_envs/KingLui-v0`. Agents are `player_0`, `player_1`, ... clockwise. Rewards come at the end. The last
`info` of each player holds `points`, `rank`, `points_per_dish` and `discarded`.

## Actions

<!-- actions: king_lui -->

Feeding needs two portions at the king's; both may be of one dish. `place emerald` is legal only right after drawing
one.
`pass` is legal only when nothing else is.

`wait` is the one action more of `parallel_env`, for libraries that take nothing else: all act in every step there, and
all but one can only wait.

## Observation

One flat array of `float32` from 0 to 1. Seats are counted from the observer on, clockwise; at a table of three or
four the places of absent seats are zeros, so that one network plays at every table. `env.unwrapped.layout["king"]` is
a slice.

<!-- observation: king_lui -->

The only secret is what the others drew unseen. Everything that was ever face up is remembered.

## The bot

The hand-written player (`card_envs/games/king_lui/bot.py`) judges every dish by what it will be worth at the end:

- **What will the king have?** It counts the portions that have not been seen yet and the courses to come, and guesses
  how many more of each dish the king will get. Its own portions count times that, weighed with the chance that the
  king will have enough of them. So it eats along with the king and goes ahead of him while there is time for him to
  catch up; in the last course it counts on nothing that is not on the table.
- **What is good for the others?** Every action is judged by how far it puts its own points above the mean of the
  others', by what they took openly. What it leaves may reach the king: it likes to leave him dishes that it holds
  itself, and to take away those that the others hold. The fewer players come after it, the surer a dish is to reach
  him.
- **Draw when the table has nothing better:** a card from the supply is worth the mean of all unseen portions, and a
  little more while there are courses to come, since one portion too many is not lost yet.
- **Feed Emerald the dishes that the others live on,** best those of which they have as many as the king. As this costs
  the turn, it must be clearly better than eating. An Emerald that it has drawn itself costs nothing more: it feeds it
  whenever that hurts the others more than itself, and else places it.

It does not guess what the others drew unseen, does not foresee what each will take, and never draws lots: in the same
position it always plays the same.

## Rulings

Where the published rules leave something open, this is how we play, and why.

- **The first chef is drawn by lot** from the seed. The players may choose in any way, and this one favours nobody.
- **A drawn Emerald that cannot be fed is placed without asking.** With fewer than two portions at the king's there is
  nothing to decide.
- **Without a dish on the table a player must draw**, even beside an Emerald that could be fed: the rules say "must".
- **An empty supply in mid-course.** Drawing is impossible then. With no dish left either, feeding is allowed if it is
  possible; passing only if nothing else is. Somebody finds the supply empty in 16.2 % of the bots' games with three
  players, 9.4 % with four and 16.8 % with five (`python examples/empty_supply.py --games 20000`).
- **The game ends when a course cannot be laid out in full**, Emeralds in the supply counting as cards. What is left
  of the supply is out of the game.
- **A tie that discards do not break is shared.** The winners share the win.

## The champion

What it wins from bots, and what a response that knows it wins from copies of it (256 playouts per decision): see
[Champions](../training.md#champions) for the commands and for what that means.

| players | fair share | against bots | a response wins |
| --- | --- | --- | --- |
| 3 | 0.333 | 0.551 ± 0.007 | 0.405 (0.357 to 0.458) |
| 4 | 0.250 | 0.429 ± 0.007 | 0.324 (0.282 to 0.368) |
| 5 | 0.200 | 0.360 ± 0.007 | 0.237 (0.203 to 0.278) |

## Version history

- v0: first version. Nothing is released yet, and v0 has changed in place: with `reward="margin"` an illegal action
  costs the worst margin; `standing` and `with_table` were added to the observation, so that networks need not multiply.
"""

from __future__ import annotations

from typing import Never

from card_envs.core.options import IllegalAction, Language, MaskPlace, RenderMode, Reward
from card_envs.envs.aec import CardGameEnv
from card_envs.envs.parallel import ParallelGameEnv
from card_envs.games import get_game


def env(
    *,
    players: int = 4,
    reward: Reward = "outcome",
    illegal_action: IllegalAction = "raise",
    max_cycles: int | None = None,
    action_mask: MaskPlace = "observation",
    render_mode: RenderMode | None = None,
    language: Language = "en",
    **unknown: Never,
) -> CardGameEnv:
    """A game of King Lui as a PettingZoo AEC environment. It checks all calls itself, so `raw_env` is the same."""
    return CardGameEnv(
        get_game("king_lui", 0),
        players=players,
        reward=reward,
        illegal_action=illegal_action,
        max_cycles=max_cycles,
        action_mask=action_mask,
        render_mode=render_mode,
        language=language,
        **unknown,
    )


def parallel_env(
    *,
    players: int = 4,
    reward: Reward = "outcome",
    illegal_action: IllegalAction = "raise",
    max_cycles: int | None = None,
    action_mask: MaskPlace = "observation",
    render_mode: RenderMode | None = None,
    language: Language = "en",
    **unknown: Never,
) -> ParallelGameEnv:
    """A game of King Lui as a PettingZoo Parallel environment, in which all but one wait."""
    return ParallelGameEnv(
        get_game("king_lui", 0),
        players=players,
        reward=reward,
        illegal_action=illegal_action,
        max_cycles=max_cycles,
        action_mask=action_mask,
        render_mode=render_mode,
        language=language,
        **unknown,
    )


raw_env = env
