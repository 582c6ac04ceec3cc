"""What the documentation says is what the code does."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import gymnasium
import pettingzoo
import pytest

import card_envs

ROOT = Path(__file__).parent.parent
GAMES = card_envs.game_names()
# The code of ecosystem.md needs other libraries; test_ecosystem.py runs it.
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.name != "ecosystem.md")]


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("game", GAMES)
def test_a_games_page_has_all_that_a_user_looks_for(game: str, hooks: ModuleType) -> None:
    rules = card_envs.get_game(game)
    page = hooks.expand((ROOT / "docs" / "games" / f"{game}.md").read_text(encoding="utf-8"))
    for heading in (
        f"# {rules.title}",
        "## The game",
        "## Actions",
        "## Observation",
        "## Rulings",
        "## Version history",
    ):
        assert re.search(rf"^{re.escape(heading)}$", page, re.MULTILINE), f"no heading {heading!r}"
    for field in rules.layout:
        slice_ = rules.layout[field]
        assert f"| `{field}` | {slice_.start}:{slice_.stop} |" in page
    assert rules.layout.hash in page
    assert rules.id in page
    assert "<!--" not in page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_code_in_the_docs_runs(page: Path, hooks: ModuleType) -> None:
    text = hooks.expand(page.read_text(encoding="utf-8"))
    for code in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        exec(compile(code, str(page), "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_marker_is_left_unfilled(page: Path, hooks: ModuleType) -> None:
    assert "<!--" not in hooks.expand(page.read_text(encoding="utf-8"))


def test_readme_lists_every_game() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for game in GAMES:
        rules = card_envs.get_game(game)
        assert f"[{rules.title}](docs/games/{game}.md)" in readme
        assert f"`{rules.id}`" in readme


def test_every_id_is_registered_and_nothing_else() -> None:
    games = [card_envs.get_game(game) for game in GAMES]
    registries = {"gym": gymnasium.registry, "aec": pettingzoo.aec_registry, "parallel": pettingzoo.parallel_registry}
    ours = {kind: {id_ for id_ in registry if id_.startswith("card_envs/")} for kind, registry in registries.items()}
    assert ours["gym"] == ours["aec"] == {game.id for game in games}
    assert ours["parallel"] == {game.id for game in games if game.simultaneous}
