"""No agent learns in a tournament what it could not know at a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.agents import loading
from card_envs.agents.seating import Seating
from card_envs.arena import Tournament
from card_envs.arena.replay import Replay
from card_envs.core.loops import SHARED
from tests.support.checkpoint_files import write
from tests.support.tournaments import First

GIVEN: list[int] = []


class Curious(First):
    """Remembers the seed that it is given."""

    name = "curious"

    def __init__(self, game: Any, seed: int | None) -> None:
        if seed is not None:
            GIVEN.append(seed)


class CuriousPoint:
    """An entry point of another package."""

    name, dist = "curious", None

    def load(self) -> Any:
        return Curious


@pytest.fixture(autouse=True)
def _curious(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(loading, "entry_points", lambda group: [CuriousPoint()])
    yield
    GIVEN.clear()


def test_the_seed_of_an_agent_tells_nothing_about_the_deals() -> None:
    with Tournament("ku_ka_king", players=3, agents=["curious", "random", "bot"], games=600) as tournament:
        tournament.run()
        chunks = [chunk.seed(tournament.setting.seed) for chunk in tournament.schedule.chunks]
        deals = {int(seed) for _, games in tournament.store.chunks() for seed in games.seeds}
    assert len(set(GIVEN)) == len(GIVEN) == 3 * len(chunks), "another one for each rotation of each chunk"
    assert not set(GIVEN) & set(chunks)
    for seed in GIVEN:
        follow = np.empty(1000, np.int64)
        SHARED.fill_seeds(seed, follow)
        assert not deals & set(follow.tolist())


@pytest.mark.parametrize("agents", [["curious", First(), "random"], ["curious", First()], ["curious", "curious"]])
def test_no_agent_sees_two_hands_of_a_deal(agents: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in one call nor within its life; also not if it sits on several seats, or takes part twice."""
    asked: list[tuple[Any, list[int], list[int]]] = []
    ask = Seating._ask

    def listen(self: Seating, agent: Any, games: Any) -> Any:
        asked.append((agent, self.batch.seeds[games].tolist(), self.batch.seat[games].tolist()))
        return ask(self, agent, games)

    monkeypatch.setattr(Seating, "_ask", listen)
    with Tournament("king_lui", players=3, agents=agents, games=300, chunk_deals=20) as tournament:
        tournament.run()
    hands: dict[int, dict[int, int]] = {}
    for agent, seeds, seats in asked:
        assert len(set(seeds)) == len(seeds), "no deal comes twice in one call"
        for seed, seat in zip(seeds, seats, strict=True):
            assert hands.setdefault(id(agent), {}).setdefault(seed, seat) == seat, "always the same hand"
    assert len(hands) > 10
    assert not any(agent is given for agent, *_ in asked for given in agents), "what was handed over is copied"


def test_games_of_agents_that_draw_lots_are_those_of_a_match(tmp_path: Path) -> None:
    path = str(write(tmp_path / "player.safetensors"))
    line_up = ["random", "champion", path]
    with Tournament("king_lui", players=3, agents=line_up, games=60) as tournament:
        tournament.run()
        (_, games), *_ = tournament.store.chunks()
    for row in range(0, 60, 7):
        seated = [line_up[agent] for agent in games.seats[row]]
        match = card_envs.play_match("king_lui", seated, games=1, seed=int(games.seeds[row]))
        assert (match.points[0] == games.points[row]).all()


class Moody(First):
    """Its choice depends on all it has been asked before."""

    name = "moody"

    def __init__(self) -> None:
        self.asked = 0

    def act(self, observation: Any, action_mask: Any) -> Any:
        self.asked += 1
        late = action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)
        return late if self.asked % 3 == 0 else super().act(observation, action_mask)


def test_an_object_with_a_memory_begins_every_rotation_anew() -> None:
    """So it does not matter who plays what in which order."""
    tables = []
    for workers in (1, 2):
        with Tournament("king_lui", players=3, agents=["random", Moody()], games=300, chunk_deals=20) as tournament:
            tables.append(tournament.run(workers=workers).to_json())
    assert tables[0] == tables[1]


def test_copies_come_out_exactly_equal_only_among_themselves() -> None:
    """What docs/tournaments.md says of them."""
    with Tournament("king_lui", players=3, agents=["bot"] * 3, games=300) as alone:
        rows = alone.run().rows
    assert len({row.points.value for row in rows}) == len({row.win_share.value for row in rows}) == 1
    assert all(row.rating.value == pytest.approx(0, abs=1e-6) for row in rows)
    with Tournament("king_lui", players=3, agents=["bot", "bot", "random"], games=300) as mixed:
        standings = mixed.run()
    one, two = standings["bot"], standings["bot #2"]
    assert one.points.value != two.points.value
    assert one.rating.low <= two.rating.high
    assert two.rating.low <= one.rating.high


def test_a_replay_plays_the_rotation_of_the_game(tmp_path: Path) -> None:
    """Each game of a deal has moves of its own, whichever rotation it was."""
    with Tournament("king_lui", players=3, agents=["curious", "bot", "champion"], games=90, out=tmp_path) as cup:
        cup.run()
    replays = [Replay(tmp_path, number) for number in range(3)]
    assert len({replay.agents for replay in replays}) == 3
    assert len({tuple(replay.moves) for replay in replays}) == 3
