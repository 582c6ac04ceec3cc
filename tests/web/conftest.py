"""Tests of the web page see the same deals in every run: each test its own."""

from __future__ import annotations

import random

import pytest

from card_envs.core.options import LARGEST_SEED
from card_envs.web import hosted_games


@pytest.fixture(autouse=True)
def _same_deals_in_every_run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    lots = random.Random(request.node.nodeid)
    monkeypatch.setattr(hosted_games, "new_seed", lambda: lots.randrange(LARGEST_SEED))
