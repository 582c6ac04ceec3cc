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
from training.duel_games import DuelGames, Moment, lessons_of
from training.duel_learner import DuelLearner, duel_of
from training.duel_loss import VALUE, WORTH, Lessons
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


def test_a_game_of_matching_is_played_in_its_equilibrium(small_games: str, tmp_path: Path) -> None:
    """Where plain PPO swings around it (see test_equilibrium.py), what is worked out stays there."""
    settings = DuelSettings(
        game=small_games,
        players=2,
        options={"rule": "matching"},
        reward="margin",
        run=str(tmp_path / "run"),
        decisions=40_000,
        games=50,
        threads=1,
        network=DuelNetworkSettings(whole=8, layers=1, rank=2, rounds=500),
        duel=LearningSettings(n_steps=2, batch_size=50, learning_rate=1e-2, teacher_until=0.0, average_half_life=2000),
    )
    seen, game = np.concatenate([seen_by(get_game(small_games), seat) for seat in range(2)]), get_game(small_games)
    high: list[NDArray[np.float32]] = []
    with begun(settings) as run:
        learner = run.learner
        assert isinstance(learner.network, Duelist)
        while learner.decisions < settings.decisions:
            learner.iterate()
            logits, values = learner.network.ready(learner.weights(), game.symmetry)(seen)
            high.append(np.exp(logits[:, FIRST]))
    late = np.array(high[len(high) // 2 :])
    assert np.abs(late - 0.4).max() < 0.02
    np.testing.assert_allclose(values, [-0.2, 0.2], atol=0.02)  # the guesser has more of it


@pytest.mark.parametrize("bounded", [True, False])
def test_the_gradient_is_that_of_the_squares(bounded: bool) -> None:
    game, rng = get_game(GAME), np.random.default_rng(0)
    seen = rng.random((40, game.layout.size)).astype(np.float32)
    duel = duel_of(game, SMALL, seen, 8, bounded=bounded)
    actor = DuelActor(duel, game.layout.size, 5)
    actor.measure(seen)
    worth = rng.normal(size=(40, 8, 8)).astype(np.float32)
    worth[rng.random(worth.shape) < 0.6] = np.nan
    worth[:, 0, 0] = 1.0  # something was tried everywhere
    lessons, picked = Lessons(seen, worth, rng.normal(size=40).astype(np.float32)), np.arange(5, 40)
    found = actor.gradient(lessons, picked, 0.7)

    plan, numbers = duel.plan, actor.numbers
    things, rank = duel.things, duel.rank
    units = (torch.from_numpy(seen[picked]) - actor.center) * actor.scale
    units = units[:, list(duel.inputs)]
    cut = duel.groups * things
    group, whole = units[:, :cut].reshape(len(picked), duel.groups, things), units[:, cut:]
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
    assert start == numbers.numel() == plan.plus.max() + 1
    own, other, same, u, v = torch.split(group, [1, 1, 1, rank, rank], dim=1)
    apart = torch.einsum("rki,rkj->rij", u, v)
    alike = torch.eye(8, dtype=torch.bool)
    said = whole[:, :1, None] + own.transpose(1, 2) - other + torch.where(alike, same.transpose(1, 2), apart)
    value = whole[:, 0]
    if bounded:
        said, value = torch.tanh(said), torch.tanh(value)
    target = torch.from_numpy(worth[picked])
    tried = ~target.isnan()
    off = (torch.where(tried, said - target.nan_to_num(), 0.0) ** 2).sum(dim=(1, 2)) / tried.sum(dim=(1, 2))
    wrong = (value - torch.from_numpy(lessons.value[picked])) ** 2
    (expected,) = torch.autograd.grad((off + 0.7 * wrong).mean(), [numbers])
    torch.testing.assert_close(found.gradients[0], expected, atol=2e-4, rtol=2e-3)
    assert found.figures[WORTH] == pytest.approx(off.sum().item(), rel=1e-4)
    assert found.figures[VALUE] == pytest.approx(wrong.sum().item(), rel=1e-4)


def test_what_it_learns_is_what_its_checkpoint_plays() -> None:
    """Centring and scaling become part of the weights."""
    game, rng = get_game(GAME), np.random.default_rng(2)
    seen = (rng.random((50, game.layout.size)) * 2).astype(np.float32)
    actor = DuelActor(duel_of(game, SMALL, seen, 8, bounded=True), game.layout.size, 5)
    actor.measure(seen)
    for ours, theirs in zip(actor.ready()(seen), actor.duel.perceptron(actor.weights())(seen), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)


def test_each_position_teaches_a_row_and_a_column_and_both_seats_the_same() -> None:
    games, chance = DuelGames(get_game(GAME), 30, 8, seed=3, explore=0.3), np.random.default_rng(0)
    legal = games.legal
    even = (legal / legal.sum(axis=1, keepdims=True)).astype(np.float32)
    moment = games.play((even, even), np.zeros(30, np.float32), lambda seen: seen[:, 0] * 0 + 0.5, chance)
    tried, count = ~np.isnan(moment.worth), legal.sum(axis=1)
    np.testing.assert_array_equal(tried.sum(axis=(1, 2)), 2 * count - 1)
    assert not tried[~(legal[:, :, None] & legal[:, None, :])].any()
    # Nobody has won yet, so that all is worth what the value said: to the first seat, or less of it to the second.
    assert set(np.abs(moment.worth[tried]).tolist()) == {0.5}
    lessons = lessons_of([moment], 0.8)
    assert lessons.worth.shape == (60, 8, 8)
    np.testing.assert_array_equal(lessons.worth[30:], -moment.worth.transpose(0, 2, 1))
    np.testing.assert_array_equal(lessons.value[30:], -lessons.value[:30])
    np.testing.assert_array_equal(lessons.observation[30:], moment.seen[1])


def test_values_learn_from_what_came_later_until_the_game_is_over() -> None:
    nobody = np.zeros((2, 1), np.float32)

    def moment(value: float, ahead: float, ended: bool) -> Moment:
        one = np.zeros((2, 1, 1), np.float32)
        both = np.full(2, value, np.float32), np.full(2, ahead, np.float32)
        return Moment((nobody, nobody), one, *both, np.array([ended, False]))

    lessons = lessons_of([moment(0.1, 0.3, True), moment(0.2, 0.6, False)], 0.5)
    expected = [0.3, 0.3 + 0.5 * 0.4, 0.6, 0.6]  # the first game was over, so that what came later says nothing of it
    np.testing.assert_allclose(lessons.value[:4], expected, rtol=1e-6)


def test_threads_and_interruptions_change_nothing(tmp_path: Path) -> None:
    whole = run_whole(settings_of(tmp_path))
    one = read_checkpoint(whole, GAME)
    assert one.players == (2, 3, 4)
    assert one.parent == read_checkpoint(tmp_path / "start.safetensors", GAME).content_hash
    threads = run_whole(settings_of(tmp_path, run=str(tmp_path / "threads"), threads=3))
    assert read_checkpoint(threads, GAME).content_hash == one.content_hash

    stopped = settings_of(tmp_path, run=str(tmp_path / "stopped"))
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
        games, network = sound["games"], sound["network"]
        for change in (
            {"decisions": -1},
            {"parent": "somebody else"},
            {"games": {}},
            {"games": {**games, "states": games["states"] | 255}},
            {"games": {**games, "states": games["states"][:-1]}},
            {"games": {**games, "states": without_a_card(games["states"])}},
            {"games": {**games, "seeds": games["seeds"] * 0 - 1}},
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


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"game": "king_lui"}, "players must have 2 among them"),
        ({"players": (3, 4)}, "players must have 2 among them"),
        ({"network": replace(SMALL, tables=None)}, "network.tables must name the field"),
        ({"network": replace(SMALL, legal="rowz")}, "has no field 'rowz': it has players, round"),
        ({"network": replace(SMALL, legal="rows")}, "network.legal: rows has not one number for each of 8 choices"),
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
    config = ROOT / "configs" / GAME / "champion_4.yaml"
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
    assert "pairs are off" in line
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
