"""Runs of training: kept whole, resumed exactly, stopped gently, measured honestly."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from safetensors.numpy import load_file

from card_envs.agents.checkpoint import read_checkpoint
from card_envs.arena.match import play_match
from card_envs.errors import CheckpointError, OptionError
from card_envs.games import game_names, get_game
from tests.fuzz import training_kills
from tests.support.killed_run import write_config
from tests.support.killing import strike
from training.command_line import load
from training.evaluation import Share, play_seats
from training.league import League, LeagueSettings
from training.measuring import Measuring, Self, Unmeasured
from training.run import Run, train
from training.run_folder import RunFolder
from training.run_state import read_state
from training.screen import Screen
from training.self_play_games import NOBODY, GameGroup
from training.self_play_learner import SelfPlayLearner
from training.settings import SelfPlaySettings
from training.spare import AtOnce

ROOT = Path(__file__).parents[2]


def settings_of(tmp_path: Path, run: str = "run", **changes: Any) -> SelfPlaySettings:
    given = {"decisions": 6000, "run": str(tmp_path / run), **changes}
    return load(SelfPlaySettings, write_config(tmp_path / "settings.yaml", **given))


def begin(settings: SelfPlaySettings) -> Run:
    folder = RunFolder.new(settings)
    return Run(settings, folder, SelfPlayLearner(settings, folder))


def play_whole(settings: SelfPlaySettings) -> None:
    train(settings, RunFolder.new(settings), SelfPlayLearner)


@pytest.mark.slow
def test_killed_or_out_of_disk_a_run_ends_with_what_an_undisturbed_one_ends_with() -> None:
    """At some moments of those that the whole proof takes; see there."""
    command = [sys.executable, "-m", training_kills.__name__, "--kills", "4", "--every", "12"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"beginning: moments (\d+), runs [234], kills [234], findings 0", done.stdout), done.stdout
    assert "runs 2, kills 4, findings 0, full disks 2" in done.stdout, done.stdout


def test_ctrl_c_saves_and_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(RunFolder, "report", RunFolder.report)  # is put back afterwards
    strike(RunFolder, "report", 3, after=True, blow=lambda: signal.raise_signal(signal.SIGINT))
    play_whole(settings_of(tmp_path, decisions=10**9, save_seconds=1000.0))
    output = capsys.readouterr().out
    assert "stopped and saved" in output
    assert "--resume" in output
    state = read_state(tmp_path / "run/state.pt")
    lines = (tmp_path / "run/log.jsonl").read_text().splitlines()
    assert len(lines) == 3
    assert state["decisions"] == json.loads(lines[-1])["decisions"] > 0


def test_a_runs_folder_says_what_made_it_and_its_players_play(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    play_whole(settings)
    path = tmp_path / "run"
    assert load(SelfPlaySettings, path / "config.yaml") == settings
    made_by = json.loads((path / "made_by.json").read_text())
    assert made_by["torch"].startswith("2.")
    assert {"git_commit", "command", "numpy", "python"} <= made_by.keys()
    assert made_by["trainer"] == "self_play"
    assert list(path.glob("events.out.tfevents*"))
    league = json.loads((path / "league.json").read_text())
    assert league[0]["player"] == "bot"
    assert len(league) == 1 + 6  # a snapshot for each thousand decisions
    assert sum(member["active"] for member in league) == 1 + 2
    players = sorted(one.name for one in (path / "checkpoints").iterdir())
    assert players[:2] == ["best.safetensors", "latest.safetensors"]
    best = path / "checkpoints/best.safetensors"
    assert play_match("king_lui", [best, "bot", "bot"], games=10).points.shape == (10, 3)
    figures = json.loads((path / "log.jsonl").read_text().splitlines()[-1])
    assert {"against bot, 3 players", "against random, 4 players error", "entropy"} <= figures.keys()
    assert {"approx_kl", "explained_variance", "decisions_per_second", "seconds"} <= figures.keys()
    with pytest.raises(OptionError, match=r"there already.*--resume"):
        RunFolder.new(settings)


def test_two_programs_cannot_write_into_one_folder(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    folder = RunFolder.new(settings)
    with pytest.raises(OptionError, match="another program"):
        RunFolder.old(tmp_path / "run", "self_play")
    folder.close()
    RunFolder.old(tmp_path / "run", "self_play").close()
    with pytest.raises(OptionError, match=r"no config\.yaml"):
        RunFolder.old(tmp_path / "nowhere", "self_play")


def test_frozen_players_never_change(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    run = begin(settings)
    learner: Any = run.learner
    run.begin_or_resume()
    run.snapshot()
    learner.league.settle()
    frozen: Any = learner.league.player(1)
    weights = frozen.checkpoint.weights["policy.weight"]
    before = weights.copy()
    for _ in range(4):
        run.iterate()
    assert (weights == before).all()
    assert (learner.weights()["policy.weight"] != before).any()
    with pytest.raises(ValueError, match="read-only"):
        weights[0, 0] = 1.0
    learner.league.check_frozen()
    frozen.checkpoint.weights["policy.weight"] = weights + 1
    with pytest.raises(CheckpointError, match="has changed since it joined"):
        learner.league.check_frozen()
    run.save()
    run.save_player(Path(learner.league.members[1].player).stem)  # somebody writes over the snapshot
    again = SelfPlayLearner(settings, run.folder)
    with pytest.raises(CheckpointError, match="not the player that joined the league"):
        Run(settings, run.folder, again).begin_or_resume()
    for one in (learner, again, run.folder):
        one.close()


def test_opponents_change_only_between_games(tmp_path: Path) -> None:
    class Fickle:
        """Somebody else at every call."""

        calls = 0

        def draw(self, lots: Any) -> Any:
            self.calls += 1
            return np.full(len(lots), self.calls % 3 - 1)

        def player(self, number: int) -> str:
            return ("random", "bot")[number]

    group = GameGroup(get_game("king_lui"), 3, 32, seed=0, pool=Fickle())
    rng = np.random.default_rng(0)
    ended, rewards = np.zeros(32, bool), np.zeros((32, 3), np.float32)
    seated = group.saved()["seated"]
    changes = 0
    for _ in range(200):
        legal = group.batch.action_mask
        group.play((rng.random(legal.shape) * legal).argmax(axis=1), ended, rewards)
        now = group.saved()["seated"]
        changed = (now != seated).any(axis=1)
        assert not (changed & ~ended).any()
        changes += changed.sum()
        seated = now
    assert changes > 20


def test_hard_players_are_met_more_often(tmp_path: Path) -> None:
    league = League(get_game("king_lui"), (3,), tmp_path, LeagueSettings(share=0.5, always=("bot", "random")))
    league.tell(np.array([[500.0, 500.0], [50.0, 450.0]]))
    league.settle()
    drawn = league.draw(np.linspace(0, 1, 10_000, endpoint=False))
    assert (drawn == NOBODY).mean() == pytest.approx(0.5, abs=0.01)
    assert (drawn == 0).mean() > 10 * (drawn == 1).mean() > 0


def test_a_run_can_start_from_a_checkpoint(tmp_path: Path) -> None:
    play_whole(settings_of(tmp_path, "first", decisions=500))
    best = tmp_path / "first/checkpoints/best.safetensors"
    again = begin(settings_of(tmp_path, "second", decisions=500, start=str(best)))
    again.learner.begin()
    for name, array in load_file(best).items():
        np.testing.assert_allclose(again.learner.weights()[name], array, atol=1e-4)
    assert again.learner.parent == read_checkpoint(best, "king_lui").content_hash
    with pytest.raises(OptionError, match=r"\[16\].*\[17\]"):
        begin(settings_of(tmp_path, "third", start=str(best), network={"hidden": [17]}))
    again.learner.close()
    again.folder.close()


@pytest.mark.parametrize("terminal", [True, False])
def test_the_screen_shows_progress_and_error_bars(terminal: bool) -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=120)
    figures = {"decisions_per_second": 5000.0, "entropy": 0.5, "approx_kl": 0.01, "explained_variance": 0.3}
    with Screen("King Lui", 100_000, 0, console) as screen:
        screen.learned(50_000, {**figures, "learning_rate": 1e-3})
        screen.measured({"bot": Share(0.3, 0.01)}, "best is step 50,000")
        seconds = {"playing": 2.0, "frozen": 1.0, "learning": 5.0, "measuring": 1.0, "saving": 2.0}
        screen.spent({f"seconds_{name}": value for name, value in seconds.items()})
        told = screen.time_spent()
    assert told == "playing 20 % (frozen players 10 %), learning 50 %, measuring 10 %, saving 20 %"
    shown = out.getvalue()
    for piece in (
        "50",
        "%",
        "5,000",
        "0.500",
        "approx. KL",
        "0.0100",
        "explained variance",
        "0.300",
        "bot",
        "0.300 ± 0.020",
    ):
        assert piece in shown


def test_equal_deals_and_every_seat_in_turn() -> None:
    deals = 200
    shares = play_seats("king_lui", "random", "random", 3, deals, seed=1)
    assert shares == pytest.approx(np.full(deals, 1 / 3))  # whoever wins a deal among equals wins it from every seat
    assert Share.of(np.array([0.0, 1.0])).error == pytest.approx(0.5)


def test_the_best_is_chosen_by_measuring(tmp_path: Path) -> None:
    """Of a bot and a random player, whoever comes first, and whenever the others are met."""
    settings = settings_of(tmp_path, players=[3], evaluation={"deals": 40})
    players = {1: "random", 2: "bot", 3: "random"}
    measuring = Measuring(settings, AtOnce(1), str, lambda one: players[one.step])
    for step in players:
        measuring.ask(Unmeasured(Self(step, {}), ("random",) if step < 3 else ("bot", "random")))
    assert [one.player.step for one in measuring.unmeasured] == [1, 2, 3]
    measured = measuring.take(keep=0)
    assert [(one.step, one.is_best) for one in measured] == [(1, True), (2, True), (3, False)]
    assert measured[0].results["random", 3].mean() == pytest.approx(1 / 3)
    assert measuring.best == Self(2, {})
    assert measuring.unmeasured == []


@pytest.mark.parametrize("name", game_names())
def test_a_stop_in_the_middle_of_games_is_not_noticed(name: str) -> None:
    players = get_game(name).players[-1]
    one, other = (GameGroup(get_game(name), players, 16, seed=3, pool=None) for _ in range(2))
    ended, rewards = np.zeros(16, bool), np.zeros((16, players), np.float32)
    rng = np.random.default_rng(0)

    def play(group: GameGroup, lots: Any) -> Any:
        group.play((lots * group.batch.action_mask).argmax(axis=1), ended, rewards)
        return group.batch.observation.copy()

    for _ in range(30):
        play(one, rng.random(one.batch.action_mask.shape))
    other.restore(one.saved())
    for _ in range(20):
        lots = rng.random(one.batch.action_mask.shape)
        np.testing.assert_array_equal(play(one, lots), play(other, lots))
