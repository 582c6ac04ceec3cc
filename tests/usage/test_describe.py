"""A game described in the terminal and in the repository: rules, actions, and every number of an observation."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

import card_envs
from card_envs.cli import app
from card_envs.presentation.description import action_runs
from card_envs.presentation.languages import LANGUAGES
from card_envs.presentation.phrases import explain, say_action
from tests.support.registered import GAMES

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def described(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["describe", *arguments], terminal_width=100)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_described_in_every_language(game: str, language: str) -> None:
    rules = card_envs.get_game(game)
    text = described(game, "--language", language)
    words = " ".join(text.split())
    assert rules.id in text
    for heading, sentences in explain(rules, language):
        assert heading in text
        for sentence in sentences:
            assert " ".join(sentence.split()) in words
    last = len(rules.actions) - 1
    assert (rules.actions[last] if language == "en" else say_action(rules, last, language)) in text
    for option in rules.options.__dataclass_fields__:  # type: ignore[attr-defined]
        assert f"  {option} = " in text
    for field in rules.layout.fields:
        assert field.name in text
        assert field.meaning in text


@pytest.mark.parametrize("game", GAMES)
def test_every_action_is_in_one_run(game: str) -> None:
    numbers = []
    for run, _ in action_runs(card_envs.get_game(game)):
        first, _, last = run.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    assert numbers == list(range(len(card_envs.get_game(game).actions)))


def test_a_layout_prints_its_table() -> None:
    layout = card_envs.get_game("king_lui").layout
    lines = str(layout).splitlines()
    assert len(lines) == 1 + len(layout) + 1
    assert lines[0].split()[:3] == ["field", "slice", "shape"]
    for field, line in zip(layout.fields, lines[1:], strict=False):
        place = layout[field.name]
        assert line.startswith(f"{field.name} ")
        assert f" {place.start}:{place.stop} " in line
        assert line.endswith(field.meaning)
    assert str(layout.size) in lines[-1]
    assert layout.hash in lines[-1]
    assert repr(layout) == f"<Layout of {len(layout)} fields, {layout.size} numbers>"


def test_a_layout_is_a_table_in_a_notebook() -> None:
    from card_envs.core.layout import Field, Layout

    page = Layout(Field("a", (2, 3), 4, "less < more"))._repr_html_()
    for cell in ("<td>a</td>", "<td>0:6</td>", "<td>2 x 3</td>", "<td>4</td>", "<td>less &lt; more</td>"):
        assert cell in page
    assert page.count("<tr>") == page.count("</tr>") == 2


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_in_the_repository_are_up_to_date(page: Path, hooks: ModuleType) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == hooks.written(text), "the page is older than what it shows; write it anew with: make pages"


@pytest.mark.parametrize("game", GAMES)
def test_pages_of_games_can_be_read_in_the_repository(game: str) -> None:
    text = (ROOT / "docs" / "games" / f"{game}.md").read_text(encoding="utf-8")
    assert f"# {card_envs.get_game(game).title}" in text
    for field in card_envs.get_game(game).layout:
        assert f"| `{field}` |" in text


def test_old_tables_are_replaced_and_all_else_is_kept(hooks: ModuleType) -> None:
    once = hooks.written("before\n\n<!-- games -->\n\nafter\n")
    assert once.startswith("before\n")
    assert once.endswith("\nafter\n")
    assert "| [King Lui]" in once
    assert hooks.written(once) == once
    assert hooks.written(once.replace("| [King Lui]", "| [Old]")) == once
    assert "<!--" not in hooks.expand(once)
