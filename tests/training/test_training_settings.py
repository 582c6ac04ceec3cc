"""Settings: every file under configs/ works, and what is wrong is refused by name."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sb3_contrib import MaskablePPO

from card_envs.agents.loading import champion_path
from card_envs.arena.match import play_match
from card_envs.errors import OptionError
from card_envs.games import game_names, get_game
from training.command_line import ALSO_CALLED, load, parse, to_yaml
from training.ppo_settings import MaskablePPOSettings, SelfPlayPPOSettings
from training.program import run_program
from training.run import train
from training.run_folder import RunFolder
from training.sb3_learner import Sb3Learner
from training.self_play_learner import SelfPlayLearner
from training.settings import RunSettings, Sb3Settings, SelfPlaySettings
from training.trees import TREES, tree_of

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((ROOT / "configs").glob("*/*.yaml"))
TO_RUN = [path for path in CONFIGS if path.stem in ("quick", "sb3")]
SHORTER = {
    "self_play": [
        "--games=24",
        "--decisions=2000",
        "--ppo.n_steps=20",
        "--evaluation.deals=2",
        "--evaluation.every=1000",
    ],
    "sb3_ppo": ["--games=16", "--decisions=1500", "--ppo.n_steps=32", "--ppo.batch_size=256", "--evaluation.deals=2"],
}


def test_every_game_has_its_configs() -> None:
    found = {(path.parent.name, re.sub(r"^champion_\d+$", "champion", path.stem)) for path in CONFIGS}
    assert found == {(game, kind) for game in game_names() for kind in ("quick", "default", "champion", "sb3")}


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_config_is_read_and_kept_whole(config: Path, tmp_path: Path) -> None:
    settings = parse(tree_of(config), "", ["--config", str(config)])
    assert isinstance(settings, tree_of(config))
    assert settings.game == config.parent.name
    (tmp_path / "kept.yaml").write_text(to_yaml(settings))
    assert load(tree_of(config), tmp_path / "kept.yaml") == settings


def shorter(config: Path, run: Path) -> list[str]:
    return ["--config", str(config), "--run", str(run), *SHORTER[tree_of(config).trainer]]


def check_run(config: Path, run: Path, said: str) -> None:
    assert "win share against bot" in said
    settings: Any = load(tree_of(config), run / "config.yaml")
    play_match(settings.game, [run / "checkpoints/best.safetensors"] * settings.numbers[0], games=5)


@pytest.mark.parametrize("config", TO_RUN, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_quick_configs_and_sb3_run(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings: Any = parse(tree_of(config), "", shorter(config, tmp_path / "run"))
    make: Any = Sb3Learner if isinstance(settings, Sb3Settings) else SelfPlayLearner
    train(settings, RunFolder.new(settings), make)
    check_run(config, tmp_path / "run", capsys.readouterr().out)


@pytest.mark.parametrize("script", ["self_play", "sb3_ppo"])
def test_trainers_are_programs(script: str, tmp_path: Path) -> None:
    config = next(path for path in TO_RUN if tree_of(path).trainer == script)
    command = [sys.executable, "-m", f"training.{script}", *shorter(config, tmp_path / "run")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    check_run(config, tmp_path / "run", done.stdout)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--game=chess"], "there is no game 'chess': there are king_lui"),
        ([], "game"),
        (["--game=king_lui", "--ppo.n_stepz=3"], "there is no setting ppo.n_stepz: did you mean ppo.n_steps?"),
        (["--game=king_lui", "--sead=3"], "there is no setting sead: did you mean seed?"),
        (["--game=king_lui", "--players=[2]"], "players of King Lui must be a whole number from 3 to 5"),
        (["--game=king_lui", "--players=[3,3]"], "players must name each number once"),
        (["--game=king_lui", "--ppo.clip_range=-1"], "ppo.clip_range must be a number from 0 on, not -1"),
        (["--game=king_lui", "--decisions=many"], "decisions"),
        (["--game=king_lui", "--network.activation=gelu"], "relu"),
        (["--game=king_lui", "--network.hidden=[]"], "network.hidden"),
        (
            ["--game=king_lui", "--network.kind=oracle"],
            "network: there is no network of the kind 'oracle'",
        ),
        (["--game=king_lui", "--network.options={heads: 2}"], "network: an mlp has the sizes"),
        (["--game=king_lui", "--options={deck: 1}"], "deck"),
        (["--game=king_lui", "--options={reward: margin}"], "options.reward"),
        (["--game=king_lui", "--league.share=2"], "league.share must be a number from 0 to 1"),
        (["--game=king_lui", "--games=1", "--threads=2"], "games"),
        (["--game=king_lui", "--workers=2"], "workers are on a cluster: give --ray auto"),
        (
            ["--game=king_lui", "--ray=auto", "--workers=5"],
            "workers can be 4 at most, not 5: the run is cut into 4 parts",
        ),
        (["--game=king_lui", "--ray=auto", "--workers=0"], "workers must be a whole number from 1"),
        (["--config=nowhere.yaml"], "nowhere.yaml"),
        (["--resume", "a", "--seed=1"], "leave out --seed"),
        (["--game=king_lui", "--resume=a"], "--resume goes on with a run by its own settings; leave out --game"),
    ],
)
def test_wrong_settings_are_refused_by_name(arguments: list[str], sentence: str) -> None:
    with pytest.raises(SystemExit) as refusal:
        parse(SelfPlaySettings, "", arguments)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def refusal(tree: type[RunSettings], *arguments: str) -> str:
    with pytest.raises(SystemExit) as refused:
        parse(tree, "", arguments)
    return str(refused.value)


def bomb(levels: int = 8) -> str:
    """Each line ten times the one before: a text of half a kilobyte that means a hundred million values."""
    lines = [f"  a0: &a0 [{', '.join('x' * 10)}]"]
    lines += [f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "options:\n" + "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (bomb(), r"aliases \(\*a0\) cannot be used in settings: write it out"),
        ("options: &o {o: *o}", "aliases"),
        (f"options: {'[' * 5000}{']' * 5000}", "settings are at most 20 lists or groups deep"),
        (f"# {'x' * 100_000}", "it has 100017 bytes, and can have 65536 at most"),
        (f"ppo: {{{', '.join(f'k{n}: 1' for n in range(5000))}}}", "there is no setting ppo.k0: "),
        (f"decisions: [{', '.join('9' * 9000)}]", "decisions"),
        ("seed: 1\udcff", "it is no text"),
    ],
    ids=["aliases", "loop", "deep", "large", "unknown", "long", "no text"],
)
def test_a_config_that_would_take_long_to_read_is_refused_at_once(text: str, sentence: str, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(f"game: king_lui\n{text}", errors="surrogateescape")
    told = refusal(SelfPlaySettings, f"--config={config}")
    assert re.search(sentence, told)
    assert len(told) < 2100
    assert "\n" not in told
    with pytest.raises(OptionError, match=sentence) as also:
        load(SelfPlaySettings, config)
    assert len(str(also.value)) < 2300


def test_only_a_regular_file_is_read_as_settings(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    assert "it is not a regular file" in refusal(SelfPlaySettings, f"--config={tmp_path / 'pipe.yaml'}")
    assert "it is not a regular file" in refusal(SelfPlaySettings, "--config=/dev/zero")


def test_aliases_on_the_command_line_are_refused_too() -> None:
    assert "options" in refusal(SelfPlaySettings, "--game=king_lui", "--options={a: &a [1], b: *a}")


@pytest.mark.parametrize(("old", "new"), ALSO_CALLED.items())
def test_old_names_are_refused_with_the_new_ones(old: str, new: str, tmp_path: Path) -> None:
    """On the command line and in a file."""
    sentence = f"there is no setting {old}: did you mean {new}? there are game, "
    assert refusal(SelfPlaySettings, "--game=king_lui", f"--{old}=1").startswith(sentence)
    config = tmp_path / "old.yaml"
    names = old.split(".")
    config.write_text("game: king_lui\n" + (f"{names[0]}: 1" if len(names) == 1 else f"{names[0]}:\n  {names[1]}: 1"))
    assert sentence in refusal(SelfPlaySettings, f"--config={config}")
    if "teacher" not in old:
        assert sentence in refusal(Sb3Settings, f"--config={config}")


def test_both_trainers_use_the_same_words() -> None:
    ours, theirs = (
        {field.name for field in dataclasses.fields(tree)} for tree in (SelfPlayPPOSettings, MaskablePPOSettings)
    )
    taught, mixed = {"teacher_coef", "teacher_until"}, {"average_half_life", "magnet_coef", "play_average"}
    assert ours - theirs == taught | mixed | {"all_actions_from", "explore", "even"}
    assert theirs - ours == set()
    assert (
        theirs - {"learning_rate_end", "ent_coef_end", "ent_coef_until"}
        <= inspect.signature(MaskablePPO).parameters.keys()
    )


@pytest.mark.parametrize("tree", [SelfPlaySettings, Sb3Settings])
def test_a_single_number_is_a_list_of_one(tree: Any, tmp_path: Path) -> None:
    one, many = (
        parse(tree, "", ["--game=king_lui", f"--players={players}", f"--network.hidden={hidden}"])
        for players, hidden in (("4", "64"), ("[4]", "[64]"))
    )
    for settings in (one, many):
        assert (settings.numbers, settings.network.layers) == ((4,), (64,))
        (tmp_path / "kept.yaml").write_text(to_yaml(settings))
        assert load(tree, tmp_path / "kept.yaml") == settings


def test_maskable_ppo_plays_with_one_number_of_players() -> None:
    assert refusal(Sb3Settings, "--game=king_lui", "--players=[3,4]").startswith("players must be one number")
    assert Sb3Settings(game="king_lui").numbers == (get_game("king_lui").options().players,)


def commands() -> list[str]:
    """Every command of a training that we publish."""
    pages = [ROOT / "README.md", ROOT / "docs/training.md", *sorted((ROOT / "training").glob("*.py"))]
    found = [
        line for page in pages for line in re.findall(r"python -m training\.\w+ --config[^`\n]*", page.read_text())
    ]
    for game in game_names():
        story = json.loads(champion_path(get_game(game)).with_suffix(".json").read_text())
        found += [story["command"], *story["commands"]]
    return sorted(set(found))


@pytest.mark.parametrize("command", commands())
def test_published_commands_can_still_be_typed(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    module, *arguments = shlex.split(command, comments=True)[2:]
    tree = TREES[module.removeprefix("training.")]
    assert isinstance(parse(tree, "", arguments), tree)


@pytest.mark.parametrize("game", game_names())
def test_the_settings_of_champions_can_still_be_read(game: str, tmp_path: Path) -> None:
    story = json.loads(champion_path(get_game(game)).with_suffix(".json").read_text())
    (tmp_path / "config.yaml").write_text(story["config"])
    assert load(TREES[story["trainer"]], tmp_path / "config.yaml").game == game


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "thesis.txt").write_text("")
    monkeypatch.setattr(sys, "argv", ["training.self_play", "--resume", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"has no config\.yaml"):
        run_program(SelfPlaySettings, "", SelfPlayLearner)
