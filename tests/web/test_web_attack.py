"""The server under attack, briefly. `python -m tests.fuzz.web_attack` is the same for as long as one likes."""

from __future__ import annotations

import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts descriptors in /proc, and binds 127.0.0.2")


@pytest.mark.slow
def test_people_play_on_whatever_strangers_do() -> None:
    from tests.fuzz.web_attack import attack
    from tests.fuzz.web_attacks import ATTACKS

    report = attack(len(ATTACKS), 0)
    assert report.findings == []
    assert len(report.attacks) == len(ATTACKS)
    assert report.games >= 2
    assert report.views > 50
    assert {200, 400, 403, 404, 405, 413, 421, 422} <= report.statuses.keys()
