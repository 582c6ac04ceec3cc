"""Tournaments found in the folders that were named at the start: their standings, and each of their games."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from card_envs.agents.base import Agent
from card_envs.agents.loading import load_agent
from card_envs.arena.entrants import Entrant
from card_envs.arena.exploits import find_exploits
from card_envs.arena.find_games import Wanted, find_command, find_games
from card_envs.arena.reload import reload
from card_envs.arena.replay import Replay
from card_envs.arena.report import make_page
from card_envs.arena.standings import Standings, compute_standings
from card_envs.arena.store import FILE, Store
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.errors import CardEnvsError
from card_envs.presentation.film import Film
from card_envs.web.errors import ConflictError, NotFoundError, UnavailableError
from card_envs.web.folders import Folders, id_of, shown
from card_envs.web.plain_standings import plain_standings
from card_envs.web.recent import Recent

MOST_TOURNAMENTS, MOST_FILMS, MOST_OF_A_RUN, MOST_SCALES = 200, 32, 10, 20


@dataclass(frozen=True)
class StoredTournament:
    """A tournament's folder under an id that tells no path."""

    id: str
    name: str
    folder: Path


@dataclass(frozen=True)
class StoredGame:
    """A game of a tournament: its film, its start, who played it by seat, and the command that shows it."""

    number: int
    film: Film
    start: Batch
    agents: tuple[str, ...]
    command: str


@dataclass(frozen=True)
class Scale:
    """The ratings of a tournament by where its agents came from, and by who they are."""

    id: str
    name: str
    by_source: dict[str, float]
    by_content: dict[str, float]


Computed = tuple[Standings, dict[str, Any], list[Entrant]]


class TournamentLibrary:
    """All tournaments that a page may look at. Reading them is work, so what was read is kept for a while."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self.folders = Folders(folders)
        self._standings: Recent[str, tuple[int, Computed]] = Recent(MOST_TOURNAMENTS)
        self._games: Recent[tuple[str, int], StoredGame] = Recent(MOST_FILMS)

    def all(self) -> list[StoredTournament]:
        """Every tournament found, by name."""
        found = {}
        for path, folder in self.folders.find(lambda name: name == FILE, MOST_TOURNAMENTS):
            with contextlib.suppress(OSError, RuntimeError):  # it has just gone
                home = path.resolve().parent
                if home.is_relative_to(folder):
                    found[id_of(home)] = StoredTournament(id_of(home), shown(str(self.folders.inside(home))), home)
        return sorted(found.values(), key=lambda one: one.name)

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
            with self._reading(one), contextlib.closing(Store.open(one.folder)) as store:
                setting, played = store.setting, sum(store.played().values())
                return {**about, "title": setting.rules.title, "players": setting.players, "games": played}
        except CardEnvsError as error:
            return {**about, "problem": self.folders.tell(error)}

    def standings(self, one: StoredTournament) -> dict[str, Any]:
        """The standings, as the page shows them."""
        return {"id": one.id, "name": one.name, **self._computed(one)[1]}

    def _computed(self, one: StoredTournament) -> Computed:
        """The standings, worked out anew when more games have been played."""
        with self._reading(one), contextlib.closing(Store.open(one.folder)) as store:
            played = sum(store.played().values())
            kept = self._standings.get(one.id)
            if kept is None or kept[0] != played:
                computed = compute_standings(store)
                kept = self._standings.keep(one.id, (played, (computed, plain_standings(computed), store.entrants)))
        return kept[1]

    def report(self, one: StoredTournament) -> str:
        """The whole report as a page."""
        computed, _, entrants = self._computed(one)
        told = [replace(entrant, source=self.folders.tell(entrant.source)) for entrant in entrants]
        return make_page(computed, told, self.folders.typed(one.folder), find_exploits(one.folder))

    def find_games(self, one: StoredTournament, wanted: Wanted, most: int) -> dict[str, Any]:
        """Games that are worth seeing."""
        computed = self._computed(one)[0]
        real = {shown(name): name for name in computed.names}

        def named(name: str | None) -> str | None:
            return None if name is None else real.get(name, name)

        line_up = tuple(real.get(name, name) for name in wanted.line_up)
        wanted = replace(wanted, agent=named(wanted.agent), ahead_of=named(wanted.ahead_of), line_up=line_up)
        with self._reading(one), contextlib.closing(Store.open(one.folder)) as store:
            count, games = find_games(store, computed, wanted, most)
        listed = [{**asdict(game), "agents": [shown(name) for name in game.agents]} for game in games]
        return {"count": count, "games": listed, "command": find_command(self.folders.typed(one.folder), wanted)}

    def scales(self, game: Game, players: int) -> list[Scale]:
        """The ratings of all tournaments at tables of this kind."""
        scales = []
        for one in self.all()[:MOST_SCALES]:
            with contextlib.suppress(CardEnvsError):
                with self._reading(one), contextlib.closing(Store.open(one.folder)) as store:
                    setting = store.setting
                if setting.rules.key == game.key and setting.players == players and not setting.options:
                    computed, _, entrants = self._computed(one)
                    ratings = {row.number: row.rating.value for row in computed.rows}
                    by_source = {entrant.source: ratings[entrant.number] for entrant in reversed(entrants)}
                    by_content = {entrant.content_hash: ratings[entrant.number] for entrant in reversed(entrants)}
                    scales.append(Scale(one.id, one.name, by_source, by_content))
        return scales

    def standings_of(self, run: Path) -> list[dict[str, Any]]:
        """The tournaments in which players from a folder took part, and the rows of these."""
        told: list[dict[str, Any]] = []
        for one in self.all():
            with contextlib.suppress(CardEnvsError):  # it is listed elsewhere with what is wrong with it
                with self._reading(one), contextlib.closing(Store.open(one.folder)) as store:
                    sources = {shown(entrant.name): entrant.source for entrant in store.entrants}
                theirs = {name for name, source in sources.items() if Path(source).is_relative_to(run)}
                if not theirs or len(told) >= MOST_OF_A_RUN:
                    continue
                rows = self.standings(one)["rows"]
                places = [place for place, row in enumerate(rows, start=1) if row["name"] in theirs]
                found = [rows[place - 1] for place in places]
                told.append({"id": one.id, "name": one.name, "places": places, "rows": found, "of": len(rows)})
        return told

    def game(self, one: StoredTournament, number: int) -> StoredGame:
        """One game of a tournament, played once more."""
        game = self._games.get((one.id, number))
        if game is None:
            with self._reading(one):
                with contextlib.closing(Store.open(one.folder)) as store:
                    if store.setting.isolate is not None:
                        raise ConflictError(
                            "the agents of this tournament play in processes of their own, which this server does not "
                            "start; card-envs replay shows its games"
                        )
                replay = Replay(one.folder, number)
                film = Film(replay.batch, replay.moves, [shown(name) for name in replay.agents])
            command = f"card-envs replay {shlex.quote(self.folders.typed(one.folder))} {number}"
            game = self._games.keep((one.id, number), StoredGame(number, film, replay.batch, replay.agents, command))
        return game

    def players(self, one: StoredTournament, game: StoredGame) -> list[Agent]:
        """Those who played a game, by seat, as the tournament keeps them."""
        with self._reading(one), contextlib.closing(Store.open(one.folder)) as store:
            setting, entrants = store.setting, {entrant.name: entrant for entrant in store.entrants}
            loaded = {name: reload(store, entrants[name]) for name in set(game.agents)}
            made = {
                name: load_agent(setting.rules, player, players=setting.players, seed=0)
                for name, player in loaded.items()
            }
        return [made[name] for name in game.agents]

    @contextlib.contextmanager
    def _reading(self, one: StoredTournament) -> Iterator[None]:
        """Whatever is wrong with a file is wrong with this one tournament."""
        try:
            yield
        except CardEnvsError:
            raise
        except Exception as error:
            self.folders.complain(f"the tournament in {one.folder} cannot be read", error)
            raise UnavailableError(f"the tournament {one.name} cannot be read: it is damaged") from None
