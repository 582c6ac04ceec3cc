"""Searchers in tournaments: kept by content, resumed, replayed bit for bit, and called by their arguments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import card_envs
from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.loading import champion_path
from card_envs.arena.replay import Replay
from card_envs.arena.tournament import Tournament
from card_envs.errors import OptionError, TournamentError
from tests.fuzz.tournaments import few_draws
from tests.support.checkpoint_files import random_weights, write
from tests.support.stored_tournaments import change
from tests.support.tournaments import First

GAME = "zum_kuhkuck"
pytestmark = pytest.mark.usefixtures("few_intervals")
CHAMPION = 'rollout(depth=1, model="champion(greedy)", playouts=2)'
BOTS = "rollout(model=bot, playouts=3)"


@pytest.fixture
def few_intervals() -> Iterator[None]:
    with few_draws():
        yield


def results(tournament: Tournament) -> list[Any]:
    return [(number, games.points.tolist()) for number, games in tournament.store.chunks()]


def test_arguments_are_part_of_the_name_and_another_budget_is_another_player() -> None:
    agents = [CHAMPION, BOTS, "rollout(model=bot, playouts=2)", "bot"]
    with Tournament(GAME, agents=agents, games=12) as tournament:
        names = tournament.run().names
        hashes = {one.content_hash for one in tournament.entrants}
    assert set(names) == {
        CHAMPION,
        'rollout(model="bot", playouts=3)',
        'rollout(model="bot", playouts=2)',
        "bot",
    }
    assert len(hashes) == 4


def test_the_same_searcher_in_python_and_as_a_name_is_one_player() -> None:
    given = [
        BOTS,
        card_envs.rollout(model="bot", playouts=3),
        card_envs.search(method="rollout", model="bot", playouts=3),
    ]
    with Tournament(GAME, agents=[*given, "random"], games=8) as tournament:
        assert len({one.content_hash for one in tournament.entrants[:3]}) == 1
        assert tournament.entrants[2].name == 'rollout(model="bot", playouts=3) #3'


def test_trees_are_kept_resumed_and_replayed(tmp_path: Path) -> None:
    agents = [
        "ismcts(model=bot, playouts=6)",
        "ismcts(model=bot, others_think=false, playouts=6)",
        "ismcts(playouts=9)",
    ]
    with Tournament(GAME, agents=agents, games=12) as whole:
        whole.run()
        expected = results(whole)
        assert len({one.content_hash for one in whole.entrants}) == 3
    Tournament(GAME, agents=agents, games=12, out=tmp_path).close()
    with Tournament.resume(tmp_path) as tournament:
        tournament.run()
        assert results(tournament) == expected
    replay = Replay(tmp_path, 11)
    assert sum(1 for _ in replay) == len(replay.moves)


@pytest.mark.parametrize("model", ["file", "object"])
def test_a_model_is_kept_by_content_resumed_and_replayed(tmp_path: Path, model: str) -> None:
    path = write(tmp_path / "mine.safetensors", GAME, weights=random_weights(GAME, seed=1), players=(2,))
    agent = str(path) if model == "file" else CheckpointAgent(path, GAME, 2, greedy=True)
    thinks = card_envs.rollout(model=agent, others="bot", playouts=2, depth=1)
    agents = [thinks, CHAMPION, "bot"]
    with Tournament(GAME, agents=agents, games=12) as whole:
        whole.run()
        expected = results(whole)
    Tournament(GAME, agents=agents, games=12, out=tmp_path / "cup").close()
    path.unlink()
    with Tournament.resume(tmp_path / "cup") as tournament:
        tournament.run()
        assert results(tournament) == expected
    for number in (0, 11):
        replay = Replay(tmp_path / "cup", number)
        assert sum(1 for _ in replay) == len(replay.moves)


def test_searchers_play_alike_in_any_process(tmp_path: Path) -> None:
    agents = ["rollout(depth=1, playouts=2)", BOTS]
    played = []
    for workers in (1, 2):
        with Tournament(GAME, agents=agents, games=12, chunk_deals=3, out=tmp_path / str(workers)) as tournament:
            tournament.run(workers=workers)
            played.append(results(tournament))
    assert played[0] == played[1]


def test_a_clock_and_foreign_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"thinks for a number of seconds, so that it plays otherwise .* playouts"):
        Tournament(GAME, agents=["rollout(seconds=0.1)", "bot"], games=4)

    with Tournament(GAME, agents=[card_envs.rollout(model=First(), playouts=2), "bot"], games=8, out=tmp_path) as one:
        one.run()
    with (
        Tournament.resume(tmp_path, games=16) as resumed,
        pytest.raises(TournamentError, match="handed over by a Python"),
    ):
        resumed.run()


def test_what_a_stranger_writes_about_a_searcher_is_refused(tmp_path: Path) -> None:
    with Tournament(GAME, agents=[CHAMPION, "bot"], games=8, out=tmp_path) as tournament:
        tournament.run()
        options = tournament.entrants[0].options
    model = options[options.index('"model": {') : options.index("}", options.index('"model": {')) + 1]
    for old, new in (
        ('"method": "rollout"', '"method": "nothing"'),
        ('"method": "rollout"', '"method": []'),
        ('"playouts": 2', '"playouts": -2'),
        ('"playouts": 2', '"model": "bot"'),
        (model, f'"model": "{champion_path(card_envs.get_game(GAME))}"'),
        (model, '"model": {"checkpoint": 3}'),
        (model, '"model": 7'),
    ):
        edited = options.replace(old, new)
        assert edited != options
        change(tmp_path, ("UPDATE agents SET options = ? WHERE number = 0", (edited,)))
        with pytest.raises(
            TournamentError, match="the options of agent 0 are none of a trained player, and of no searcher"
        ):
            Tournament.resume(tmp_path)
    change(
        tmp_path,
        ("UPDATE agents SET options = ? WHERE number = 0", (options.replace('"playouts": 2', '"playouts": 5'),)),
    )
    with Tournament.resume(tmp_path, games=16) as resumed, pytest.raises(TournamentError, match="is not what it was"):
        resumed.run()
