"""Games of agents as a Minari dataset, with masks: `card-envs dataset`. Needs `minari[hdf5]` and pillow.

Each seat of each game is an episode: what the seat saw when it was to act, what it did, and its reward with the last
step. `infos` has the same keys at every step: `action_mask`, `seat`, and `agent`, the number of who sat there.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from card_envs.agents.base import Agent
from card_envs.agents.loading import Player, load_agent
from card_envs.agents.seating import Seating
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.core.loops import SHARED
from card_envs.core.options import check_seed, whole_number
from card_envs.errors import IllegalActionError, MissingExtraError, OptionError
from card_envs.files import shown
from card_envs.games import get_game

LOG = logging.getLogger("card_envs")  # nobody hears it unless a program asks for it: see notices.py
AT_ONCE = 1024  # games
MOST_GAMES = 2**31


class Episode(NamedTuple):
    """One seat of one game. Observations and masks have one row more than actions: that of the end."""

    seed: int
    seat: int
    agent: int
    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    reward: float


def record(
    game: Game, agents: Sequence[Player], games: int, *, players: int, seed: int = 0, **options: Any
) -> Iterator[list[Episode]]:
    """Let agents play, and yield what every seat saw and did, some games at a time.

    Who sits where is drawn by lot for each game. The same seed gives the same games.
    """
    loaded = [load_agent(game, agent, players=players, seed=seed) for agent in agents]
    seeds = np.empty(games, np.int64)
    SHARED.fill_seeds(seed, seeds)
    lots = np.random.default_rng(seed)
    batch = Batch(game, min(AT_ONCE, games), seed=0, auto_reset=False, players=players, **options)
    seating = Seating(batch)
    for start in range(0, games, batch.num_games):
        numbers = np.arange(min(batch.num_games, games - start))
        sits = lots.integers(len(loaded), size=(batch.num_games, players))
        batch.reset(seeds[start : start + len(numbers)], numbers)
        seating.start_lots(numbers)
        seating.sit_down_by_number(dict(enumerate(loaded)), sits)
        yield _play(seating, numbers, sits)


def _play(seating: Seating, games: NDArray[np.int64], sits: NDArray[np.int64]) -> list[Episode]:
    """All of these games to their ends, as episodes."""
    batch, steps = seating.batch, []
    under_way = games
    while under_way.size:
        actions = seating.choose(under_way)
        if (actions < 0).any():
            raise IllegalActionError(
                f"an agent forfeited a game ({seating.forfeits[-1].reason}), and a dataset has whole games only"
            )
        seats = batch.seat[under_way]
        steps.append((under_way, seats, batch.observation[under_way], batch.action_mask[under_way], actions))
        batch.step(actions, under_way)
        under_way = under_way[batch.seat[under_way] >= 0]
    columns = [np.concatenate(column) for column in zip(*steps, strict=True)]
    game_of, seat_of, seen, masks, done = columns
    order = np.lexsort((np.arange(len(game_of)), seat_of, game_of))
    chairs = game_of * batch.players + seat_of
    bounds = np.searchsorted(chairs[order], np.arange(len(games) * batch.players + 1))
    episodes = []
    for chair in range(len(games) * batch.players):
        rows = order[bounds[chair] : bounds[chair + 1]]
        if rows.size:  # a game can end before somebody had a turn
            game, seat = divmod(chair, batch.players)
            last = batch.observe(game, seat)[0]
            episodes.append(
                Episode(
                    int(batch.seeds[game]),
                    seat,
                    int(sits[game, seat]),
                    np.concatenate([seen[rows], last[None]]),
                    np.concatenate([masks[rows], np.ones((1, masks.shape[1]), np.int8)]),
                    done[rows],
                    float(batch.rewards[game, seat]),
                )
            )
    return episodes


def write_dataset(
    game: str,
    agents: Sequence[Player],
    games: int,
    out: str | Path,
    *,
    players: int | None = None,
    seed: int = 0,
    **options: Any,
) -> Path:
    """Record games as a Minari dataset; returns its folder, which `minari.MinariDataset` opens.

    It is written beside and gets its name when it is whole.
    """
    try:
        import PIL  # noqa: F401  # Minari's files need it, and minari[hdf5] does not bring it
        from minari import __version__ as minari_version
        from minari.data_collector import EpisodeBuffer
        from minari.dataset.minari_storage import MinariStorage
    except ImportError as error:
        raise MissingExtraError(
            f"a dataset needs minari, h5py and pillow ({error}); install them with: pip install 'minari[hdf5]' pillow"
        ) from None
    rules, total = get_game(game), whole_number(games, "games", 1, MOST_GAMES)
    table = rules.make_options({**options, **({} if players is None else {"players": players})})[0].players
    if not agents:
        raise OptionError("a dataset needs at least one agent; name some, such as champion and bot")
    folder, partial = Path(out), Path(f"{out}.partial").absolute()  # Minari takes relative ones for something else
    if folder.exists():
        raise OptionError(f"{shown(folder)} is there already; name another folder, or remove it")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    spec = gym.spec(rules.id)
    spec.kwargs = {**spec.kwargs, "players": table, **options}
    seen = spaces.Box(0.0, 1.0, (rules.layout.size,), np.float32)
    storage = MinariStorage.new(partial, seen, spaces.Discrete(len(rules.actions)), env_spec=spec)
    written = 0
    for episodes in record(rules, agents, total, players=table, seed=check_seed(seed), **options):
        storage.update_episodes([_buffer(EpisodeBuffer, one) for one in episodes])
        written += len({one.seed for one in episodes})
        LOG.info("%d of %d games are written", written, total)
    names = ", ".join(agent.name if isinstance(agent, Agent) else str(agent) for agent in agents)
    storage.update_metadata(
        {
            "dataset_id": f"card_envs/{rules.name}/games-v{rules.version}",
            "minari_version": minari_version,
            "algorithm_name": names,
            "code_permalink": "",
            "author": {"card_envs"},
            "description": f"{total} games of {rules.title} with {table} players, by {names}",
        }
    )
    partial.rename(folder)
    return folder


def _buffer(kind: Any, episode: Episode) -> Any:
    steps = len(episode.actions)
    rewards, ends = np.zeros(steps), np.zeros(steps, np.bool_)
    rewards[-1], ends[-1] = episode.reward, True
    infos = {
        "action_mask": episode.masks,
        "seat": np.full(steps + 1, episode.seat),
        "agent": np.full(steps + 1, episode.agent),
    }
    return kind(
        seed=episode.seed,
        observations=episode.observations,
        actions=episode.actions,
        rewards=rewards,
        terminations=ends,
        truncations=np.zeros(steps, np.bool_),
        infos=infos,
    )
