"""All tables of a server: those in use are in memory, all of them are in the records."""

from __future__ import annotations

import contextlib
import hmac
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence

from card_envs.core.options import LARGEST_SEED
from card_envs.errors import CardEnvsError
from card_envs.web.agent_library import AgentLibrary, games_by_name
from card_envs.web.errors import ConflictError, NotYoursError, TooMuchError, UnavailableError, WebError
from card_envs.web.hosted_game import HostedGame
from card_envs.web.limits import Limits
from card_envs.web.record import Record, Records, Seat, hashed
from card_envs.web.streams import Streams

ME, PERSON = "me", "person"


def new_key() -> str:
    """What nobody can guess."""
    return secrets.token_urlsafe(24)


class HostedGames:
    """Opens tables, finds them by id, and lets only those play and look who have a key."""

    def __init__(self, records: Records, agents: AgentLibrary, streams: Streams, limits: Limits) -> None:
        self.records, self.agents, self.streams, self.limits = records, agents, streams, limits
        self._lock = threading.Lock()
        self._live: OrderedDict[str, HostedGame] = OrderedDict()

    def open(self, game: str, sitters: Sequence[str]) -> tuple[HostedGame, int | None, str, dict[int, str]]:
        """A new table. `sitters` are agents' ids, "me" (once) and "person".

        Returns the table, the own seat (None for whoever only watches), the own key, and an invitation per open seat.
        """
        rules = games_by_name(game)
        if len(sitters) not in rules.players:
            raise WebError(f"{rules.title} is for {rules.players_text} players, not {len(sitters)}")
        if sitters.count(ME) > 1:
            raise WebError("you can sit on one seat only")
        if PERSON in sitters and ME not in sitters:
            raise WebError("other people can be invited to a game in which you play yourself")
        if self.records.count() >= self.limits.games:
            raise TooMuchError(f"this server keeps {self.limits.games} games at most, and it has as many")
        key, invitations, seats = new_key(), {}, []
        for number, sitter in enumerate(sitters):
            if sitter == ME:
                seats.append(Seat(name="", key=hashed(key)))
            elif sitter == PERSON:
                invitations[number] = new_key()
                seats.append(Seat(name="", invitation=hashed(invitations[number])))
            else:
                self.agents.load(rules, len(sitters), sitter)
                seats.append(Seat(agent=sitter, name=self.agents.name_of(sitter)))
        own = list(sitters).index(ME) if ME in sitters else None
        watcher = hashed(key) if own is None else ""
        record = Record(secrets.token_urlsafe(9), rules.key, secrets.randbelow(LARGEST_SEED), seats, watcher)
        table = HostedGame(record, self.agents)
        self._let_agents_play(table)
        record.actions = [action for _, action in table.moves]
        self.records.add(record)
        self._remember(table)
        return table, own, key, invitations

    def find(self, id_: str) -> HostedGame:
        """A table by its id, made again from the records if it is not in memory."""
        with self._lock:
            table = self._live.get(id_)
            if table is not None:
                self._live.move_to_end(id_)
                return table
        record = self.records.get(id_)
        try:
            made = HostedGame(record, self.agents)
        except CardEnvsError as error:
            raise UnavailableError(f"this game cannot be continued: {error}") from None
        table = self._remember(made)
        with table.lock:  # agents go on where they were interrupted
            before = table.version
            self._let_agents_play(table)
            if table.version > before:
                self._keep(table, before)
        return table

    def _remember(self, table: HostedGame) -> HostedGame:
        """Two who ask at once get the same table."""
        with self._lock:
            kept = self._live.setdefault(table.record.id, table)
            self._live.move_to_end(table.record.id)
            while len(self._live) > self.limits.games_in_memory:
                self._live.popitem(last=False)
            return kept

    def _forget(self, table: HostedGame) -> None:
        with self._lock:
            self._live.pop(table.record.id, None)

    def seat_of(self, table: HostedGame, key: str) -> int | None:
        """The seat to which a key belongs; None for the one who watches agents."""
        wanted = hashed(key)
        for number, seat in enumerate(table.record.seats):
            if seat.key and hmac.compare_digest(seat.key, wanted):
                return number
        if table.record.watcher and hmac.compare_digest(table.record.watcher, wanted):
            return None
        raise NotYoursError("this key opens no seat of this game")

    def own_seat(self, table: HostedGame, key: str) -> int:
        """The seat to which a key belongs, for whoever plays."""
        seat = self.seat_of(table, key)
        if seat is None:
            raise ConflictError("you watch this game; step through it instead")
        return seat

    def play(self, table: HostedGame, seat: int, action: int, version: int) -> None:
        """A person's move and what follows, kept before anybody hears of it."""
        with table.lock:
            before = table.version
            try:
                table.play(seat, action, version)
            except WebError:
                raise  # refused before anything moved
            except Exception as error:
                self._forget(table)
                raise UnavailableError(f"an agent failed, and your move was not played: {error}") from error
            self._keep(table, before)
        self.streams.announce(table.record.id)

    def claim(self, table: HostedGame, number: int, invitation: str) -> str:
        """Sit down on an open seat; whoever comes first gets it."""
        with table.lock:
            if number >= table.players or not table.record.seats[number].invitation:
                raise NotYoursError("nobody is invited to this seat, or somebody has sat down already")
            if not hmac.compare_digest(table.record.seats[number].invitation, hashed(invitation)):
                raise NotYoursError("this invitation is for another seat or another game")
            key, before = new_key(), table.version
            self.records.claim(table.record, number, hashed(key))
            with contextlib.suppress(WebError):  # the seat is taken all the same; whoever looks next hears of it
                self._let_agents_play(table)
                self._keep(table, before)
        self.streams.announce(table.record.id)
        return key

    def _let_agents_play(self, table: HostedGame) -> None:
        try:
            table.play_on()
        except Exception as error:
            self._forget(table)
            raise UnavailableError(f"an agent of this game failed: {error}") from error

    def _keep(self, table: HostedGame, before: int) -> None:
        table.record.actions = [action for _, action in table.moves]
        try:
            self.records.add_moves(table.record, before)
        except Exception:
            self._forget(table)
            raise
