"""state.pt: whatever has happened to it, a run goes on from what was saved, or says in one sentence how to begin."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from card_envs.errors import RunStateError
from tests.fuzz import run_states
from tests.support.short_runs import begun, sb3, self_play
from training.ppo_settings import SelfPlayPPOSettings
from training.run import Run
from training.run_folder import RunFolder
from training.run_state import HEADER, read_state, write_state
from training.sb3_learner import Sb3Learner
from training.self_play_learner import SelfPlayLearner
from training.settings import SelfPlaySettings


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run that has learned once."""
    path = tmp_path_factory.mktemp("saved") / "run"
    run = begun(self_play(path), SelfPlayLearner)
    run.begin_or_resume()
    run.iterate()
    run.save()
    run.learner.close()
    run.folder.close()
    return path


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Iterator[RunFolder]:
    shutil.copytree(saved, tmp_path / "run")
    folder = RunFolder.old(tmp_path / "run", "self_play")
    yield folder
    folder.close()


def resume(folder: RunFolder, settings: SelfPlaySettings | None = None) -> Run:
    settings = settings or self_play(folder.path)
    learner = SelfPlayLearner(settings, folder)
    try:
        run = Run(settings, folder, learner)
        run.begin_or_resume()
        return run
    finally:
        learner.close()


def refusal(folder: RunFolder, settings: SelfPlaySettings | None = None) -> str:
    before = {path: path.read_bytes() for path in sorted(folder.path.rglob("*")) if path.is_file()}
    with pytest.raises(RunStateError) as refused:
        resume(folder, settings)
    assert {path: path.read_bytes() for path in before} == before, "nothing is written before all is checked"
    return str(refused.value)


def test_hundred_damaged_states_of_both_learners(tmp_path: Path) -> None:
    counts = run_states.check(tmp_path, range(100))
    assert not [name for name in counts if "FINDING" in name]
    assert sum(count for name, count in counts.items() if name.endswith("refused")) >= 90


def test_every_bit_of_a_state_is_covered(folder: RunFolder) -> None:
    """One flip in each of 300 places all over the file; without a checksum most of these went unnoticed."""
    path = folder.path / "state.pt"
    data = path.read_bytes()
    for number in range(300):
        place = number * len(data) // 300
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << number % 8]) + data[place + 1 :])
        with pytest.raises(RunStateError):
            folder.load_state()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b"decisions: 480\n", "it is no state of a run"),
        (b"card_envs state 1\nabc", "it is of another version of card_envs"),
        (lambda whole: whole[: len(whole) // 2], "its checksum does not fit: the file is damaged"),
        (lambda whole: whole + b"\n", "its checksum does not fit: the file is damaged"),
        (lambda whole: whole[HEADER:], "it is of another version of card_envs"),  # as it was before
    ],
)
def test_a_sentence_says_what_is_wrong_and_how_to_begin(folder: RunFolder, content: Any, why: str) -> None:
    path = folder.path / "state.pt"
    path.write_bytes(content(path.read_bytes()) if callable(content) else content)
    assert re.fullmatch(
        rf"cannot go on from {path}: {why}[^;]*; you can begin from its last player with: "
        rf"python -m training\.self_play --config {folder.path}/config\.yaml --run ANOTHER "
        rf"--start {folder.path}/checkpoints/latest\.safetensors",
        refusal(folder),
    )


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such files")
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (Path.mkdir, "it is a folder, not a file"),
        (os.mkfifo, "it is not a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "it is not a regular file"),
        (lambda path: path.symlink_to(path), "it cannot be read (Too many levels of symbolic links)"),
        (lambda path: path.symlink_to(path.with_name("nothing")), "there is no such file"),
    ],
)
def test_what_only_looks_like_a_state_is_not_read(folder: RunFolder, make: Callable[[Path], None], why: str) -> None:
    path = folder.path / "state.pt"
    path.unlink()
    make(path)
    with pytest.raises(RunStateError, match=re.escape(why)):
        folder.load_state()


def test_the_advice_of_a_damaged_state_can_be_typed(folder: RunFolder) -> None:
    (folder.path / "state.pt").write_bytes(b"")
    latest = folder.path / "checkpoints/latest.safetensors"
    assert f"--start {latest}" in refusal(folder)
    settings = self_play(folder.path.with_name("next"), start=str(latest))
    run = begun(settings, SelfPlayLearner)
    run.begin_or_resume()
    assert run.learner.parent
    run.learner.close()
    run.folder.close()
    latest.unlink()
    assert "you can begin anew with: python -m training.self_play" in refusal(folder)


def edited(folder: RunFolder, change: Callable[[dict[str, Any]], None]) -> None:
    """A state with this change, under a checksum that fits."""
    state = read_state(folder.path / "state.pt")
    change(state)
    write_state(folder.path / "state.pt", state)


def put(state: Any, place: str, value: Any) -> None:
    *way, last = (int(key) if key.isdecimal() else key for key in place.split("/"))
    for key in way:
        state = state[key]
    state[last] = value


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        ("decisions", -1, "its decisions must be a whole number from 0 on"),
        ("decisions", 240, "its learner is of another moment"),
        ("seconds", float("nan"), "its seconds are no length of time"),
        ("more", 1, "it does not hold what a state holds"),
        ("best", (600, {}), "its best player is of a later step"),
        ("unmeasured", None, "its players that are not measured yet are none"),
        ("unmeasured", [(60, {}, [])], "its players that are not measured yet are none"),
        ("unmeasured", [(60, {}, ["bot", 1])], "its players that are not measured yet are none"),
        ("unmeasured", [(600, {}, ["bot"])], "its players are not measured in order"),
        ("unmeasured", [(60, {}, ["bot"])], "its player that is not measured yet must have body.0.weight"),
        ("best", (60, {"policy.bias": torch.zeros(3)}), "its best player must have body.0.weight"),
        ("game/record", "", "it was saved with another version of card_envs or of King Lui"),
        ("learner/network/numbers", torch.full((8,), torch.nan), "its network.numbers must be of the type"),
        ("learner/parts", [], "it has another number of parts"),
        ("learner/parts/0/chance", torch.zeros(5056, dtype=torch.uint8), "its lots are no lots"),
        ("learner/league/0/wins", 1e9, "its league's games and wins cannot be"),
        ("learner/league/0/player", "random", "its league is of other players"),
        ("learner/parts/0/games/0/seeds", torch.full((3,), -1), "its games' seeds must be from 0 to"),
        ("learner/parts/0/games/0/own", torch.full((3,), 3), "its games' own must be from 0 to 2"),
        ("learner/parts/0/games/0/opponent", torch.full((3,), 5), "its games' opponent must be from -1 to 0"),
        ("learner/parts/0/games/0/known", [7], "its games know players who are not in the league"),
        ("learner/parts/0/games/0/seated", torch.full((3, 3), 9), "its games have seats on which nobody sits"),
        (
            "learner/parts/0/games/0/states",
            torch.zeros(3, 3, dtype=torch.uint8),
            "its games' states must be of the type",
        ),
    ],
)
def test_what_cannot_be_is_refused_even_under_a_checksum(folder: RunFolder, place: str, value: Any, why: str) -> None:
    edited(folder, lambda state: put(state, place, value))
    assert f"state.pt: {why}" in refusal(folder)


def test_numbers_that_are_not_finite_are_refused(folder: RunFolder) -> None:
    edited(folder, lambda state: state["learner"]["network"]["numbers"].fill_(torch.nan))
    assert "its network.numbers holds numbers that are not finite" in refusal(folder)


def test_an_optimiser_that_cannot_be_is_refused(folder: RunFolder) -> None:
    edited(folder, lambda state: state["learner"]["optimizer"]["square"].fill_(-1.0))
    assert "its optimiser has a negative square" in refusal(folder)


@pytest.mark.parametrize(("field", "why"), [("supply", "cards are missing"), ("players", "of another table")])
def test_games_that_cannot_be_are_refused(folder: RunFolder, field: str, why: str) -> None:
    def change(state: dict[str, Any]) -> None:
        games = state["learner"]["parts"][0]["games"][0]["states"].numpy().view(self_play(folder.path).rules.record)
        games[field][2] += 1

    edited(folder, change)
    assert f"it has a game in which {why}" in refusal(folder) or f"it has a game {why}" in refusal(folder)


def test_the_state_of_another_run_is_refused_with_what_differs(folder: RunFolder) -> None:
    other = self_play(folder.path, seed=1, ppo=SelfPlayPPOSettings(n_steps=20, batch_size=60))
    said = refusal(folder, other)
    assert "it was saved with other settings than config.yaml has now (ppo.n_steps 10, now 20, seed 0, now 1)" in said


def test_settings_that_do_not_change_what_is_learned_may_change(folder: RunFolder) -> None:
    resume(folder, replace(self_play(folder.path.with_name("moved")), decisions=960, minutes=5.0, save_seconds=9.0))


def test_the_state_of_the_other_learner_is_refused(saved: Path, tmp_path: Path) -> None:
    settings = sb3(tmp_path / "run")
    run = begun(settings, Sb3Learner)
    shutil.copy(saved / "state.pt", tmp_path / "run/state.pt")
    with pytest.raises(RunStateError, match=r"other settings than.*begin anew with: python -m training\.sb3_ppo"):
        run.begin_or_resume()
    run.folder.close()


def test_what_a_run_began_from_is_not_needed_to_go_on(folder: RunFolder) -> None:
    first = folder.path / "checkpoints/latest.safetensors"
    start = shutil.copy(first, folder.path.with_name("start.safetensors"))
    settings = self_play(folder.path.with_name("next"), start=str(start))
    (run := begun(settings, SelfPlayLearner)).begin_or_resume()
    run.learner.close()
    Path(start).unlink()
    assert resume(run.folder, settings).learner.parent == run.learner.parent
    run.folder.close()
