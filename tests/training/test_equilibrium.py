"""Learning towards equilibrium: where plain PPO goes round in circles, a magnet and an average of late policies do not.

The small game `matching` has one equilibrium, in which both seats play high with probability 2/5.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from card_envs.agents.checkpoint import CheckpointAgent, read_checkpoint
from card_envs.core.game import Game
from card_envs.errors import OptionError
from card_envs.games import get_game
from tests.support.clusters import run
from tests.support.small_games import FIRST
from tests.training.test_ppo import Learner, seen_by
from training import ppo
from training.average import Average
from training.evaluation import RESPONSE, EvaluationSettings, play_against_response, worst_case
from training.exploiters import exploiter_settings, learn_to_beat
from training.league import LeagueSettings
from training.log import read_log
from training.mlp import MlpActorCritic
from training.network import ActorCritic
from training.players import as_checkpoint
from training.ppo_settings import PLAIN as USUAL
from training.ppo_settings import Manner, SelfPlayPPOSettings
from training.settings import NetworkSettings, SelfPlaySettings

ITERATIONS = 250
HIGH = 0.4  # in equilibrium
PLAIN = SelfPlayPPOSettings(
    n_steps=2, n_epochs=2, batch_size=1024, learning_rate=3e-3, learning_rate_end=None, ent_coef=0.0, ent_coef_end=None
)
AVERAGED = replace(PLAIN, average_half_life=50 * 1024)


def how_high(game: Game, network: ActorCritic) -> NDArray[np.float64]:
    """With which probability each seat plays high."""
    with torch.no_grad():
        seen = torch.from_numpy(np.concatenate([seen_by(game, seat) for seat in range(2)]))
        return network(seen)[0].softmax(-1).numpy()[:, FIRST].astype(np.float64)


def learned(
    game: Game,
    settings: SelfPlayPPOSettings,
    manner: Manner = USUAL,
    bias: NDArray[np.float32] | None = None,
    iterations: int = ITERATIONS,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How high the newest policy and the average of the late ones play after each iteration, from some bias on."""
    learner = Learner(game, 2, 512, settings, rule="matching", reward="margin")
    if bias is not None:
        learner.network.load({**learner.network.weights(), "policy.bias": bias})
    average = Average(MlpActorCritic(game, learner.network.mlp, tied=True, seed=0), 50 * 1024)
    magnet = average.network if settings.magnet_coef > 0 else None
    newest, averages = [], []
    for number in range(iterations):
        learner.parts.play(manner, magnet)
        ppo.improve(learner.optimizer, learner.parts, settings, number / iterations)
        average.add(learner.network, 1024)
        newest.append(how_high(game, learner.network))
        averages.append(how_high(game, average.network))
    return np.array(newest), np.array(averages)


def furthest(policies: NDArray[np.float64]) -> float:
    """How far from the equilibrium they are at most, in the last quarter of the time."""
    return float(np.abs(policies[-ITERATIONS // 4 :] - HIGH).max())


def test_a_magnet_and_an_average_come_to_rest_where_plain_ppo_circles(small_games: str) -> None:
    game = get_game(small_games)
    newest, averages = learned(game, PLAIN)
    assert furthest(newest) > 0.4, "plain PPO is far from the equilibrium again and again"
    assert furthest(averages) < 0.75 * furthest(newest)
    held, averages = learned(game, replace(AVERAGED, magnet_coef=0.6))
    assert furthest(held) < 0.15
    assert furthest(averages) < 0.1


def test_an_entropy_bonus_that_falls_to_a_floor_keeps_a_policy_mixed(small_games: str) -> None:
    game = get_game(small_games)
    floor = replace(PLAIN, ent_coef=0.5, ent_coef_end=0.2, ent_coef_until=0.5)
    assert [floor.at(progress).ent_coef for progress in (0.0, 0.25, 0.5, 1.0)] == pytest.approx([0.5, 0.35, 0.2, 0.2])
    newest, _ = learned(game, floor)
    assert furthest(newest) < 0.35, "plain PPO comes to 0.4 and more"


def test_the_first_of_an_average_is_itself_and_later_ones_count_by_their_age(small_games: str) -> None:
    game = get_game(small_games)
    form = Learner(game, 2, 8, PLAIN, rule="matching").network.mlp
    zero, one, two = (MlpActorCritic(game, form, tied=True, seed=seed) for seed in range(3))
    average = Average(zero, half_life=100)
    average.add(one, 100)
    torch.testing.assert_close(average.network.numbers, one.numbers)
    average.add(two, 100)
    torch.testing.assert_close(average.network.numbers, (one.numbers + 2 * two.numbers) / 3)


@pytest.mark.parametrize("given", [{"magnet_coef": 0.1}, {"play_average": True}])
def test_what_needs_an_average_is_refused_without_one(given: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="average_half_life must be a number of decisions"):
        SelfPlayPPOSettings(**given)


def always_high(game: Game) -> dict[str, NDArray[np.float32]]:
    """Weights of a player of `matching` that can be seen through: it nearly always plays high."""
    network = MlpActorCritic(game, NetworkSettings(hidden=8).form(), tied=True, seed=0)  # type: ignore[arg-type]
    weights = network.weights()
    weights["policy.bias"][FIRST] += 3.0
    return weights


def settings_of(game: str, **changes: Any) -> SelfPlaySettings:
    given: dict[str, Any] = {
        "options": {"rule": "matching"},
        "players": 2,
        "games": 256,
        "threads": 1,
        "network": NetworkSettings(hidden=8),
        "ppo": SelfPlayPPOSettings(n_steps=2, batch_size=128),
        "league": LeagueSettings(exploiter_decisions=60_000),
        "evaluation": EvaluationSettings(deals=200),
        **changes,
    }
    return SelfPlaySettings(game, **given)


def test_an_exploiter_learns_to_beat_who_can_be_seen_through_and_nobody_else(small_games: str) -> None:
    game, settings = get_game(small_games), settings_of(small_games)
    player = as_checkpoint(settings, settings.network.form(), always_high(game), 0, "")
    exploiter = learn_to_beat(player, exploiter_settings(settings, 1), seed=3)
    assert exploiter.beats_it
    assert exploiter.share.mean > 1.8, "of two fair shares: it has seen through it on both seats"
    again = learn_to_beat(player, exploiter_settings(settings, 1), seed=3)
    assert all((again.weights[name] == array).all() for name, array in exploiter.weights.items())
    against_itself = as_checkpoint(settings, settings.network.form(), exploiter.weights, 0, "")
    short = replace(settings, league=replace(settings.league, exploiter_decisions=1))
    assert not learn_to_beat(against_itself, exploiter_settings(short, 1), seed=4).share.mean > 1.3


def test_a_response_knows_whom_it_plays_against(small_games: str) -> None:
    game, settings = get_game(small_games), settings_of(small_games)
    player = as_checkpoint(settings, settings.network.form(), always_high(game), 0, "")
    agent = CheckpointAgent(player, game)
    left = play_against_response(small_games, agent, 2, 100, 0, 16, **settings.options)
    assert left.mean() < 0.1, "the player itself gets next to nothing"


def test_the_worst_case_is_the_hardest_opponent_with_each_number_of_players() -> None:
    results = {
        ("bot", 2): np.array([0.8, 0.8]),
        (RESPONSE, 2): np.array([0.2, 0.4]),
        ("bot", 4): np.array([0.5]),
        (RESPONSE, 4): np.array([0.25]),
    }
    assert worst_case(results) == pytest.approx((2 * 0.3 + 4 * 0.25) / 2)


def test_a_run_is_measured_against_a_response_and_meets_its_exploiters(small_games: str, tmp_path: Path) -> None:
    settings = settings_of(
        small_games,
        options={"rule": "luck"},
        run=str(tmp_path / "run"),
        decisions=8192,
        ppo=SelfPlayPPOSettings(n_steps=8, batch_size=256),
        league=LeagueSettings(share=0.5, snapshot_every=2048, exploiter_every=4096, exploiter_decisions=40_000),
        evaluation=EvaluationSettings(every=4096, deals=200, response_playouts=4, response_deals=4),
    )
    assert run(settings) == 0
    lines = list(read_log(tmp_path / "run"))
    assert sum("against response" in line for line in lines) == 2
    shares = [line["exploiter"] for line in lines if "exploiter" in line]
    assert len(shares) == 1, "one is taken when the next begins"
    (joined,) = (tmp_path / "run" / "checkpoints").glob("exploiter-*")
    assert read_checkpoint(joined, settings.rules).step == 4096
    assert f"checkpoints/{joined.name}" in (tmp_path / "run" / "league.json").read_text()
