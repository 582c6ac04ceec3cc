"""Any game of a tournament can be played again, move by move, exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from card_envs.agents import loading
from card_envs.arena import Tournament
from card_envs.arena.packing import pack
from card_envs.arena.replay import Replay
from card_envs.errors import TournamentError
from tests.support.checkpoint_files import write
from tests.support.registered import GAMES, opponent
from tests.support.stored_tournaments import change
from tests.support.tournaments import First


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_has_the_moves_that_lead_to_what_was_recorded(game: str, tmp_path: Path) -> None:
    path = write(tmp_path / "player.safetensors", game)
    agents = ["random", opponent(game), path]
    with Tournament(game, agents=agents, games=300, seed=3, out=tmp_path, chunk_deals=40) as cup:
        cup.run()
        recorded = dict(cup.store.chunks())
    for number in range(0, 300, 37):
        replay = Replay(tmp_path, number)
        chunk = next(one for one in reversed(cup.schedule.chunks) if one.first_game <= number)
        row = number - chunk.first_game
        assert (replay.points == recorded[chunk.number].points[row]).all()
        assert (replay.ranks == recorded[chunk.number].ranks[row]).all()
        assert int(replay.batch.seeds[0]) == recorded[chunk.number].seeds[row]
        assert replay.agents == tuple(cup.entrants[agent].name for agent in recorded[chunk.number].seats[row])
        batch = replay.batch.copy()
        for seat, action in replay.moves:
            assert batch.seat[0] == seat
            batch.step_one(action)
        assert batch.seat[0] == -1
        assert (batch.points[0] == replay.points).all()
        assert replay.game.name == game


def test_rotations_of_a_deal_start_alike(tmp_path: Path) -> None:
    with Tournament("king_lui", players=3, agents=["random", "bot", "bot"], games=60, out=tmp_path) as cup:
        cup.run()
    deals = [Replay(tmp_path, number).batch for number in range(3)]
    assert all((batch.states == deals[0].states).all() for batch in deals)
    assert len({Replay(tmp_path, number).agents for number in range(3)}) == 3


def test_a_replay_can_be_walked_through(tmp_path: Path) -> None:
    with Tournament("zum_kuhkuck", agents=["random", "bot"], games=40, out=tmp_path) as cup:
        cup.run()
    replay = Replay(tmp_path, 5)
    seats = [(int(batch.seat[0]), seat) for batch, seat, _ in replay]
    assert len(seats) == len(replay.moves)
    assert all(to_act == seat for to_act, seat in seats)


class Moody(First):
    """Its choice depends on all it has been asked before: what no replay of one game alone could repeat."""

    def __init__(self, name: str, seed: int | None) -> None:
        self.name, self.asked = name, seed or 0

    def act(self, observation: Any, action_mask: Any) -> Any:
        self.asked += len(action_mask)
        late = action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)
        return late if self.asked % 2 else super().act(observation, action_mask)


class MoodyPoint:
    """An entry point of another package."""

    name, dist = "moody", None

    def load(self) -> Any:
        return lambda game, seed: Moody("moody", seed)


def test_an_agent_with_a_memory_of_its_own_begins_each_chunk_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "entry_points", lambda group: [MoodyPoint()])
    with Tournament("king_lui", agents=["random", "moody"], games=400, out=tmp_path, chunk_deals=20) as cup:
        cup.run()
    for number in (0, 123, 399):
        assert len(Replay(tmp_path, number).moves) > 10


def test_results_that_do_not_come_out_again_are_not_passed_off_as_a_replay(tmp_path: Path) -> None:
    with Tournament("king_lui", agents=["random", "bot"], games=40, out=tmp_path) as cup:
        cup.run()
        points = cup.store.games(0).points + 1
    change(tmp_path, ("UPDATE chunks SET points = ? WHERE number = 0", (pack(points),)))
    with pytest.raises(TournamentError, match="comes out otherwise than it was recorded"):
        Replay(tmp_path, 3)


def test_games_that_do_not_exist_or_are_not_played_yet_are_refused(tmp_path: Path) -> None:
    Tournament("king_lui", agents=["random"], games=40, out=tmp_path).close()
    with pytest.raises(TournamentError, match=r"game 3 of .* has not been played yet; its games are 0 to 39"):
        Replay(tmp_path, 3)
    with pytest.raises(TournamentError, match=r"game 40 of .* does not exist; its games are 0 to 39"):
        Replay(tmp_path, 40)
    with pytest.raises(TournamentError, match="there is no tournament in"):
        Replay(tmp_path / "nothing", 0)
