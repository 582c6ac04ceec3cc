"""Where compiled code is kept, and when it is made anew."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import card_envs

ROOT = Path(__file__).parent.parent


def run(code: str, **environment: str) -> str:
    """Run Python code in a process of its own, in a folder that is not the project's."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_package_loads_neither_the_compiler_nor_anything_heavy() -> None:
    loaded = run("import sys, card_envs; print(*sys.modules)").split()
    assert not {"numba", "torch", "stable_baselines3", "ray", "fastapi"} & set(loaded)
    assert "pettingzoo" in loaded


def test_a_second_process_finds_the_compiled_code(tmp_path: Path) -> None:
    code = (
        "import card_envs\n"
        "batch = card_envs.make_batch('king_lui', 2, seed=0)\n"
        "batch.step(batch.action_mask.argmax(axis=1))\n"
        "print(sum(batch.game.loops.step_games.stats.cache_hits.values()))"
    )
    first, second = (run(code, CARD_ENVS_CACHE=str(tmp_path)).strip() for _ in range(2))
    assert (first, second) == ("0", "1")


def test_an_edited_rule_never_runs_stale(tmp_path: Path) -> None:
    """A copy of the package whose king gets nothing: the cache of the unedited one must not be used."""
    shutil.copytree(ROOT / "card_envs", tmp_path / "card_envs", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import card_envs; from card_envs.agents.random import RandomAgent\n"
        f"assert card_envs.__file__.startswith({str(tmp_path)!r})\n"
        "batch, agent = card_envs.make_batch('king_lui', 50, seed=0, auto_reset=False), RandomAgent(0)\n"
        "for _ in range(12): batch.step(agent.act(None, batch.action_mask))\n"
        "print(int(batch.states['king'].sum()))"
    )
    cache = str(tmp_path / "cache")
    assert int(run(code, CARD_ENVS_CACHE=cache)) > 0
    rules = tmp_path / "card_envs" / "games" / "king_lui" / "rules.py"
    source = rules.read_text(encoding="utf-8")
    assert source.count("state.king[dish] += state.table[dish]") == 1
    stamp = rules.stat()
    rules.write_text(
        source.replace("state.king[dish] += state.table[dish]", "state.king[dish] += 0 * 1234"[:37]), "utf-8"
    )
    os.utime(rules, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert int(run(code, CARD_ENVS_CACHE=cache, PYTHONDONTWRITEBYTECODE="1")) == 0


def test_the_users_own_numba_settings_are_left_alone() -> None:
    code = (
        "from numba.core import config; before = config.CACHE_DIR\n"
        "import card_envs; card_envs.get_game('king_lui').loops\n"
        "print(config.CACHE_DIR == before)"
    )
    assert run(code).strip() == "True"


def test_without_a_writable_home_a_temporary_folder_serves(tmp_path: Path) -> None:
    code = "from card_envs.core.compile import cache_root; print(cache_root())"
    blocked = tmp_path / "a file, not a folder"
    blocked.write_text("", "utf-8")
    environment = {"XDG_CACHE_HOME": str(blocked), "CARD_ENVS_CACHE": "", "TMPDIR": str(tmp_path)}
    assert run(code, **environment).strip().startswith(str(tmp_path / "card_envs-"))


@pytest.mark.parametrize("game", card_envs.game_names())
def test_a_state_is_small(game: str) -> None:
    assert card_envs.get_game(game).record.itemsize <= {"king_lui": 256}.get(game, 512)
