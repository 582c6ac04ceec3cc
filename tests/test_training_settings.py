"""Settings: every file under configs/ works, and what is wrong is refused by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from card_envs.arena.match import play_match
from card_envs.games import game_names
from training.sb3_ppo import Sb3Settings
from training.settings import SelfPlaySettings, load, parse, to_yaml

ROOT = Path(__file__).parent.parent
CONFIGS = sorted((ROOT / "configs").glob("*/*.yaml"))
SHORTER = {
    "self_play": [
        "--games=24",
        "--decisions=2000",
        "--ppo.steps=20",
        "--evaluation.deals=2",
        "--evaluation.every=1000",
    ],
    "sb3_ppo": ["--games=16", "--decisions=1500", "--ppo.n_steps=32", "--ppo.batch_size=256", "--evaluation.deals=2"],
}


def tree_of(config: Path) -> type:
    return Sb3Settings if config.stem == "sb3" else SelfPlaySettings


def test_every_game_has_its_configs() -> None:
    found = {(path.parent.name, path.stem) for path in CONFIGS}
    assert found == {(game, kind) for game in game_names() for kind in ("quick", "default", "sb3")}


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_config_is_read_and_kept_whole(config: Path, tmp_path: Path) -> None:
    settings = parse(tree_of(config), "", ["--config", str(config)])
    assert settings.game == config.parent.name  # type: ignore[attr-defined]
    (tmp_path / "kept.yaml").write_text(to_yaml(settings))
    assert load(tree_of(config), tmp_path / "kept.yaml") == settings


@pytest.mark.parametrize("script", ["self_play", "sb3_ppo"])
@pytest.mark.parametrize("game", game_names())
def test_quick_configs_and_sb3_run_as_programs(game: str, script: str, tmp_path: Path) -> None:
    config = ROOT / "configs" / game / ("quick.yaml" if script == "self_play" else "sb3.yaml")
    done = subprocess.run(
        [sys.executable, "-m", f"training.{script}", "--config", config, "--run", tmp_path / "run", *SHORTER[script]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "win share against bot" in done.stdout
    assert done.stderr == ""
    settings: Any = load(tree_of(config), tmp_path / "run/config.yaml")
    best = tmp_path / "run/checkpoints/best.safetensors"
    play_match(game, [best] * settings.numbers[0], games=5)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--game=chess"], "there is no game 'chess'; there are king_lui"),
        ([], "game"),
        (["--game=king_lui", "--ppo.stepz=3"], "there is no setting ppo.stepz: did you mean ppo.steps?"),
        (["--game=king_lui", "--sead=3"], "there is no setting sead: did you mean seed?"),
        (["--game=king_lui", "--players=[2]"], "players of King Lui must be a whole number from 3 to 5"),
        (["--game=king_lui", "--players=[3,3]"], "players must name each number once"),
        (["--game=king_lui", "--ppo.clip=-1"], "ppo.clip must be a number from 0 on, not -1"),
        (["--game=king_lui", "--decisions=many"], "decisions"),
        (["--game=king_lui", "--network.activation=gelu"], "relu"),
        (["--game=king_lui", "--network.hidden=[]"], "network.hidden"),
        (["--game=king_lui", "--options={deck: 1}"], "deck"),
        (["--game=king_lui", "--options={reward: margin}"], "options.reward"),
        (["--game=king_lui", "--league.share=2"], "league.share must be a number from 0 to 1"),
        (["--game=king_lui", "--games=1", "--threads=2"], "games"),
        (["--config=nowhere.yaml"], "nowhere.yaml"),
        (["--resume", "a", "--seed=1"], "--resume takes the folder"),
        (["--game=king_lui", "--resume=a"], "--resume"),
    ],
)
def test_wrong_settings_are_refused_by_name(arguments: list[str], sentence: str) -> None:
    with pytest.raises(SystemExit) as refusal:
        parse(SelfPlaySettings, "", arguments)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "training.self_play", "--resume", tmp_path], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "has no config.yaml" in done.stderr
    assert "Traceback" not in done.stderr
