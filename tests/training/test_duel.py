"""Learning what pairs of choices are worth: in a game with a known equilibrium, and in Ku-Ka-King."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from card_envs.agents.checkpoint import CheckpointAgent, read_checkpoint
from card_envs.agents.loading import champion_path
from card_envs.agents.network import Duelist
from card_envs.errors import OptionError, RunStateError
from card_envs.games import get_game
from tests.support.checkpoint_files import NETWORK, write
from tests.support.short_runs import self_play
from tests.support.small_games import FIRST
from tests.training.test_ppo import seen_by
from training import champion
from training.duel_form import duel_of
from training.duel_games import DuelGames, Moment, lessons_of
from training.duel_learner import DuelLearner
from training.duel_loss import OFF, UNUSUAL, VALUE, Lessons
from training.duel_network import DuelActor
from training.duel_settings import DuelNetworkSettings, DuelSettings, LearningSettings
from training.evaluation import EvaluationSettings
from training.response import start_of
from training.run import Run, train
from training.run_folder import RunFolder
from training.run_state import read_state
from training.self_play_learner import SelfPlayLearner
from training.settings import NetworkSettings

ROOT = Path(__file__).parents[2]
GAME = "ku_ka_king"
SMALL = DuelNetworkSettings(each=4, whole=6, layers=1, rank=2, rounds=20, legal="available", tables="players")
LARGER = replace(SMALL, seats=4, waiting="waiting")
LEARNING = LearningSettings(n_steps=3, batch_size=20, average_half_life=100, teacher_until=0.5)


def settings_of(home: Path, **changes: Any) -> DuelSettings:
    home.mkdir(exist_ok=True)
    start = home / "start.safetensors"
    if not start.exists():
        write(start, game=GAME)
    given: dict[str, Any] = {
        "game": GAME,
        "run": str(home / "run"),
        "start": str(start),
        "decisions": 480,
        "games": 20,
        "threads": 1,
        "save_seconds": 0.0,
        "network": SMALL,
        "duel": LEARNING,
        "evaluation": EvaluationSettings(every=240, deals=2),
        **changes,
    }
    return DuelSettings(**given)


def run_whole(settings: DuelSettings) -> Path:
    assert train(settings, RunFolder.new(settings), DuelLearner) == 0
    return Path(settings.run or "") / "checkpoints" / "latest.safetensors"


@contextmanager
def begun(settings: DuelSettings) -> Iterator[Run]:
    folder = RunFolder.new(settings)
    with closing(folder), closing(DuelLearner(settings, folder)) as learner:
        run = Run(settings, folder, learner)
        run.begin_or_resume()
        yield run


def begun_self_play(home: Path, **changes: Any) -> SelfPlayLearner:
    settings = self_play(home, **changes)
    folder = RunFolder.new(settings)
    with closing(folder), closing(SelfPlayLearner(settings, folder)) as learner:
        learner.begin()
        return learner


@pytest.mark.parametrize(
    ("rule", "high", "worth"),
    [("matching", (0.4, 0.4), (-0.2, 0.2)), ("watched", (3 / 8, 3 / 7, 0), (-5 / 14, -1 / 16, 47 / 112))],
)
def test_a_game_of_matching_is_played_in_its_equilibrium(
    rule: str, high: tuple[float, ...], worth: tuple[float, ...], small_games: str, tmp_path: Path
) -> None:
    """Where plain PPO swings around it (see test_equilibrium.py), what is worked out stays there."""
    players = len(high)
    settings = DuelSettings(
        game=small_games,
        players=players,
        options={"rule": rule},
        reward="margin",
        run=str(tmp_path / "run"),
        decisions=20_000 * players,
        games=50,
        threads=1,
        network=DuelNetworkSettings(whole=8, layers=1, rank=2, rounds=500, seats=players, ease=0.3),
        duel=LearningSettings(n_steps=2, batch_size=50, learning_rate=1e-2, teacher_until=0.0, average_half_life=2000),
    )
    game = get_game(small_games)
    seen, found = np.concatenate([seen_by(game, seat) for seat in range(players)]), []
    with begun(settings) as run:
        learner = run.learner
        assert isinstance(learner.network, Duelist)
        while learner.decisions < settings.decisions:
            learner.iterate()
            logits, values = learner.network.ready(learner.weights(), game.symmetry)(seen)
            found.append(np.exp(logits[:, FIRST]))
    late = np.array(found[len(found) // 2 :])
    assert np.abs(late - high).max() < 0.02
    np.testing.assert_allclose(values, worth, atol=0.02)


def tried_by_lot(rows: int, seats: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """What choices were worth, and what was chosen; not everybody has a choice."""
    worth = rng.normal(size=(rows, seats, 8)).astype(np.float32)
    worth[rng.random(worth.shape) < 0.3] = np.nan
    waiting = rng.random((rows, seats)) < 0.8
    waiting[:, :2] = True
    worth[:, :, 0] = 1.0
    worth[~waiting] = np.nan
    legal = ~np.isnan(worth)
    return worth, np.where(waiting, (legal * rng.random(worth.shape)).argmax(axis=2), -1)


def units_of(actor: DuelActor, seen: NDArray[np.float32]) -> tuple[torch.Tensor, torch.Tensor]:
    """What the network says of each choice, (rows, numbers, choices), and V: by torch."""
    duel, numbers = actor.duel, actor.numbers
    units = ((torch.from_numpy(seen) - actor.center) * actor.scale)[:, list(duel.inputs)]
    cut = duel.groups * duel.things
    group, whole = units[:, :cut].reshape(len(seen), duel.groups, duel.things), units[:, cut:]
    start = 0
    for layer, (groups, wholes) in enumerate(duel.sizes[1:]):
        sizes = (groups, group.shape[1]), (groups + wholes, group.shape[1] + whole.shape[1]), (groups + wholes,)
        parts = []
        for size in sizes:
            count = int(np.prod(size))
            parts.append(numbers[start : start + count].reshape(size))
            start += count
        common = torch.cat([group.sum(dim=2), whole], dim=1) @ parts[1].T + parts[2]
        group = common[:, :groups, None] + torch.einsum("ok,rkt->rot", parts[0], group)
        whole = common[:, groups:]
        if layer < len(duel.hidden):
            group, whole = torch.relu(group), torch.relu(whole)
    assert start == numbers.numel() == duel.plan.plus.max() + 1
    return group, whole[:, 0]


def squares_of_two(group: torch.Tensor, value: torch.Tensor, lessons: Lessons, *, bounded: bool) -> torch.Tensor:
    """The mean square by row, pair by pair."""
    rank = (group.shape[1] - 3) // 2
    own, other, same, u, v = torch.split(group, [1, 1, 1, rank, rank], dim=1)
    apart, alike = torch.einsum("rki,rkj->rij", u, v), torch.eye(8, dtype=torch.bool)
    said = value[:, None, None] + own.transpose(1, 2) - other + torch.where(alike, same.transpose(1, 2), apart)
    if bounded:
        said = torch.tanh(said)
    rows, met = torch.arange(len(said)), torch.from_numpy(lessons.chosen)
    both = torch.stack([said[rows, :, met[:, 1]], -said[rows, met[:, 0]]], dim=1)
    target = torch.from_numpy(lessons.worth)
    tried = ~target.isnan()
    return (torch.where(tried, both - target.nan_to_num(), 0.0) ** 2).sum(dim=(1, 2)) / tried.sum(dim=(1, 2))


def squares_of_more(group: torch.Tensor, lessons: Lessons, seats: int) -> torch.Tensor:
    """The same where each seat has numbers of its own: row by row and seat by seat, around the mean of its choices."""
    numbers, losses = group.reshape(len(group), seats, -1, 8), []
    rank = (numbers.shape[2] - 3) // 2
    for row, (worth, chosen) in enumerate(zip(lessons.worth, lessons.chosen, strict=True)):
        found = []
        for seat in np.flatnonzero(chosen >= 0):
            tried = np.flatnonzero(~np.isnan(worth[seat]))
            said = []
            for own in tried:
                others = [s for s in range(seats) if s != seat and chosen[s] >= 0]
                more = numbers[row, seat, 0, own] + numbers[row, seat, 1, own] * any(chosen[s] == own for s in others)
                for s in others:
                    if chosen[s] != own:
                        more = more + numbers[row, seat, 3 : 3 + rank, own] @ numbers[row, s, 3 + rank :, chosen[s]]
                said.append(more)
            off = torch.stack(said) - torch.from_numpy(worth[seat, tried])
            found.append(((off - off.mean()) ** 2).mean())
        losses.append(torch.stack(found).mean())
    return torch.stack(losses)


def entropies_of_habits(group: torch.Tensor, lessons: Lessons, seats: int) -> torch.Tensor:
    """The mean cross entropy by row, over the seats that had a choice."""
    legal, waiting = torch.from_numpy(~np.isnan(lessons.worth)), torch.from_numpy(lessons.chosen >= 0)
    habit = group.reshape(len(group), seats, -1, 8)[:, :, 2].masked_fill(~legal, -1e9)
    each = -(torch.log_softmax(habit, dim=2) * torch.from_numpy(lessons.likely)).sum(dim=2)
    return torch.where(waiting, each, 0.0).sum(dim=1) / waiting.sum(dim=1)


@pytest.mark.parametrize(("seats", "bounded"), [(2, True), (2, False), (4, True)])
def test_the_gradient_is_that_of_the_squares(seats: int, bounded: bool) -> None:
    game, rng = get_game(GAME), np.random.default_rng(0)
    seen = rng.random((40, game.layout.size)).astype(np.float32)
    actor = DuelActor(duel_of(game, replace(SMALL, seats=seats), seen, 8, bounded=bounded), game.layout.size, 5)
    actor.measure(seen)
    worth, chosen = tried_by_lot(40, seats, rng)
    likely = rng.random(worth.shape).astype(np.float32) * ~np.isnan(worth)
    likely /= np.maximum(likely.sum(axis=2, keepdims=True), 1e-9)
    every, picked = Lessons(seen, worth, chosen, likely, rng.normal(size=40).astype(np.float32)), np.arange(5, 40)
    found, lessons = actor.gradient(every, picked, (0.7, 0.3)), Lessons(*(one[picked] for one in every))
    group, value = units_of(actor, lessons.observation)
    if seats == 2:
        off, unusual = squares_of_two(group, value, lessons, bounded=bounded), torch.zeros(len(picked))
    else:
        off, unusual = squares_of_more(group, lessons, seats), entropies_of_habits(group, lessons, seats)
    wrong = ((torch.tanh(value) if bounded else value) - torch.from_numpy(lessons.value)) ** 2
    (expected,) = torch.autograd.grad((off + 0.7 * wrong + 0.3 * unusual).mean(), [actor.numbers])
    torch.testing.assert_close(found.gradients[0], expected, atol=2e-4, rtol=2e-3)
    assert found.figures[OFF] == pytest.approx(off.sum().item(), rel=1e-4)
    assert found.figures[UNUSUAL] == pytest.approx(unusual.sum().item(), rel=1e-4)
    assert found.figures[VALUE] == pytest.approx(wrong.sum().item(), rel=1e-4)


def test_what_it_learns_is_what_its_checkpoint_plays() -> None:
    """Centring and scaling become part of the weights."""
    game, rng = get_game(GAME), np.random.default_rng(2)
    seen = (rng.random((50, game.layout.size)) * 2).astype(np.float32)
    actor = DuelActor(duel_of(game, SMALL, seen, 8, bounded=True), game.layout.size, 5)
    actor.measure(seen)
    for ours, theirs in zip(actor.ready()(seen), actor.duel.perceptron(actor.weights())(seen), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("players", get_game(GAME).players)
def test_each_position_teaches_every_choice_of_everybody_as_each_seat_counts(players: int) -> None:
    games, chance = DuelGames(get_game(GAME), 30, players, 8, seed=3, explore=0.3), np.random.default_rng(0)
    for _ in range(3):  # with more than two, some have a row by then, and others not
        look = games.look
        even = look.legal / np.maximum(look.legal.sum(axis=2, keepdims=True), 1)
        moment = games.play(even.astype(np.float32), np.zeros((30, players), np.float32), lambda s: s[:, 0] + 7, chance)
    assert look.waiting.all() == (players == 2)
    tried = ~np.isnan(moment.worth)
    np.testing.assert_array_equal(tried, look.legal)
    np.testing.assert_array_equal(moment.chosen >= 0, look.waiting)
    assert (np.take_along_axis(tried, np.maximum(moment.chosen, 0)[:, :, None], axis=2)[:, :, 0] == look.waiting).all()
    # Nobody has won yet, so that all is worth what the value said.
    assert set(moment.worth[tried].tolist()) <= {7.0, 8.0}
    np.testing.assert_allclose(moment.ahead.sum(axis=1), 0, atol=1e-5)  # what all can expect in common is nothing

    lessons = lessons_of([moment], 0.8, 5)
    assert lessons.worth.shape == (30 * players, 5, 8)
    assert np.isnan(lessons.worth[:, players:]).all()
    assert (lessons.chosen[:, players:] == -1).all()
    for game, seat in np.ndindex(30, players):
        row = game * players + seat
        np.testing.assert_array_equal(lessons.observation[row], moment.seen[game, seat])
        assert lessons.value[row] == moment.ahead[game, seat]
        for away in range(players):
            other = (seat + away) % players
            np.testing.assert_array_equal(lessons.worth[row, away], moment.worth[game, other])
            assert lessons.chosen[row, away] == moment.chosen[game, other]
            np.testing.assert_array_equal(lessons.likely[row, away], moment.likely[game, other])


def test_who_strays_teaches_others_nothing_of_what_they_can_expect() -> None:
    games, chance = DuelGames(get_game(GAME), 200, 3, 8, seed=3, explore=0.5), np.random.default_rng(0)
    sure = np.zeros((200, 3, 8), np.float32)
    sure[:, [0, 1, 2], [0, 1, 2]] = 1.0  # whoever chooses another row strays
    expected = np.tile(np.array([0.5, -0.3, -0.2], np.float32), (200, 1))
    moment = games.play(sure, expected, lambda seen: seen[:, 0] * 0 + 7, chance)
    strays = moment.chosen != [0, 1, 2]
    assert 0.1 < strays.mean() < 0.9
    several = strays.sum(axis=1) > 1
    assert 20 < several.sum() < 180
    np.testing.assert_allclose(moment.ahead[several], expected[several], atol=1e-6)
    for game in np.flatnonzero(strays.sum(axis=1) == 1):
        others = ~strays[game]
        np.testing.assert_allclose(np.ptp((moment.ahead - expected)[game, others]), 0, atol=1e-6)
    assert moment.parted[strays.any(axis=1)].all()
    assert (~moment.parted).any()  # a lot may fall on what would have been chosen anyway, so not all others are these
    assert (moment.ahead[~moment.parted] == 0).all(), "all would win 7, and what one wins the others lose"


def test_values_learn_from_what_came_later_until_the_game_is_over() -> None:
    nobody = np.zeros((2, 1, 1), np.float32)

    def moment(value: float, ahead: float, parted: bool) -> Moment:
        both = np.full((2, 1), value, np.float32), np.full((2, 1), ahead, np.float32)
        return Moment(nobody, nobody, np.zeros((2, 1), np.int64), nobody, *both, np.array([parted, False]))

    lessons = lessons_of([moment(0.1, 0.3, True), moment(0.2, 0.6, False)], 0.5, 1)
    expected = [0.3, 0.3 + 0.5 * 0.4, 0.6, 0.6]  # the first game was over, so that what came later says nothing of it
    np.testing.assert_allclose(lessons.value, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("form", "players"), [({"network": SMALL}, (2, 3, 4)), ({"network": LARGER, "players": (3, 4)}, (3, 4))]
)
def test_threads_and_interruptions_change_nothing(
    form: dict[str, Any], players: tuple[int, ...], tmp_path: Path
) -> None:
    whole = run_whole(settings_of(tmp_path, **form))
    one = read_checkpoint(whole, GAME)
    assert one.players == players
    assert one.parent == read_checkpoint(tmp_path / "start.safetensors", GAME).content_hash
    threads = run_whole(settings_of(tmp_path, run=str(tmp_path / "threads"), threads=3, **form))
    assert read_checkpoint(threads, GAME).content_hash == one.content_hash

    stopped = settings_of(tmp_path, run=str(tmp_path / "stopped"), **form)
    with begun(stopped) as run:
        run.iterate()
        run.save()
    again = RunFolder.old(Path(stopped.run or ""), stopped.trainer)
    assert train(stopped, again, DuelLearner) == 0
    last = tmp_path / "stopped" / "checkpoints" / "latest.safetensors"
    assert read_checkpoint(last, GAME).content_hash == one.content_hash


def without_a_card(states: torch.Tensor) -> torch.Tensor:
    changed = states.numpy().copy()
    record = changed.view(get_game(GAME).record)[0, 0]
    record["unseen"][record["unseen"].argmax()] -= 1
    return torch.from_numpy(changed)


def test_a_damaged_state_is_refused(tmp_path: Path) -> None:
    with begun(settings_of(tmp_path)) as run:
        learner = run.learner
        sound = learner.state()
        learner.restore(sound)
        (games,), network = sound["games"], sound["network"]
        for change in (
            {"decisions": -1},
            {"parent": "somebody else"},
            {"games": []},
            {"games": {}},
            {"games": [{}]},
            {"games": [None]},
            {"games": [{**games, "states": games["states"] | 255}]},
            {"games": [{**games, "states": games["states"][:-1]}]},
            {"games": [{**games, "states": without_a_card(games["states"])}]},
            {"games": [{**games, "seeds": games["seeds"] * 0 - 1}]},
            {"network": {**network, "numbers": network["numbers"] * float("nan")}},
            {"optimizer": {}},
            {"average": {}},
            {"more": 1},
        ):
            with pytest.raises(RunStateError):
                learner.restore({**sound, **change})


def test_at_other_tables_the_player_that_it_began_from_plays(tmp_path: Path) -> None:
    path = run_whole(settings_of(tmp_path))
    made, start = (CheckpointAgent(one, GAME) for one in (path, tmp_path / "start.safetensors"))
    seen = np.random.default_rng(0).random((9, get_game(GAME).layout.size)).astype(np.float32)
    tables = get_game(GAME).layout["players"]
    seen[:, tables] = [0, 1, 0]
    np.testing.assert_array_equal(made.logits(seen), start.logits(seen))
    seen[:, tables] = [1, 0, 0]
    assert np.abs(made.logits(seen) - start.logits(seen)).max() > 0.1
    response = start_of(get_game(GAME), path, 2)
    assert response is not None
    assert response.network == NETWORK
    # So does the learner of self-play, which asks for such a network.
    form = NetworkSettings((16, 8), "tanh")
    learner = begun_self_play(tmp_path / "ppo", game=GAME, players=2, start=str(path), network=form)
    assert learner.parent == read_checkpoint(path, GAME).content_hash
    # Another run goes on from the same one, taught by what the first has learned.
    second = run_whole(settings_of(tmp_path, start=str(path), run=str(tmp_path / "second")))
    assert read_checkpoint(second, GAME).network == read_checkpoint(path, GAME).network


def test_who_works_out_tables_of_two_can_learn_to_work_out_larger_ones(tmp_path: Path) -> None:
    """And the other way round: what one run has learned another one leaves as it is."""
    two = run_whole(settings_of(tmp_path))
    more = run_whole(settings_of(tmp_path, start=str(two), network=LARGER, run=str(tmp_path / "more")))
    again = run_whole(settings_of(tmp_path, start=str(more), run=str(tmp_path / "again")))
    networks = [read_checkpoint(path, GAME).network for path in (two, more, again)]
    assert isinstance(networks[1], Duelist)
    assert isinstance(networks[1].elsewhere, Duelist)
    assert networks[2] == networks[1]
    first, second, third = (CheckpointAgent(path, GAME) for path in (two, more, again))
    seen = np.random.default_rng(0).random((9, get_game(GAME).layout.size)).astype(np.float32)
    seen[:, get_game(GAME).layout["waiting"]] = [1, 1, 0, 1]
    for players, kept, learned in ((2, (first, second), third), (4, (second, third), first)):
        seen[:, get_game(GAME).layout["players"]] = np.arange(2, 5) == players
        np.testing.assert_array_equal(kept[0].logits(seen), kept[1].logits(seen))
        assert np.abs(kept[0].logits(seen) - learned.logits(seen)).max() > 0.1
    assert start_of(get_game(GAME), more, 3) is None  # whoever answers it by learning begins anew
    form = NetworkSettings((16, 8), "tanh")
    with pytest.raises(
        OptionError, match="is one of the kind 'duel', and these settings ask for one of the kind 'mlp'"
    ):
        begun_self_play(tmp_path / "ppo", game=GAME, players=3, start=str(more), network=form)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"game": "king_lui"}, "players must have 2 among them"),
        ({"players": (3, 4)}, "players must have 2 among them"),
        ({"network": replace(SMALL, tables=None)}, "network.tables must name the field"),
        ({"network": replace(SMALL, legal="rowz")}, "has no field 'rowz': it has players, round"),
        ({"network": replace(SMALL, legal="rows")}, "network.legal: rows has not one number for each of 8 choices"),
        ({"network": LARGER, "players": 2}, "players must have numbers from 3 to 4 among them"),
        (
            {"network": replace(LARGER, waiting="round")},
            "network.waiting: round has not one number for each of 4",
        ),
        ({"network": LARGER}, r"must be a player of duels of two for tables of 2, 3, 4; or give --players .\[3,4\]."),
        ({"network": LARGER, "players": (3, 4), "start": None}, r"give --players .\[3,4\]. --duel.teacher_until 0"),
        ({"start": None}, "start must name a trained player"),
        ({"start": None, "players": 2}, "start must name a trained player"),
    ],
)
def test_what_cannot_be_learned_is_refused_at_once(changes: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=sentence), begun(settings_of(tmp_path, **changes)):
        pass


def test_games_in_which_somebody_waits_are_refused(tmp_path: Path) -> None:
    network = DuelNetworkSettings(each=4, whole=6, layers=1)
    none = replace(LEARNING, teacher_until=0.0)
    settings = settings_of(tmp_path, game="zum_kuhkuck", start=None, network=network, duel=none)
    with pytest.raises(OptionError, match="in Zum Kuhkuck they do not"), begun(settings):
        pass


@pytest.mark.parametrize("two", [True, False])
def test_the_teacher_is_asked_as_it_plays_at_the_tables_that_are_learned(two: bool, tmp_path: Path) -> None:
    """A player of duels of two has another network for other tables, which knows what these are worth."""
    path = run_whole(settings_of(tmp_path))
    teacher, seen = CheckpointAgent(path, GAME), np.random.default_rng(0).random((9, get_game(GAME).layout.size))
    seen = seen.astype(np.float32)
    seen[:, get_game(GAME).layout["players"]] = np.arange(2, 5) == (2 if two else 4)
    form = {} if two else {"network": LARGER}
    with begun(settings_of(tmp_path, start=str(path), run=str(tmp_path / "next"), **form)) as run_:
        voice = run_.learner.teacher
        np.testing.assert_array_equal(voice.act(seen)[0], teacher.logits(seen))
        np.testing.assert_array_equal(voice.values(seen)[0], teacher.values(seen))


def test_without_a_teacher_it_learns_for_tables_of_two_alone(tmp_path: Path) -> None:
    none = replace(LEARNING, teacher_until=0.0)
    path = run_whole(settings_of(tmp_path, start=None, players=2, duel=none))
    checkpoint = read_checkpoint(path, GAME)
    assert checkpoint.players == (2,)
    assert isinstance(checkpoint.network, Duelist)
    assert checkpoint.network.elsewhere is None


def test_a_champion_that_went_on_from_a_champion_tells_of_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And plays at all tables at which one of its runs has played."""
    start = tmp_path / "champion.safetensors"
    write(start, game=GAME, players=(2, 3))
    story = {"commands": ["the first"], "commits": ["abc"], "curve": [{"decisions": 70.0, "against bot": 0.5}]}
    start.with_suffix(".json").write_text(json.dumps(story))
    run_whole(settings_of(tmp_path, start=str(start), players=2))
    home = tmp_path / "package"
    home.mkdir()
    monkeypatch.setattr(champion, "champion_path", lambda game: home / "champion.safetensors")
    champion.crown(tmp_path / "run", "latest")
    told = json.loads((home / "champion.json").read_text())
    assert [told["commands"][0], told["commits"][0]] == ["the first", "abc"]
    assert len(told["commands"]) == len(told["commits"]) == 2
    assert [point["decisions"] for point in told["curve"]][:2] == [70.0, 70.0 + 240]
    assert read_checkpoint(home / "champion.safetensors", GAME).players == (2, 3)


def test_it_is_a_program(tmp_path: Path) -> None:
    """Stopped by Ctrl-C it saves, says how to go on, and does."""
    config = ROOT / "configs" / GAME / "champion_2.yaml"
    champion_file = champion_path(get_game(GAME))
    command = [
        *(sys.executable, "-m", "training.duel", "--config", str(config), "--start", str(champion_file)),
        *("--run", str(tmp_path / "run"), "--games", "10", "--network.each", "4", "--network.whole", "8"),
        *("--evaluation.deals", "2", "--evaluation.every", "1000000000"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "decisions/s" in line:
                process.send_signal(signal.SIGINT)
                break
        rest = process.stdout.read()
    assert "choices are off" in line
    assert process.returncode == 128 + signal.SIGINT, rest
    assert f"python -m training.duel --resume {tmp_path / 'run'}" in rest
    done = read_state(tmp_path / "run" / "state.pt")["decisions"]
    more = [sys.executable, "-m", "training.duel", "--resume", str(tmp_path / "run"), "--decisions", str(done + 100)]
    went_on = subprocess.run(more, capture_output=True, text=True, cwd=ROOT)
    assert went_on.returncode == 0, went_on.stdout + went_on.stderr
    wrong = subprocess.run(
        [*command[:3], "--game", GAME, "--duel.explor", "1"], capture_output=True, text=True, cwd=ROOT
    )
    assert wrong.returncode == 1
    assert "there is no setting duel.explor: did you mean duel.explore?" in wrong.stderr
