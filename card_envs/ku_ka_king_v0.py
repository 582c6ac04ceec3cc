"""# Ku-Ka-King

Take what you want, by Reinhard Staupe, for 2 to 4 players: everyone points at a row of cards at the same time, and
whoever is alone there gets it.

![A game of Ku-Ka-King between bots](../pictures/ku_ka_king.svg)

`card-envs picture ku_ka_king --moves 30` drew it.

## The game

There are 112 cards of 17 types. With four players all are used, with three 102, with two 80; the others are put away
unseen in the box. On the table lie eight rows (seven with three players, six with two) of three cards each.

In each **round** every player gets at most one row. All who have none yet **reveal** a row number at the same time:

- whoever is alone on a row takes all its cards, face up;
- a row that several want loses its outermost card to the box, and those players choose again, from whatever rows
  still have cards and were not taken in this round.

Then every row is filled up to three cards from the pile, row 1 first, new cards outside.

**Scoring** happens twice: after the first round in which somebody has 13 or more cards, and at the end. After the
first scoring all cards with a red cross go back to the box, the others stay.

| cards | number | points | after the first scoring |
|---|---|---|---|
| king | 10 | 0, 1, 4, 9, 16, 25, 36 for one to seven; never more | stay |
| knight | 12 | 2 each for whoever has the most, 1 each for the others | stay |
| church | 8 | 10 for whoever has the most | go |
| farmer, farmer's wife, farmhouse | 8 each | a couple 7, with a farmhouse 14 | go |
| victory 2, 3, 4 | 6 each | as written on them | go |
| sheep, horse, pig, cow, goat, goose, chicken, rabbit | 5 each | each kind by itself 1, 3, 6, 10, 15 | stay |

Players who are equal in churches or knights all get the better points. When the pile is empty after filling up, the
last round is played; cards that are missing come from the box, shuffled. Most points of both scorings together win.

## Using it

```python
from card_envs import ku_ka_king_v0

env = ku_ka_king_v0.parallel_env(players=4)  # everyone chooses at the same time
observations, infos = env.reset(seed=7)

env = ku_ka_king_v0.env(players=2)  # AEC: only players who must choose are asked, choices stay hidden until all are in
```

| option | values | meaning |
|---|---|---|
| `players` | 2, 3, 4 (default) | how many play |
| `deck` | a dict of numbers by card type, or 17 numbers | another composition; must add up to 112 |
| `reward` | `"outcome"` (default), `"margin"` | zero-sum share of the win; or points above the others' mean, over 12 |
| `illegal_action` | `"raise"` (default), `"lose"` | an illegal action is refused, or loses the game at once |
| `max_cycles` | `None` (default), a number | truncate before anyone decides more often |
| `action_mask` | `"observation"` (default), `"info"` | the mask beside the observation, or in `infos` |
| `render_mode` | `None` (default), `"ansi"`, `"rgb_array"`, `"human"` | text, pixels, or a window |
| `language` | `"en"` (default), `"de"`, `"fr"`, `"it"` | of text and pictures |

An illegal action is refused, or, with `illegal_action="lose"`, never better than the worst legal result:
the offender then gets -1, or with `"margin"` a margin that no game can fall below: -21, -18.8 or -17.7 with 2, 3 or 4
players and the usual deck; the others share the opposite.

The id is `card_envs/KuKaKing-v0`, for `pettingzoo.make("aec", ...)` and `pettingzoo.make("parallel", ...)`. Agents are
`player_0`, `player_1`, ... The same seed and choices give the same game in both. Rewards come at the end. The last
`info` of each player holds `points`, `rank`, `first_scoring` and `second_scoring`, each with points per category.

## Actions

<!-- actions: ku_ka_king -->

`wait` is for the Parallel environment, where it is the only legal action of a player who has a row already. Nobody
waits in the AEC environment or in a batch: only players who must choose are asked there, lowest seat first.

If several illegal choices come in one step of the Parallel environment with `illegal_action="lose"`, the lowest seat
loses.

## Observation

One flat array of `float32` from 0 to 1. Seats are counted from the observer on, clockwise; absent seats and rows are
zeros, so that one network plays at every table. `env.unwrapped.layout["rows"]` is a slice.

<!-- observation: ku_ka_king -->

The only secrets are the pile, the cards put away, and what the others have chosen until all have chosen.

## The bot

The hand-written player (`games/ku_ka_king/bot.py`) plays by these principles. It sees what any player sees.

- **Every row has its worth, and not only for you.** For each player who still needs a row it reckons how many points
  each row adds to what that player has: the third rabbit, the wife for the farmer, the church that takes the lead.
- **Count on what is still to come.** It expects a fair share of the cards that are left, so a first king early in the
  game is the start of something and a lone farmer in the last round is nothing. With three or four players it expects
  more than its share of kings: who has some goes for the next. With two, the rival will not let that happen.
- **What stays counts twice.** Before the first scoring, kings, knights and animals are worth the points of both.
- **Churches are worth fighting for.** The most churches are ten points for one player and often ten less for another.
- **Think around the table.** It starts from what everybody wants most, looks where that would lead to a clash, and lets
  everybody think again, a few times, each turning only halfway: if all shied away at once, all would meet on the next
  row. It fears clashes somewhat, but does not leave every good row to bolder players.
- **With two players, a clash can be a success.** What the rival loses by it is won, so it goes for rows that mean more
  to the rival than to itself. With more players two who quarrel make a present to the others, and it does not.
- **Never be foreseen.** It draws lots between rows that are about equally good.

It has no memory: it draws no conclusions from what somebody chose before.

## Rulings

Where the published rules leave something open, this is how we play, and why.

- **The composition of the deck.** The rules tell the number of kings, farmers and animals; the other numbers are
  ours, chosen to make 112. It is an option, for whoever has the cards at hand. Of the animals, sheep, horse and pig
  are named in the rules, the other five are ours.
- **Which cards have a red cross.** The rules show it for farmers and its absence for kings; for the others we follow a
  published review.
- **A round in which the players left cannot all get a row.** If after a reveal players still wait and at most one row
  has cards, the round ends and they get nothing. It counts as complete for the first scoring, which departs from the
  letter: by that, everybody would have to have got cards.
- **Scoring comes before filling up**, so that cards with a red cross are in the box if the last round needs it.
- **The pile is exactly empty after filling up**: that is the last round too.
- **The box is empty as well** in the last round: rows stay short.
- **The pile runs out before anybody had 13 cards**: the last round is played and there is one scoring only. It fills
  the second scoring's columns.
- **Nobody scores for churches with none.** Having the most needs having some.
- **Equal totals share the win.** The rules name no tie-break.

## The champion

What it wins from bots, and what a response that knows it wins from copies of it (256 playouts per decision): see
[Champions](../training.md#champions) for the commands, the numbers of games and for what that means.

| players | fair share | against bots | a response wins |
| --- | --- | --- | --- |
| 2 | 0.500 | 0.935 ± 0.003 | 0.744 (0.694 to 0.789) |
| 3 | 0.333 | 0.745 ± 0.006 | 0.661 (0.593 to 0.720) |
| 4 | 0.250 | 0.558 ± 0.007 | 0.528 (0.459 to 0.589) |

## Version history

- v0: first version. Nothing is released yet, and v0 has changed in place: with `reward="margin"` an illegal action
  costs the worst margin; `worth`, `lasting`, `after_clash` and `costs_others` were added to the observation, so that
  networks need not work out what a row would bring. (`worth` first counted each card of a row by itself, beside
  `outermost_worth`; a row with farmer and wife was not told from one without, nor what a lead in churches takes away.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Never

from card_envs.core.options import IllegalAction, Language, MaskPlace, RenderMode, Reward
from card_envs.envs.aec import CardGameEnv
from card_envs.envs.parallel import ParallelGameEnv
from card_envs.games import get_game
from card_envs.games.ku_ka_king.state import DEFAULT_DECK


def env(
    *,
    players: int = 4,
    deck: Mapping[str, int] | Iterable[int] = DEFAULT_DECK,
    reward: Reward = "outcome",
    illegal_action: IllegalAction = "raise",
    max_cycles: int | None = None,
    action_mask: MaskPlace = "observation",
    render_mode: RenderMode | None = None,
    language: Language = "en",
    **unknown: Never,
) -> CardGameEnv:
    """A game of Ku-Ka-King as a PettingZoo AEC environment. It checks all calls itself, so `raw_env` is the same."""
    return CardGameEnv(
        get_game("ku_ka_king", 0),
        players=players,
        deck=deck,
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
    deck: Mapping[str, int] | Iterable[int] = DEFAULT_DECK,
    reward: Reward = "outcome",
    illegal_action: IllegalAction = "raise",
    max_cycles: int | None = None,
    action_mask: MaskPlace = "observation",
    render_mode: RenderMode | None = None,
    language: Language = "en",
    **unknown: Never,
) -> ParallelGameEnv:
    """A game of Ku-Ka-King as a PettingZoo Parallel environment."""
    return ParallelGameEnv(
        get_game("ku_ka_king", 0),
        players=players,
        deck=deck,
        reward=reward,
        illegal_action=illegal_action,
        max_cycles=max_cycles,
        action_mask=action_mask,
        render_mode=render_mode,
        language=language,
        **unknown,
    )


raw_env = env
