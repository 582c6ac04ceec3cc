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
            if rules.all_cards is not None:
                require(rules.all_cards(states[0]) == rules.all_cards(states[1]), "redraw_hidden changes the cards")
    require(moved, "redraw_hidden never changed anything, so this check has checked nothing")


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
                require(in_turns.agent_selection == agent, "another player is asked")
                if seen is None:
                    raise CheckFailed("a game goes on in a Parallel environment and is over in an AEC environment")
                for key, value in observations[agent].items():
                    same = np.array_equal(value, seen[key])
                    require(same, f"{agent} sees another {key} after others have chosen")
                in_turns.step(choices[agent])
            observations, rewards, terminations, _, infos = together.step(choices)
            ended = {agent: in_turns.terminations[agent] for agent in choices}
            rewarded = {agent: in_turns.rewards[agent] for agent in choices}
            require(terminations == ended, "a game ends earlier in a Parallel environment, or later")
            require(rewards == rewarded, "a Parallel environment gives other rewards")
            require(infos == in_turns.infos, "a Parallel environment has other infos")
            require(together.to_text() == in_turns.to_text(), "a Parallel environment reaches another position")


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


def check_rewards(game: str, seed: int = 10, **options: Any) -> None:
    """Rewards come at the end and follow from ranks or points; which reward is chosen changes nothing else."""
    rules, last = get_game(game), {}
    for reward, expected in (("outcome", _outcome), ("margin", _margin)):
        for batch, under_way in play(game, seed, **{**options, "reward": reward}):
            require(not batch.rewards[under_way].any(), "a game that goes on has rewarded somebody")
        right = expected(batch, rules.margin_scale)
        require(
            np.allclose(batch.rewards, right, atol=1e-5), f"the rewards for {reward} do not follow from the results"
        )
        last[reward] = batch
    for name in ("states", "points", "ranks", "score_sheet"):
        one, other = (getattr(batch, name) for batch in last.values())
        require(np.array_equal(one, other), f"{name} differs with another reward")


def _outcome(batch: Batch, scale: float) -> np.ndarray[Any, Any]:
    """Winners share one win: 1 for whoever wins alone, less the more there are; all rewards add up to nothing."""
    wins = batch.ranks == 1
    shares = wins / wins.sum(axis=1, keepdims=True)
    return (batch.players * shares - 1) / (batch.players - 1)  # type: ignore[no-any-return]


def _margin(batch: Batch, scale: float) -> np.ndarray[Any, Any]:
    """How far ahead of the mean of all others."""
    others = (batch.points.sum(axis=1, keepdims=True) - batch.points) / (batch.players - 1)
    return (batch.points - others) / scale  # type: ignore[no-any-return]


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


def check_illegal_actions_lose(game: str, seed: int = 11, **options: Any) -> None:
    """Where that is agreed, an illegal action ends its own game at once, alike in AEC and batch; all else stays."""
    rules, options = get_game(game), {**options, "illegal_action": "lose"}
    agreed, usual = (
        Batch(rules, GAMES, seed=seed, auto_reset=False, **{**options, "illegal_action": way})
        for way in ("lose", "raise")
    )
    env, agent = CardGameEnv(rules, **options), RandomAgent(seed)
    env.reset(seed=int(agreed.seeds[0]))
    while (under_way := np.flatnonzero(agreed.seat >= 0)).size and agreed.action_mask[0].all():
        actions = agent.act(None, agreed.action_mask[under_way])  # until something is illegal in game 0
        for batch in (agreed, usual):
            batch.step(actions, under_way)
        require(np.array_equal(agreed.states, usual.states), "legal games go another way where illegal actions lose")
        env.step(int(actions[0]))
        if agreed.seat[0] < 0:
            return  # whatever this game knows was legal throughout
    seat, illegal = int(agreed.seat[0]), int(np.flatnonzero(agreed.action_mask[0] == 0)[0])
    others = agreed.states[1:].copy()
    rewards, done = agreed.step([illegal], [0])
    env.step(illegal)
    expected = [-1.0 if player == seat else 1 / (agreed.players - 1) for player in range(agreed.players)]
    require(np.allclose(rewards[0], expected), f"an illegal action brings {rewards[0]}, not {expected}")
    require(done[0] and agreed.seat[0] < 0, "an illegal action does not end the game")
    require(np.array_equal(agreed.states[1:], others), "an illegal action in one game moved another")
    require(list(env.rewards.values()) == rewards[0].tolist(), "an illegal action brings other rewards in a batch")
    require(all(env.terminations.values()), "an illegal action does not end the game")
    offender = f"player_{seat}"
    require(offender in env.infos[offender]["illegal_action"], "the infos do not say who has played illegally")


def _refused(call: Any) -> None:
    try:
        call()
    except CardEnvsError as error:
        require(len(str(error)) > 20 and "\n" not in str(error), f"not a sentence: {error}")
    else:
        raise CheckFailed("something that is no legal action was accepted")
