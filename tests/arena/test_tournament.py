"""Tournaments from Python: what they find out, how they grow, and what they refuse."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.arena import Tournament
from card_envs.arena.store import FILE
from card_envs.errors import CheckpointError, IllegalActionError, OptionError, TournamentError
from card_envs.testing import every_option
from tests.support.checkpoint_files import write
from tests.support.registered import WITH_BOT
from tests.support.stored_tournaments import change
from tests.support.tournaments import First, play_by_strength

TABLES = [(game, options) for game in WITH_BOT for options in every_option(game) if options.keys() != {"reward"}]


def played(*agents: Any, game: str = "king_lui", games: int = 400, **options: Any) -> Any:
    with Tournament(game, agents=agents, games=games, **options) as tournament:
        return tournament.run()


@pytest.mark.parametrize(("game", "options"), TABLES, ids=str)
def test_a_tournament_is_played_at_every_table(game: str, options: dict[str, Any], tmp_path: Path) -> None:
    """And what is kept is what play_match plays with the same seeds and seats."""
    with Tournament(game, agents=["random", "bot"], games=200, seed=4, out=tmp_path, **options) as tournament:
        standings = tournament.run()
        assert standings.games_played == standings.games_in_all == tournament.games
        assert {row.name for row in standings.rows} == {"bot", "random"}
        assert standings["random"].rating == (0, 0, 0)
        assert sum(row.win_share.value * row.games for row in standings.rows) == pytest.approx(tournament.games)
        (_, games), *_ = tournament.store.chunks()
        names = [tournament.entrants[agent].name for agent in games.seats[0]]
        own = {name: value for name, value in options.items() if name != "players"}
        match = card_envs.play_match(game, names, games=1, seed=int(games.seeds[0]), **own)
        assert (match.points[0] == games.points[0]).all()
        assert (match.ranks[0] == games.ranks[0]).all()


def test_the_same_seed_gives_the_same_standings_and_another_one_others() -> None:
    one, same, other = (played("random", "bot", "bot", seed=seed).to_json() for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_copies_of_random_rate_equal_and_no_seat_profits() -> None:
    standings = played(*["random"] * 3, game="ku_ka_king", players=3, games=9000)
    assert [row.name for row in standings.rows] == ["random", "random #2", "random #3"]
    assert [row.mark for row in standings.rows] == ["", "same as random", "same as random"]
    assert all(row.rating.value == pytest.approx(0, abs=1e-6) for row in standings.rows)
    assert standings.seat_shares == pytest.approx([1 / 3] * 3, abs=0.02)


def test_strengths_that_are_known_are_found() -> None:
    strengths = [0.0, 2.0, 1.0, 0.5]
    with Tournament("king_lui", players=3, agents=["random", "bot", "bot", "bot"], games=20_000) as tournament:
        play_by_strength(tournament, strengths, seed=1)
        standings = tournament.standings()
    assert [row.number for row in standings.rows] == [1, 2, 3, 0]
    for row in standings.rows:
        assert row.rating.value == pytest.approx(strengths[row.number] * 400 / np.log(10), abs=12)
    assert standings.head_to_head[1, 2] == pytest.approx(1 / (1 + np.exp(-1)), abs=0.02)
    assert np.isnan(standings.head_to_head.diagonal()).all()
    assert standings.head_to_head[0, 3] + standings.head_to_head[3, 0] == pytest.approx(1)


@pytest.mark.parametrize("agents", [["bot"], ["random", "bot"], ["random", "bot", "bot"]])
def test_fewer_agents_than_seats_sit_on_several_and_are_marked(agents: list[str]) -> None:
    standings = played(*agents, players=4)
    assert all("on several seats" in row.mark for row in standings.rows)
    assert sum(row.games for row in standings.rows) == 4 * standings.games_played
    assert sum(row.win_share.value * row.games for row in standings.rows) == pytest.approx(standings.games_played)


def test_without_random_the_mean_is_zero_and_it_says_so() -> None:
    standings = played("bot", First(), game="zum_kuhkuck")
    assert sum(row.rating.value for row in standings.rows) == pytest.approx(0)
    assert "their mean = 0, for random does not take part" in str(standings)


def test_points_by_source_add_up_and_distributions_hold_every_game() -> None:
    standings = played("random", "bot", game="zum_kuhkuck", games=600)
    for row in standings.rows:
        counts = standings.distributions[row.number]
        assert sum(counts.values()) == row.games
        assert sum(points * count for points, count in counts.items()) / row.games == pytest.approx(row.points.value)
        assert standings.sources[row.number].sum() == pytest.approx(row.points.value)


def test_standings_are_a_table_a_csv_and_json() -> None:
    standings = played("random", "bot", players=3)
    text = str(standings)
    assert "King Lui, 3 players, 396 games. Ratings: random = 0." in text
    assert "1  bot (on several seats)" in text
    lines = standings.to_csv().splitlines()
    assert lines[0].startswith("place,agent,mark,content_hash,games,rating,rating_low,rating_high,win_share")
    assert lines[1].startswith("1,bot,on several seats,")
    everything = json.loads(standings.to_json())
    assert everything["standings"][0]["rating"]["value"] == standings["bot"].rating.value
    assert everything["head_to_head"][0][0] is None
    with pytest.raises(KeyError, match="there is no agent 'champion'; there are random, bot"):
        standings["champion"]


class TestKept:
    def test_every_game_is_in_the_file(self, tmp_path: Path) -> None:
        with Tournament("king_lui", players=4, agents=["random", "bot"], games=800, out=tmp_path) as tournament:
            tournament.run()
            chunks = dict(tournament.store.chunks())
        base = sqlite3.connect(tmp_path / FILE)
        assert base.execute("PRAGMA journal_mode").fetchone() == ("delete",), "one file that can be read anywhere"
        assert base.execute("SELECT sum(games) FROM chunks").fetchone() == (800,)
        assert base.execute("SELECT name FROM agents ORDER BY number").fetchall() == [("random",), ("bot",)]
        settings = dict(base.execute("SELECT * FROM settings"))
        base.close()
        assert {"card_envs", "numpy", "python", "rules", "seed", "players", "options"} <= settings.keys()
        seeds = np.concatenate([games.seeds for games in chunks.values()])
        assert len(np.unique(seeds)) == 200, "a deal's seed is that of its four rotations, and of no other deal"
        for games in chunks.values():
            assert games.points.shape == games.ranks.shape == games.seats.shape == (len(games.seeds), 4)
            assert (games.score_sheets[:, :, :7].sum(axis=2) == games.points).all()

    def test_resuming_plays_only_what_is_missing(self, tmp_path: Path) -> None:
        with Tournament("king_lui", agents=["random", "bot"], games=400, out=tmp_path) as tournament:
            first = tournament.run()
            before = dict(tournament.store.chunks())
        with Tournament.resume(tmp_path) as again:
            assert again.games_played == again.games
            assert again.run().to_json() == first.to_json()
        with Tournament.resume(tmp_path, games=800) as more:
            assert more.run().games_played == 800
            after = dict(more.store.chunks())
        for number, games in before.items():
            assert (after[number].points == games.points).all()

    def test_agents_that_come_later_meet_everyone_and_known_ones_are_not_entered_twice(self, tmp_path: Path) -> None:
        path = write(tmp_path / "late.safetensors")
        with Tournament("king_lui", players=3, agents=["random", "bot", "bot"], games=300, out=tmp_path) as tournament:
            tournament.run()
        with Tournament.resume(tmp_path, agents=["bot", path, "random"]) as more:
            standings = more.run()
        assert standings.names == ("random", "bot", "bot #2", "late (step 12)")
        assert standings.games_played == 1200, "four line-ups instead of one, each as often as before"
        assert {line_up["games"] for line_up in standings.line_ups} == {300}

    def test_a_second_process_is_told_to_wait(self, tmp_path: Path) -> None:
        with Tournament("king_lui", agents=["random"], games=40, out=tmp_path) as tournament:
            refused = pytest.raises(TournamentError, match="is being played by another process")
            with Tournament.resume(tmp_path) as other, other.store.playing(), refused:
                tournament.run()
            tournament.run()

    def test_a_chunk_counts_once(self, tmp_path: Path) -> None:
        with Tournament("king_lui", agents=["random", "bot"], games=400, out=tmp_path) as tournament:
            before = tournament.run()
            chunk = tournament.schedule.chunks[0]
            with tournament.store.playing():
                assert not tournament.store.add_chunk(chunk, tournament.store.games(0))
            assert tournament.standings().to_json() == before.to_json()


class TestRefused:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"agents": []}, r"agents must be a list with at least one agent, not \[\]"),
            ({"agents": "bot"}, "agents must be a list with at least one agent, not 'bot'"),
            ({"agents": ["rnadom"]}, "there is no agent 'rnadom': did you mean 'random'"),
            ({"games": 0}, "games must be a whole number from 1"),
            ({"players": 7}, "players of King Lui must be a whole number from 3 to 5, not 7"),
            ({"seed": -1}, "seed must be a whole number"),
            ({"colour": 1}, "King Lui has no option 'colour'"),
            ({"chunk_deals": 0}, "chunk_deals must be a whole number"),
            ({"agents": ["random"] * 301}, "a tournament has at most 300 agents, not 301"),
        ],
    )
    def test_what_cannot_be_played(self, options: dict[str, Any], message: str, tmp_path: Path) -> None:
        folder = tmp_path / "cup"
        with pytest.raises(OptionError, match=message):
            Tournament("king_lui", **{"agents": ["random"], "out": folder, **options})
        assert not folder.exists(), "nothing is half done"

    def test_a_checkpoint_of_another_game_before_anything_is_written(self, tmp_path: Path) -> None:
        path = write(tmp_path / "cow.safetensors", "zum_kuhkuck")
        with pytest.raises(
            CheckpointError, match=r"cow\.safetensors as a player: it plays zum_kuhkuck v0, not king_lui v0"
        ):
            Tournament("king_lui", agents=["random", path], out=tmp_path / "cup")
        assert not (tmp_path / "cup").exists()

    def test_a_folder_that_has_a_tournament_or_none(self, tmp_path: Path) -> None:
        with pytest.raises(TournamentError, match="there is no tournament in"):
            Tournament.resume(tmp_path / "nothing")
        assert not (tmp_path / "nothing").exists()
        Tournament("king_lui", agents=["random"], games=40, out=tmp_path / "cup").close()
        with pytest.raises(TournamentError, match=r"there is a tournament in .* already; continue it with --resume"):
            Tournament("king_lui", agents=["random"], games=40, out=tmp_path / "cup")
        (tmp_path / FILE).write_text("this is no database at all, whatever its name says" * 100)
        with pytest.raises(
            TournamentError, match=r"cannot be read as a tournament: file is not a database; use a copy"
        ):
            Tournament.resume(tmp_path)

    def test_a_tournament_of_another_version_of_the_game(self, tmp_path: Path) -> None:
        Tournament("king_lui", agents=["random"], games=40, out=tmp_path).close()
        change(tmp_path, "UPDATE settings SET value = 'card_envs/KingLui-v9 (layout x)' WHERE name = 'rules'")
        with pytest.raises(TournamentError, match=r"was played with card_envs/KingLui-v9 .* cannot be put together"):
            Tournament.resume(tmp_path)

    def test_an_agent_that_errs_is_named_and_what_was_played_is_kept(self, tmp_path: Path) -> None:
        class Wrong(First):
            name = "wrong"

            def act(self, observation: Any, action_mask: Any) -> Any:
                return action_mask.argmin(axis=1)

        tournament = Tournament("king_lui", agents=["random", Wrong()], games=100, out=tmp_path)
        with tournament, pytest.raises(IllegalActionError, match="the agent wrong: in King Lui"):
            tournament.run()
        again = Tournament.resume(tmp_path)
        with again, pytest.raises(TournamentError, match="wrong was handed over by a Python program"):
            again.run()
