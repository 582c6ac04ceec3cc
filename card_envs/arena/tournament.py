"""Tournaments: many line-ups, every deal in every seat rotation, kept as they are played."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from os import PathLike
from types import TracebackType
from typing import Any

from card_envs.agents.loading import Player
from card_envs.agents.naming import named_agents, speaks
from card_envs.agents.speaking.agent import SpokenAgent
from card_envs.agents.speaking.options import Speaker
from card_envs.arena.entrants import MOST_AGENTS, Entrant, Entry, enter
from card_envs.arena.isolation import check_isolate
from card_envs.arena.match import MOST_GAMES
from card_envs.arena.play import Setting
from card_envs.arena.progress import show_progress
from card_envs.arena.ratings import check_installed
from card_envs.arena.reload import reload
from card_envs.arena.schedule import Chunk, Schedule, Stage
from card_envs.arena.standings import Standings, compute_standings
from card_envs.arena.store import Store
from card_envs.arena.workers import play_chunks
from card_envs.core.batch import Batch
from card_envs.core.options import LARGEST_SEED, check_seed, whole_number
from card_envs.errors import OptionError
from card_envs.games import get_game

Agents = Sequence[Player | tuple[str, Player]] | Mapping[str, Player]


class Tournament:
    """Agents against agents in balanced line-ups, with ratings that say how sure they are.

    `agents` are names, paths of checkpoints, or agents; `{"mine": path}`, `("mine", path)` or `"mine=path"` say what
    to call one. Naming one twice enters it twice; the same player found in two files is entered once, with a warning.
    About `games` games are played: the nearest number with which every line-up is played equally often. `out` is the
    folder where the games and the weights of checkpoints are kept; without it they are kept in memory. All that follows
    depends on `seed`, the agents and the settings alone.

    With `isolate`, agents of other packages play in processes of their own, which get observations, masks and lots and
    nothing else, and must answer each call within so many seconds: one that hangs, dies or answers with an illegal
    action forfeits the games that it was asked about, and the standings say so. The seed is then drawn by lot if none
    is given: whoever knows it knows all deals. Else it is 0.

    Programs and models that are told games in words (`command`, `chat`) have time limits of their own and forfeit by
    the same rule; with them, too, the seed is drawn by lot. They need not answer alike twice, so that their games
    cannot be replayed, and to resume such a tournament they must be named once more.

    With `challenge`, each agent but the first sits among copies of the first, and no other line-up is played.
    """

    def __init__(
        self,
        game: str,
        *,
        agents: Agents,
        players: int | None = None,
        games: int = 10_000,
        seed: int | None = None,
        isolate: float | None = None,
        challenge: bool = False,
        out: str | PathLike[str] | None = None,
        chunk_deals: int | None = None,
        **options: Any,
    ) -> None:
        rules = get_game(game)
        own = options if players is None else {**options, "players": players}
        rules.refuse_unknown(own, ("agents", "games", "seed", "isolate", "challenge", "out", "chunk_deals"))
        chosen = Batch(rules, 1, seed=0, **own).chosen
        if seed is None:
            strangers = isolate is not None or any(_speaks(agent) for _, agent in _named(agents))
            seed = secrets.randbelow(LARGEST_SEED) if strangers else 0
        number = chosen.pop("players")
        setting = Setting(rules, number, chosen, check_seed(seed), check_isolate(isolate), bool(challenge))
        wanted = whole_number(games, "games", 1, MOST_GAMES)
        check_installed()
        entry = _enter(setting, agents, [])
        stage = Stage(len(entry.newcomers), wanted)
        self.store = Store.begin(out, setting, chunk_deals, entry.newcomers, entry.checkpoints, stage)
        self._loaded = entry.loaded

    @classmethod
    def resume(cls, folder: str | PathLike[str], *, agents: Agents = (), games: int | None = None) -> Tournament:
        """Go on with the tournament in a folder, also with more agents or more games in all.

        Agents that take part already are not entered again. Without `games`, newcomers bring as many games as it takes
        to play every line-up as often as before.
        """
        self = cls.__new__(cls)
        Store.mend(folder)
        self.store = Store.open(folder)
        try:
            check_installed()
            self.store.check_version()
            setting = self.store.setting
            wanted = None if games is None else whole_number(games, "games", 1, MOST_GAMES)
            entry = _enter(setting, agents, self.store.entrants) if agents else Entry()
            self._loaded = entry.loaded
            if entry.newcomers or wanted is not None:
                with self.store.playing():  # refused, and nothing written, while another process plays
                    self._grow(entry, wanted)
        except BaseException:
            self.store.close()
            raise
        return self

    def _grow(self, entry: Entry, games: int | None) -> None:
        agents = len(self.entrants) + len(entry.newcomers)
        stage = Stage(agents, self.schedule.games_with(agents) if games is None else games)
        if stage == self.schedule.stages[-1]:
            return
        whole_number(stage.games, "games", 1, MOST_GAMES)
        self.store.add_stage(entry.newcomers, entry.checkpoints, stage)

    @property
    def setting(self) -> Setting:
        """What all games have in common."""
        return self.store.setting

    @property
    def entrants(self) -> list[Entrant]:
        """Who takes part, by number."""
        return self.store.entrants

    @property
    def schedule(self) -> Schedule:
        """All chunks of the tournament, played or not."""
        return self.store.schedule

    @property
    def games(self) -> int:
        """How many games it has, played or not."""
        return self.schedule.games

    @property
    def games_played(self) -> int:
        """How many of them have been played."""
        return sum(self.store.played().values())

    def run(self, *, workers: int = 1, ray: str | None = None, progress: bool = False) -> Standings:
        """Play whatever has not been played yet, and return the standings.

        `workers` is the number of processes; 1 plays in this one. `ray` plays on a Ray cluster instead: `auto`, or
        its address. The standings are the same whoever plays. An interrupt loses nothing but the chunks under way.
        """
        whole_number(workers, "workers", 1, 256)
        if ray is not None and (told := [one.name for one in self.entrants if one.speaks]):
            raise OptionError(
                f"{told[0]} is a program or an address that was named on this computer, and is not started on others; "
                f"leave out ray"
            )
        if self._missing():
            with self.store.playing():
                if missing := self._missing():
                    self._play(missing, workers, ray, progress)
        return self.standings()

    def _missing(self) -> list[Chunk]:
        played = self.store.played()
        return [chunk for chunk in self.schedule.chunks if chunk.number not in played]

    def _play(self, missing: list[Chunk], workers: int, ray: str | None, progress: bool) -> None:
        results = play_chunks(self.setting, missing, self.agents_of(missing), workers=workers, ray=ray)
        with show_progress(self, shown=progress) as advance, closing(results):
            for chunk, games in results:
                self.store.add_chunk(chunk, games)
                advance(chunk.games)

    def agents_of(self, chunks: list[Chunk]) -> dict[int, Player]:
        """How everyone plays who is still needed; refused before anything is played if one is gone or changed."""
        needed = sorted(set().union(*(chunk.agents for chunk in chunks)))
        for number in needed:
            if number not in self._loaded:
                self._loaded[number] = reload(self.store, self.entrants[number])
        return {number: self._loaded[number] for number in needed}

    def standings(self) -> Standings:
        """The standings after what has been played so far."""
        return compute_standings(self.store)

    def close(self) -> None:
        """Let go of the file."""
        self.store.close()

    def __enter__(self) -> Tournament:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        where = f" in {self.store.folder}" if self.store.folder else ""
        return f"<Tournament of {self.setting.rules.title}, {len(self.entrants)} agents, {self.games} games{where}>"


def _named(agents: Agents) -> list[tuple[str, Any]]:
    return named_agents(agents, "a list with at least one agent")


def _speaks(agent: object) -> bool:
    return isinstance(agent, Speaker | SpokenAgent) or speaks(agent)


def _enter(setting: Setting, agents: Agents, already: Sequence[Entrant]) -> Entry:
    """Let agents in, and warn whoever gave one player under several names."""
    given = _named(agents)
    if len(given) + len(already) > MOST_AGENTS:
        raise OptionError(f"a tournament has at most {MOST_AGENTS} agents, not {len(given) + len(already)}")
    entry = enter(setting.rules, setting.players, given, already, setting.isolate)
    if entry.note:
        warnings.warn(entry.note, stacklevel=3)
    return entry
