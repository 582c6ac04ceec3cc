"""Searchers by name wherever agents have names: environments, the terminal, the browser, and what measures them."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import card_envs
from card_envs.agents.opinions import ask_opinion
from card_envs.bench import search as bench
from card_envs.bench import search_strength as strength
from card_envs.errors import OptionError
from tests.support.commands import run
from tests.support.registered import GAMES

QUICK = "rollout(model=random, playouts=2)"


@pytest.mark.parametrize("game", GAMES)
def test_as_opponents_in_environments(game: str) -> None:
    id_ = card_envs.get_game(game).id
    seen = []
    for opponents in (QUICK, card_envs.rollout(model="random", playouts=2)):
        env = gym.make(id_, opponents=opponents)
        _, info = env.reset(seed=4)
        rewards, done = 0.0, False
        while not done:
            _, reward, done, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
            rewards += float(reward)
        seen.append(rewards)
    assert seen[0] == seen[1]
    vector = gym.make_vec(id_, num_envs=3, opponents={QUICK: 1, "random": 1})
    _, infos = vector.reset(seed=4)
    for _ in range(4):
        *_, infos = vector.step(infos["action_mask"].argmax(axis=1))


def test_as_opponents_for_stable_baselines3() -> None:
    pytest.importorskip("stable_baselines3")
    from card_envs.envs.sb3 import make_sb3_vec_env

    env = make_sb3_vec_env("king_lui", num_envs=2, players=3, opponents=QUICK, seed=0)
    env.reset()
    for _ in range(3):
        env.step(np.asarray(env.env_method("action_masks")).argmax(axis=1))


def test_at_the_terminal_against_oneself_and_as_a_hint() -> None:
    typed = "h\n" + "1\n" * 200
    text = run("play", "king_lui", "--against", QUICK, "--hints", QUICK, "--seed", "3", typed=typed, columns=160)
    assert f"· {QUICK}" in text
    assert 'rollout(model="random", playouts=2) would play: ' in text
    assert re.search(r"^  1\. .* points$", text, re.MULTILINE)


def test_in_the_browser_within_limits() -> None:
    pytest.importorskip("fastapi")
    from starlette.testclient import TestClient

    from card_envs.web.app import make_app
    from tests.support.web_server import GENEROUS, LOCAL, opened, play_to_the_end

    with TestClient(make_app(limits=GENEROUS), base_url=LOCAL) as client:
        offered = [one["id"] for one in client.get("/api/agents/zum_kuhkuck/2").json()]
        assert "search" in offered
        table = opened(client, "zum_kuhkuck", "me", "search")
        assert play_to_the_end(client, table)["names"] == ["", "search"]
        refused = client.post("/api/games", json={"game": "zum_kuhkuck", "seats": ["me", "search(playouts=1000000)"]})
        assert refused.status_code == 422, "one spelling only"
    limits = dataclasses.replace(GENEROUS, thinking_requests=0)
    with TestClient(make_app(limits=limits), base_url=LOCAL) as client:
        refused = client.post("/api/games", json={"game": "zum_kuhkuck", "seats": ["me", "search"]})
        assert refused.status_code == 429
        assert "try again in a moment" in refused.json()["error"]
        opened(client, "zum_kuhkuck", "me", "bot")


def test_a_coach_shows_what_a_searcher_thinks() -> None:
    batch = card_envs.make_batch("king_lui", 1, seed=1)
    position = card_envs.agents.positions.Positions(batch, np.array([0]))
    likely = ask_opinion(card_envs.load_agent("king_lui", "rollout(playouts=8)"), position).probabilities[0]
    assert likely.sum() == pytest.approx(1)
    assert not likely[batch.action_mask[0] == 0].any()


def test_speed_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "PLAYOUTS", 16)
    monkeypatch.setattr(bench, "PEERS", ("leduc_poker",))
    monkeypatch.setattr(bench, "MOVES", 1)
    text = run("bench", "king_lui", "--search", "--seconds", "0.01", columns=200)
    assert "rollout(model=random, playouts=16)" in text
    assert "king_lui, 4 players" in text
    assert "%" in text


def test_strength_is_kept_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strength, "WORLDS_AT_ONCE", 0)
    monkeypatch.setattr(strength, "FEWEST_DEALS", 2)
    asked = [
        str(tmp_path),
        "--game",
        "king_lui",
        "--players",
        "3",
        "--against",
        "random",
        "--searcher",
        "rollout(model=random)",
    ]
    strength.main([*asked, "--playouts", "1", "2", "--games", "6"])
    assert "king_lui" in capsys.readouterr().out
    (kept,) = tmp_path.glob("*-2-*")
    before = kept.stat().st_mtime_ns
    strength.main([*asked, "--playouts", "2", "--games", "6"])
    assert kept.stat().st_mtime_ns == before, "what has been played is not played again"
    strength.main([*asked, "--playouts", "2", "--games", "12"])
    assert kept.stat().st_mtime_ns > before
    with pytest.raises(SystemExit):
        strength.main([*asked[:-1], "rollout(model=bot)", "--playouts", "2", "--games", "6"])
    assert "was played by another searcher" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        strength.main([*asked, "--players", "9"])


def test_isolate_refuses_a_package_as_the_model(tmp_path: Path) -> None:
    from card_envs.arena.tournament import Tournament

    with pytest.raises(OptionError, match="stranger comes from another package, and as the model of a searcher"):
        Tournament("king_lui", agents=["rollout(model=stranger)", "bot"], games=4, isolate=5.0)
