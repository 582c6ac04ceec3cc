"""Nothing is silent for long: compiling, loading and training say what they do, and libraries do not."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from card_envs.arena import progress
from card_envs.core import cache
from card_envs.core.compile import JIT
from card_envs.notices import show_notices
from training import screen as screen_module
from training.screen import Screen

ROOT = Path(__file__).parents[2]
FIGURES = {
    "decisions_per_second": 10.0,
    "entropy": 0.5,
    "approx_kl": 0.01,
    "explained_variance": 0.3,
    "learning_rate": 1e-3,
}
needs_compiler = pytest.mark.skipif(not JIT, reason="nothing is compiled here")


def add_one(number: int) -> int:
    return number + 1


@pytest.fixture(autouse=True)
def as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty cache, nothing told yet, and nobody who listens; whoever listened before listens again afterwards."""
    log = logging.getLogger("card_envs")
    handlers, level = list(log.handlers), log.level
    log.handlers.clear()
    monkeypatch.setattr(cache, "cache_root", lambda: tmp_path)
    monkeypatch.setattr(cache, "_told", set())
    yield
    log.handlers[:] = handlers
    log.setLevel(level)


def compile_twice(title: str | None, key: str = "") -> None:
    import numba

    for kind in (numba.int64, numba.float64):
        cache.compile_loop(add_one, (kind,), "test", key or cache.code_key(add_one), title)


@needs_compiler
def test_compiling_is_announced_once_where_a_program_asks_for_it(capfd: pytest.CaptureFixture[str]) -> None:
    show_notices()
    show_notices()
    compile_twice("King Lui")
    assert capfd.readouterr() == ("", "compiling King Lui, once, about 10 s\n")


@needs_compiler
def test_code_that_was_replaced_is_announced_too(capfd: pytest.CaptureFixture[str]) -> None:
    show_notices()
    compile_twice("King Lui", key="of other code")
    assert capfd.readouterr() == ("", "compiling King Lui, once, about 10 s\n")


@needs_compiler
def test_a_library_compiles_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    compile_twice("King Lui")
    assert capfd.readouterr() == ("", "")


@needs_compiler
def test_what_comes_from_the_cache_is_not_announced(capfd: pytest.CaptureFixture[str]) -> None:
    compile_twice(None)
    show_notices("stdout")
    compile_twice("King Lui")
    assert capfd.readouterr() == ("", "")


def test_a_training_speaks_before_it_loads_what_takes_long() -> None:
    """Settings are read, and refused, without torch; then a line comes before torch does."""
    code = (
        "import sys, training.self_play, training.sb3_ppo\n"
        "assert 'torch' not in sys.modules and 'stable_baselines3' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


class Clock:
    """Time as a test wants it."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(screen_module, "time", clock)
    return clock


def lines_of(clock: Clock, seconds: int, *, minutes: float | None = None, done: int = 0, each: int = 1) -> list[str]:
    """What is printed without a terminal in so many seconds, with 10 of 10,000 decisions in each."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=False, width=200)
    with Screen("King Lui", 10_000, done, console, minutes=minutes) as screen:
        for second in range(each, seconds + 1, each):
            clock.now += each
            screen.learned(done + 10 * second, {**FIGURES, "seconds": float(second)})
    return out.getvalue().splitlines()


def test_lines_come_every_two_seconds_at_first_and_less_often_later(clock: Clock) -> None:
    assert len(lines_of(clock, 10)) == 5
    assert 20 < len(lines_of(clock, 200)) < 40


@pytest.mark.parametrize(
    ("minutes", "done", "told"),
    [
        (None, 0, ("  1 %", "16 min left")),
        (1.0, 0, (" 17 %", "50 s left")),  # the minutes are over long before the decisions are done
        (1000.0, 0, ("  1 %", "16 min left")),
        (1.0, 5000, (" 58 %", "50 s left")),
        (None, 9900, ("100 %", "0 s left")),
    ],
)
def test_the_time_left_is_that_of_whichever_comes_first(
    clock: Clock, minutes: float | None, done: int, told: tuple[str, str]
) -> None:
    (line,) = lines_of(clock, 10, minutes=minutes, done=done, each=10)
    assert line.startswith(told[0])
    assert line.endswith(told[1])


def test_names_with_brackets_are_shown_whole() -> None:
    out = io.StringIO()
    with Screen("King Lui", 100, 0, Console(file=out, force_terminal=True, width=120)) as screen:
        from training.evaluation import Share

        screen.measured({"my [bold] player": Share(0.5, 0.1)}, "")
    assert "my [bold] player" in out.getvalue()


def test_a_tournament_without_a_terminal_tells_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    lines = progress._Lines("King Lui", 4000, 0)
    for _ in range(40):
        clock.now += 1
        lines(100)
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "King Lui: 200 of 4,000 games"
    assert 8 < len(told) < 15
