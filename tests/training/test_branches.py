"""Every legal action is tried in a copy of the game: it is worth what it leads to, and copies share their luck."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.agents.network import probabilities
from card_envs.core.batch import Batch
from card_envs.errors import OptionError
from card_envs.games import game_names, get_game
from tests.support.parts import a_part
from tests.support.small_games import FIRST, SECOND
from tests.training.test_equilibrium import AVERAGED, furthest, learned
from training.loss import BY_LOT
from training.mlp import MlpActorCritic
from training.parts import Part
from training.ppo_settings import PLAIN, Manner, SelfPlayPPOSettings
from training.settings import NetworkSettings, SelfPlaySettings

TRYING = Manner(all_actions=True)


def one_step(name: str, players: int, games: int, **given: Any) -> tuple[Part, MlpActorCritic]:
    """Games in which one decision is made at a time, and who makes it."""
    ppo = SelfPlayPPOSettings(n_steps=1, all_actions_from=0.0)
    settings = SelfPlaySettings(name, players, games=games, parts=1, ppo=ppo, **given)
    network = MlpActorCritic(settings.rules, NetworkSettings(hidden=(64, 64)).form(), tied=True, seed=9)
    return Part(settings, 0, None), network


def expected(batch: Batch, network: MlpActorCritic, row: int) -> np.ndarray[Any, Any] | None:
    """By the batch engine: what the seat expects after each action, or has got, if seat 0 has chosen as it usually
    does; first the policy's mean, then by how much each action is better. None if a policy is not certain.
    """
    run, actions = network.ready(), np.flatnonzero(batch.action_mask[row])
    copies = Batch(batch.game, len(actions), players=batch.players, seed=0, auto_reset=False)
    copies.states[:] = batch.states[row]
    copies.states["choices"], copies.states["seat"] = 0, 0
    copies.show()
    others = probabilities(run(copies.observation)[0], copies.action_mask)
    likely = probabilities(run(batch.observation[[row]])[0], batch.action_mask[[row]])[0, actions]
    if min(likely.max(), others[0].max()) < 0.9999:
        return None
    copies.step(others.argmax(axis=1))
    copies.step(actions)
    seen, _ = copies.observe_seats(np.arange(len(actions)), 1)
    led_to = np.where(copies.done, copies.rewards[:, 1], run(seen)[1])
    worth = np.zeros(batch.action_mask.shape[1])
    worth[actions] = led_to - likely @ led_to
    return np.append(likely @ led_to, worth)


@pytest.mark.parametrize("explore", [0.2, 0.6])
def test_an_action_is_worth_what_the_own_seat_expects_after_it(explore: float) -> None:
    """Seat 1 of Ku-Ka-King chooses last of two. Seat 0 may have chosen by lot; what counts is what it usually does."""
    part, network = one_step("ku_ka_king", 2, 20)
    weights, rng = network.weights(), np.random.default_rng(4)
    certain = {"policy.weight": rng.normal(scale=1e7, size=weights["policy.weight"].shape).astype(np.float32)}
    network.load({**weights, **certain})
    (group,), compared, ended = part.games.groups, 0, 0
    for _ in range(60):
        second = np.flatnonzero((group.batch.seat == 1) & (group.batch.states["waiting"][:, 0] == 1))
        found = {row: told for row in second if (told := expected(group.batch, network, row)) is not None}
        rows, right = list(found), np.reshape(list(found.values()), (-1, 10))
        part.play(network, TRYING._replace(explore=explore))
        np.testing.assert_allclose(part.rollout.worth[0, rows], right[:, 1:], atol=1e-5)
        np.testing.assert_allclose(part.rollout.expected[0, rows], right[:, 0], atol=1e-5)
        compared, ended = compared + len(rows), ended + int(part.rollout.ended[0, rows].sum())
    assert compared > 300
    assert ended > 10


def test_copies_of_a_game_share_their_luck(small_games: str) -> None:
    """The hider of `matching` loses 3 by playing high if the guesser is high, and wins 2 if not: nothing in between."""
    part, network = one_step(small_games, 2, 200, options={"rule": "matching"}, reward="margin")
    part.play(network, TRYING)
    hider = part.rollout.seat[0] == 0
    worth = part.rollout.worth[0, hider]
    scale = get_game(small_games).margin_scale
    assert set(np.round((worth[:, FIRST] - worth[:, SECOND]) * scale, 4).tolist()) == {-3.0, 2.0}


@pytest.mark.parametrize("name", game_names())
def test_trying_changes_nothing_in_what_is_played(name: str, tmp_path: Path) -> None:
    """With frozen players of all kinds, at every table."""
    plain, network = a_part(name, tmp_path, ("bot", "random"), 2, games=13, n_steps=12)
    trying, _ = a_part(name, tmp_path, ("bot", "random"), 2, games=13, n_steps=12, all_actions_from=0.0)
    for part, manner in ((plain, Manner(imitate=True)), (trying, Manner(imitate=True, all_actions=True))):
        part.play(network, manner)
    for field in ("observation", "action", "value", "rewards", "ended"):
        assert (getattr(plain.rollout, field) == getattr(trying.rollout, field)).all(), field
    worth, mask = trying.rollout.worth, trying.rollout.mask
    assert worth.any(axis=-1).mean() > 0.9
    assert not worth[mask == 0].any()


def test_what_is_explored_is_chosen_evenly_and_is_not_told_as_the_policys(small_games: str) -> None:
    part, network = one_step(small_games, 2, 4000, options={"rule": "matching"})
    network.load({**network.weights(), "policy.bias": np.array([4.0, 0.0], np.float32)})
    part.play(network, TRYING._replace(explore=0.5))
    likely = probabilities(network.ready()(part.rollout.observation[0])[0], part.rollout.mask[0])[:, FIRST]
    high, told = part.rollout.action[0] == FIRST, part.rollout.log_probability[0]
    by_lot = told == BY_LOT
    assert by_lot.mean() == pytest.approx(0.5, abs=0.03)
    assert high[by_lot].mean() == pytest.approx(0.5, abs=0.04)
    np.testing.assert_allclose(np.exp(told[~by_lot]), np.where(high, likely, 1 - likely)[~by_lot], atol=1e-5)


def test_learning_from_all_actions_is_held_by_a_magnet_as_ppo_is(small_games: str) -> None:
    game = get_game(small_games)
    trying = replace(AVERAGED, all_actions_from=0.0)
    newest, _ = learned(game, trying, TRYING)
    assert furthest(newest) > 0.4, "less noise alone does not end the circles"
    held, averages = learned(game, replace(trying, magnet_coef=1.5), TRYING)
    assert furthest(held) < 0.15
    assert furthest(averages) < 0.1


def test_with_even_weights_a_policy_that_is_sure_of_itself_finds_out_of_it(small_games: str) -> None:
    """Both seats of `matching` are sure to play high, where the hider would win by playing low."""
    game, mixing = get_game(small_games), replace(AVERAGED, all_actions_from=0.0, magnet_coef=0.5, ent_coef=0.3)
    certain = np.array([20.0, 0.0], np.float32)
    stuck, _ = learned(game, mixing, TRYING, certain, iterations=160)
    assert stuck.min() > 0.999, "what is never done is never moved"
    freed, _ = learned(game, replace(mixing, even=0.5), TRYING, certain, iterations=160)
    assert freed[-1, 0] < 0.5


@pytest.mark.parametrize("manner", [PLAIN, TRYING])
def test_a_player_from_outside_is_refused_at_once_if_all_actions_will_be_tried(tmp_path: Path, manner: Manner) -> None:
    part, network = a_part("king_lui", tmp_path, ("champion",), 0, games=6, n_steps=2, all_actions_from=0.0)
    with pytest.raises(OptionError, match=r"all players must be built in or perceptrons of the learner's own form"):
        part.play(network, manner)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"explore": 0.1}, "ppo.explore must be 0 where ppo.all_actions_from is null"),
        ({"explore": 1.0, "all_actions_from": 0.5}, "ppo.explore must be from 0 to below 1, not 1"),
        ({"all_actions_from": 2.0}, "ppo.all_actions_from must be"),
        ({"even": 0.5}, "ppo.even must be 0 where ppo.all_actions_from is null"),
        ({"even": 1.5, "all_actions_from": 0.0}, "ppo.even must be"),
    ],
)
def test_settings_that_make_no_sense_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        SelfPlayPPOSettings(**given)


def test_actions_are_tried_from_a_part_of_the_run_on_and_nothing_is_explored_before() -> None:
    settings = SelfPlayPPOSettings(all_actions_from=0.5, explore=0.2, gamma=0.9)
    assert settings.manner(0.49) == Manner(gamma=0.9)
    assert settings.manner(0.5) == Manner(all_actions=True, explore=0.2, gamma=0.9)
