"""gymnasium.make and make_vec: one seat is mine, opponents play the others."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import card_envs
from card_envs.agents.random import RandomAgent
from card_envs.envs.one_seat import OneSeat
from card_envs.errors import ActionTypeError, GameOverError, IllegalActionError, OptionError
from card_envs.testing import every_option
from tests.support.registered import GAMES, WITH_BOT, opponent

TABLES = [(game, options) for game in GAMES for options in every_option(game)]
KING_LUI = "card_envs/KingLui-v0"


def id_of(game: str) -> str:
    return card_envs.get_game(game).id


def name(value: Any) -> str | None:
    if isinstance(value, dict):
        return "-".join(f"{option}={str(chosen)[:20]}" for option, chosen in value.items())
    return None


class Fixed:
    """An agent that plays the first or the last legal action and counts how often it was asked."""

    def __init__(self, name: str, last: bool = False) -> None:
        self.name, self.last, self.calls, self.rows = name, last, 0, 0

    def act(self, observation: Any, action_mask: Any) -> Any:
        self.calls += 1
        self.rows += len(action_mask)
        if self.last:
            return action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)
        return action_mask.argmax(axis=1)


@pytest.mark.parametrize(("game", "options"), TABLES, ids=name)
def test_gymnasiums_own_check_passes(game: str, options: dict[str, Any]) -> None:
    if options.get("illegal_action") == "raise":
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(id_of(game), **options, opponents=opponent(game)).unwrapped, skip_render_check=False)


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.name)
@pytest.mark.parametrize("longest", [None, 6])
def test_a_vector_begins_anew_and_cuts_off_as_gymnasiums_own_does(mode: AutoresetMode, longest: int | None) -> None:
    vector = gym.make_vec(KING_LUI, num_envs=5, players=3, autoreset_mode=mode, max_episode_steps=longest)
    singles = SyncVectorEnv([lambda: gym.make(KING_LUI, players=3, max_episode_steps=longest)] * 5, autoreset_mode=mode)
    assert vector.metadata["autoreset_mode"] is mode
    mine, theirs = vector.reset(seed=3), singles.reset(seed=3)
    agent, ended = RandomAgent(1), 0
    while ended < 15:
        same(mine, theirs)
        assert mine[-1]["action_mask"].any(axis=1).all(), "a mask of zeros has no logarithm"
        if mode is AutoresetMode.DISABLED and len(mine) > 2 and (mine[2] | mine[3]).any():
            with pytest.raises(GameOverError, match="autoreset_mode is DISABLED"):
                vector.step(np.zeros(5, np.int64))
            ended_now = mine[2] | mine[3]
            seen, infos = vector.reset(options={"reset_mask": ended_now})
            assert np.array_equal(seen, singles.reset(options={"reset_mask": ended_now.copy()})[0])
            assert (infos["_action_mask"] == ended_now).all()
        actions = agent.act(None, vector.unwrapped.action_masks())
        mine, theirs = vector.step(actions), singles.step(actions)
        ended += int((mine[2] | mine[3]).sum())
    vector.close()
    singles.close()


def test_a_mode_of_beginning_anew_that_there_is_not_is_refused() -> None:
    with pytest.raises(OptionError, match="autoreset_mode must be one of NEXT_STEP, SAME_STEP, DISABLED, not 'never'"):
        gym.make_vec(KING_LUI, num_envs=2, autoreset_mode="never")


@pytest.mark.parametrize("game", WITH_BOT)
@pytest.mark.parametrize("opponents", ["random", "bot", {"bot": 0.5, "random": 0.5}], ids=str)
def test_a_vector_is_as_many_single_environments(game: str, opponents: Any) -> None:
    """Step for step: observations, rewards, ends, infos, through restarts, from the same seeds."""
    options = {"opponents": opponents, "seat": "random"}
    vector = gym.make_vec(id_of(game), num_envs=5, **options)
    singles = SyncVectorEnv([lambda: gym.make(id_of(game), **options)] * 5, autoreset_mode=AutoresetMode.SAME_STEP)
    assert vector.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert vector.observation_space == singles.observation_space
    assert vector.single_action_space == singles.single_action_space
    mine, theirs = vector.reset(seed=11), singles.reset(seed=11)
    agent, ended = RandomAgent(1), 0
    while ended < 15:
        same(mine, theirs)
        actions = agent.act(None, mine[-1]["action_mask"])
        mine, theirs = vector.step(actions), singles.step(actions)
        ended += int(mine[2].sum())
    vector.close()
    singles.close()


def same(mine: Any, theirs: Any) -> None:
    """Compare nested results, object arrays included."""
    if isinstance(mine, dict):
        assert mine.keys() == theirs.keys()
        for key in mine:
            same(mine[key], theirs[key])
    elif isinstance(mine, tuple) or (isinstance(mine, np.ndarray) and mine.dtype == object):
        for one, other in zip(mine, theirs, strict=True):
            same(one, other)
    else:
        assert np.array_equal(mine, theirs), f"{mine} is not {theirs}"


def test_illegal_actions_are_told_alike_in_vector_and_single_environments() -> None:
    vector = gym.make_vec(KING_LUI, num_envs=3)
    singles = SyncVectorEnv([lambda: gym.make(KING_LUI)] * 3, autoreset_mode=AutoresetMode.SAME_STEP)
    mine, theirs = vector.reset(seed=2), singles.reset(seed=2)
    actions = mine[1]["action_mask"].argmax(axis=1)
    actions[1] = 37
    mine, theirs = vector.step(actions), singles.step(actions)
    same(mine, theirs)
    assert mine[1].tolist() == [0, -1, 0]
    assert mine[2].tolist() == [False, True, False]
    assert "lost by an illegal action: pass" in mine[-1]["final_info"]["illegal_action"][1]


def test_both_conventions_for_masks_work_through_wrappers() -> None:
    env = gym.wrappers.RecordEpisodeStatistics(gym.make(KING_LUI, players=4, seat=2, opponents="bot"))
    _, info = env.reset(seed=1)
    assert info["seat"] == 2
    assert (info["action_mask"] == env.unwrapped.action_masks()).all()
    assert (info["action_mask"] == env.get_wrapper_attr("action_masks")()).all()
    terminated = False
    while not terminated:
        _, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        assert not truncated
        assert reward == 0 or terminated
    assert info["episode"]["r"] == reward
    assert {"points", "rank", "points_per_dish", "discarded"} <= info.keys()
    assert info["action_mask"].all(), "a mask of zeros has no logarithm"


def test_an_illegal_action_loses_unless_it_shall_raise() -> None:
    env = gym.make(KING_LUI)
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(37)
    assert (reward, terminated) == (-1, True)
    assert "lost by an illegal action: pass" in info["illegal_action"]
    strict = gym.make(KING_LUI, illegal_action="raise")
    strict.reset(seed=1)
    before = strict.unwrapped.to_text()
    with pytest.raises(IllegalActionError, match=r"cannot play 37 \(pass\) now"):
        strict.step(37)
    assert strict.unwrapped.to_text() == before


def test_the_seat_can_be_fixed_or_drawn_anew_for_each_game() -> None:
    fixed = gym.make_vec(KING_LUI, num_envs=50, players=5, seat=3)
    assert (fixed.reset(seed=0)[1]["seat"] == 3).all()
    drawn = gym.make_vec(KING_LUI, num_envs=2000, players=5, seat="random")
    counts = np.bincount(drawn.reset(seed=0)[1]["seat"], minlength=5)
    assert counts.min() > 320


def test_opponents_act_once_per_agent_and_step_not_once_per_game() -> None:
    first, last = Fixed("first"), Fixed("last", last=True)
    games = OneSeat(card_envs.get_game("king_lui"), 64, players=3, seat=0, opponents=[first, last])
    games.reset(np.arange(64))
    calls, steps = first.calls + last.calls, 0
    agent = RandomAgent(0)
    while not games.done.any():
        games.step(agent.act(None, games.batch.action_mask))
        steps += 1
    assert first.rows + last.rows > 64 * steps, "each opponent acts about once per own decision in each game"
    assert first.calls + last.calls - calls <= 8 * steps


def test_a_list_seats_opponents_clockwise_from_the_own_seat() -> None:
    first, last = Fixed("first"), Fixed("last", last=True)
    games = OneSeat(card_envs.get_game("king_lui"), 6, players=3, seat="random", opponents=[first, last])
    games.reset(np.arange(6))
    numbers = [games._seating.number_of(agent) for agent in (first, last)]
    for game in range(6):
        own = games.own[game]
        assert games._seating.players[game].tolist() == np.roll([0, *numbers], own).tolist()


def test_opponents_never_change_in_mid_game_and_a_mixture_is_drawn_anew_for_each() -> None:
    games = OneSeat(card_envs.get_game("zum_kuhkuck"), 300, opponents={"bot": 3, "random": 1})
    games.reset(np.arange(300))
    agent, drawn = RandomAgent(0), []
    line_up = games._seating.players.copy()
    for _ in range(150):
        games.step(agent.act(None, games.batch.action_mask))
        assert (games._seating.players == line_up).all()
        over = np.flatnonzero(games.done)
        if over.size:
            games.reset(games=over)
            still = np.setdiff1d(np.arange(300), over)
            assert (games._seating.players[still] == line_up[still]).all()
            line_up = games._seating.players.copy()
            drawn += line_up[over].max(axis=1).tolist()
    assert len(drawn) > 500
    assert 0.69 < np.mean(np.array(drawn) == 2) < 0.81, "three of four are bots"


def test_the_reward_reaches_the_right_seat_and_decision(tiny_game: str) -> None:
    """In this game only the own second choice counts, and the others always give."""
    keep, give = 0, 1
    for players in (2, 3, 4):
        for seat in range(players):
            for first in (keep, give):
                for second in (keep, give):
                    givers = Fixed("giver", last=True)
                    games = OneSeat(
                        card_envs.get_game(tiny_game), 1, players=players, seat=seat, opponents=givers, reward="margin"
                    )
                    games.reset(np.array([1]))
                    games.step(np.array([first]))
                    assert games.rewards.tolist() == [0]
                    assert not games.done[0]
                    games.step(np.array([second]))
                    assert games.done[0]
                    assert games.rewards[0] == (second == keep)


def test_a_game_from_outside_passes_the_public_checks(tiny_game: str) -> None:
    from card_envs.testing import check_batch_plays_like_aec, check_clone, check_lists_of_games, check_observations

    for players in (2, 3, 4):
        for check in (check_batch_plays_like_aec, check_clone, check_lists_of_games, check_observations):
            check(tiny_game, players=players)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponents": "bott"}, "there is no agent 'bott': did you mean 'bot'?"),
        ({"opponents": ["bot"]}, "opponents must be one, or a list of 3, one per other seat, not 1"),
        ({"opponents": {"bot": -1}}, "the weight of the opponent 'bot' must be a number from 0 on, not -1"),
        ({"opponents": {}}, "a mixture of opponents needs at least one"),
        ({"opponents": {"bot": 0}}, "a mixture of opponents needs at least one"),
        ({"opponents": 7}, "an agent is a name, a path or an object"),
        ({"opponents": "nowhere.safetensors"}, "cannot use nowhere.safetensors as a player: there is no such file"),
        ({"seat": 4}, r"seat \(a number or 'random'\) must be a whole number from 0 to 3, not 4"),
        ({"seat": "first"}, "must be a whole number from 0 to 3, not 'first'"),
        ({"playrs": 4}, "King Lui has no option 'playrs': did you mean 'players'"),
        ({"oponents": "bot"}, "did you mean 'opponents'"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises((OptionError, ValueError), match=message):
        gym.make(KING_LUI, **options)
    with pytest.raises((OptionError, ValueError), match=message):
        gym.make_vec(KING_LUI, num_envs=2, **options)


def test_calls_out_of_order_and_wrong_types_are_refused() -> None:
    env = gym.make(KING_LUI).unwrapped
    with pytest.raises(GameOverError, match=r"no game of King Lui is under way; call reset\(\) first"):
        env.step(0)
    env.reset(seed=0)
    for action in (1.5, None, "draw", True):
        with pytest.raises(ActionTypeError, match="an action must be a whole number"):
            env.step(action)
    env.step(10**30)
    with pytest.raises(GameOverError):
        env.step(0)


def test_a_vector_must_be_reset_before_it_is_used() -> None:
    vector = gym.make_vec(KING_LUI, num_envs=2)
    for use in (vector.action_masks, lambda: vector.step(np.zeros(2, int)), gym.make(KING_LUI).unwrapped.action_masks):
        with pytest.raises(GameOverError, match=r"call reset\(\) first"):
            use()


def test_repr_shows_the_options() -> None:
    text = "players=3 seat=random opponents=bot reward=margin illegal_action=lose"
    options = {"players": 3, "opponents": "bot", "reward": "margin"}
    assert repr(gym.make(KING_LUI, **options).unwrapped) == f"<{KING_LUI} {text}>"
    assert repr(gym.make_vec(KING_LUI, num_envs=2, **options)) == f"<{KING_LUI} num_envs=2 {text}>"


def test_an_agent_that_errs_is_named() -> None:
    class Wrong(Fixed):
        def act(self, observation: Any, action_mask: Any) -> Any:
            return np.full(len(action_mask), 37)

    with pytest.raises(IllegalActionError, match=r"the agent clumsy: in King Lui player_\d cannot play 37"):
        gym.make(KING_LUI, seat=0, opponents=Wrong("clumsy")).reset(seed=2)

    class Short(Fixed):
        def act(self, observation: Any, action_mask: Any) -> Any:
            return [0.5]

    with pytest.raises(IllegalActionError, match="the agent short must give 1 whole numbers"):
        gym.make(KING_LUI, seat=0, opponents=Short("short")).reset(seed=2)


def test_some_games_of_a_vector_can_be_reset() -> None:
    vector = gym.make_vec(KING_LUI, num_envs=4)
    before, _ = vector.reset(seed=3)
    vector.step(vector.action_masks().argmax(axis=1))
    after, info = vector.reset(seed=3, options={"reset_mask": np.array([True, False, True, False])})
    assert (after[[0, 2]] == before[[0, 2]]).all()
    assert (after[[1, 3]] != before[[1, 3]]).any()
    assert info["_action_mask"].tolist() == [True, False, True, False]
    with pytest.raises(OptionError, match="reset_mask must be an array of 4 booleans"):
        vector.reset(options={"reset_mask": [True]})


def test_text_shows_only_what_the_own_seat_may_see() -> None:
    env = gym.make(KING_LUI, seat=1, render_mode="ansi", language="de")
    env.reset(seed=3)
    assert "verdeckt" in env.render()


@pytest.mark.parametrize("context", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_processes_can_share_the_work(context: str) -> None:
    """Gymnasium's own AsyncVectorEnv, which sends environments to other processes."""
    kwargs = {"context": context}
    vector = gym.make_vec(KING_LUI, num_envs=2, vectorization_mode="async", vector_kwargs=kwargs, opponents="bot")
    observations, infos = vector.reset(seed=1)
    assert observations.shape == (2, card_envs.get_game("king_lui").layout.size)
    vector.step(infos["action_mask"].argmax(axis=1))
    vector.close()


def test_seeds_are_gymnasiums() -> None:
    vector = gym.make_vec(KING_LUI, num_envs=3)
    first, _ = vector.reset(seed=7)
    second, _ = vector.reset(seed=[7, 8, 9])
    third, _ = vector.reset(seed=[7, None, 9])
    assert (first[[0, 2]] == third[[0, 2]]).all()
    assert (first == second).all()
    with pytest.raises(OptionError, match="seed must be one number or 3 of them, not 2"):
        vector.reset(seed=[1, 2])
