"""Games of agents as episodes, and as a Minari dataset where Minari is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import card_envs
from card_envs.dataset import record, write_dataset
from card_envs.errors import MissingExtraError, OptionError
from tests.support.registered import GAMES


@pytest.mark.parametrize("game", GAMES)
def test_every_seat_of_every_game_is_an_episode(game: str) -> None:
    rules = card_envs.get_game(game)
    players = rules.players[0]
    (episodes,) = record(rules, ["random", "random"], 6, players=players, seed=3)
    assert len({one.seed for one in episodes}) == 6
    for one in episodes:
        steps = len(one.actions)
        assert one.observations.shape == (steps + 1, rules.layout.size)
        assert one.masks.shape == (steps + 1, len(rules.actions))
        assert one.masks[np.arange(steps), one.actions].all(), "an illegal action"
        assert one.masks[-1].all()
    for seed in {one.seed for one in episodes}:
        assert sum(one.reward for one in episodes if one.seed == seed) == pytest.approx(0, abs=1e-5)
    (again,) = record(rules, ["random", "random"], 6, players=players, seed=3)
    assert all(np.array_equal(one.actions, other.actions) for one, other in zip(episodes, again, strict=True))


def test_an_episode_is_what_the_seat_saw() -> None:
    """Played again from its seed and actions in the AEC environment."""
    rules = card_envs.get_game("zum_kuhkuck")
    (episodes,) = record(rules, ["random"], 2, players=2, seed=5)
    seed = episodes[0].seed
    both = {one.seat: one for one in episodes if one.seed == seed}
    env = card_envs.make_env("zum_kuhkuck")
    env.reset(seed=seed)
    turns = {0: 0, 1: 0}
    for agent in env.agent_iter():
        seen, reward, terminated, _, _ = env.last()
        episode, seat = both[int(agent[-1])], int(agent[-1])
        assert np.array_equal(seen["observation"], episode.observations[turns[seat]])
        if terminated:
            assert reward == episode.reward
            env.step(None)
            continue
        env.step(int(episode.actions[turns[seat]]))
        turns[seat] += 1


def test_minari_opens_what_was_written(tmp_path: Path) -> None:
    if not pytest.importorskip("importlib.util").find_spec("minari"):
        with pytest.raises(MissingExtraError, match="a dataset needs minari"):
            write_dataset("zum_kuhkuck", ["random"], 1, tmp_path / "games")
        assert not list(tmp_path.iterdir())
        return
    import minari

    dataset = minari.MinariDataset(write_dataset("zum_kuhkuck", ["random"], 3, tmp_path / "games"))
    assert dataset.total_episodes == 6
    for episode in dataset.iterate_episodes():
        assert episode.infos["action_mask"][np.arange(len(episode.actions)), episode.actions].all()
        assert episode.terminations[-1]
    with pytest.raises(OptionError, match="is there already"):
        write_dataset("zum_kuhkuck", ["random"], 3, tmp_path / "games")
