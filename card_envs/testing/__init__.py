"""Checks that any registered game must pass. Public: use them for a game of your own.

`check_game("my_game")` runs all that need nothing but the game; `check_referee` and `check_golden` need a second
opinion. `Dice` gives a referee in plain Python the chance of a seeded game. Checks fail with `CheckFailed`, under
`python -O` too.
"""

from card_envs.games import get_game
from card_envs.testing.conformance import check_pettingzoo, check_rendering
from card_envs.testing.dice import Dice
from card_envs.testing.golden import check_golden, golden_text
from card_envs.testing.properties import (
    check_actions_are_refused,
    check_batch_plays_like_aec,
    check_cards,
    check_clone,
    check_lists_of_games,
    check_observations,
    check_parallel_plays_like_aec,
    check_secrets,
    check_taking_back,
    check_threads,
    every_option,
    every_table,
)
from card_envs.testing.referee import Referee, check_referee
from card_envs.testing.require import CheckFailed, require
from card_envs.testing.stakes import check_changed_states, check_illegal_actions_lose, check_rewards

PROPERTIES = (
    check_cards,
    check_observations,
    check_secrets,
    check_taking_back,
    check_clone,
    check_batch_plays_like_aec,
    check_parallel_plays_like_aec,
    check_lists_of_games,
    check_threads,
    check_actions_are_refused,
    check_rewards,
    check_illegal_actions_lose,
    check_changed_states,
)


def check_game(game: str) -> None:
    """All checks that need nothing but the game itself, for every number of players and every variant.

    Rewards and illegal actions never reach the rules, so they have checks of their own instead of a repetition of all.
    """
    for options in every_table(game):
        for check in PROPERTIES:
            check(game, **options)
        check_pettingzoo(game, **options)
    for players in get_game(game).players:
        check_rendering(game, players=players)


__all__ = [
    "PROPERTIES",
    "CheckFailed",
    "Dice",
    "Referee",
    "check_actions_are_refused",
    "check_batch_plays_like_aec",
    "check_cards",
    "check_changed_states",
    "check_clone",
    "check_game",
    "check_golden",
    "check_illegal_actions_lose",
    "check_lists_of_games",
    "check_observations",
    "check_parallel_plays_like_aec",
    "check_pettingzoo",
    "check_referee",
    "check_rendering",
    "check_rewards",
    "check_secrets",
    "check_taking_back",
    "check_threads",
    "every_option",
    "every_table",
    "golden_text",
    "require",
]
