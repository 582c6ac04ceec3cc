"""Where compiled code is kept, when it is made anew, and that nobody plays another game's rules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import card_envs
from card_envs.core.cache import KEPT, _remove_old, code_key
from card_envs.core.compile import compiled

ROOT = Path(__file__).parents[2]

# A game of one decision, in a package of its own; the rule that matters is in a helper of another file.
SMALL_GAME = """
from dataclasses import dataclass
from card_envs.core.compile import compiled
from card_envs.core.game import Game, Words
from card_envs.core.layout import Field, Layout
from card_envs.core.rules import Rules, state_dtype
from rules_of_the_house import bonus

STATE = state_dtype(("chosen", "u1"))
WORD = "take"

@dataclass(frozen=True)
class Options:
    players: int = 2
    def fill(self, state): pass

@compiled
def deal(state): state.seat = 0
@compiled
def legal(state, seat, mask): mask[0] = mask[1] = 1
@compiled
def apply(state, action):
    state.chosen = action + bonus()
    state.seat = -1
@compiled
def score(state, points, sheet): points[0] = state.chosen
@compiled
def redraw_hidden(state, seat): pass
@compiled
def observe(state, seat, out): out[0] = 0.0

GAME = Game(
    name="small", title="Small", home=__name__, players=(2,), record=STATE, options=Options, actions=("a", "b"),
    rules=Rules(deal, legal, apply, score, redraw_hidden), layout=Layout(Field("nothing", (1,), 1, "nothing")),
    observe=observe, view=lambda state, seat: {"chosen": int(state["chosen"])},
    words=Words(lambda action, language, view: WORD, lambda *_: [], {}, {}),
)
"""
HOUSE = "from card_envs.core.compile import compiled\n\n@compiled\ndef bonus(): return {}\n"
PLAY = (
    "import card_envs; card_envs.register_game('small')\n"
    "batch = card_envs.make_batch('small', 1, seed=0, auto_reset=False); batch.step([1])\n"
    "loops = batch.game.loops\n"
    "hits = [sum(loop.stats.cache_hits.values()) for loop in (loops.show_games, loops.move_games)]\n"
    "print(int(batch.points[0, 0]), *hits)"
)


def run(code: str, **environment: str) -> str:
    """Run Python code in a process of its own, in a folder that is not the project's."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def rewrite(path: Path, text: str) -> None:
    """Change a file so that neither its size nor its time tells."""
    stamp = path.stat()
    path.write_text(text, "utf-8")
    assert path.stat().st_size == stamp.st_size
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


@pytest.fixture
def small_package(tmp_path: Path) -> Path:
    (tmp_path / "small.py").write_text(SMALL_GAME, "utf-8")
    (tmp_path / "rules_of_the_house.py").write_text(HOUSE.format(5), "utf-8")
    return tmp_path


def test_importing_the_package_loads_neither_the_compiler_nor_anything_heavy() -> None:
    loaded = run("import sys, card_envs; print(*sys.modules)").split()
    assert not {"numba", "torch", "stable_baselines3", "ray", "fastapi"} & set(loaded)
    assert "pettingzoo" in loaded


@pytest.mark.slow
def test_a_function_replaced_at_run_time_is_not_kept_for_others(small_package: Path) -> None:
    """Part of what is compiled then may stem from before and part from after: nobody else may get that."""
    where = {"PYTHONPATH": f"{small_package}{os.pathsep}{ROOT}", "CARD_ENVS_CACHE": str(small_package / "cache")}
    match = "print(sorted(set(card_envs.play_match('small', ['random', 'random'], games=20).points[:, 0].tolist())))"
    replace = f"import small, rules_of_the_house; exec({HOUSE.format(9)!r}, vars(rules_of_the_house))"
    run(f"{PLAY}\n{replace}\nsmall.bonus = rules_of_the_house.bonus\n{match}", **where)
    code = f"import card_envs; card_envs.register_game('small')\n{match}"
    rewrite(small_package / "rules_of_the_house.py", HOUSE.format(9))
    assert run(code, **where).strip() == "[9, 10]"


@pytest.mark.slow
def test_compiled_code_is_found_again_never_stale_and_made_anew_when_damaged(small_package: Path) -> None:
    """Damaged machine code would end the process without a word, a damaged index raise at each start."""
    cache = small_package / "cache"
    where = {"PYTHONPATH": f"{small_package}{os.pathsep}{ROOT}", "CARD_ENVS_CACHE": str(cache)}
    assert run(PLAY, **where).split() == ["6", "0", "0"]
    rewrite(small_package / "small.py", SMALL_GAME.replace('WORD = "take"', 'WORD = "prix"'))
    assert run(PLAY, **where).split() == ["6", "1", "1"], "found again, and a translation compiles nothing"
    rewrite(small_package / "rules_of_the_house.py", HOUSE.format(7))
    # Starting a game does not reach the helper of another file: only the loop that does is compiled again.
    assert run(PLAY, **where).split() == ["8", "1", "0"]
    for loop, suffix in (("show_games", ".nbc"), ("move_games", ".nbi"), ("fill_seeds", "checksum")):
        for path in (path for path in cache.glob(f"*-{loop}-*/**/*") if path.name.endswith(suffix)):
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 0x55
            path.write_bytes(data)
    assert run(PLAY, **where).split() == ["8", "0", "0"], "damaged"
    assert run(PLAY, **where).split() == ["8", "1", "1"], "and whole again"
    assert not [path.name for path in cache.iterdir() if path.name.startswith(".")], "nothing is left beside"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_a_cache_that_others_can_write_to_is_refused(small_package: Path) -> None:
    cache = small_package / "shared"
    cache.mkdir()
    cache.chmod(0o777)
    where = {"PYTHONPATH": f"{small_package}{os.pathsep}{ROOT}", "CARD_ENVS_CACHE": str(cache)}
    code = f"import card_envs.errors\ntry:\n  exec({PLAY!r})\nexcept card_envs.errors.CacheError as error: print(error)"
    said = run(code, **where)
    assert said.startswith(f"others can write to the folder for compiled code, {cache}: ")
    assert "CARD_ENVS_CACHE" in said
    if os.geteuid() == 0:
        cache.chmod(0o700)
        os.chown(cache, 12345, -1)
        assert "belongs to another user" in run(code, **where)
    fresh = small_package / "new" / "folder"
    run("from card_envs.core.cache import cache_root; cache_root()", **{**where, "CARD_ENVS_CACHE": str(fresh)})
    assert fresh.stat().st_mode & 0o777 == 0o700


VARIANT = """
import dataclasses
import small
from card_envs.core.compile import compiled
from card_envs.core.rules import Rules

@compiled
def apply(state, action):
    small.apply(state, action)
    state.chosen = 9

own = Rules(small.deal, small.legal, apply, small.score, small.redraw_hidden)
GAME = dataclasses.replace(small.GAME, name="nine", title="Nine", home=__name__, rules=own)
"""


@pytest.mark.slow
def test_a_variant_with_the_same_record_plays_its_own_rules_and_the_original_its_own(small_package: Path) -> None:
    """In both orders of loading, compiled and plain, in one process and in two; from a cold cache and a warm one."""
    (small_package / "nine.py").write_text(VARIANT, "utf-8")
    play = (
        "import sys, card_envs\n"
        "for name in {names!r}:\n"
        "    card_envs.register_game(name)\n"
        "    batch = card_envs.make_batch(name, 1, seed=0, auto_reset=False); batch.step([1])\n"
        "    print(name, int(batch.points[0, 0]))\n"
    )

    def points(*names: str, cache: str, **more: str) -> dict[str, int]:
        where = {"PYTHONPATH": f"{small_package}{os.pathsep}{ROOT}", "CARD_ENVS_CACHE": str(small_package / cache)}
        lines = run(play.format(names=names), **where, **more).splitlines()
        return {name: int(number) for name, number in map(str.split, lines)}

    truth = {"small": 6, "nine": 9}
    for order in (("nine", "small"), ("small", "nine")):
        assert points(*order, cache="none", NUMBA_DISABLE_JIT="1") == truth, "plain Python"
    assert points("nine", "small", cache="cache") == truth, "cold"
    assert points("small", "nine", cache="cache") == truth, "warm"
    assert points("small", cache="cache") == {"small": 6}, "in a process of its own"


def test_the_key_covers_what_code_names_and_not_where_it_stands() -> None:
    def make(text: str, **names: object) -> str:
        space: dict[str, object] = {"compiled": compiled, **names}
        exec(compile(text, "somewhere", "exec"), space)
        return code_key(space["rule"])  # type: ignore[arg-type]

    plain = make("def rule(a):\n  'A docstring.'\n  return a + N", N=3)
    assert make("\n\n# a comment\ndef rule(a):\n  'In other words.'\n  return a + N", N=3) == plain
    assert make("def rule(a):\n  'A docstring.'\n  return a + N", N=4) != plain, "a constant"
    assert make("def rule(a):\n  'A docstring.'\n  return a - N", N=3) != plain, "the code"
    assert make("def rule(a):\n  return 'yes'") != make("def rule(a):\n  return 'no'")
    deep = (
        "@compiled\ndef inner(a):\n  return a * {}\ndef middle(a):\n  return inner(a)\ndef rule(a):\n  return middle(a)"
    )
    assert make(deep.format(2)) != make(deep.format(3)), "a function that a function calls"


def test_old_versions_of_compiled_loops_are_removed(tmp_path: Path) -> None:
    for number in range(KEPT + 3):
        folder = tmp_path / f"king_lui_v0-move_games-{number:016x}"
        folder.mkdir()
        os.utime(folder, (2e9 + number, 2e9 + number))
    (tmp_path / f"zum_kuhkuck_v0-move_games-{0:016x}").mkdir()
    long_ago = tmp_path / f"gone-{0:016x}"
    long_ago.mkdir()
    os.utime(long_ago, (1e9, 1e9))
    (tmp_path / "somebody's own").mkdir()
    killed, busy = tmp_path / ".king_lui_v0-move_games-0-abc", tmp_path / ".king_lui_v0-move_games-0-def"
    for folder in (killed, busy):
        folder.mkdir()
    os.utime(killed, (1e9, 1e9))
    _remove_old(tmp_path)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert len([name for name in left if name.startswith("king_lui")]) == KEPT - 1
    assert f"king_lui_v0-move_games-{KEPT + 2:016x}" in left
    assert long_ago.name not in left
    assert "somebody's own" in left
    assert busy.name in left
    assert killed.name not in left


def test_the_users_own_numba_settings_are_left_alone() -> None:
    code = (
        "from numba.core import config; before = config.CACHE_DIR\n"
        "import card_envs; card_envs.make_batch('king_lui', 1)\n"
        "print(config.CACHE_DIR == before)"
    )
    assert run(code).strip() == "True"


def test_without_a_writable_home_a_temporary_folder_serves(tmp_path: Path) -> None:
    code = "from card_envs.core.cache import cache_root; print(cache_root())"
    blocked = tmp_path / "a file, not a folder"
    blocked.write_text("", "utf-8")
    environment = {"XDG_CACHE_HOME": str(blocked), "CARD_ENVS_CACHE": "", "TMPDIR": str(tmp_path)}
    assert run(code, **environment).strip().startswith(str(tmp_path / "card_envs-"))
    assert not list(tmp_path.glob("card_envs-*")), "it is removed at the end"


@pytest.mark.parametrize("game", card_envs.game_names())
def test_a_state_is_small(game: str) -> None:
    assert card_envs.get_game(game).record.itemsize <= {"king_lui": 256}.get(game, 512)
