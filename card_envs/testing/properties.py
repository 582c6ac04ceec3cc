"""Statements that hold at every step of every game, tried on random games."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from card_envs.agents.random import RandomAgent
from card_envs.core.batch import Batch
from card_envs.envs.aec import CardGameEnv
from card_envs.envs.parallel import ParallelGameEnv
from card_envs.errors import CardEnvsError
from card_envs.games import get_game
from card_envs.testing.require import CheckFailed, require

GAMES = 32
VIEWED = 4  # views are made in Python: every fourth game is looked at, another one at each step


def every_table(game: str) -> list[dict[str, Any]]:
    """Every option that reaches the rules: each number of players, and the game's own variants."""
    rules = get_game(game)
    return [{"players": players} for players in rules.players] + list(rules.variants)


def every_option(game: str) -> list[dict[str, Any]]:
    """The same, each number of players also with the other reward and the other way to treat illegal actions."""
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
    moved = np.arange(GAMES)
    for batch, under_way in play(game, seed, **options):
        for state in batch.states[moved]:
            deck = deck or all_cards(state)
            require(all_cards(state) == deck, f"cards got lost or doubled: {all_cards(state)} instead of {deck}")
        moved = under_way


def check_observations(game: str, seed: int = 2, **options: Any) -> None:
    """Every entry is written, within [0, 1], the same each time; and whoever is to act has a legal action."""
    for batch, under_way in play(game, seed, **options):
        require(batch.action_mask[under_way].any(axis=1).all(), "a seat must act and has no legal action")
        require(not batch.action_mask[batch.seat < 0].any(), "a game is over and still has legal actions")
        before = batch.observation.copy()
        room = np.full((len(under_way), before.shape[1]), np.nan, np.float32), batch.action_mask[under_way]
        seen, _ = batch.observe_seats(under_way, batch.seat[under_way], room)
        require(np.array_equal(seen, before[under_way]), "an observation is not written whole each time")
        require(0 <= before.min() <= before.max() <= 1, "an observation leaves [0, 1]")


def check_secrets(game: str, seed: int = 3, **options: Any) -> None:
    """What a seat sees does not move by one bit when everything that it cannot know is drawn anew."""
    rules, moved = get_game(game), 0
    players = Batch(rules, 1, seed=seed, **options).players
    # Each game once for each of its seats, as it is and drawn anew, so that all are asked in one call.
    numbers, seats = np.repeat(np.arange(GAMES), players), np.tile(np.arange(players), GAMES)
    real, twin = (Batch(rules, len(numbers), seed=seed, auto_reset=False, **options) for _ in range(2))
    for step, (batch, under_way) in enumerate(play(game, seed, **options)):
        real.states[:] = twin.states[:] = batch.states[numbers]
        each = np.flatnonzero(np.isin(numbers, under_way))
        twin.redraw_hidden(seats[each], seed=seed + step, games=each)
        moved += int(np.count_nonzero(twin.states != real.states))
        seen = [world.observe_seats(each, seats[each]) for world in (real, twin)]
        for what, one, other in zip(("observation", "mask"), *seen, strict=True):
            told = seats[each][(one != other).any(axis=1)]
            require(not told.size, f"the {what} of seat {told[:1]} tells something that it cannot know")
        for place in each[(numbers[each] + step) % VIEWED == 0]:
            states, seat = (real.states[place], twin.states[place]), int(seats[place])
            views = [rules.view(state, seat) for state in states]
            require(views[0] == views[1], f"the view of seat {seat} shows something that it cannot know")
            if rules.public_view is not None:
                shown = [rules.public_view(state) for state in states]
                require(shown[0] == shown[1], f"the public view shows something that seat {seat} cannot know")
            if rules.all_cards is not None:
                require(rules.all_cards(states[0]) == rules.all_cards(states[1]), "redraw_hidden changes the cards")
    require(moved, "redraw_hidden never changed anything, so this check has checked nothing")


def check_taking_back(game: str, seed: int = 10, **options: Any) -> None:
    """When the choice under way begins again, whoever was to act sees no difference, and gets its turn once more."""
    agent = RandomAgent(seed)
    for step, (batch, under_way) in enumerate(play(game, seed, **options)):
        if not under_way.size:
            return
        seats, every = batch.seat[under_way], np.arange(len(under_way))
        worlds = batch.imagine(under_way, 1, seed + step, reopen=True)
        for _ in range(batch.players):
            before = every[(worlds.seat != seats) & (worlds.seat >= 0)]
            if before.size:
                worlds.step(agent.act(None, worlds.action_mask[before]), before)
        require(np.array_equal(worlds.seat, seats), "after take_back, the seat that was to act is not asked again")
        same = np.array_equal(worlds.observation, batch.observation[under_way])
        require(same, "after take_back, the seat that is to act sees something else")
        same = np.array_equal(worlds.action_mask, batch.action_mask[under_way])
        require(same, "after take_back, other actions are legal")


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
        require(repr(twin) == repr(env), "a clone has other options")
        _same_position(env, twin)
        while env.agents and not env.terminations[env.agent_selection]:
            action = _any_legal(env, rng)
            untouched = twin.to_text()
            env.step(action)
            require(twin.to_text() == untouched, "playing on in the original changed the clone")
            twin.step(action)
            _same_position(env, twin)


def _any_legal(env: CardGameEnv, rng: np.random.Generator) -> int:
    observation = env.last()[0]
    if observation is None:
        raise CheckFailed(f"{env.agent_selection} is to act and observes nothing")
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def _same_position(env: CardGameEnv, twin: CardGameEnv) -> None:
    require(env.agent_selection == twin.agent_selection, "in a clone another player is to act")
    require(env.infos == twin.infos and env.rewards == twin.rewards, "a clone has other infos or rewards")
    for agent in env.possible_agents:
        for key, value in env.observe(agent).items():
            require(np.array_equal(value, twin.observe(agent)[key]), f"in a clone {agent} sees another {key}")


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
            require(env.agent_selection == f"player_{batch.seat[number]}", "in a batch another seat is to act")
            if seen is None:
                raise CheckFailed("a game goes on in a batch and is over in an AEC environment")
            require(np.array_equal(seen["observation"], batch.observation[number]), "a batch shows another observation")
            require(np.array_equal(seen["action_mask"], batch.action_mask[number]), "a batch shows another mask")
            env.step(int(actions[number]))
        rewards, done = batch.step(actions)
        for number, env in enumerate(envs):
            require(all(env.terminations.values()) == bool(done[number]), "a game ends earlier in a batch, or later")
            rewarded = [env.rewards[agent] for agent in env.possible_agents]
            require(rewarded == rewards[number].tolist(), "a batch gives other rewards")
            if done[number]:
                told = [env.infos[agent] for agent in env.possible_agents]
                require(told == batch.result(number), "a batch tells another result")
                env.reset()
                require(env.game_seed == batch.seeds[number], "a batch goes on with another seed")
                ended += 1


def check_parallel_plays_like_aec(game: str, seed: int = 9, **options: Any) -> None:
    """The same seed and choices give the same game in the Parallel and the AEC environment, and nobody sees ahead."""
    rules = get_game(game)
    together, in_turns = ParallelGameEnv(rules, **options), CardGameEnv(rules, **options)
    rng = np.random.default_rng(seed)
    for number in range(5):
        observations, _ = together.reset(seed=seed + number)
        in_turns.reset(seed=seed + number)
        while together.agents:
            masks = {agent: np.flatnonzero(seen["action_mask"]) for agent, seen in observations.items()}
            choices = {agent: int(rng.choice(mask)) for agent, mask in masks.items()}
            choosers = [agent for agent, choice in choices.items() if choice != together.wait]
            require(rules.simultaneous or len(choosers) == 1, "several players act in a game of turns")
            for agent in choosers:
                seen = in_turns.last()[0]
                require(in_turns.agent_selection == agent, "another player is asked")
                if seen is None:
                    raise CheckFailed("a game goes on in a Parallel environment and is over in an AEC environment")
                for key, value in observations[agent].items():
                    same = np.array_equal(value[: len(seen[key])], seen[key])  # `wait` may come after the game's own
                    require(same, f"{agent} sees another {key} after others have chosen")
                in_turns.step(choices[agent])
            observations, rewards, terminations, _, infos = together.step(choices)
            ended = {agent: in_turns.terminations[agent] for agent in choices}
            rewarded = {agent: in_turns.rewards[agent] for agent in choices}
            require(terminations == ended, "a game ends earlier in a Parallel environment, or later")
            require(rewards == rewarded, "a Parallel environment gives other rewards")
            require(infos == in_turns.infos, "a Parallel environment has other infos")
            require(together.to_text() == in_turns.to_text(), "a Parallel environment reaches another position")
            require(
                all(mask.any() for mask in together.masks().values()),
                "somebody in a Parallel environment can do nothing",
            )


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
        require(np.array_equal(parts.states[order[cut:]], still), "a game moved that was not listed")
        parts.step(actions[order[cut:]], order[cut:])
        for name in ("states", "observation", "action_mask", "seat", "rewards", "done", "points", "ranks", "seeds"):
            same = np.array_equal(getattr(whole, name), getattr(parts, name))
            require(same, f"{name} of a batch that is stepped in parts differs")


def check_threads(game: str, seed: int = 7, **options: Any) -> None:
    """The number of threads changes nothing but the speed."""
    one, two = (Batch(get_game(game), 1024, seed=seed, threads=threads, **options) for threads in (1, 2))
    agent = RandomAgent(seed)
    for _ in range(40):
        actions = agent.act(None, one.action_mask)
        one.step(actions)
        two.step(actions)
        require(np.array_equal(one.states, two.states), "two threads play another game than one")
        require(np.array_equal(one.observation, two.observation), "two threads show another observation than one")


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
        after = (env.to_text(), env.agent_selection, env.state().tobytes())
        require(before == after, "a refused action moved something")
        env.step(_any_legal(env, rng))
    _refused(lambda: env.step(0))
    while env.agents:
        env.step(None)
    _refused(lambda: env.step(None))


def _refused(call: Any) -> None:
    try:
        call()
    except CardEnvsError as error:
        require(len(str(error)) > 20 and "\n" not in str(error), f"not a sentence: {error}")
    else:
        raise CheckFailed("something that is no legal action was accepted")
