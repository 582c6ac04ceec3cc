"""`make soak`: what it tries, in which numbers, and that it goes on where it was stopped."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import proofs

PROMISED = """
    tests.fuzz.checkpoints --files 10000
    tests.fuzz.tournaments --files 1000
    tests.fuzz.run_states --files 1000
    tests.fuzz.training_kills --kills 50
    tests.fuzz.tournament_kills --kills 50
    tests.fuzz.web_attack --rounds 1000
    tests.soak --games 1000000
"""


def test_the_numbers_are_those_that_are_promised() -> None:
    assert sorted(" ".join(proof) for proof in proofs.PROOFS) == sorted(map(str.strip, PROMISED.strip().splitlines()))


def test_what_went_well_is_not_done_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tried: list[str] = []
    codes = {"tests.fuzz.training_kills": 1}

    def run(command: list[str], **_: Any) -> SimpleNamespace:
        tried.append(command[2])
        return SimpleNamespace(returncode=codes.get(command[2], 0))

    monkeypatch.setattr(proofs, "KEPT", tmp_path / "notes" / "proofs.jsonl")
    monkeypatch.setattr(subprocess, "run", run)
    every = [module for module, *_ in proofs.PROOFS]
    failing = every.index("tests.fuzz.training_kills")
    with pytest.raises(SystemExit, match="training_kills --kills 50 ended with 1"):
        proofs.main()
    assert tried == every[: failing + 1]
    with proofs.KEPT.open("a") as notes:
        notes.write('{"content": "cut o')
    codes.clear()
    tried.clear()
    proofs.main()
    assert tried == every[failing:], "those before went well"
    monkeypatch.setattr(proofs, "content", lambda: "other code")
    tried.clear()
    proofs.main()
    assert tried == every
