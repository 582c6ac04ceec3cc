"""Who plays the chunks: this process, several processes, or a Ray cluster. The results are the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from card_envs.agents.loading import Player
from card_envs.agents.speaking.options import Speaker
from card_envs.arena.play import ChunkResults, Setting, play_chunk
from card_envs.arena.schedule import Chunk
from card_envs.errors import CardEnvsError, OptionError, TournamentError

PlayedChunks = Generator[tuple[Chunk, ChunkResults], None, None]
MOST_LOSSES = 3  # a chunk that takes so many workers down with it will not do better the next time
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def play_chunks(
    setting: Setting, chunks: Iterable[Chunk], agents: Mapping[int, Player], *, workers: int, ray: str | None
) -> PlayedChunks:
    """Play chunks, and yield each as it is finished, in whatever order."""
    if ray is not None:
        from card_envs.arena.ray_workers import play_on_ray

        return play_on_ray(setting, chunks, agents, ray)
    return _play_here(setting, chunks, agents) if workers == 1 else _play_apart(setting, chunks, agents, workers)


def _play_here(setting: Setting, chunks: Iterable[Chunk], agents: Mapping[int, Player]) -> PlayedChunks:
    for chunk in chunks:
        yield chunk, play_chunk(setting, chunk, agents)


class Losses:
    """How often each chunk has lost its worker."""

    def __init__(self) -> None:
        self._times: dict[int, int] = {}

    def count(self, chunk: Chunk) -> None:
        """Note one more, and give up if there is no hope."""
        self._times[chunk.number] = self._times.get(chunk.number, 0) + 1
        if self._times[chunk.number] >= MOST_LOSSES:
            raise TournamentError(
                f"{MOST_LOSSES} workers were lost while they played chunk {chunk.number}; what was played is kept. "
                f"Is there enough memory? Play with one worker to see what happens. (A program of yours must start "
                f"workers under: if __name__ == '__main__')"
            )


class _Worker:
    """A process that plays one chunk after the other."""

    def __init__(self, setting: Setting, agents: Mapping[int, Player]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, setting, agents), daemon=True)
        with _one_thread():
            try:
                self.process.start()
            except (AttributeError, TypeError, ImportError) as error:
                raise OptionError(
                    f"an agent that a program hands over must be one that pickle can send to another process: {error}"
                ) from None
        theirs.close()
        self.chunk: Chunk | None = None

    def give(self, chunk: Chunk) -> None:
        """Hand over a chunk; if the process is gone, that is noticed when its answer is awaited."""
        self.chunk = chunk
        with suppress(OSError):
            self.connection.send(chunk)

    def take(self) -> ChunkResults | Exception | None:
        """The answer, an error that playing ended with, or None if the process is gone."""
        try:
            answer: ChunkResults | Exception = self.connection.recv()
        except (EOFError, OSError):
            return None
        return answer

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.connection.close()
        self.process.terminate()
        self.process.join()


def _play_apart(setting: Setting, chunks: Iterable[Chunk], agents: Mapping[int, Player], number: int) -> PlayedChunks:
    waiting, again, losses = iter(chunks), list[Chunk](), Losses()
    workers: list[_Worker] = []

    def next_chunk() -> Chunk | None:
        return again.pop() if again else next(waiting, None)

    try:
        while len(workers) < number and (chunk := next_chunk()) is not None:
            workers.append(_Worker(setting, agents))
            workers[-1].give(chunk)
        while workers:
            ready = wait([worker.connection for worker in workers])
            for worker in [worker for worker in workers if worker.connection in ready]:
                chunk, answer = worker.chunk, worker.take()
                assert chunk is not None
                if answer is None:
                    worker.stop()
                    workers.remove(worker)
                    losses.count(chunk)
                    again.append(chunk)
                    worker = _Worker(setting, agents)
                    workers.append(worker)
                elif isinstance(answer, Exception):
                    raise answer
                else:
                    yield chunk, answer
                following = next_chunk()
                if following is not None:
                    worker.give(following)
                else:
                    workers.remove(worker)
                    worker.stop()
    finally:
        for worker in workers:
            worker.stop()


def _work(connection: Connection, setting: Setting, agents: Mapping[int, Player]) -> None:
    """What a worker process does until it is told nothing more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the parent decides
    if any(isinstance(agent, Speaker) for agent in agents.values()):  # whose programs must not outlive us
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with suppress(EOFError, OSError):
        while True:
            chunk = connection.recv()
            answer: Any
            try:
                answer = play_chunk(setting, chunk, agents)
            except CardEnvsError as error:
                answer = error
            except Exception as error:
                answer = TournamentError(f"an agent failed in chunk {chunk.number}: {type(error).__name__}: {error}")
            connection.send(answer)


@contextmanager
def _one_thread() -> Generator[None, None, None]:
    """Processes that start meanwhile do linear algebra on one thread each; more would only wait for each other."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
