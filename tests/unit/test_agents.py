"""Players by name, and how well the hand-written ones play."""

from __future__ import annotations

import importlib.metadata
import json
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.agents import loading
from card_envs.agents.base import Agent, LotsAgent, Policy
from card_envs.agents.bot import BotAgent
from card_envs.agents.loading import champion_path
from card_envs.agents.naming import SEARCHERS
from card_envs.errors import OptionError
from card_envs.testing import every_option
from tests.support.registered import GAMES, WITH_BOT, WITH_CHAMPION

PLAYERS = [(game, "random") for game in GAMES] + [(game, "bot") for game in WITH_BOT]


@pytest.mark.parametrize(("game", "name"), PLAYERS)
def test_agents_have_names_and_play_legally(game: str, name: str) -> None:
    agent = card_envs.load_agent(game, name, seed=1)
    assert isinstance(agent, Agent)
    assert agent.name == name
    for options in every_option(game):
        batch = card_envs.make_batch(game, 256, seed=2, **options)
        for _ in range(120):
            actions = agent.act(batch.observation, batch.action_mask)
            assert batch.action_mask[np.arange(256), actions].all()
            batch.step(actions)


@pytest.mark.parametrize(("game", "name"), PLAYERS)
def test_the_same_seed_gives_the_same_choices(game: str, name: str) -> None:
    batch = card_envs.make_batch(game, 500, seed=2)
    choices = [card_envs.load_agent(game, name, seed=7).act(batch.observation, batch.action_mask) for _ in range(2)]
    assert (choices[0] == choices[1]).all()


@pytest.mark.parametrize("game", WITH_BOT)
def test_a_bot_sees_only_observation_and_mask(game: str) -> None:
    """Its choice is the same when everything that the seat cannot know is drawn anew."""
    batch = card_envs.make_batch(game, 512, seed=3)
    for _ in range(25):
        twin = batch.copy()
        for seat in range(batch.players):
            twin.redraw_hidden(seat, seed=4, games=np.flatnonzero(batch.seat == seat))
        mine, its = (BotAgent(batch.game, 5).act(games.observation, games.action_mask) for games in (batch, twin))
        assert (mine == its).all()
        batch.step(mine)


# The least that a hand-written player must win, and the line-up. Fair shares are 1/2, 1/2 and 1/4.
STRENGTH = [
    ("zum_kuhkuck", ["bot", "random"], 0.80),
    ("ku_ka_king", ["bot", "random"], 0.70),
    ("king_lui", ["bot", "random", "random", "random"], 0.60),
]


@pytest.mark.parametrize(("game", "line_up", "least"), STRENGTH, ids=[game for game, *_ in STRENGTH])
def test_the_bot_beats_random_players(game: str, line_up: list[str], least: float) -> None:
    result = card_envs.play_match(game, line_up, games=10_000, seed=0)
    assert result.win_shares[0] >= least, str(result)


@pytest.mark.parametrize("game", WITH_BOT)
def test_a_bot_is_better_than_random_at_every_table(game: str) -> None:
    for players in card_envs.get_game(game).players:
        result = card_envs.play_match(game, ["bot", *["random"] * (players - 1)], games=1000, seed=1)
        assert result.win_shares[0] - 4 * result.standard_errors[0] > 1 / players


def test_a_package_can_add_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint("coward", "tests.unit.test_agents:make_coward", loading.GROUP)
    monkeypatch.setattr(loading, "entry_points", lambda group: [point] if group == loading.GROUP else [])
    assert card_envs.agent_names() == ("random", "bot", "champion", *SEARCHERS, "coward")
    assert card_envs.load_agent("king_lui", "coward").name == "coward of king_lui"
    result = card_envs.play_match("king_lui", ["coward", "random", "random"], games=50)
    assert result.agents[0] == "coward"
    broken = importlib.metadata.EntryPoint("broken", "builtins:divmod", loading.GROUP)
    monkeypatch.setattr(loading, "entry_points", lambda group: [broken])
    with pytest.raises(OptionError, match="the package that adds the agent 'broken' could not make it"):
        card_envs.load_agent("king_lui", "broken")


class Coward:
    """Takes the first legal action."""

    def __init__(self, name: str) -> None:
        self.name = name

    def act(self, observation: Any, action_mask: Any) -> Any:
        return action_mask.argmax(axis=1)


def make_coward(game: Any, seed: int | None) -> Coward:
    return Coward(f"coward of {game.name}")


def test_unknown_agents_are_named_with_those_that_exist() -> None:
    with pytest.raises(OptionError, match=r"there is no agent 'rnadom': did you mean 'random'\? there are random, bot"):
        card_envs.load_agent("king_lui", "rnadom")
    with pytest.raises(OptionError, match="an agent is a name, a path or an object"):
        card_envs.load_agent("king_lui", object())  # type: ignore[arg-type]


class Gambler(Coward):
    """Takes the legal action on which the lot falls."""

    def act_with_lots(self, observation: Any, action_mask: Any, lots: Any) -> Any:
        legal = [np.flatnonzero(row) for row in action_mask]
        return np.array([one[int(lot * len(one))] for one, lot in zip(legal, lots, strict=True)])


def test_an_agent_that_draws_lots_is_given_those_of_each_game() -> None:
    """So it plays game 0 alike whatever is played beside it, and otherwise than by its act alone."""
    assert isinstance(Gambler("fred"), LotsAgent)
    assert not isinstance(Coward("fred"), LotsAgent)
    assert not isinstance(Gambler("fred"), Policy)
    line_up = [Gambler("fred"), "random", "bot"]
    one, many = (card_envs.play_match("king_lui", line_up, games=games, seed=5) for games in (1, 50))
    assert (one.points[0] == many.points[0]).all()
    timid = card_envs.play_match("king_lui", [Coward("fred"), "random", "bot"], games=50, seed=5)
    assert (timid.points != many.points).any()


class TestMatch:
    def test_a_match_has_points_ranks_and_win_shares(self) -> None:
        result = card_envs.play_match("king_lui", ["bot", "random", "random", "bot"], games=300, seed=0)
        assert result.points.shape == result.ranks.shape == result.wins.shape == (300, 4)
        assert result.win_shares.sum() == pytest.approx(1)
        assert result.seeds[0] == 0
        assert "seat 0 bot: win share" in str(result)

    def test_the_same_seed_gives_the_same_match_on_any_number_of_threads(self) -> None:
        results = [
            card_envs.play_match("ku_ka_king", ["bot", "random", "bot"], games=1500, seed=4, threads=threads)
            for threads in (1, 2)
        ]
        assert (results[0].points == results[1].points).all()

    def test_random_players_win_equally_often_on_every_seat(self) -> None:
        for game in GAMES:
            players = card_envs.get_game(game).players[-1]
            result = card_envs.play_match(game, ["random"] * players, games=8000, seed=1)
            assert np.abs(result.win_shares - 1 / players).max() < 4 * result.standard_errors.max()

    def test_an_object_plays_by_its_act(self) -> None:
        result = card_envs.play_match("zum_kuhkuck", [Coward("fred"), "random"], games=100)
        assert result.agents == ("fred", "random")

    @pytest.mark.parametrize(
        ("agents", "games", "message"),
        [
            ("bot", 10, "agents must be a list with one agent per seat, not 'bot'"),
            (["bot", "bot"], 10, "players of King Lui must be a whole number from 3 to 5, not 2"),
            (["bot"] * 3, 0, "games must be a whole number from 1"),
        ],
    )
    def test_what_cannot_be_played_is_refused(self, agents: Any, games: int, message: str) -> None:
        with pytest.raises(OptionError, match=message):
            card_envs.play_match("king_lui", agents, games=games)


@pytest.mark.parametrize("game", WITH_CHAMPION)
def test_a_champion_plays_well_with_every_number_of_players(game: str) -> None:
    rules = card_envs.get_game(game)
    for players in rules.players:
        result = card_envs.play_match(game, ["champion", *["random"] * (players - 1)], games=200, seed=3)
        assert result.win_shares[0] - 4 * result.standard_errors[0] > 1 / players
        assert result.agents[0] == "champion"
    story = json.loads(champion_path(rules).with_suffix(".json").read_text())
    assert story["commands"][0].startswith("python -m training.self_play --config configs/")
    assert len(story["curve"]) > 2


def test_a_game_without_a_champion_says_so(tiny_game: str) -> None:
    with pytest.raises(OptionError, match="Keep or give comes without a champion"):
        card_envs.load_agent(tiny_game, "champion")
