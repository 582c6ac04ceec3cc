"""Programs that are told games in words in a tournament: forfeits are told, and no file starts anything."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import card_envs
from card_envs.arena import Tournament
from card_envs.arena.isolation import no_forfeits
from card_envs.arena.packing import pack
from card_envs.arena.replay import Replay
from card_envs.arena.report import write_reports
from card_envs.arena.searchers import check
from card_envs.errors import OptionError, TournamentError
from card_envs.web.tournament_library import TournamentLibrary
from tests.support.commands import run
from tests.support.speaking import program, spelt
from tests.support.stored_tournaments import change
from training.league import League, LeagueSettings
from training.settings import Sb3Settings

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs can be agents on Linux and macOS only")


def begun(out: Path | None, *agents: Any, games: int = 4) -> Tournament:
    return Tournament("zum_kuhkuck", agents=list(agents), games=games, chunk_deals=1, seed=1, out=out)


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of a good program, a bad one and the bot."""
    folder = tmp_path_factory.mktemp("runs") / "cup"
    agents = [f"good={spelt(seconds=60)}", ("bad", card_envs.command(program("illegal"), seconds=60)), "bot"]
    with begun(folder, *agents, games=6) as tournament:
        tournament.run()
    return folder


def test_forfeits_are_kept_and_told(cup: Path) -> None:
    page, table = write_reports(cup, json=True)
    told = json.loads(table.read_text())
    assert told["forfeits"] == {"bad": {"illegal action": 4}}
    assert "bad forfeited 4 of its 4 games: 4 by illegal action" in page.read_text()
    assert "the games of good, bad cannot be replayed" in page.read_text()


def test_nothing_is_started_because_a_tournament_names_it(cup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: Any, **__: Any) -> None:
        raise AssertionError("a program was started")

    monkeypatch.setattr("card_envs.agents.speaking.program.subprocess.Popen", started)
    monkeypatch.setattr("card_envs.agents.speaking.endpoint.socket.getaddrinfo", started)
    for number in range(6):
        with pytest.raises(TournamentError, match=r"is a program or an address, and nothing is|was forfeited by bad"):
            Replay(cup, number)
    with Tournament.resume(cup, games=12) as again, pytest.raises(TournamentError, match="name it once more"):
        again.run()
    library = TournamentLibrary([cup.parent])
    (one,) = library.all()
    assert "bad forfeited 4" in library.standings(one)["forfeits"][0]
    with pytest.raises(TournamentError):
        library.game(one, 0)
    described = {"method": "rollout", "options": {}, "model": spelt(), "others": "bot"}
    with pytest.raises(OptionError, match="its model is no player"):
        check({"search": described})


def test_it_goes_on_when_they_are_named_once_more(tmp_path: Path) -> None:
    with begun(tmp_path / "cup", card_envs.command(program(), seconds=60), "bot", games=2) as tournament:
        assert tournament.run().games_played == 2
    folder = str(tmp_path / "cup")
    assert "name it once more" in run("tournament", "--resume", folder, "--games", "4", code=2)
    text = run("tournament", "--resume", folder, "--agents", spelt(seconds=60), "--games", "6")
    assert "6 games" in text
    with Tournament.resume(folder) as again:
        assert [one.name for one in again.entrants][1] == "bot", "it was not entered twice"
        assert len(again.entrants) == 2


def test_the_seed_is_drawn_by_lot_and_no_cluster_gets_the_program() -> None:
    with Tournament("zum_kuhkuck", agents=[spelt(), "bot"], games=2) as tournament:
        assert tournament.setting.seed
        with pytest.raises(OptionError, match="leave out ray"):
            tournament.run(ray="auto")


def test_forfeits_of_those_who_cannot_forfeit_are_refused(cup: Path, tmp_path: Path) -> None:
    with begun(tmp_path, spelt(seconds=60), "bot", "random", games=6) as honest:
        honest.run()
        numbers = {chunk.number: chunk for chunk in honest.schedule.chunks}
        rows = next(number for number, chunk in numbers.items() if 0 not in chunk.agents)
    lost = no_forfeits(numbers[rows].games)
    lost[0] = 1, 0
    change(tmp_path, ("UPDATE chunks SET forfeits = ? WHERE number = ?", (pack(lost), rows)), sign=True)
    with pytest.raises(TournamentError, match="was not forfeited as games are"):
        write_reports(tmp_path)


def test_what_starts_no_program_refuses_them() -> None:
    for refused in (
        lambda: card_envs.exploit("zum_kuhkuck", spelt(), method="search"),
        lambda: card_envs.exploit("zum_kuhkuck", card_envs.command(program())),
        lambda: Sb3Settings(game="zum_kuhkuck", opponents={spelt(): 1.0}),
        lambda: League(card_envs.get_game("zum_kuhkuck"), (2,), Path(), LeagueSettings(always=(spelt(),))),
    ):
        with pytest.raises(OptionError, match=r"is told games in words, which (a training|looking for responses)"):
            refused()
