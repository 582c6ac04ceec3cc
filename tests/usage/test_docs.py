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
from tests.support.registered import GAMES

ROOT = Path(__file__).parents[2]
# The code of ecosystem.md needs other libraries, that of add-a-game.md a game; test_ecosystem.py and
# test_foreign_game.py run it.
ELSEWHERE = ("ecosystem.md", "add-a-game.md")
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if page.name not in ELSEWHERE)]


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


def test_what_the_readme_says_of_games_is_true() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"\[([^]]+)\]\(docs/games/(\w+)\.md\)", readme)
    assert len(listed) >= 3
    for title, game in listed:
        rules = card_envs.get_game(game)
        assert rules.title == title
        assert f"`{rules.id}`" in readme


def test_the_pages_of_all_games_are_in_the_navigation(hooks: ModuleType) -> None:
    config = hooks.on_config({"nav": ["index.md", "architecture.md"]})
    pages = [page for one in config["nav"][1]["Games"] for page in one.values()]
    assert pages == [f"games/{game}.md" for game in GAMES]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_ids(game: str) -> None:
    rules = card_envs.get_game(game)
    assert rules.id in gymnasium.registry
    if hasattr(pettingzoo, "aec_registry"):  # from 1.27 on
        assert rules.id in pettingzoo.aec_registry
        assert rules.id in pettingzoo.parallel_registry
