"""Where a library is missing, one sentence says what to install."""

from __future__ import annotations

import importlib
import io
import subprocess
import sys
from pathlib import Path

import pytest

from card_envs.errors import MissingExtraError, OptionError

ROOT = Path(__file__).parents[2]


def hide(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """As if they were not installed."""
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)


def test_the_environment_for_stable_baselines3(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "stable_baselines3")
    monkeypatch.delitem(sys.modules, "card_envs.envs.sb3", raising=False)
    with pytest.raises(ImportError, match=r"^card_envs\.envs\.sb3 needs stable_baselines3.*'card-envs\[train\]'$"):
        importlib.import_module("card_envs.envs.sb3")


def test_players_for_rllib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has ray has RLlib's files, but not what they need."""
    hide(monkeypatch, "ray.rllib.core.columns")
    monkeypatch.delitem(sys.modules, "card_envs.rllib", raising=False)
    with pytest.raises(
        MissingExtraError, match=r"^card_envs\.rllib needs RLlib \(.*\); .*: pip install 'ray\[rllib\]' torch$"
    ):
        importlib.import_module("card_envs.rllib")


@pytest.mark.parametrize("program", ["self_play", "sb3_ppo", "champion", "bench", "sweep"])
@pytest.mark.parametrize("module", ["torch", "jsonargparse"])
def test_programs_of_training(program: str, module: str) -> None:
    code = (
        f"import sys, runpy; sys.modules[{module!r}] = None; sys.argv = ['-m']\n"
        f"runpy.run_module('training.{program}', run_name='__main__', alter_sys=True)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        f"training needs {module}, which is not installed; install it with: pip install 'card-envs[train]'\n"
    )


def test_training_as_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    import training

    hide(monkeypatch, "torch")
    with pytest.raises(MissingExtraError, match="training needs torch"):
        importlib.reload(training)


def test_tournaments_and_drawing_and_the_web(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import card_envs
    from card_envs.arena.tournament import Tournament
    from card_envs.web.server import serve

    hide(monkeypatch, "choix", "resvg_py", "pygame", "uvicorn")
    with pytest.raises(OptionError, match=r"choix.*'card-envs\[arena\]'"):
        Tournament("zum_kuhkuck", agents=["bot", "random"], games=10)
    for mode in ("rgb_array", "human"):
        with pytest.raises(OptionError, match=r"'card-envs\[draw\]'"):
            card_envs.make_env("zum_kuhkuck", render_mode=mode)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"'card-envs\[web\]'"):
        serve(runs=[], host="127.0.0.1", port=0, state=None, allow_hosts=[], open_browser=False)


def test_the_hint_of_bench_keeps_its_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    from card_envs.bench import report

    monkeypatch.setattr(report, "installed_peers", lambda: ())
    monkeypatch.setattr(report, "BATCH_SIZES", (report.COMPARED,))
    monkeypatch.setattr(report, "measure_one_seat", lambda *_: [])
    out = io.StringIO()
    monkeypatch.setattr(report, "Console", lambda: __import__("rich.console").console.Console(file=out, width=120))
    report.print_report(["zum_kuhkuck"], 0.01, True)
    assert "pip install card-envs[bench]" in out.getvalue()
