"""The league: frozen players that the learner meets beside itself, the hard ones more often."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.checkpoint import CheckpointAgent
from card_envs.agents.loading import Player, load_agent, plays_inside
from card_envs.agents.naming import refuse_speakers
from card_envs.core.game import Game
from card_envs.core.options import real_number, whole_number
from card_envs.errors import CheckpointError
from card_envs.files import shown
from training.self_play_games import DrawingTable
from training.state_checks import check_count, find_snapshot, is_snapshot, require

MEMORY = 1000  # games against a player after which older ones count half
DOUBT = 50  # games by which a newcomer counts as an equal


@dataclass(frozen=True)
class LeagueSettings:
    """Whom the learner meets.

    Args:
        share: part of the games in which one frozen player sits on all seats but one of the learner's
        always: who is always in the pool, by name or path of a checkpoint; if null, the bot of a game that has one
        snapshot_every: decisions after which the learner, as it is, joins the pool
        size: how many snapshots the pool holds; beyond that the easiest one leaves
        hardness: how much more often hard players are met: a player is drawn with the weight
            (1 - the learner's win share against it) to this power
        exploiter_every: decisions after which somebody begins to learn, beside the run, how to beat the player as it is
            then; whoever has learned it joins the pool when the next one begins. No such exploiters if null
        exploiter_decisions: for how many decisions each of them learns
    """

    share: float = 0.3
    always: tuple[str, ...] | None = None
    snapshot_every: int = 5_000_000
    size: int = 6
    hardness: float = 2.0
    exploiter_every: int | None = None
    exploiter_decisions: int = 2_000_000

    def __post_init__(self) -> None:
        real_number(self.share, "league.share", 0.0, 1.0)
        real_number(self.hardness, "league.hardness", 0.0, 100.0)
        whole_number(self.snapshot_every, "league.snapshot_every", 1, 2**62)
        whole_number(self.size, "league.size", 0, 10_000)
        if self.exploiter_every is not None:
            whole_number(self.exploiter_every, "league.exploiter_every", 1, 2**62)
        whole_number(self.exploiter_decisions, "league.exploiter_decisions", 1, 2**62)


@dataclass
class Member:
    """A frozen player: who it is, what it consists of, and how the learner has done against it lately."""

    player: str
    content_hash: str
    step: int = 0
    active: bool = True
    games: float = 0.0
    wins: float = 0.0

    @property
    def share(self) -> float:
        """The learner's win share against this player, held back towards one half while few games are known."""
        return (self.wins + DOUBT / 2) / (self.games + DOUBT)


class League:
    """Members by number. Numbers are never given twice, so that a game under way can name its opponent."""

    def __init__(self, game: Game, players: Sequence[int], folder: Path, settings: LeagueSettings) -> None:
        self.game, self.players, self.folder, self.settings = game, tuple(players), folder, settings
        self.members: list[Member] = []
        self._loaded: dict[int, Player] = {}
        self._always = ("bot",) * (game.bot is not None) if settings.always is None else settings.always
        for player in self._always:
            self._join(player, 0)
        self.settle()

    def _join(self, player: str, step: int) -> None:
        self.members.append(Member(player, content_hash(self._load(player)), step))

    def add_snapshot(self, name: str, step: int) -> None:
        """A checkpoint in the run's folder joins; if the pool is full, the easiest of the older ones leaves."""
        self._join(name, step)
        snapshots = [member for member in self.members[len(self._always) :] if member.active]
        if len(snapshots) > self.settings.size:
            max(snapshots[:-1] or snapshots, key=lambda member: member.share).active = False

    def settle(self) -> None:
        """Weigh the members anew. Between two calls everyone is drawn with the same weight."""
        numbers = np.array([number for number, member in enumerate(self.members) if member.active], np.int64)
        for number in numbers:
            self.player(int(number))  # loaded before threads ask for it
        weights = [(1.0 - self.members[number].share) ** self.settings.hardness for number in numbers]
        self.table = DrawingTable(numbers, self.settings.share * np.cumsum(weights) / max(sum(weights), 1e-12))

    def draw(self, lots: NDArray[np.float64]) -> NDArray[np.int64]:
        """For each game that starts, the number of a frozen player, or NOBODY."""
        return self.table.draw(lots)

    def player(self, number: int) -> Player:
        """The frozen player with this number, unchanged since it joined."""
        if number not in self._loaded:
            member = self.members[number]
            loaded = self._load(member.player)
            if content_hash(loaded) != member.content_hash:
                raise CheckpointError(
                    f"{member.player} in {shown(self.folder)} is not the player that joined the league: the file has "
                    f"changed; put the old one back, or start a new run"
                )
            self._loaded[number] = loaded
        return self._loaded[number]

    def _load(self, player: str) -> Player:
        if plays_inside(player):
            return player
        refuse_speakers([player], "a training")  # also: no config and no state of somebody else's starts a program
        named = str(find_snapshot(self.folder, player)) if is_snapshot(player) else player
        agents = [load_agent(self.game, named, players=number, seed=0) for number in self.players]
        return agents[0]

    def check_frozen(self) -> None:
        """Make sure that nobody in the pool has drifted."""
        for number, loaded in self._loaded.items():
            if content_hash(loaded) != self.members[number].content_hash:
                raise CheckpointError(f"{self.members[number].player} has changed since it joined the league")

    def tell(self, scores: NDArray[np.float64]) -> None:
        """Games that have ended, and the learner's wins in them, by number of the frozen player."""
        for member, (games, wins) in zip(self.members, scores.T.tolist(), strict=False):
            kept = 0.5 ** (games / MEMORY)
            member.games = member.games * kept + games
            member.wins = member.wins * kept + wins

    def hardest(self, count: int) -> list[str]:
        """The snapshots in the pool against which the learner does worst, as they are called in the run's folder."""
        snapshots = [member for member in self.members[len(self._always) :] if member.active]
        return [member.player for member in sorted(snapshots, key=lambda one: one.share)[:count]]

    def saved(self) -> list[dict[str, Any]]:
        """All members as plain values."""
        return [{**asdict(member), "share": member.share} for member in self.members]

    def restore(self, saved: Any) -> None:
        """Go on with the members that were saved."""
        require(isinstance(saved, list), "its league is none")
        members = [_member(one) for one in saved]
        first = [member.player for member in members[: len(self._always)]]
        others = members[len(self._always) :]
        require(
            first == list(self._always) and all(is_snapshot(member.player) for member in others),
            "its league is of other players",
        )
        self.members = members
        # Games have met those who are always there by now; the same player loaded twice would be two at their tables.
        there = {number: one for number, one in self._loaded.items() if number < len(self._always)}
        self._loaded = {
            number: one for number, one in there.items() if content_hash(one) == members[number].content_hash
        }
        self.settle()


def _member(saved: Any) -> Member:
    """One member, as `saved` gave it."""
    form = {**asdict(Member("", "")), "share": 0.0}
    types = {name: type(value) for name, value in form.items()}
    found = {name: type(value) for name, value in saved.items()} if isinstance(saved, dict) else {}
    require(found == types, f"its league's members must have {', '.join(form)}")
    member = Member(**{name: saved[name] for name in form if name != "share"})
    check_count(member.step, "league's step")
    sound = all(map(math.isfinite, (member.games, member.wins))) and -1e-6 <= member.wins <= member.games + 1e-6
    require(sound and saved["share"] == member.share, "its league's games and wins cannot be")
    return member


def content_hash(player: Player) -> str:
    """Who a player is: what a checkpoint consists of, or a name."""
    if isinstance(player, CheckpointAgent):
        return player.checkpoint.content_hash
    return fspath(player) if isinstance(player, str | PathLike) else player.name
