"""# Zum Kuhkuck

A game of pushing your luck in a cowshed, by Reinhard Staupe, for 2 players: collect cards, and score them before the
electric fence takes them all.

![A game of Zum Kuhkuck between bots](../pictures/zum_kuhkuck.svg)

`card-envs picture zum_kuhkuck --moves 30` drew it.

## The game

There are 54 cards to collect in five colours and five electricity cards, all face down in one pile.

| card | colour | number |
|---|---|---|
| boots | red | 11 |
| bell | yellow | 11 |
| milking stool | green | 11 |
| milk churn | blue | 11 |
| brush | purple | 10 |
| electricity | | 5 |

The players take turns. A turn is one of two things:

- **draw** one card into the hand, unseen by the other. Electricity takes the whole hand with it, face down, to the
  discards;
- **announce** a colour, with five cards or more, of which at least one has that colour, and once per colour in a
  game. The hand is shown and scores points for its size and 2 for each card of the colour; then it goes to the
  discards. At 20 cards a player must announce.

When two cards are left in the pile, it is shuffled again with the discards; hands stay. The game ends at once when a
player has announced all five colours. In each colour that both announced, the higher score earns 10 more. The highest
total wins.

Nine cards, three of them yellow, make 12 points for nine cards and 6 for yellow: 18.

## Using it

```python
from card_envs import zum_kuhkuck_v0

env = zum_kuhkuck_v0.env(reward="margin", render_mode="ansi")
env = zum_kuhkuck_v0.env(score_table=(4, 5, 7, 9, 12, 15, 18, 21, 24, 27, 30, 35, 40, 45, 50, 55))
env = zum_kuhkuck_v0.parallel_env()  # for libraries that take nothing else: one acts, the other waits
```

| option | values | meaning |
|---|---|---|
| `score_table` | 16 numbers from 0 to 200 | points for 5, 6, ..., 20 cards |
| `reward` | `"outcome"` (default), `"margin"` | win 1, draw 0, loss -1; or points above the other's, over 26 |
| `illegal_action` | `"raise"` (default), `"lose"` | an illegal action is refused, or loses the game at once |
| `max_cycles` | `None` (default), a number | truncate before anyone decides more often |
| `action_mask` | `"observation"` (default), `"info"` | the mask beside the observation, or in `infos` |
| `render_mode` | `None` (default), `"ansi"`, `"rgb_array"`, `"human"` | text, pixels, or a window |
| `language` | `"en"` (default), `"de"`, `"fr"`, `"it"` | of text and pictures |

An illegal action is refused, or, with `illegal_action="lose"`, never better than the worst legal result:
the offender then gets -1, or with `"margin"` a margin that no game can fall below: -15.5 with the usual table; the
other gets the opposite.

The id is `card_envs/ZumKuhkuck-v0`. Agents are `player_0` and `player_1`. Rewards come at the end. The last `info` of
each player holds `points`, `rank`, `points_per_colour` and `bonus_per_colour`.

## Actions

<!-- actions: zum_kuhkuck -->

`hand in` is legal only with 20 cards of which none has an open colour.

`wait` is the one action more of `parallel_env`, for libraries that take nothing else: both act in every step there, and
one of them can only wait.

## Observation

One flat array of `float32` from 0 to 1, from the own seat's point of view. `env.unwrapped.layout["hand"]` is a slice.

<!-- observation: zum_kuhkuck -->

The other's hand, and the hands that it lost to electricity, are secret. What is remembered reaches back to the last
reshuffle, and a little further:

- **Since the last reshuffle**: every card that was shown, and the own hands, lost ones included.
- **Of that reshuffle itself**: the own hand at that moment, and which cards the other can have held then, which are all
  but the own ones and those that were known to lie in the discards. Both are shown for as long as the other holds
  cards of that time, or has lost them unseen since.
- **Of anything earlier, nothing.** The next reshuffle replaces this memory: of cards that the other has held over two
  of them, what was known at the first is gone.

## The bot

The hand-written player (`card_envs/games/zum_kuhkuck/bot.py`) plays for the win, not for points. It sees what every
player sees, and draws no lots: the same position always gets the same answer.

- **Announce, or some more cards first?** It compares its chances to win after the best announcement now with those of
  every plan "so many more cards, then announce". A plan counts what the larger hand would bring, how likely
  electricity is before that, and that the other gets a turn for each card.
- **It counts electricity.** It knows how many electricity cards are still in the pile. When all are out, it draws
  for free until the reshuffle; when many are left in a small pile, it announces.
- **Points are worth what they do for the win.** A lead is the safer, the fewer announcements the player nearer to the
  end still needs. Far behind late in the game it goes for a large hand, because a small one would not help; ahead, it
  takes small hands and brings the game to its end.
- **The bonus.** It likes a colour in which it beats the other's announcement, and dislikes giving the bonus away
  by a lower one. In a colour that the other has not announced, it likes to set a mark that is hard to beat.
- **The last announcement.** It ends the game as soon as that does not lose it, and never otherwise, unless a full
  hand must be announced.

It does not guess the other's cards, and does not ask how large the other's hand is, except to know how many cards
come back at a reshuffle.

## Rulings

Where the published rules leave something open, this is how we play, and why.

- **The starting player is drawn by lot** from the seed.
- **The score table.** The rules give 12 points for nine cards; published reviews give 4 for 5, 15 for 10, 21 for 12,
  24 for 13, 30 for 15 and 55 for 20. The rules' own score sheet holds a 7 and an 11, which need an odd number below
  8, so six cards make 5. The rest is the smoothest table whose steps never shrink; for seven cards 6 would fit what is
  known as well as our 7. It is an option.
- **An announced hand is laid down face up.** The rules say so in one place and face down in an example. Face up it must
  be: both players write the points down, and nobody could check them otherwise.
- **Which colour is which card.** Red boots and purple brushes are known; the other three pairings are ours.
- **Twenty cards and none in an open colour.** The player hands in: the cards are shown and go to the discards, nothing
  is scored and the colour stays open. Shown they must be, since the other player could not check the duty to announce
  otherwise.
- **The card just drawn is resolved before a reshuffle.** The pile is looked at after the turn.
- **Equal points in a colour earn nobody the bonus.** Neither is higher.
- **Equal totals are a draw.** The rules name no tie-break.

## The champion

What it wins from bots, and what a response that knows it wins from copies of it (256 playouts per decision): see
[Champions](../training.md#champions) for the commands and for what that means.

| players | fair share | against bots | a response wins |
| --- | --- | --- | --- |
| 2 | 0.500 | 0.541 ± 0.006 | 0.536 (0.499 to 0.574) |

## Version history

- v0: first version. Nothing is released yet, and v0 has changed in place: a hand that is handed in is shown; with
  `reward="margin"` an illegal action costs the worst margin.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Never

from card_envs.core.options import IllegalAction, Language, MaskPlace, RenderMode, Reward
from card_envs.envs.aec import CardGameEnv
from card_envs.envs.parallel import ParallelGameEnv
from card_envs.games import get_game
from card_envs.games.zum_kuhkuck.state import DEFAULT_SCORE_TABLE


def env(
    *,
    players: int = 2,
    score_table: Iterable[int] = DEFAULT_SCORE_TABLE,
    reward: Reward = "outcome",
    illegal_action: IllegalAction = "raise",
    max_cycles: int | None = None,
    action_mask: MaskPlace = "observation",
    render_mode: RenderMode | None = None,
    language: Language = "en",
    **unknown: Never,
) -> CardGameEnv:
    """A game of Zum Kuhkuck as a PettingZoo AEC environment. It checks all calls itself, so `raw_env` is the same."""
    return CardGameEnv(
        get_game("zum_kuhkuck", 0),
        players=players,
        score_table=score_table,
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
    players: int = 2,
    score_table: Iterable[int] = DEFAULT_SCORE_TABLE,
    reward: Reward = "outcome",
    illegal_action: IllegalAction = "raise",
    max_cycles: int | None = None,
    action_mask: MaskPlace = "observation",
    render_mode: RenderMode | None = None,
    language: Language = "en",
    **unknown: Never,
) -> ParallelGameEnv:
    """A game of Zum Kuhkuck as a PettingZoo Parallel environment, in which all but one wait."""
    return ParallelGameEnv(
        get_game("zum_kuhkuck", 0),
        players=players,
        score_table=score_table,
        reward=reward,
        illegal_action=illegal_action,
        max_cycles=max_cycles,
        action_mask=action_mask,
        render_mode=render_mode,
        language=language,
        **unknown,
    )


raw_env = env
