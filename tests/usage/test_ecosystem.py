"""The examples for other libraries run, where the library is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "ecosystem.md"
MODULES = {
    "Gymnasium wrappers": "gymnasium",
    "Stable-Baselines3": "sb3_contrib",
    "TorchRL": "torchrl",
    "OpenSpiel": "pyspiel",
    "Minari": "minari",
    "RLlib": "tree",  # which ray[rllib] brings, and ray alone does not
    "SuperSuit": "supersuit",
    "BenchMARL": "benchmarl",
    "Tianshou": "tianshou",
    "AgileRL": "agilerl",
}
SCRIPTS = sorted((PAGE.parents[1] / "examples" / "ecosystem").glob("*.py"))
TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
BLOCKS = [
    pytest.param(library, code, id=f"{library}-{number}")
    for library, text in SECTIONS.items()
    for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL), start=1)
]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small are many times slower when threads of several test processes fight for the same cores."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_every_section_is_of_a_known_library_and_has_an_example() -> None:
    assert list(SECTIONS) == list(MODULES)
    scripts = {library for library, text in SECTIONS.items() if "`examples/ecosystem/with_" in text}
    assert {block.values[0] for block in BLOCKS} | scripts == set(MODULES)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_is_short_says_what_it_needs_and_is_on_the_page(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    assert re.search(r"^# /// script\n# dependencies = \[.*\]\n# ///$", text, re.MULTILINE)
    assert "against random, of" in text
    assert f"examples/ecosystem/{script.name}" in TEXT


@pytest.mark.parametrize("library", MODULES)
def test_the_table_and_the_sections_agree_on_what_is_run(library: str) -> None:
    row = re.search(rf"^\| \[{re.escape(library)}\].* \| (yes|no) \|$", TEXT, re.MULTILINE)
    assert row, f"the table has no row for {library}"
    assert (row[1] == "no") == ("Not run in `make test`" in SECTIONS[library])


@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version:UserWarning")
@pytest.mark.parametrize(("library", "code"), BLOCKS)
def test_example_runs(library: str, code: str) -> None:
    pytest.importorskip(MODULES[library])
    exec(compile(code, f"{PAGE.name}: {library}", "exec"), {})
