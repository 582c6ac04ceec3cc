"""`card-envs new-game`: a small game that works, to be changed into another one."""

from __future__ import annotations

import ast
import importlib.util
import keyword
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import card_envs
from card_envs.errors import OptionError
from card_envs.files import write_whole
from card_envs.games import environment_id, rows

TEMPLATES = Path(card_envs.__file__).parent / "templates"
PARTS = ("__init__", "state", "rules", "observation", "view", "bot", "bounds")
TESTS = ("__init__.py", "conftest.py", "referee.py", "test_my_game.py", "test_my_game_rules.py")
LONGEST_NAME, LONGEST_TITLE = 30, 40
Files = dict[Path, str]


class Names(NamedTuple):
    """What the new game is called, in the three ways in which code and texts call it."""

    name: str
    title: str

    @property
    def stem(self) -> str:
        """The name as ids have it, such as MyGame."""
        return environment_id(self.name, 0).removeprefix("card_envs/").removesuffix("-v0")

    def put_into(self, text: str) -> str:
        """A template in which the game is called by its own name."""
        own = {"my_game": self.name, "My Game": self.title, "MyGame": self.stem}
        return re.sub("my_game|My Game|MyGame", lambda found: own[found[0]], text)


def new_game(name: str, *, out: Path | None, inside: bool, title: str | None) -> str:
    """Write all files of a new game, or none of them; returns what to tell whoever wants it."""
    names = Names(_check_name(name), _check_title(name.replace("_", " ").title() if title is None else title))
    if not inside:
        folder = Path(name) if out is None else out
        _check_free(names, name)
        files = _project(names, folder)
        _refuse_existing([folder])
        _write_all(files)
        return _told(files, _commands_outside(name, folder))
    if out is not None:
        raise OptionError("--inside writes into this clone of card_envs; leave out --out")
    root = _clone()
    _check_free(names, f"card_envs.games.{name}")
    files = _parts_of_clone(names, root)
    _refuse_existing([root / "card_envs" / "games" / name, *files])
    registry = root / "card_envs" / "games" / "__init__.py"
    files[registry] = add_row(registry.read_text(encoding="utf-8"), name)
    _write_all(files)
    return _told(files, _commands_inside(name))


# What it may be called.


def _check_name(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise OptionError(
            f"a game's name must be one or more words in lower case with _ between them, such as my_game, not {name!r}"
        )
    if re.search(r"_v\d+$", name):
        raise OptionError(f"leave the version out of the name {name!r}; every game begins with version 0 by itself")
    if len(name) > LONGEST_NAME:
        raise OptionError(f"a game's name must have at most {LONGEST_NAME} letters, not {len(name)}: {name!r}")
    return name


def _check_title(title: str) -> str:
    if not title.strip() or len(title) > LONGEST_TITLE or not title.isprintable() or set(title) & set('"\\<>`|'):
        raise OptionError(
            f'a title must be one line of 1 to {LONGEST_TITLE} letters without " \\ < > ` |, not {title!r}'
        )
    return title.strip()


def _check_free(names: Names, module: str) -> None:
    """Neither a game nor a module that Python would find in its place may have the name."""
    for row in rows().values():
        if row.name == names.name or row.id == environment_id(names.name, row.version):
            raise OptionError(f"the name {names.name!r} is taken by the game in {row.home}; choose another")
    found = importlib.util.find_spec(module)
    if module in sys.stdlib_module_names or module == "tests" or (found is not None and found.origin is not None):
        raise OptionError(f"the name {names.name!r} is taken by another module of Python's; choose another")


def _refuse_existing(paths: list[Path]) -> None:
    for path in paths:
        if path.exists() or path.is_symlink():
            raise OptionError(f"{path} already exists, and nothing is overwritten; name another place or another game")


# What is written.


def _template(path: str, names: Names) -> str:
    return names.put_into((TEMPLATES / path).read_text(encoding="utf-8"))


def _project(names: Names, folder: Path) -> Files:
    """A package of its own, ready to be installed."""
    files = {folder / names.name / f"{part}.py": _template(f"my_game/{part}.py", names) for part in PARTS}
    files[folder / "pyproject.toml"] = _template("project/pyproject.toml", names)
    files[folder / "README.md"] = _template("project/README.md", names)
    for path in TESTS:
        files[folder / "tests" / names.put_into(path)] = _template(f"tests/{path}", names)
    return files


def _clone() -> Path:
    root = Path(card_envs.__file__).parent.parent
    if not (root / "tests" / "referees").is_dir() or not (root / "docs" / "games").is_dir():
        raise OptionError(
            f"--inside adds a game to card_envs itself and needs a clone of its repository, which {root} is not; leave "
            f"it out to make a package of your own"
        )
    return root


def _parts_of_clone(names: Names, root: Path) -> Files:
    """What each of our own games consists of, but for its row in the registry."""
    from card_envs.templates.my_game import GAME
    from card_envs.testing.golden import tell_golden

    games, tests = root / "card_envs" / "games" / names.name, root / "tests"
    files = {games / f"{part}.py": _with_full_imports(_template(f"my_game/{part}.py", names), names) for part in PARTS}
    referee = _template("tests/referee.py", names).replace("from card_envs.testing import", "from .randomness import")
    files[tests / "referees" / f"{names.name}.py"] = referee
    files[tests / "golden" / f"{names.name}.txt"] = names.put_into(tell_golden(GAME))
    files[tests / "rules" / f"test_{names.name}_rules.py"] = _template("tests/test_my_game_rules.py", names)
    files[root / "docs" / "games" / f"{names.name}.md"] = _template("page.md", names)
    return files


def _with_full_imports(code: str, names: Names) -> str:
    """Imports as our own games have them: by full names, and in one block with the others of card_envs."""
    code = re.sub(r"^(from card_envs\..*\n)\n(?=from \.)", r"\1", code, flags=re.MULTILINE)
    return re.sub(r"^from \.", f"from card_envs.games.{names.name}.", code, flags=re.MULTILINE)


def add_row(source: str, name: str) -> str:
    """The registry with one more game, after the others; refused where it does not look as expected."""
    listed = list(re.finditer(r'^( +)Row\("\w+", \d+, "[\w.]+".*\),\n', source, re.MULTILINE))
    if listed:
        row = f'{listed[-1][1]}Row("{name}", 0, "card_envs.games.{name}", parallel=False),\n'
        end = listed[-1].end()
        added = source[:end] + row + source[end:]
        with suppress(SyntaxError):
            if _rows_in(added) == [*_rows_in(source), name]:
                return added
    raise OptionError(
        f'cannot find the list of games in card_envs/games/__init__.py; add Row("{name}", 0, "card_envs.games.{name}") '
        f"by hand where the others are, or restore the file"
    )


def _rows_in(source: str) -> list[object]:
    """The names in the rows of the registry's code, in their order."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    made = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Row" and call.args]
    firsts = [call.args[0] for call in sorted(made, key=lambda call: call.lineno)]
    return [first.value for first in firsts if isinstance(first, ast.Constant)]


# All of it, or nothing.


def _write_all(files: Files) -> None:
    """Write new files, and anew those that are there; whatever goes wrong, leave everything as it was."""
    before = {path: path.read_bytes() for path in files if path.exists()}
    made: list[Path] = []
    try:
        for path, text in files.items():
            _make_folder(path.parent, made)
            made.append(path)
            write_whole(path, text)
    except BaseException as error:
        for path in reversed(made):
            with suppress(OSError):
                if path in before:
                    write_whole(path, before[path])
                elif path.is_dir():
                    path.rmdir()
                else:
                    path.unlink()
        if isinstance(error, OSError):
            raise OptionError(f"cannot write {path}: {error.strerror}; nothing of it is left behind") from None
        raise


def _make_folder(folder: Path, made: list[Path]) -> None:
    """The folder and those above it, remembering which are new."""
    if not folder.exists():
        _make_folder(folder.parent, made)
        folder.mkdir()
        made.append(folder)


# What is told.


def _told(files: Files, commands: list[str]) -> str:
    return "\n".join([*(f"wrote {path}" for path in files), "", "Next:", *(f"  {command}" for command in commands)])


def _commands_outside(name: str, folder: Path) -> list[str]:
    place = folder if folder.is_absolute() else f"./{folder}"
    return [f"pip install -e {place}", f"python -m pytest {place}", f"card-envs play {name}"]


def _commands_inside(name: str) -> list[str]:
    return [
        f"python -m pytest tests/rules/test_{name}_rules.py",
        "make pages",
        f"python -m pytest tests/properties tests/referees tests/usage/test_docs.py -k {name}",
        f"card-envs play {name}",
    ]
