"""Checks of what a game is worth to its players, and of what was never a game: illegal actions, records made up."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.agents.random import RandomAgent
from card_envs.core.batch import Batch
from card_envs.envs.aec import CardGameEnv
from card_envs.errors import OptionError
from card_envs.games import get_game
from card_envs.testing.properties import GAMES, play
from card_envs.testing.require import require


def check_rewards(game: str, seed: int = 10, **options: Any) -> None:
    """Rewards come at the end and follow from ranks or points; which reward is chosen changes nothing else."""
    rules, last = get_game(game), {}
    for reward, expected in (("outcome", _outcome), ("margin", _margin)):
        for batch, under_way in play(game, seed, **{**options, "reward": reward}):
            require(not batch.rewards[under_way].any(), "a game that goes on has rewarded somebody")
        right = expected(batch, rules.margin_scale)
        require(
            np.allclose(batch.rewards, right, atol=1e-5), f"the rewards for {reward} do not follow from the results"
        )
        loss = Batch(rules, 1, seed=0, **{**options, "reward": reward}).loss
        require(not (batch.rewards < loss - 1e-5).any(), f"a legal game brings less than forfeiting it ({loss})")
        last[reward] = batch
    for name in ("states", "points", "ranks", "score_sheet"):
        one, other = (getattr(batch, name) for batch in last.values())
        require(np.array_equal(one, other), f"{name} differs with another reward")


def _outcome(batch: Batch, scale: float) -> np.ndarray[Any, Any]:
    """Winners share one win: 1 for whoever wins alone, less the more there are; all rewards add up to nothing."""
    wins = batch.ranks == 1
    shares = wins / wins.sum(axis=1, keepdims=True)
    return (batch.players * shares - 1) / (batch.players - 1)  # type: ignore[no-any-return]


def _margin(batch: Batch, scale: float) -> np.ndarray[Any, Any]:
    """How far ahead of the mean of all others."""
    others = (batch.points.sum(axis=1, keepdims=True) - batch.points) / (batch.players - 1)
    return (batch.points - others) / scale  # type: ignore[no-any-return]


def check_illegal_actions_lose(game: str, seed: int = 11, **options: Any) -> None:
    """Where that is agreed, an illegal action ends its own game at once, alike in AEC and batch; all else stays."""
    rules, options = get_game(game), {**options, "illegal_action": "lose"}
    agreed, usual = (
        Batch(rules, GAMES, seed=seed, auto_reset=False, **{**options, "illegal_action": way})
        for way in ("lose", "raise")
    )
    env, agent = CardGameEnv(rules, **options), RandomAgent(seed)
    env.reset(seed=int(agreed.seeds[0]))
    while (under_way := np.flatnonzero(agreed.seat >= 0)).size and agreed.action_mask[0].all():
        actions = agent.act(None, agreed.action_mask[under_way])  # until something is illegal in game 0
        for batch in (agreed, usual):
            batch.step(actions, under_way)
        require(np.array_equal(agreed.states, usual.states), "legal games go another way where illegal actions lose")
        env.step(int(actions[0]))
        if agreed.seat[0] < 0:
            return  # whatever this game knows was legal throughout
    seat, illegal = int(agreed.seat[0]), int(np.flatnonzero(agreed.action_mask[0] == 0)[0])
    others = agreed.states[1:].copy()
    rewards, done = agreed.step([illegal], [0])
    env.step(illegal)
    loss = agreed.loss
    expected = [loss if player == seat else -loss / (agreed.players - 1) for player in range(agreed.players)]
    require(np.allclose(rewards[0], expected), f"an illegal action brings {rewards[0]}, not {expected}")
    require(done[0] and agreed.seat[0] < 0, "an illegal action does not end the game")
    require(np.array_equal(agreed.states[1:], others), "an illegal action in one game moved another")
    require(list(env.rewards.values()) == rewards[0].tolist(), "an illegal action brings other rewards in a batch")
    require(all(env.terminations.values()), "an illegal action does not end the game")
    offender = f"player_{seat}"
    require(offender in env.infos[offender]["illegal_action"], "the infos do not say who has played illegally")


def check_changed_states(game: str, seed: int = 12, changes: int = 20, **options: Any) -> None:
    """Whatever number somebody writes into a record, `show` refuses it, or the game can be played and imagined on."""
    rules, rng = get_game(game), np.random.default_rng(seed)
    names = [name for name in rules.record.names or () if name != "stream"]
    agent = RandomAgent(seed)
    for batch, _ in play(game, seed, **options):
        batch.show()
        for _ in range(changes):
            twin = batch.copy()
            number = int(rng.integers(batch.num_games))
            field = twin.states[str(rng.choice(names))][number : number + 1].reshape(-1).view(np.uint8)
            field[rng.integers(field.size)] = rng.integers(256)
            try:
                twin.show([number])
            except OptionError:
                continue
            if rules.possible is not None:
                for seat in range(twin.players):  # whether it is over or not
                    twin.observe(number, seat)
                    twin.copy().redraw_hidden(seat, 1, [number])
                if twin.seat[number] >= 0:
                    _play_to_the_end(twin.imagine([number], copies=1, seed=1), agent)


def _play_to_the_end(batch: Batch, agent: RandomAgent, most_steps: int = 1000) -> None:
    """As far as it goes: a position that nobody could have reached may lack a legal action, or an end."""
    for _ in range(most_steps):
        under_way = np.flatnonzero((batch.seat >= 0) & (batch.action_mask.any(axis=1)))
        if not under_way.size:
            return
        batch.step(agent.act(None, batch.action_mask[under_way]), under_way)
