"""Agents of other packages in a tournament: in processes of their own, with a time limit, and forfeits are told."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from card_envs.agents.isolated import agent as isolated
from card_envs.agents.isolated.agent import IsolatedHost
from card_envs.arena import Tournament, isolation
from card_envs.arena.isolation import no_forfeits
from card_envs.arena.packing import pack
from card_envs.arena.replay import Replay
from card_envs.arena.report import write_reports
from card_envs.errors import OptionError, TournamentError
from card_envs.web.errors import ConflictError
from card_envs.web.tournament_library import TournamentLibrary
from tests.support.commands import run
from tests.support.stored_tournaments import change
from tests.support.strangers import install_strangers

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="agents can be isolated on Linux and macOS only")


@pytest.fixture(autouse=True)
def _strangers(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    site = tmp_path_factory.mktemp("site")
    install_strangers(site)
    monkeypatch.syspath_prepend(site)
    yield
    sys.modules.pop("strangers", None)


def play(agents: list[str], out: Path | None = None, isolate: float | None = 60.0, **more: Any) -> Any:
    options = {"players": 3, "games": 60, "seed": 1, "chunk_deals": 10, **more}
    workers = options.pop("workers", 1)
    with Tournament("king_lui", agents=agents, isolate=isolate, out=out, **options) as tournament:
        return tournament.run(workers=workers)


def test_an_honest_agent_has_the_same_standings_in_its_own_process() -> None:
    here, apart = (play(["bylot", "bot", "random"], isolate=isolate) for isolate in (None, 60.0))
    assert apart.rows == here.rows
    assert apart.forfeits == {}
    assert "strangers" in sys.modules, "it was loaded here once, when it played here"
    sys.modules.pop("strangers")
    assert play(["bylot", "bot", "random"], workers=2).rows == here.rows
    assert "strangers" not in sys.modules, "and not where it plays apart"


def test_no_life_of_an_agent_knows_another() -> None:
    assert play(["remembering", "bot", "random"]).forfeits == {}


def test_who_hangs_forfeits() -> None:
    """By itself: with so short a time, whoever else plays apart may be too slow as well, on a busy machine."""
    standings = play(["sleeper", "bot", "random"], isolate=0.1, games=12)
    assert {name: [*told] for name, told in standings.forfeits.items()} == {"sleeper": ["too slow"]}
    assert standings["sleeper"].win_share.value < standings["bot"].win_share.value


def test_who_dies_or_cheats_forfeits_and_the_report_says_so(tmp_path: Path) -> None:
    standings = play(["mortal", "clumsy", "cheat", "liar", "bot"], tmp_path, games=40)
    reasons = {
        "mortal": "process ended",
        "clumsy": "error",
        "cheat": "illegal action",
        "liar": "error",
    }
    assert {name: [*told] for name, told in standings.forfeits.items()} == {
        name: [reason] for name, reason in reasons.items()
    }
    assert standings.rows[0].name == "bot"
    sentence = f"mortal forfeited {standings.forfeits['mortal']['process ended']} of its"
    assert sentence in str(standings)
    page, table = write_reports(tmp_path, json=True)
    assert sentence in page.read_text()
    assert json.loads(table.read_text())["forfeits"] == standings.forfeits
    with pytest.raises(TournamentError, match=r"game 0 of .* was forfeited by .* choose another"):
        Replay(tmp_path, 0)


def test_games_of_isolated_agents_are_replayed_and_resumed(tmp_path: Path) -> None:
    play(["bylot", "bot", "random"], tmp_path)
    assert len(Replay(tmp_path, 5).moves) > 10
    with Tournament.resume(tmp_path, games=90) as again:
        assert again.setting.isolate == 60.0
        assert again.run().games_played == 90


def test_whoever_knows_our_defaults_does_not_know_the_deals() -> None:
    seeds = set()
    for isolate in (None, None, 60.0, 60.0):
        with Tournament("king_lui", agents=["bot"], isolate=isolate, games=3) as tournament:
            seeds.add(tournament.setting.seed)
    assert len(seeds) == 3
    assert 0 in seeds


def test_strangers_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="could not be made in a process of its own"):
        play(["unborn", "bot"], tmp_path / "cup")
    with pytest.raises(OptionError, match=r"isolate must be a number from 0.001 to 3600, not 0"):
        play(["bylot", "bot"], tmp_path / "cup", isolate=0)
    assert not (tmp_path / "cup").exists()


def test_the_command_line_isolates_too(tmp_path: Path) -> None:
    folder = str(tmp_path / "cup")
    text = run(
        "tournament", "king_lui", "--players", "3", "--agents", "cheat", "bot", "--games", "12", "--isolate", "60",
        "--out", folder,
    )  # fmt: skip
    assert "cheat forfeited" in text
    assert "by illegal action" in text
    assert "leave out --isolate" in run("tournament", "--resume", folder, "--isolate", "5", code=2)


def test_an_agent_that_ends_its_host_costs_itself_only() -> None:
    standings = play(["killing", "bot", "random"], games=30)
    assert standings.games_played == 30
    assert standings.forfeits.keys() <= {"killing"}


def test_an_agent_that_is_never_ready_to_play_is_not_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    play(["first", "bot", "random"], games=3)  # so that what must be loaded is loaded
    waits = []
    begin = IsolatedHost.begin

    def hurry(self: IsolatedHost, seed: int | None, within: float = math.inf) -> Any:
        if self.agent == "late" and seed is not None:
            waits.append(seed)
            monkeypatch.setattr(isolated, "START_SECONDS", 0.2)
        try:
            return begin(self, seed, within)
        finally:
            monkeypatch.setattr(isolated, "START_SECONDS", 60.0)

    monkeypatch.setattr(IsolatedHost, "begin", hurry)
    standings = play(["late", "bot", "random"], games=30)
    assert standings.forfeits == {"late": {"too slow": 30}}
    assert len(waits) == 1


def test_an_agent_that_is_always_made_just_in_time_uses_up_its_reserve(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock on which each making takes 119 seconds: the first two use up all of the reserve."""
    now, asked = 0.0, []
    begin = IsolatedHost.begin

    def slowly(self: IsolatedHost, seed: int | None, within: float = math.inf) -> Any:
        nonlocal now
        if seed is not None:
            asked.append(within)
            now += 119.0
        return begin(self, seed, within)

    monkeypatch.setattr(isolation, "clock", lambda: now)
    monkeypatch.setattr(IsolatedHost, "begin", slowly)
    standings = play(["first(slow=1)", "bot", "random"], games=60, isolate=10.0)
    assert asked == [130.0, 21.0], "ten seconds each, and what is left of two minutes"
    assert standings.forfeits == {"first(slow=1)": {"too slow": 40}}


def test_an_agent_that_is_made_in_time_can_be_made_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    begin = IsolatedHost.begin

    def steadily(self: IsolatedHost, *arguments: Any) -> Any:
        nonlocal now
        now += 59.0
        return begin(self, *arguments)

    monkeypatch.setattr(isolation, "clock", lambda: now)
    monkeypatch.setattr(IsolatedHost, "begin", steadily)
    assert play(["first(slow=0)", "bot", "random"], games=60, isolate=60.0).forfeits == {}
    assert now > isolation.RESERVE_SECONDS


def test_nobody_takes_part_in_anothers_name(tmp_path: Path) -> None:
    names = play(["alsoclaiming", "claiming", "bot"], tmp_path / "cup", games=6).names
    assert names == ("alsoclaiming", "claiming", "bot")


def test_forfeits_that_nobody_can_have_made_are_refused(tmp_path: Path) -> None:
    with Tournament("king_lui", agents=["bot", "random"], players=3, games=6, out=tmp_path) as honest:
        honest.run()
    lost = no_forfeits(6)
    lost[0] = 1, 0
    change(tmp_path, ("UPDATE chunks SET forfeits = ?", (pack(lost),)), sign=True)
    with pytest.raises(TournamentError, match="was not forfeited as games are"):
        write_reports(tmp_path)


def test_the_browser_tells_forfeits_and_starts_no_strangers(tmp_path: Path) -> None:
    play(["cheat", "bot", "random"], tmp_path / "cup", games=6)
    library = TournamentLibrary([tmp_path])
    (one,) = library.all()
    assert "cheat forfeited" in library.standings(one)["forfeits"][0]
    with pytest.raises(ConflictError, match="card-envs replay shows its games"):
        library.game(one, 0)
