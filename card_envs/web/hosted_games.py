"""All tables of a server: those in use are in memory, all of them are in the records."""

from __future__ import annotations

import contextlib
import hmac
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from card_envs.core.options import LARGEST_SEED
from card_envs.web.agent_library import AgentLibrary, games_by_name
from card_envs.web.errors import ConflictError, NotFoundError, NotYoursError, TooMuchError, UnavailableError, WebError
from card_envs.web.hosted_game import HostedGame
from card_envs.web.limits import Limits
from card_envs.web.record import Record, Records, Seat, hashed
from card_envs.web.spectator import spectator_key
from card_envs.web.streams import Streams
from card_envs.web.thinking import Thinking

ME, PERSON = "me", "person"


def new_key() -> str:
    """What nobody can guess."""
    return secrets.token_urlsafe(24)


def new_seed() -> int:
    """The seed of a deal that nobody can foresee."""
    return secrets.randbelow(LARGEST_SEED)


class HostedGames:
    """Opens tables, finds them by id, and lets only those play and look who have a key."""

    def __init__(self, records: Records, agents: AgentLibrary, streams: Streams, limits: Limits) -> None:
        self.records, self.agents, self.streams, self.limits = records, agents, streams, limits
        self.thinking = Thinking(limits.thinking_moves, limits.thinking_requests)
        self._lock = threading.Lock()
        self._live: OrderedDict[str, HostedGame] = OrderedDict()

    def open(
        self, game: str, sitters: Sequence[str], name: str = ""
    ) -> tuple[HostedGame, int | None, str, dict[int, str]]:
        """A new table. `sitters` are agents' ids, "me" (once) and "person"; `name` is what I am called.

        Returns the table, the own seat (None for whoever only watches), the own key, and an invitation per open seat.
        """
        rules = games_by_name(game)
        if len(sitters) not in rules.players:
            raise WebError(f"{rules.title} is for {rules.players_text} players, not {len(sitters)}")
        if sitters.count(ME) > 1:
            raise WebError("you can sit on one seat only")
        if PERSON in sitters and ME not in sitters:
            raise WebError("other people can be invited to a game in which you play yourself")
        self._refuse_too_many()
        key, invitations, seats = new_key(), {}, []
        for number, sitter in enumerate(sitters):
            if sitter == ME:
                seats.append(Seat(name=name, key=hashed(key)))
            elif sitter == PERSON:
                invitations[number] = new_key()
                seats.append(Seat(name="", invitation=hashed(invitations[number])))
            else:
                self.agents.load(rules, len(sitters), sitter)
                seats.append(Seat(agent=sitter, name=self.agents.name_of(sitter)))
        own = list(sitters).index(ME) if ME in sitters else None
        id_ = secrets.token_urlsafe(9)
        watcher = hashed(key if own is None else spectator_key(id_, hashed(key)))
        record = Record(id_, rules.key, new_seed(), seats, watcher)
        return self._begin(record), own, key, invitations

    def _refuse_too_many(self) -> None:
        if self.records.count() >= self.limits.games:
            raise TooMuchError(f"this server keeps {self.limits.games} games at most, and it has as many")

    def _begin(self, record: Record) -> HostedGame:
        table = HostedGame(record, self.agents, self.thinking)
        with self.thinking.admitted(table.thinks):
            self._let_agents_play(table)
        record.actions = [action for _, action in table.moves]
        self.records.add(record)
        self._remember(table)
        return table

    def same_deal(self, table: HostedGame, key: str) -> tuple[HostedGame, int, str]:
        """The deal of a finished game once more, with everybody one seat further: the table, the own seat and its key.

        Whoever has played a deal knows it, so that nobody else may sit there.
        """
        before, seats = self.own_seat(table, key), table.record.seats
        if not table.over:
            raise ConflictError("the same deal can be played again once the game is over")
        if sum(seat.human for seat in seats) > 1:
            raise ConflictError("the same deal can be played again by one person alone; others would not know it")
        self._refuse_too_many()
        own, new, id_ = (before + 1) % len(seats), new_key(), secrets.token_urlsafe(9)
        turned = [seats[number - 1] for number in range(len(seats))]
        turned[own] = Seat(name=seats[before].name, key=hashed(new))
        watcher = hashed(spectator_key(id_, hashed(new)))
        return self._begin(Record(id_, table.record.game, table.record.seed, turned, watcher)), own, new

    def find(self, id_: str) -> HostedGame:
        """A table by its id, made again from the records if it is not in memory."""
        with self._lock:
            table = self._live.get(id_)
            if table is not None:
                self._live.move_to_end(id_)
                return table
        record = self.records.get(id_)
        try:
            made = HostedGame(record, self.agents, self.thinking)
        except Exception as error:  # whatever was kept, or whoever sits there
            raise UnavailableError(f"this game cannot be continued: {error}") from None
        table = self._remember(made)
        with self.thinking.admitted(table.thinks), table.lock:  # agents go on where they were interrupted
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

    def spectator_key(self, table: HostedGame) -> str:
        """The key with which others may watch this game. Whoever has a seat may ask for it."""
        record = table.record
        for seat in record.seats:
            if seat.key and hashed(made := spectator_key(record.id, seat.key)) == record.watcher:
                return made
        raise NotFoundError("this game has no link for spectators; it was begun by an older version of card_envs")

    def seat_of(self, table: HostedGame, key: str) -> int | None:
        """The seat to which a key belongs; None for those who watch."""
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

    def play(self, table: HostedGame, seat: int, action: int, version: int, taken_back: int) -> None:
        """A person's move and what follows, kept before anybody hears of it."""
        with self.thinking.admitted(table.thinks), table.lock:
            before = table.version
            try:
                table.play(seat, action, version, taken_back)
            except WebError:
                raise  # refused before anything moved
            except Exception as error:
                self._forget(table)
                raise UnavailableError(f"an agent failed, and your move was not played: {error}") from error
            self._keep(table, before)
        self.streams.announce(table.record.id)

    def take_back(self, table: HostedGame, seat: int, version: int, taken_back: int) -> HostedGame:
        """The last move of the only person at a table, and all that followed, have not been played."""
        with table.lock:
            table.refuse_unless_now(seat, version, taken_back)
            self.records.take_back(table.record, seat, table.moves_kept(seat))
            self._forget(table)
        self.streams.announce(table.record.id)
        return self.find(table.record.id)

    def rematch_of(self, table: HostedGame) -> str:
        """The id of the game that follows with the same players, whether it has been opened or not."""
        return hashed(f"again {table.record.id} {[seat.key for seat in table.record.seats]}")[:16]

    def has_rematch(self, table: HostedGame) -> bool:
        """Has somebody opened it?"""
        return table.over and self.records.has(self.rematch_of(table))

    def again(self, table: HostedGame) -> str:
        """Another game with the same players on the same seats, whose keys stay theirs. Whoever asks first opens it."""
        with table.lock:
            if not table.over:
                raise ConflictError("another game begins when this one is over")
            id_ = self.rematch_of(table)
            if self.records.has(id_):
                return id_
            if self.records.count() >= self.limits.games:
                raise TooMuchError(f"this server keeps {self.limits.games} games at most, and it has as many")
            seats = [replace(seat, taken_back=0) for seat in table.record.seats]
            opener = next((seat.key for seat in seats if seat.key), "")
            watcher = hashed(spectator_key(id_, opener)) if opener else table.record.watcher
            record = Record(id_, table.record.game, new_seed(), seats, watcher)
            following = HostedGame(record, self.agents, self.thinking)
            with self.thinking.admitted(following.thinks):
                self._let_agents_play(following)
            record.actions = [action for _, action in following.moves]
            self.records.add(record)
        self.streams.announce(table.record.id)
        return id_

    def claim(self, table: HostedGame, number: int, invitation: str, name: str = "") -> str:
        """Sit down on an open seat; whoever comes first gets it."""
        with self.thinking.admitted(table.thinks), table.lock:
            if number >= table.players or not table.record.seats[number].invitation:
                raise NotYoursError("nobody is invited to this seat, or somebody has sat down already")
            if not hmac.compare_digest(table.record.seats[number].invitation, hashed(invitation)):
                raise NotYoursError("this invitation is for another seat or another game")
            key, before = new_key(), table.version
            self.records.claim(table.record, number, hashed(key), name)
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
