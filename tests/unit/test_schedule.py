"""Line-ups are balanced, deals are rotated, and a schedule that grows keeps what it had."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest

from card_envs.arena.schedule import Chunk, Part, Schedule, Stage, all_line_ups


def meetings(schedule: Schedule, agents: int) -> dict[tuple[int, int], int]:
    """How often each two agents sit at a table together, from the seats themselves."""
    met: Counter[tuple[int, int]] = Counter(dict.fromkeys(combinations(range(agents), 2), 0))
    for chunk in schedule.chunks:
        for seats in chunk.seats(schedule.seed).tolist():
            met.update(combinations(sorted(set(seats)), 2))
    return dict(met)


def planned(players: int, *stages: Stage, seed: int = 3) -> Schedule:
    schedule = Schedule(seed, players)
    for stage in stages:
        schedule.grow(stage)
    return schedule


@pytest.mark.parametrize(("agents", "players"), [(2, 2), (3, 2), (4, 4), (6, 4), (9, 3), (2, 4), (3, 4), (3, 5)])
def test_everyone_meets_everyone_equally_often_and_sits_everywhere(agents: int, players: int) -> None:
    schedule = planned(players, Stage(agents, 1000))
    assert len(set(meetings(schedule, agents).values())) == 1
    seats = np.concatenate([chunk.seats(schedule.seed) for chunk in schedule.chunks])
    for seat in range(players):
        assert len(set(np.bincount(seats[:, seat], minlength=agents))) == 1
    assert abs(len(seats) - 1000) <= players * len(all_line_ups(agents, players)) / 2


def test_with_more_line_ups_than_games_meetings_differ_by_little() -> None:
    schedule = planned(4, Stage(40, 8000))  # 91390 line-ups, 2000 deals
    met = list(meetings(schedule, 40).values())
    assert schedule.games == 8000
    assert max(met) - min(met) <= 3 * 4, "three deals, each in four rotations, of 15 on average"


def test_a_deal_is_played_in_every_rotation() -> None:
    chunk = Chunk(0, 0, (Part((0, 1, 2), 50), Part((0, 0, 1), 50)))
    seats = chunk.seats(1).reshape(100, 3, 3)
    for deal in seats:
        assert len({tuple(order) for order in deal.tolist()}) == 3
        assert all((np.roll(deal[0], by) == deal[by]).all() for by in range(3))


def test_rotations_that_look_alike_are_avoided_and_one_agent_alone_has_one() -> None:
    deals = Chunk(0, 0, (Part((0, 0, 1, 1), 200),)).seats(1).reshape(200, 4, 4)
    assert all(len({tuple(order) for order in deal.tolist()}) == 4 for deal in deals)
    assert Chunk(0, 0, (Part((0, 0, 0, 0), 7),)).games == 7


def test_neighbours_at_the_table_change_from_deal_to_deal() -> None:
    seats = Chunk(0, 0, (Part((0, 1, 2, 3), 60),)).seats(1)
    assert len({tuple(np.roll(order, -order.tolist().index(0)).tolist()) for order in seats}) == 6


@pytest.mark.parametrize("later", [Stage(5, 4000), Stage(7, 4000), Stage(30, 8000)])
def test_what_was_planned_stays_when_a_schedule_grows(later: Stage) -> None:
    first, grown = planned(4, Stage(5, 1000)), planned(4, Stage(5, 1000), later)
    assert grown.chunks[: len(first.chunks)] == first.chunks
    assert [chunk.number for chunk in grown.chunks] == list(range(len(grown.chunks)))
    assert all(one.first_game + one.games == two.first_game for one, two in pairwise(grown.chunks))


def test_newcomers_bring_everyone_to_equal_meetings() -> None:
    schedule = planned(4, Stage(5, 1000))
    schedule.grow(Stage(7, schedule.games_with(7)))
    assert len(set(meetings(schedule, 7).values())) == 1


def test_fewer_games_than_there_are_take_nothing_away() -> None:
    schedule = planned(4, Stage(5, 4000), Stage(5, 1000))
    assert schedule.games == 4000


def test_another_seed_is_another_schedule() -> None:
    one, two = (planned(4, Stage(5, 1000), seed=seed) for seed in (1, 2))
    assert [chunk.parts for chunk in one.chunks] != [chunk.parts for chunk in two.chunks]
    assert one.chunks[0].seed(1) != two.chunks[0].seed(2)
