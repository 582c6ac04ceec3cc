"""`card-envs new-game`: what it writes, and what it refuses without leaving anything behind."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import card_envs
from card_envs.cli import new_game as module
from card_envs.cli.new_game import PARTS, add_row, new_game
from card_envs.errors import OptionError

ROOT = Path(__file__).parents[2]


def write(name: str, **options: Any) -> str:
    return new_game(name, **{"out": None, "inside": False, "title": None, **options})


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_project_has_the_files_of_our_games_and_says_what_to_type(tmp_path: Path) -> None:
    told = write("star_dust", title="Sternenstaub, groß")
    parts = {f"star_dust/{part}.py" for part in PARTS}
    tests = {
        f"tests/{name}.py" for name in ("__init__", "conftest", "referee", "test_star_dust", "test_star_dust_rules")
    }
    assert files_in(tmp_path / "star_dust") == parts | tests | {"pyproject.toml", "README.md"}
    for path in files_in(tmp_path / "star_dust"):
        text = (tmp_path / "star_dust" / path).read_text(encoding="utf-8")
        assert not any(word in text for word in ("my_game", "My Game", "MyGame")), path
        assert f"wrote star_dust/{path}" in told
    assert told.splitlines()[-3:] == [
        "  pip install -e ./star_dust",
        "  python -m pytest ./star_dust",
        "  card-envs play star_dust",
    ]
    readme = (tmp_path / "star_dust" / "README.md").read_text(encoding="utf-8")
    assert "Sternenstaub, groß" in readme
    assert "card_envs/StarDust-v0" in readme


def test_the_folder_can_be_named(tmp_path: Path) -> None:
    assert f"pip install -e {tmp_path / 'a' / 'b'}" in write("star_dust", out=tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b" / "star_dust" / "rules.py").is_file()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("Star", {}, "must be one or more words in lower case"),
        ("7stars", {}, "must be one or more words in lower case"),
        ("star-dust", {}, "must be one or more words in lower case"),
        ("star__dust", {}, "must be one or more words in lower case"),
        ("../star", {}, "must be one or more words in lower case"),
        ("", {}, "must be one or more words in lower case"),
        ("class", {}, "must be one or more words in lower case"),
        ("stärn", {}, "must be one or more words in lower case"),
        ("star_v1", {}, "leave the version out of the name 'star_v1'"),
        ("s" * 31, {}, "must have at most 30 letters, not 31"),
        ("king_lui", {}, "the name 'king_lui' is taken by the game in card_envs.games.king_lui"),
        ("random", {}, "the name 'random' is taken by another module"),
        ("numpy", {}, "the name 'numpy' is taken by another module"),
        ("tests", {}, "the name 'tests' is taken by another module"),
        ("ids", {"inside": True}, "the name 'ids' is taken by another module"),
        ("star", {"title": " "}, "a title must be one line of 1 to 40 letters"),
        ("star", {"title": 'a "star"'}, "a title must be one line of 1 to 40 letters"),
        ("star", {"title": "a\nstar"}, "a title must be one line of 1 to 40 letters"),
        ("star", {"out": Path("taken")}, "taken already exists, and nothing is overwritten"),
        ("star", {"out": Path("a file/star")}, "cannot write a file/star/star/__init__.py: Not a directory"),
        ("star", {"out": Path("x"), "inside": True}, "leave out --out"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_sentence(
    name: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "a file").touch()
    with pytest.raises(OptionError, match=message) as refused:
        write(name, **options)
    assert "\n" not in str(refused.value)
    assert {path.name for path in tmp_path.rglob("*")} == {"taken", "a file"}


def test_a_disk_that_is_full_half_way_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole, written = module.write_whole, []

    def fill_up(path: Path, text: str) -> None:
        written.append(path)
        if len(written) == 5:
            raise OSError(28, "No space left on device")
        write_whole(path, text)

    monkeypatch.setattr(module, "write_whole", fill_up)
    with pytest.raises(OptionError, match=r"cannot write .*: No space left on device; nothing of it is left behind"):
        write("star", out=tmp_path / "deep" / "star")
    assert len(written) == 5
    assert not list(tmp_path.iterdir())


def test_the_command_prints_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "card_envs", "new-game", "Star"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("card-envs: a game's name must be")
    assert done.stderr.count("\n") == 1


class TestInside:
    @pytest.fixture
    def clone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """As much of the repository as the command looks at."""
        (tmp_path / "card_envs" / "games").mkdir(parents=True)
        (tmp_path / "tests" / "referees").mkdir(parents=True)
        (tmp_path / "docs" / "games").mkdir(parents=True)
        shutil.copy(ROOT / "card_envs" / "games" / "__init__.py", tmp_path / "card_envs" / "games")
        monkeypatch.setattr(card_envs, "__file__", str(tmp_path / "card_envs" / "__init__.py"))
        return tmp_path

    def test_a_clone_gets_folder_row_page_playthrough_and_referee(self, clone: Path) -> None:
        before = files_in(clone)
        write("my_game", inside=True)
        assert files_in(clone) - before == {
            *(f"card_envs/games/my_game/{part}.py" for part in PARTS),
            "docs/games/my_game.md",
            "tests/golden/my_game.txt",
            "tests/referees/my_game.py",
            "tests/rules/test_my_game_rules.py",
        }
        registry = (clone / "card_envs" / "games" / "__init__.py").read_text(encoding="utf-8")
        assert 'Row("my_game", 0, "card_envs.games.my_game", parallel=False),\n    )\n' in registry
        rules = (clone / "card_envs" / "games" / "my_game" / "rules.py").read_text(encoding="utf-8")
        assert "compiled\nfrom card_envs.games.my_game.state import COPIES" in rules

    def test_a_registry_that_looks_strange_is_left_alone(self, clone: Path) -> None:
        registry = clone / "card_envs" / "games" / "__init__.py"
        registry.write_text("_ROWS = {}\n", encoding="utf-8")
        before = files_in(clone)
        with pytest.raises(OptionError, match="cannot find the list of games"):
            write("my_game", inside=True)
        assert files_in(clone) == before

    def test_nothing_is_overwritten(self, clone: Path) -> None:
        (clone / "docs" / "games" / "my_game.md").write_text("mine", encoding="utf-8")
        before = files_in(clone)
        with pytest.raises(OptionError, match=r"my_game\.md already exists"):
            write("my_game", inside=True)
        assert files_in(clone) == before

    def test_an_installed_package_is_no_clone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(card_envs, "__file__", str(tmp_path / "card_envs" / "__init__.py"))
        with pytest.raises(OptionError, match="needs a clone of its repository"):
            write("my_game", inside=True)


def test_a_row_is_added_after_the_others_and_nowhere_else() -> None:
    source = (ROOT / "card_envs" / "games" / "__init__.py").read_text(encoding="utf-8")
    added = add_row(source, "star")
    row = '        Row("star", 0, "card_envs.games.star", parallel=False),\n'
    assert added.replace(row, "") == source
    assert add_row(added, "moon").index('Row("moon"') > added.index('Row("star"')
