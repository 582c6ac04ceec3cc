"""Games worth seeing: each filter compared with all results, read one by one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from card_envs.arena import Tournament
from card_envs.arena.find_games import Wanted, find_command, find_games
from card_envs.arena.standings import Standings, compute_standings
from card_envs.arena.store import Store
from card_envs.errors import OptionError
from tests.support.commands import run
from tests.support.tournaments import First, play_by_strength


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Standings, list[dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("cup")
    with Tournament("king_lui", agents=["random", "bot", First()], players=3, games=300, out=folder) as tournament:
        with tournament.store.playing():
            play_by_strength(tournament, [0, 2, 1], seed=1)
        store = Store.open(folder)
    games = []
    with closing(store):
        standings = compute_standings(store)
        for number, chunk in store.chunks():
            first = store.schedule.chunks[number].first_game
            for row in range(len(chunk.seeds)):
                agents = [standings.names[one] for one in chunk.seats[row]]
                games.append({"number": first + row, "agents": agents, "points": chunk.points[row].tolist(),
                              "ranks": chunk.ranks[row].tolist()})  # fmt: skip
    return folder, standings, sorted(games, key=lambda one: one["number"])


def found(cup: Any, most: int = 1000, **wanted: Any) -> tuple[int, list[Any]]:
    with closing(Store.open(cup[0])) as store:
        return find_games(store, cup[1], Wanted(**wanted), most)


def numbers(games: Any) -> list[int]:
    return [game.number if hasattr(game, "number") else game["number"] for game in games]


def test_who_finishes_ahead_of_whom(cup: Any) -> None:
    count, games = found(cup, agent="random", ahead_of="bot")
    wanted = [game for game in cup[2] if min(_ranks(game, "random"), default=9) < max(_ranks(game, "bot"), default=0)]
    assert count == len(wanted) > 0
    assert numbers(games) == numbers(wanted)


def _ranks(game: dict[str, Any], name: str) -> list[int]:
    return [rank for agent, rank in zip(game["agents"], game["ranks"], strict=True) if agent == name]


def test_points_margin_line_up_and_order(cup: Any) -> None:
    count, games = found(cup, agent="bot", points_from=9, points_to=9, line_up=("random", "bot", "first"))
    wanted = [
        game
        for game in cup[2]
        if sorted(game["agents"]) == ["bot", "first", "random"] and game["points"][game["agents"].index("bot")] == 9
    ]
    assert count == len(wanted) > 0
    assert numbers(games) == numbers(wanted)
    assert found(cup, margin_from=2)[0] == 0, "points are 10 minus the rank here"
    assert found(cup, margin_to=1)[0] == len(cup[2])
    count, few = found(cup, most=5, first="upset")
    assert count == len(cup[2])
    assert len(few) == 5
    assert [game.upset for game in few] == sorted((game.upset for game in few), reverse=True)


def test_an_upset_is_won_by_somebody_rated_below_a_loser(cup: Any) -> None:
    ratings = {row.name: row.rating.value for row in cup[1].rows}
    wanted = [
        game
        for game in cup[2]
        if ratings[game["agents"][game["ranks"].index(1)]] < max(map(ratings.__getitem__, game["agents"]))
    ]
    count, games = found(cup, upsets=True)
    assert count == len(wanted)
    assert numbers(games) == numbers(wanted)
    assert all(game.upset > 0 for game in games)


def test_what_makes_no_sense_is_refused_in_a_sentence(cup: Any) -> None:
    for given, said in (
        ({"agent": "nobody"}, "there is no agent 'nobody' in this tournament"),
        ({"ahead_of": "bot"}, "name an agent, too"),
        ({"line_up": ("bot",)}, "has 3 agents, not 1"),
        ({"first": "best"}, "first"),
    ):
        with pytest.raises(OptionError, match=said):
            found(cup, **given)


def test_the_command_lists_the_same_games(cup: Any) -> None:
    told = find_command(str(cup[0]), Wanted(agent="random", ahead_of="bot", upsets=True, first="upset"))
    assert told == f"card-envs find {cup[0]} --agent random --ahead-of bot --upsets --first upset"
    text = run("find", str(cup[0]), "--agent", "random", "--ahead-of", "bot", "--upsets", "--most", "3", columns=200)
    count, games = found(cup, agent="random", ahead_of="bot", upsets=True)
    assert f"3 of {count} games. See one with: card-envs replay {cup[0]} {games[0].number}" in text
    assert "No game" in run("find", str(cup[0]), "--margin-from", "99")
