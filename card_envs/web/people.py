"""What somebody has played: results of games to which one has the keys, measured as agents are."""

from __future__ import annotations

import contextlib
import hmac
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from card_envs.agents.base import Identified
from card_envs.arena.placing import Comparison, place, share_interval
from card_envs.core.batch import Batch
from card_envs.core.game import Game
from card_envs.errors import CardEnvsError
from card_envs.web.agent_library import AgentLibrary, games_by_name
from card_envs.web.analysed import known
from card_envs.web.record import Record, Records, hashed
from card_envs.web.tournament_library import Scale, TournamentLibrary


@dataclass(frozen=True)
class Played:
    """A finished game from one person's seat."""

    record: Record
    game: Game
    seat: int
    points: list[int]
    ranks: list[int]

    @property
    def won(self) -> float:
        """1 for a win, a part of it where several share the first rank."""
        return 1 / self.ranks.count(1) if self.ranks[self.seat] == 1 else 0.0

    def ahead_of(self, seat: int) -> float:
        """1 for having finished ahead of another seat, half for a tie."""
        own, other = self.ranks[self.seat], self.ranks[seat]
        return 0.5 + 0.5 * ((own < other) - (own > other))


class People:
    """Looks games up by their keys. Nothing about people is kept."""

    def __init__(self, records: Records, agents: AgentLibrary, tournaments: TournamentLibrary) -> None:
        self.records, self.agents, self.tournaments = records, agents, tournaments

    def history(self, games: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """All finished games of these ids and keys, and what they come to for each game and number of players."""
        played = [one for id_, key in games if (one := self._look_up(id_, key)) is not None]
        tables: dict[tuple[str, int], list[Played]] = {}
        for one in played:
            tables.setdefault((one.record.game, len(one.points)), []).append(one)
        return {
            "results": [_result(one) for one in played],
            "tables": [self._table(several) for _, several in sorted(tables.items())],
        }

    def _look_up(self, id_: str, key: str) -> Played | None:
        with contextlib.suppress(CardEnvsError):  # it was removed, or its game is no longer installed
            record = self.records.get(id_)
            wanted = hashed(key)
            seat = next(
                (number for number, one in enumerate(record.seats) if one.key and hmac.compare_digest(one.key, wanted)),
                None,
            )
            if seat is None:
                return None
            game = games_by_name(record.game)
            batch = Batch(game, 1, seed=record.seed, auto_reset=False, players=len(record.seats))
            for action in record.actions:
                batch.step_one(action)
            if batch.seat[0] < 0:
                return Played(record, game, seat, batch.points[0].tolist(), batch.ranks[0].tolist())
        return None

    def _table(self, several: Sequence[Played]) -> dict[str, Any]:
        """One's figures at tables of one kind. For the rating a deal counts once, for who plays it again knows it, and
        a game in which moves were taken back does not.
        """
        game, players = several[0].game, len(several[0].points)
        share = share_interval(sum(one.won for one in several), len(several))
        fair = [one for one in several if not one.record.seats[one.seat].taken_back]
        first = {one.record.seed: one for one in fair}  # the newest come first, and the oldest stays
        scale, compared = self._compare(game, players, list(first.values()))
        rating = place(compared)
        return {
            "game": game.name,
            "title": game.title,
            "players": players,
            "games": len(several),
            "deals": len(first),
            "win_share": [known(value) for value in share],
            "points": sum(one.points[one.seat] for one in several) / len(several),
            "rank": sum(one.ranks[one.seat] for one in several) / len(several),
            "scale": None if scale is None else {"id": scale.id, "name": scale.name},
            "rating": [known(value) for value in rating] if scale is not None else None,
            "against": _against(several),
        }

    def _compare(self, game: Game, players: int, played: Sequence[Played]) -> tuple[Scale | None, list[Comparison]]:
        """The tournament in which most of one's opponents were rated, and how one did against these."""
        best: tuple[Scale | None, list[Comparison]] = (None, [])
        for scale in self.tournaments.scales(game, players):
            compared: list[Comparison] = []
            for one in played:
                found = self._comparisons(one, scale)
                compared += [Comparison(rating, score, len(found)) for rating, score in found]
            if len(compared) > len(best[1]):
                best = scale, compared
        return best

    def _comparisons(self, one: Played, scale: Scale) -> list[tuple[float, float]]:
        found = []
        for seat, sitter in enumerate(one.record.seats):
            if seat != one.seat and sitter.agent is not None:
                rating = self._rating(one.game, len(one.points), sitter.agent, scale)
                if math.isfinite(rating):
                    found.append((rating, one.ahead_of(seat)))
        return found

    def _rating(self, game: Game, players: int, agent: str, scale: Scale) -> float:
        """By its name, or by its content for a checkpoint."""
        if agent in scale.by_source:
            return scale.by_source[agent]
        with contextlib.suppress(CardEnvsError):
            loaded = self.agents.player(game, players, agent)
            if isinstance(loaded, Identified):
                return scale.by_content.get(loaded.content_hash, math.nan)
        return math.nan


def _result(one: Played) -> dict[str, Any]:
    return {
        "id": one.record.id,
        "game": one.game.name,
        "title": one.game.title,
        "seat": one.seat,
        "names": [seat.name for seat in one.record.seats],
        "points": one.points,
        "ranks": one.ranks,
        "seed": str(one.record.seed),
        "alone": sum(seat.human for seat in one.record.seats) == 1,
    }


def _against(several: Sequence[Played]) -> list[dict[str, Any]]:
    """How often one finished ahead of each opponent, by name; a tie is half."""
    counts: dict[str, list[float]] = {}
    for one in several:
        for seat, sitter in enumerate(one.record.seats):
            if seat != one.seat:
                counts.setdefault(sitter.name if sitter.agent else "", []).append(one.ahead_of(seat))
    rows = []
    for name, scores in sorted(counts.items()):
        share = share_interval(sum(scores), len(scores))
        rows.append({"name": name, "games": len(scores), "ahead": [known(value) for value in share]})
    return rows
