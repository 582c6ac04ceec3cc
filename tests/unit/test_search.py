"""Players that search: what they know, what they choose, and that nothing but their lots decides it."""

from __future__ import annotations

import pickle
import tracemalloc
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

import card_envs
from card_envs.agents.base import SearchPolicy, Thoughts
from card_envs.agents.loading import from_package
from card_envs.agents.naming import SEARCHERS
from card_envs.agents.positions import Positions
from card_envs.agents.random import RandomAgent
from card_envs.agents.search.options import OPTIONS
from card_envs.agents.search.playouts import AT_ONCE
from card_envs.core.batch import Batch
from card_envs.errors import CardEnvsError, OptionError
from tests.support import push_your_luck as luck
from tests.support.registered import GAMES, WITH_BOT, WITH_CHAMPION

METHODS = list(OPTIONS)


def random_games(game: str, count: int = 6, steps: int = 24, seed: int = 5) -> Batch:
    """Positions of random games, after different numbers of decisions, so that other seats are to act."""
    batch, dice = card_envs.make_batch(game, count, seed=seed, auto_reset=False), RandomAgent(seed)
    for step in range(steps):
        some = np.arange(step % 3, count)
        batch.step(dice.act(None, batch.action_mask[some]), some)
    return batch


def every(batch: Batch) -> Positions:
    return Positions(batch, np.arange(batch.num_games))


def searcher(game: str, name: str) -> SearchPolicy:
    return cast(SearchPolicy, card_envs.load_agent(game, name))


def same(one: Thoughts, other: Thoughts) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
        for name in ("actions", "probabilities", "values", "action_values", "playouts")
    )


def spellings(method: str) -> list[str]:
    return [f"{method}(model=bot, playouts=12)", f"{method}(model=champion, playouts=5)"]


LOTS = np.array([0.1, 0.9, 0.5, 0.3, 0.7, 0.0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("game", WITH_CHAMPION)
def test_thoughts_are_about_legal_actions_and_follow_from_lots_alone(game: str, method: str) -> None:
    there = every(random_games(game))
    for name in spellings(method):
        agent = searcher(game, name)
        assert isinstance(agent, SearchPolicy)
        thoughts = agent.think(there, LOTS)
        assert (there.action_mask[np.arange(6), thoughts.actions] == 1).all()
        assert np.array_equal(agent.search(there, LOTS), thoughts.actions)
        assert np.allclose(thoughts.probabilities.sum(axis=1), 1)
        assert not thoughts.probabilities[there.action_mask == 0].any()
        assert not thoughts.playouts[there.action_mask == 0].any()
        assert (np.isnan(thoughts.action_values) == (thoughts.playouts == 0)).all()
        assert np.isfinite(thoughts.values[thoughts.playouts.any(axis=1)]).all()
        assert same(thoughts, pickle.loads(pickle.dumps(agent)).think(there, LOTS)), "the same in another process"
        other = agent.think(there, (LOTS + 0.05) % 1)
        assert not np.array_equal(thoughts.action_values, other.action_values, equal_nan=True), "lots decide nothing"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("game", WITH_CHAMPION)
def test_a_position_is_searched_alike_whatever_stands_beside_it(game: str, method: str) -> None:
    batch = random_games(game)
    for name in spellings(method):
        agent = searcher(game, name)
        thoughts = agent.think(every(batch), LOTS)
        for row in (0, 4):
            alone = agent.think(Positions(batch, np.array([row])), LOTS[row : row + 1])
            part = Thoughts(*(getattr(thoughts, field)[row : row + 1] for field in thoughts.__dataclass_fields__))
            assert same(alone, part)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("game", WITH_CHAMPION)
def test_a_searcher_knows_nothing_that_its_seat_does_not_know(game: str, method: str) -> None:
    hidden = 0
    for steps in (4, 9, 31):
        batch = random_games(game, steps=steps)
        twin = batch.copy()
        twin.redraw_hidden(batch.seat.copy(), seed=11)
        hidden += int((twin.states != batch.states).sum())
        for name in spellings(method):
            agent = searcher(game, name)
            assert same(agent.think(every(batch), LOTS), agent.think(every(twin), LOTS))
    assert hidden, "nothing was ever hidden, so nothing was checked"


def test_positions_in_the_middle_of_a_simultaneous_choice_are_among_those_checked() -> None:
    for steps in (4, 9, 31):
        batch = random_games("ku_ka_king", steps=steps)
        if (batch.states["choices"] > 0).any():
            return
    raise AssertionError("nobody had chosen yet in any of them")


@pytest.mark.parametrize("game", GAMES)
def test_a_choice_is_taken_back_and_nobody_who_is_to_act_sees_a_difference(game: str) -> None:
    for steps in (1, 5, 9, 14):
        batch = random_games(game, steps=steps)
        seats = batch.seat.copy()
        worlds = batch.imagine(np.arange(6), 1, seed=3, reopen=True)
        assert ((worlds.seat == seats) if not batch.game.simultaneous else (worlds.seat <= seats)).all()
        seen = worlds.observe_seats(np.arange(6), seats)
        assert np.array_equal(seen[0], batch.observation)
        assert np.array_equal(seen[1], batch.action_mask)
        again = batch.imagine(np.arange(6), 1, seed=3, reopen=True)
        again.redraw_hidden(again.seat.copy(), seed=1, reopen=True)
        assert np.array_equal(again.seat, worlds.seat), "to take back twice is to take back once"


class Recorder:
    """An agent that always takes the last legal action, and notes what it was asked."""

    name = "recorder"

    def __init__(self) -> None:
        self.asked: list[NDArray[np.float32]] = []

    def act(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        self.asked.append(observation.copy())
        return np.asarray(action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1))


def test_what_others_have_chosen_comes_from_the_model_and_not_from_the_state() -> None:
    batch = card_envs.make_batch("ku_ka_king", 1, seed=2, players=3, auto_reset=False)
    first_sees = batch.observation.copy()
    batch.step([0])
    others = Recorder()
    agent = cast(
        Any, card_envs.load_agent("ku_ka_king", card_envs.rollout(model="random", others=others, playouts=7, actions=7))
    )
    thoughts = agent.think(every(batch), np.array([0.5]))
    assert others.asked[0].shape[0] == 7, "in each imagined world, all at once"
    assert (others.asked[0] == first_sees).all(), "the first seat chooses from what it saw itself"
    batch.states["choices"][0, 0] = 5  # whatever it has chosen
    batch.show()
    assert same(thoughts, agent.think(every(batch), np.array([0.5])))


@pytest.mark.parametrize("game", WITH_CHAMPION)
def test_without_playouts_the_model_plays(game: str) -> None:
    there = every(random_games(game))
    for model in ("champion", "champion(greedy)", "champion(temperature=2)"):
        plain = cast(Any, card_envs.load_agent(game, model))
        expected = plain.act_with_lots(there.observation, there.action_mask, LOTS)
        assert np.array_equal(searcher(game, f"rollout(model='{model}', playouts=0)").search(there, LOTS), expected)


@pytest.mark.parametrize("game", WITH_BOT)
def test_without_playouts_the_bot_plays_by_its_lots(game: str) -> None:
    there, bot = every(random_games(game)), cast(Any, card_envs.load_agent(game, "bot"))
    chosen = searcher(game, "rollout(model=bot, playouts=0)").search(there, LOTS)
    for row, action in enumerate(chosen):
        bot.stream = int(LOTS[row] * 2**53)
        assert bot.act(there.observation[row : row + 1], there.action_mask[row : row + 1])[0] == action


def test_more_playouts_are_nearer_to_the_known_answer() -> None:
    """All positions of a small game, beside what going through all of it says."""
    there = every(luck.batch_of_places())
    lots = np.random.default_rng(0).random(len(there))
    for model, play in (("bot", luck.BOT), ("random", luck.RANDOM)):
        exact = np.array([[luck.action_values(play)[place, action] for action in (0, 1)] for place in luck.PLACES])
        reached = luck.start_value(luck.improved(play), play)
        errors, strengths = [], []
        for playouts in (4, 64, 4096):
            agent = searcher_of(luck.GAME, f"rollout(model={model}, playouts={playouts})")
            thoughts = agent.think(there, lots)
            errors.append(np.nanmean(np.abs(thoughts.action_values - exact)))
            chosen = {
                place: float(action == luck.DRAW) for place, action in zip(luck.PLACES, thoughts.actions, strict=True)
            }
            strengths.append(luck.start_value(chosen, play))
        assert errors[0] > 2 * errors[1] > 4 * errors[2]
        assert strengths[2] > 0.97 * reached > strengths[0], f"{strengths} of {reached}"


def searcher_of(game: Any, name: str) -> SearchPolicy:
    return cast(SearchPolicy, card_envs.load_agent(game, name))


@pytest.mark.parametrize("playouts", [1, 2, 3, 7, 1000])
def test_the_budget_is_kept(playouts: int) -> None:
    there = every(random_games("king_lui"))
    counts = searcher("king_lui", f"rollout(model=random, playouts={playouts})").think(there, LOTS).playouts
    choices = there.action_mask.sum(axis=1) > 1
    assert (counts.sum(axis=1)[choices] <= playouts).all()
    assert (counts.sum(axis=1)[choices] > playouts - 1 - there.action_mask.sum(axis=1)[choices]).all()
    assert not counts[~choices].any(), "there is nothing to think about"


def test_a_million_playouts_take_no_more_room_than_ten_thousand() -> None:
    one, peaks = Positions(luck.batch_of_places(), np.array([0])), []
    for playouts in (AT_ONCE * 4, 1_000_000):
        agent = searcher_of(luck.GAME, f"rollout(model=random, playouts={playouts})")
        tracemalloc.start()
        thoughts = agent.think(one, np.array([0.5]))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert thoughts.playouts.sum() == playouts
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize("game", GAMES)
def test_searchers_sit_down_wherever_agents_do(game: str) -> None:
    rules = card_envs.get_game(game)
    players = rules.players[0]
    for spelt in ("rollout(model=random, playouts=2)", card_envs.rollout(model="random", playouts=3, actions=2)):
        result = card_envs.play_match(game, [spelt, *["random"] * (players - 1)], games=3, seed=1)
        assert result.agents[0].startswith("rollout(")
        again = card_envs.play_match(game, [spelt, *["random"] * (players - 1)], games=2, seed=1)
        assert np.array_equal(result.points[:2], again.points), "the same lots, the same choices, whatever is beside"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("rollout(playouts=-1)", "playouts must be a whole number from 0 to"),
        ("rollout(playouts=many)", "playouts must be a whole number from 0 to"),
        ("rollout(depth=-1)", "depth must be a whole number from 0 to"),
        ("rollout(plyouts=3)", "rollout has no option 'plyouts': did you mean 'playouts'?"),
        ("search(method=magic)", "method must be one of"),
        ("search(seconds=0)", "seconds must be a number from 0.001 to 3600"),
        ("search(seconds=1, playouts=5)", "so many playouts or for so many seconds"),
        ("rollout(model=nobody)", "there is no agent 'nobody'"),
        ("rollout(model='rollout(playouts=1)')", "cannot be the model of a searcher"),
        ("rollout(model=bot, depth=1)", "cannot cut imagined games, for bot does not say what a position is worth"),
        ("rollout(actions=0)", "actions must be a whole number from 1"),
        ("rollout(scale=-1)", "scale must be a number from 0 on"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(name: str, sentence: str) -> None:
    with pytest.raises(OptionError) as told:
        card_envs.load_agent("king_lui", name)
    assert sentence in str(told.value)


def test_names_and_python_make_the_same_searcher() -> None:
    pairs: list[tuple[str, Any]] = [
        ("search", card_envs.search()),
        ("search(model=bot)", card_envs.search(model="bot")),
        ('rollout(model="champion(greedy)", playouts=256)', card_envs.rollout(playouts=256, model="champion(greedy)")),
        ("search(method=rollout, playouts=9)", card_envs.rollout(playouts=9)),
        ("rollout(others=bot, seconds=0.5)", card_envs.rollout(others="bot", seconds=0.5)),
    ]
    for name, made in pairs:
        one, other = (cast(Any, card_envs.load_agent("king_lui", agent)) for agent in (name, made))
        assert one.name == other.name
        assert one.content_hash == other.content_hash
        assert cast(Any, card_envs.load_agent("king_lui", one.name)).content_hash == one.content_hash
    hashes = {cast(Any, card_envs.load_agent("king_lui", made)).content_hash for _, made in pairs}
    assert len(hashes) == len(pairs)


def test_they_are_names_of_ours_and_not_of_a_package() -> None:
    assert set(SEARCHERS) <= set(card_envs.agent_names())
    assert not any(from_package(f"{name}(playouts=3)") for name in SEARCHERS)
    assert set(SEARCHERS) == {"search", *OPTIONS}


def test_an_observation_is_not_enough() -> None:
    there = every(random_games("king_lui"))
    with pytest.raises(CardEnvsError, match="searches positions, and an observation is none"):
        card_envs.load_agent("king_lui", "rollout").act(there.observation, there.action_mask)


def test_a_clock_is_for_play() -> None:
    there = every(random_games(WITH_BOT[0], count=1))
    thoughts = searcher(WITH_BOT[0], "rollout(model=random, seconds=0.02)").think(there, np.array([0.5]))
    assert there.action_mask[0, thoughts.actions[0]] == 1
    assert thoughts.playouts.sum() > 0
