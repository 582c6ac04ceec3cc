"""Agents that play from elsewhere (in processes of their own, or told in words), and what is kept of their forfeits."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.isolated.agent import FAILED, ILLEGAL, IsolatedAgent, IsolatedHost
from card_envs.agents.isolated.wire import GONE, NONSENSE, TOO_SLOW
from card_envs.agents.loading import Player
from card_envs.agents.seating import Forfeit
from card_envs.agents.speaking.agent import SpokenAgent
from card_envs.core.game import Game
from card_envs.core.options import real_number
from card_envs.errors import NoAnswerError, OptionError

REASONS = (TOO_SLOW, GONE, NONSENSE, FAILED, ILLEGAL)  # in the order of their numbers in a tournament's file
NOBODY = -1
MOST_SECONDS = 3600.0
LIFE_SECONDS, RESERVE_SECONDS = 10.0, 120.0  # for making an agent anew: each time, and beyond that in all
clock = time.monotonic


Key = tuple[str, str, int, float]
_HOSTS: dict[Key, IsolatedHost] = {}  # kept for as long as this process
_LEFT: dict[Key, float] = {}  # seconds of the reserve that an agent has not used up, while it can be begun at all
_LOOKING = threading.Lock()


def begin(
    game: Game, agent: str, players: int, seconds: float, seed: int | None, within: float = math.inf
) -> IsolatedAgent:
    """A life of an isolated agent. An OptionError says why it cannot be made, a NoAnswerError that it was silent."""
    key = (game.key, agent, players, seconds)
    with _LOOKING:
        if key not in _HOSTS or not _HOSTS[key].alive:
            _HOSTS[key] = IsolatedHost(game, agent, players, seconds)
        host = _HOSTS[key]
    return host.begin(seed, within)


def begin_to_play(game: Game, agent: str, players: int, seconds: float, seed: int) -> IsolatedAgent:
    """A life that is to play. If it cannot be made, it forfeits; one that has ended its host gets another, once.

    Being made may take LIFE_SECONDS or as long as an answer, and what takes longer comes out of a reserve for all lives
    of the agent in this process. When that is used up, nobody waits for the agent again.
    """
    key = (game.key, agent, players, seconds)
    usual = max(seconds, LIFE_SECONDS)
    for _ in range(2):
        left = _LEFT.get(key, RESERVE_SECONDS)
        if left < 0:
            break
        began = clock()
        try:
            return begin(game, agent, players, seconds, seed, usual + left)
        except NoAnswerError as silence:
            if silence.reason == TOO_SLOW:
                left = -math.inf
        except OptionError:
            return IsolatedAgent(agent, None, FAILED)
        finally:
            _LEFT[key] = left - max(clock() - began - usual, 0.0)
    return IsolatedAgent(agent, None, TOO_SLOW if _LEFT.get(key, 0.0) < 0 else GONE)


def meet(game: Game, agent: str, players: int, seconds: float) -> tuple[str, str | None]:
    """The kind of an isolated agent, and the content hash that it claims; an OptionError if it cannot be made."""
    try:
        life = begin(game, agent, players, seconds, None)
    except NoAnswerError as silence:
        raise OptionError(f"the agent {agent!r} could not be made in a process of its own: {silence.reason}") from None
    life.close()
    return life.kind, life.content_hash


def check_isolate(isolate: float | None) -> float | None:
    """Seconds for an answer, or None for agents that play here."""
    return None if isolate is None else real_number(isolate, "isolate", 0.001, MOST_SECONDS)


def stand_up(begun: Iterable[Player]) -> None:
    """End the lives of agents that have processes of their own."""
    for agent in begun:
        if isinstance(agent, IsolatedAgent | SpokenAgent):
            agent.close()


def no_forfeits(games: int) -> NDArray[np.int64]:
    """A row per game: the seat that forfeited it and the number of the reason, or twice NOBODY."""
    return np.full((games, 2), NOBODY, np.int64)


def note_forfeits(noted: NDArray[np.int64], rows: NDArray[np.int64], forfeits: Iterable[Forfeit]) -> None:
    """Write down who forfeited which of the games in these rows."""
    for lost in forfeits:
        reason = lost.reason.partition(":")[0]  # which may come with words
        noted[rows[lost.game]] = lost.seat, REASONS.index(reason)
