"""Chunks played on a Ray cluster: `pip install 'card-envs[scale]'`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from card_envs.agents.loading import Player
from card_envs.arena.play import Setting, play_chunk
from card_envs.arena.schedule import Chunk
from card_envs.arena.workers import Losses, PlayedChunks
from card_envs.cluster import cause, connected
from card_envs.errors import TournamentError

AHEAD = 2  # chunks per core that wait on the cluster, so that nobody waits for us


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
                raise cause(error, f"an agent failed in chunk {chunk.number}", TournamentError) from None
            except ray.exceptions.RayError:
                losses.count(chunk)
                under_way[play.remote(common, chunk, team)] = chunk
                continue
            yield chunk, games
    finally:
        for reference in under_way:
            ray.cancel(reference, force=True)
