"""The functions of `card_envs` itself."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from card_envs.core.batch import Batch
from card_envs.core.options import IllegalAction, Language, MaskPlace, RenderMode, Reward
from card_envs.envs.aec import CardGameEnv
from card_envs.envs.parallel import ParallelGameEnv
from card_envs.games import get_game


def make_env(
    game: str,
    *,
    players: int | None = None,
    reward: Reward = "outcome",
    illegal_action: IllegalAction = "raise",
    max_cycles: int | None = None,
    action_mask: MaskPlace = "observation",
    render_mode: RenderMode | None = None,
    language: Language = "en",
    **options: Any,
) -> CardGameEnv:
    """Any registered game as a PettingZoo AEC environment, by name (`king_lui`, `king_lui_v0`, `card_envs/KingLui-v0`).

    `options` are the game's own, such as `deck` or `score_table`. A module such as `card_envs.king_lui_v0` has the same
    environment with that game's options spelt out.
    """
    return CardGameEnv(
        get_game(game),
        reward=reward,
        illegal_action=illegal_action,
        max_cycles=max_cycles,
        action_mask=action_mask,
        render_mode=render_mode,
        language=language,
        **_with_players(players, options),
    )


def make_parallel_env(
    game: str,
    *,
    players: int | None = None,
    reward: Reward = "outcome",
    illegal_action: IllegalAction = "raise",
    max_cycles: int | None = None,
    action_mask: MaskPlace = "observation",
    render_mode: RenderMode | None = None,
    language: Language = "en",
    **options: Any,
) -> ParallelGameEnv:
    """A registered game as a PettingZoo Parallel environment: everyone acts in every step, if only by waiting.

    Arguments as for `make_env`. A game that is played in turns has one action more here, `wait`, after its own.
    """
    return ParallelGameEnv(
        get_game(game),
        reward=reward,
        illegal_action=illegal_action,
        max_cycles=max_cycles,
        action_mask=action_mask,
        render_mode=render_mode,
        language=language,
        **_with_players(players, options),
    )


def make_batch(
    game: str,
    num_games: int,
    *,
    seed: int | ArrayLike | None = None,
    threads: int | None = 1,
    auto_reset: bool = True,
    players: int | None = None,
    reward: Reward = "outcome",
    illegal_action: IllegalAction = "raise",
    **options: Any,
) -> Batch:
    """Many games of one kind at once, all seats of each. See `Batch` for what it offers.

    `threads` is the number of threads that share a step, None for one per core. `options` are the game's own.
    """
    return Batch(
        get_game(game),
        num_games,
        seed=seed,
        threads=threads,
        auto_reset=auto_reset,
        reward=reward,
        illegal_action=illegal_action,
        **_with_players(players, options),
    )


def _with_players(players: int | None, options: dict[str, Any]) -> dict[str, Any]:
    return options if players is None else {**options, "players": players}
