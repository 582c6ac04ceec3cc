"""Tournaments found in the folders that were named at the start: their standings, and each of their games."""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from card_envs.arena.replay import Replay
from card_envs.arena.standings import compute_standings
from card_envs.arena.store import FILE, Store
from card_envs.errors import CardEnvsError
from card_envs.presentation.film import Film
from card_envs.web.errors import NotFoundError

MOST_TOURNAMENTS, MOST_FILMS = 200, 32


@dataclass(frozen=True)
class StoredTournament:
    """A tournament's folder under an id that tells no path."""

    id: str
    name: str
    folder: Path


class TournamentLibrary:
    """All tournaments that a page may look at. Reading them is work, so what was read is kept for a while."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self.folders = [folder.resolve() for folder in folders]
        self._lock = threading.Lock()
        self._standings: dict[str, tuple[int, dict[str, Any]]] = {}
        self._films: OrderedDict[tuple[str, int], Film] = OrderedDict()

    def all(self) -> list[StoredTournament]:
        """Every tournament found, by name."""
        found = {}
        for folder in self.folders:
            for path in sorted(folder.rglob(FILE))[:MOST_TOURNAMENTS]:
                home = path.resolve().parent
                if home.is_relative_to(folder):
                    name = str(home.relative_to(folder)) if home != folder else home.name
                    id_ = hashlib.sha256(str(home).encode()).hexdigest()[:20]
                    found[id_] = StoredTournament(id_, name, home)
        return list(found.values())

    def find(self, id_: str) -> StoredTournament:
        """A tournament by its id."""
        for one in self.all():
            if one.id == id_:
                return one
        raise NotFoundError("there is no such tournament in the folders that the server was told")

    def summary(self, one: StoredTournament) -> dict[str, Any]:
        """What a list of tournaments shows of each; a tournament that cannot be read says why."""
        about: dict[str, Any] = {"id": one.id, "name": one.name, "title": "", "players": 0, "games": 0, "problem": ""}
        try:
            store = Store.open(one.folder)
            try:
                setting, played = store.setting, sum(store.played().values())
            finally:
                store.close()
        except CardEnvsError as error:
            return {**about, "problem": str(error)}
        return {**about, "title": setting.rules.title, "players": setting.players, "games": played}

    def standings(self, one: StoredTournament) -> dict[str, Any]:
        """The standings, worked out anew when more games have been played."""
        store = Store.open(one.folder)
        try:
            played = sum(store.played().values())
            with self._lock:
                kept = self._standings.get(one.id)
            if kept is None or kept[0] != played:
                kept = (played, _plain(compute_standings(store)))
                with self._lock:
                    self._standings[one.id] = kept
        finally:
            store.close()
        return {"id": one.id, "name": one.name, **kept[1]}

    def film(self, one: StoredTournament, number: int) -> Film:
        """One game of a tournament, played once more."""
        with self._lock:
            film = self._films.get((one.id, number))
        if film is None:
            replay = Replay(one.folder, number)
            film = Film(replay.batch, replay.moves, replay.agents)
            with self._lock:
                self._films[one.id, number] = film
                if len(self._films) > MOST_FILMS:
                    self._films.popitem(last=False)
        return film


def _plain(standings: Any) -> dict[str, Any]:
    """What the page shows of standings; None for what is not known."""

    def known(value: float) -> float | None:
        return value if math.isfinite(value) else None

    rows = [
        {
            "name": row.name,
            "mark": row.mark,
            "games": row.games,
            **{
                figure: [known(number) for number in getattr(row, figure)]
                for figure in ("rating", "win_share", "points", "rank")
            },
        }
        for row in standings.rows
    ]
    return {
        "title": standings.title,
        "players": standings.players,
        "games": standings.games_played,
        "games_in_all": standings.games_in_all,
        "rows": rows,
    }
