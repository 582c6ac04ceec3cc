"""The scripts in examples/ run, and what they save is a player."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

import card_envs
from card_envs.agents.checkpoint import CheckpointAgent

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(path.name for path in (ROOT / "examples").glob("*.py"))
REINFORCE = ["reinforce_batch.py", "reinforce_pettingzoo.py"]


def run(script: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)  # which would last longer than this test
    monkeypatch.setattr(sys, "argv", [script, *arguments])
    runpy.run_path(str(ROOT / "examples" / script), run_name="__main__")


@pytest.mark.parametrize("script", REINFORCE)
def test_an_own_loop_saves_a_player(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine.safetensors"
    run(script, monkeypatch, "--out", str(out), "--iterations", "2", "--games", "4")
    assert "win share" in capsys.readouterr().out
    player = CheckpointAgent(out, "zum_kuhkuck", players=2, seed=0)
    batch = card_envs.make_batch("zum_kuhkuck", 8, seed=0)
    batch.step(player.act(batch.observation, batch.action_mask))
    assert int(player.act(batch.observation[0], batch.action_mask[0])) in range(7)


@pytest.mark.slow
def test_an_own_loop_learns_to_beat_random_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "mine.safetensors"
    run("reinforce_batch.py", monkeypatch, "--out", str(out), "--iterations", "40")
    result = card_envs.play_match("zum_kuhkuck", [CheckpointAgent(out, "zum_kuhkuck", seed=0), "random"], games=4000)
    assert result.win_shares[0] - 4 * result.standard_errors[0] > 0.5


def test_an_own_loop_plays_any_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "mine.safetensors"
    run("reinforce_batch.py", monkeypatch, "--out", str(out), "--game", "king_lui", "--iterations", "1", "--games", "2")
    assert CheckpointAgent(out, "king_lui").checkpoint.players == (4,)


def test_every_script_is_on_a_page_of_the_docs() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    assert set(re.findall(r"examples/(\w+\.py)", pages)) == set(SCRIPTS)  # those of ecosystem/: test_ecosystem.py


def test_the_empty_supply_of_king_lui_is_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("empty_supply.py", monkeypatch, "--games", "2000")
    counted = [float(share) for share in re.findall(r"in ([\d.]+)% of 2000", capsys.readouterr().out)]
    told = re.search(
        r"in ([\d.]+) % of the bots' games with three\s+players, ([\d.]+) % with four and ([\d.]+) % with five",
        (ROOT / "docs/games/king_lui.md").read_text(encoding="utf-8"),
    )
    assert told
    assert counted == pytest.approx([float(share) for share in told.groups()], abs=4)
