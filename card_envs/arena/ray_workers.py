"""Chunks played on a Ray cluster: `pip install 'card-envs[scale]'`."""

from __future__ import annotations

import importlib.util
import os
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from card_envs.agents.loading import Player
from card_envs.arena.play import Setting, play_chunk
from card_envs.arena.schedule import Chunk
from card_envs.arena.workers import Losses, PlayedChunks
from card_envs.errors import CardEnvsError, OptionError, TournamentError

AHEAD = 2  # chunks per core that wait on the cluster, so that nobody waits for us
PATIENCE = 10  # seconds


def check_cluster(address: str) -> None:
    """Refuse what `connected` would refuse, before anything is begun for it."""
    _check_installed()
    if address != "auto":
        _knock(address)


def _check_installed() -> None:
    if importlib.util.find_spec("ray") is None:
        raise OptionError("playing on a cluster needs Ray; install it with: pip install 'card-envs[scale]'")


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Ray, connected: to the cluster at an address, to the one that runs here already, or to a new one for us."""
    _check_installed()
    import ray

    if ray.is_initialized():  # by the program that we are part of, which will also end it
        yield ray
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster of ours tells nobody
    check_cluster(address)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        ray.init(address=address, **quiet)
    except ConnectionError:
        if address != "auto":
            raise _nobody(address) from None
        _start(ray, quiet)
    try:
        yield ray
    finally:
        ray.shutdown()


def _start(ray: Any, quiet: dict[str, Any]) -> None:
    try:
        ray.init(include_dashboard=False, **quiet)
    except Exception as error:  # whatever Ray says: a port that is taken, a machine that is too slow
        ray.shutdown()
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise TournamentError(f"Ray could not start a cluster here ({said}); play with --workers instead") from None


def _nobody(address: str) -> TournamentError:
    return TournamentError(
        f"there is no Ray cluster at {address}; start one with: ray start --head, and give the address that it prints, "
        f"or --ray auto"
    )


def _knock(address: str) -> None:
    """Refuse an address at which nobody answers; Ray itself would go on trying for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, ValueError):
        raise _nobody(address) from None


def play_on_ray(setting: Setting, chunks: Iterable[Chunk], agents: Mapping[int, Player], address: str) -> PlayedChunks:
    """Play chunks on a cluster. A chunk whose worker is lost is played again, by another one."""
    with connected(address) as ray:
        yield from _play(ray, setting, chunks, agents)


def _play(ray: Any, setting: Setting, chunks: Iterable[Chunk], agents: Mapping[int, Player]) -> PlayedChunks:
    # No retries by Ray itself: a chunk that is lost comes back to us, who count how often.
    play = ray.remote(num_cpus=1, max_retries=0)(play_chunk)
    common, team = ray.put(setting), ray.put(dict(agents))
    room = max(1, int(ray.cluster_resources().get("CPU", 1))) * AHEAD
    waiting, losses = iter(chunks), Losses()
    under_way: dict[Any, Chunk] = {}
    try:
        while True:
            while len(under_way) < room and (chunk := next(waiting, None)) is not None:
                under_way[play.remote(common, chunk, team)] = chunk
            if not under_way:
                return
            ready, _ = ray.wait(list(under_way), num_returns=1)
            chunk = under_way.pop(ready[0])
            try:
                games = ray.get(ready[0])
            except ray.exceptions.RayTaskError as error:
                raise _cause(error, chunk) from None
            except ray.exceptions.RayError:
                losses.count(chunk)
                under_way[play.remote(common, chunk, team)] = chunk
                continue
            yield chunk, games
    finally:
        for reference in under_way:
            ray.cancel(reference, force=True)


def _cause(error: Any, chunk: Chunk) -> CardEnvsError:
    cause = error.cause
    if isinstance(cause, CardEnvsError):
        return cause
    return TournamentError(f"an agent failed in chunk {chunk.number}: {type(cause).__name__}: {cause}")
