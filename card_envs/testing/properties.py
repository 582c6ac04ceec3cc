"""Statements that hold at every step of every game, tried on random games."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from card_envs.agents.random import RandomAgent
from card_envs.core.batch import Batch
from card_envs.envs.aec import CardGameEnv
from card_envs.envs.parallel import SimultaneousEnv
from card_envs.errors import CardEnvsError
from card_envs.games import get_game

GAMES = 32


def every_option(game: str) -> list[dict[str, Any]]:
    """Each number of players with each reward and each way to treat illegal actions, and the game's own variants."""
    rules = get_game(game)
    tables: list[dict[str, Any]] = [{}, {"reward": "margin"}, {"illegal_action": "lose"}]
    return [{"players": players, **table} for players in rules.players for table in tables] + list(rules.variants)


def play(game: str, seed: int, **options: Any) -> Iterator[tuple[Batch, np.ndarray[Any, Any]]]:
    """Random games until all have ended: yields the batch and the numbers of the games under way, step by step."""
    batch = Batch(get_game(game), GAMES, seed=seed, auto_reset=False, **options)
    agent = RandomAgent(seed)
    while True:
        under_way = np.flatnonzero(batch.seat >= 0)
        yield batch, under_way
        if not under_way.size:
            return
        batch.step(agent.act(batch.observation[under_way], batch.action_mask[under_way]), under_way)


def check_cards(game: str, seed: int = 1, **options: Any) -> None:
    """Every card is somewhere, at every step."""
    all_cards = get_game(game).all_cards
    if all_cards is None:
        return
    deck: dict[str, int] | None = None
    for batch, _ in play(game, seed, **options):
        for state in batch.states:
            deck = deck or all_cards(state)
            assert all_cards(state) == deck, f"cards got lost or doubled: {all_cards(state)} instead of {deck}"


def check_observations(game: str, seed: int = 2, **options: Any) -> None:
    """Every entry is written, within [0, 1], the same each time; and whoever is to act has a legal action."""
    for batch, under_way in play(game, seed, **options):
        assert batch.action_mask[under_way].any(axis=1).all(), "a seat must act and has no legal action"
        assert not batch.action_mask[batch.seat < 0].any(), "a game is over and still has legal actions"
        before = batch.observation.copy()
        room = np.full((len(under_way), before.shape[1]), np.nan, np.float32), batch.action_mask[under_way]
        seen, _ = batch.observe_seats(under_way, batch.seat[under_way], room)
        assert np.array_equal(seen, before[under_way]), "an observation is not written whole each time"
        assert 0 <= before.min() <= before.max() <= 1, "an observation leaves [0, 1]"


def check_secrets(game: str, seed: int = 3, **options: Any) -> None:
    """What a seat sees does not move by one bit when everything that it cannot know is drawn anew."""
    moved, all_cards = 0, get_game(game).all_cards
    for step, (batch, under_way) in enumerate(play(game, seed, **options)):
        for seat in range(batch.players):
            twin = batch.copy()
            twin.redraw_hidden(seat, seed=seed + step, games=under_way)
            moved += int(np.count_nonzero(twin.states != batch.states))
            for number in under_way:
                mine, its = batch.observe(number, seat), twin.observe(number, seat)
                assert np.array_equal(mine[0], its[0]), f"seat {seat} observes something that it cannot know"
                assert np.array_equal(mine[1], its[1]), f"the mask of seat {seat} tells something that it cannot know"
                views = [batch.game.view(states[number], seat) for states in (batch.states, twin.states)]
                assert views[0] == views[1], f"the view of seat {seat} shows something that it cannot know"
                if all_cards is not None:
                    assert all_cards(twin.states[number]) == all_cards(batch.states[number]), "cards got lost"
    assert moved, "redraw_hidden never changed anything, so this check has checked nothing"


def check_clone(game: str, seed: int = 4, **options: Any) -> None:
    """A clone made in mid-game goes on exactly alike, and leaves the original alone."""
    rng = np.random.default_rng(seed)
    env = CardGameEnv(get_game(game), **options)
    for number in range(4):
        env.reset(seed=seed + number)
        for _ in range(int(rng.integers(1, 20))):
            if any(env.terminations.values()):
                break
            env.step(_any_legal(env, rng))
        twin = env.clone()
        assert repr(twin) == repr(env)
        _same_position(env, twin)
        while env.agents and not env.terminations[env.agent_selection]:
            action = _any_legal(env, rng)
            untouched = twin.to_text()
            env.step(action)
            assert twin.to_text() == untouched, "playing on in the original changed the clone"
            twin.step(action)
            _same_position(env, twin)


def _any_legal(env: CardGameEnv, rng: np.random.Generator) -> int:
    observation = env.last()[0]
    assert observation is not None
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def _same_position(env: CardGameEnv, twin: CardGameEnv) -> None:
    assert env.agent_selection == twin.agent_selection and env.infos == twin.infos and env.rewards == twin.rewards
    for agent in env.possible_agents:
        for key, value in env.observe(agent).items():
            assert np.array_equal(value, twin.observe(agent)[key]), "a clone sees something else"


def check_batch_plays_like_aec(game: str, seed: int = 5, **options: Any) -> None:
    """The same seed and actions give the same games in a batch, restarts included, and in an AEC environment."""
    number_of_games = 3
    batch = Batch(get_game(game), number_of_games, seed=seed, **options)
    envs = [CardGameEnv(get_game(game), **options) for _ in range(number_of_games)]
    for env, game_seed in zip(envs, batch.seeds, strict=True):
        env.reset(seed=int(game_seed))
    agent, ended = RandomAgent(seed), 0
    while ended < 2 * number_of_games:
        actions = agent.act(None, batch.action_mask)
        for number, env in enumerate(envs):
            seen = env.last()[0]
            assert seen is not None and env.agent_selection == f"player_{batch.seat[number]}"
            assert np.array_equal(seen["observation"], batch.observation[number])
            assert np.array_equal(seen["action_mask"], batch.action_mask[number])
            env.step(int(actions[number]))
        rewards, done = batch.step(actions)
        for number, env in enumerate(envs):
            assert all(env.terminations.values()) == bool(done[number])
            assert [env.rewards[agent] for agent in env.possible_agents] == rewards[number].tolist()
            if done[number]:
                assert [env.infos[agent] for agent in env.possible_agents] == batch.result(number)
                env.reset()
                assert env.game_seed == batch.seeds[number]
                ended += 1


def check_parallel_plays_like_aec(game: str, seed: int = 9, **options: Any) -> None:
    """The same seed and choices give the same game in the Parallel and the AEC environment, and nobody sees ahead."""
    rules = get_game(game)
    if not rules.simultaneous:
        return
    wait = rules.wait
    together, in_turns = SimultaneousEnv(rules, **options), CardGameEnv(rules, **options)
    rng = np.random.default_rng(seed)
    for number in range(5):
        observations, _ = together.reset(seed=seed + number)
        in_turns.reset(seed=seed + number)
        while together.agents:
            masks = {agent: np.flatnonzero(seen["action_mask"]) for agent, seen in observations.items()}
            choices = {agent: int(rng.choice(mask)) for agent, mask in masks.items()}
            choosers = [agent for agent, choice in choices.items() if choice != wait]
            for agent in choosers:
                seen = in_turns.last()[0]
                assert in_turns.agent_selection == agent, "another player is asked"
                assert seen is not None
                for key, value in observations[agent].items():
                    assert np.array_equal(value, seen[key]), f"{agent} sees another {key} after others have chosen"
                in_turns.step(choices[agent])
            observations, rewards, terminations, _, infos = together.step(choices)
            assert terminations == {agent: in_turns.terminations[agent] for agent in choices}
            assert rewards == {agent: in_turns.rewards[agent] for agent in choices}
            assert infos == in_turns.infos
            assert together.to_text() == in_turns.to_text()


def check_lists_of_games(game: str, seed: int = 6, **options: Any) -> None:
    """Stepping some games of a batch moves these and no others."""
    rng = np.random.default_rng(seed)
    whole, parts = (Batch(get_game(game), GAMES, seed=seed, **options) for _ in range(2))
    agent = RandomAgent(seed)
    for _ in range(60):
        actions = agent.act(None, whole.action_mask)
        whole.step(actions)
        order = rng.permutation(GAMES)
        cut = int(rng.integers(1, GAMES))
        still = parts.states[order[cut:]].copy()
        parts.step(actions[order[:cut]], order[:cut])
        assert np.array_equal(parts.states[order[cut:]], still), "a game moved that was not listed"
        parts.step(actions[order[cut:]], order[cut:])
        for name in ("states", "observation", "action_mask", "seat", "rewards", "done", "points", "ranks", "seeds"):
            assert np.array_equal(getattr(whole, name), getattr(parts, name)), f"{name} differs"


def check_threads(game: str, seed: int = 7, **options: Any) -> None:
    """The number of threads changes nothing but the speed."""
    one, two = (Batch(get_game(game), 1024, seed=seed, threads=threads, **options) for threads in (1, 2))
    agent = RandomAgent(seed)
    for _ in range(40):
        actions = agent.act(None, one.action_mask)
        one.step(actions)
        two.step(actions)
        assert np.array_equal(one.states, two.states) and np.array_equal(one.observation, two.observation)


def check_actions_are_refused(game: str, seed: int = 8, **options: Any) -> None:
    """Whatever is no legal action is refused with a sentence, and the position stays as it was."""
    options = {**options, "illegal_action": "raise"}
    env = CardGameEnv(get_game(game), **options)
    for too_early in (env.last, lambda: env.step(0), lambda: env.observe("player_0")):
        _refused(too_early)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    while not any(env.terminations.values()):
        before = (env.to_text(), env.agent_selection, env.state().tobytes())
        illegal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)
        for action in [*illegal, -1, len(env.game.actions), 10**30, 1.0, None, "draw", True, np.zeros(2, int)]:
            _refused(lambda action=action: env.step(action))
        assert before == (env.to_text(), env.agent_selection, env.state().tobytes()), "a refused action moved something"
        env.step(_any_legal(env, rng))
    _refused(lambda: env.step(0))
    while env.agents:
        env.step(None)
    _refused(lambda: env.step(None))
    _lose(game, seed, **{**options, "illegal_action": "lose"})


def _lose(game: str, seed: int, **options: Any) -> None:
    """An illegal action ends the game, in the first position that has one: in some games all is legal at first."""
    env = CardGameEnv(get_game(game), **options)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    while env.observe(env.agent_selection)["action_mask"].all():
        env.step(_any_legal(env, rng))
        if any(env.terminations.values()):
            return  # whatever this game knows was legal throughout
    offender = env.agent_selection
    env.step(int(np.flatnonzero(env.observe(offender)["action_mask"] == 0)[0]))
    others = [reward for agent, reward in env.rewards.items() if agent != offender]
    assert env.rewards[offender] == -1 and abs(sum(others) - 1) < 1e-6 and len(set(others)) == 1
    assert all(env.terminations.values()) and offender in env.infos[offender]["illegal_action"]


def _refused(call: Any) -> None:
    try:
        call()
    except CardEnvsError as error:
        assert len(str(error)) > 20 and "\n" not in str(error), f"not a sentence: {error}"
    else:
        raise AssertionError("something that is no legal action was accepted")
