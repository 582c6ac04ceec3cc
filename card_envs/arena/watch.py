"""Watching the checkpoint files of a tournament while it is played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from card_envs.agents.loading import SUFFIX
from card_envs.arena.entrants import Entrant, reload
from card_envs.arena.play import Setting
from card_envs.arena.schedule import Chunk
from card_envs.errors import TournamentError

Stamp = tuple[int, int, int] | None


class Watch:
    """Leaves out the chunks of an agent whose file is no longer what it was; everyone else goes on."""

    def __init__(self, setting: Setting, entrants: Iterable[Entrant]) -> None:
        self.setting = setting
        self.lost: dict[int, str] = {}
        self.left_out = 0
        self._files = {one.number: one for one in entrants if one.source.endswith(SUFFIX)}
        self._stamps: dict[int, Stamp] = {}

    def allowed(self, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
        """The chunks whose agents are all there, looked at when each chunk's turn comes."""
        for chunk in chunks:
            for number in chunk.agents & self._files.keys() - self.lost.keys():
                self._look(self._files[number])
            if chunk.agents & self.lost.keys():
                self.left_out += chunk.games
            else:
                yield chunk

    def _look(self, entrant: Entrant) -> None:
        """Read the file again only if it was touched."""
        stamp = _stamp(entrant.source)
        if stamp is None or stamp != self._stamps.get(entrant.number):
            self._stamps[entrant.number] = stamp
            try:
                reload(self.setting.rules, self.setting.players, entrant)
            except TournamentError as error:
                self.lost[entrant.number] = str(error)

    def complain(self) -> None:
        """Say whose games were left out, once everything else is played and kept."""
        if self.lost:
            raise TournamentError(
                f"{'; '.join(self.lost.values())}. What was played is kept; {self.left_out} games are left out until "
                f"the tournament is resumed"
            )


def _stamp(path: str) -> Stamp:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
