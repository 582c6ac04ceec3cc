"""Checkpoints in bad company: damaged in every way, under odd names, on odd paths, as large as they may be."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import card_envs
from card_envs.agents.checkpoint import CheckpointAgent, read_checkpoint
from card_envs.agents.network import Mlp
from card_envs.errors import CheckpointError
from card_envs.files import read_regular
from tests.fuzz import checkpoints
from tests.support.checkpoint_files import random_weights, write

ROOT = Path(__file__).parents[2]


def test_hundreds_of_damaged_files_each_get_one_sentence(tmp_path: Path) -> None:
    counts = checkpoints.check(tmp_path, range(400))
    assert not [name for name in counts if "FINDING" in name]
    assert sum(count for name, count in counts.items() if name.endswith("refused")) > 390


@pytest.mark.parametrize("key", checkpoints.IMPOSSIBLE)
def test_what_no_checkpoint_can_say_is_refused_whoever_signs_it(key: str, tmp_path: Path) -> None:
    original = checkpoints.Original(tmp_path, "king_lui")
    for value in checkpoints.IMPOSSIBLE[key]:
        original.path.write_bytes(original.signed(**{key: value}))
        assert checkpoints.judge(original, original.path) == "refused", value[:80]


def test_a_signed_file_of_the_same_parts_is_the_same_player(tmp_path: Path) -> None:
    original = checkpoints.Original(tmp_path, "king_lui")
    original.path.write_bytes(original.signed())
    assert checkpoints.judge(original, original.path) == "the same player"


@pytest.mark.skipif(os.name != "posix", reason="such names are of POSIX")
@pytest.mark.parametrize("name", [b"caf\xe9.safetensors", b"a\nb.safetensors", b"\x1b[2J.safetensors"])
def test_names_that_cannot_be_printed_are_spelt_out(name: bytes, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    with pytest.raises(CheckpointError) as refused:
        card_envs.load_agent("king_lui", path)
    assert str(refused.value).isprintable()
    write(path)
    agent = card_envs.load_agent("king_lui", path)
    assert agent.name.isprintable()
    print(card_envs.play_match("king_lui", [path, "bot", "random"], games=2))  # can be encoded
    path.write_bytes(b"")
    with pytest.raises(CheckpointError) as refused:
        card_envs.load_agent("king_lui", path)
    assert str(refused.value).isprintable()


@pytest.mark.skipif(os.name != "posix", reason="such links are of POSIX")
def test_links_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    loop, gone = tmp_path / "loop.safetensors", tmp_path / "gone.safetensors"
    loop.symlink_to(loop)
    gone.symlink_to(tmp_path / "nothing")
    with pytest.raises(CheckpointError, match=r"it cannot be read \(Too many levels of symbolic links\)"):
        card_envs.load_agent("king_lui", loop)
    with pytest.raises(CheckpointError, match="there is no such file"):
        card_envs.load_agent("king_lui", gone)
    with pytest.raises(CheckpointError, match="no file can have such a name"):
        card_envs.load_agent("king_lui", "a\0b.safetensors")
    linked = tmp_path / "linked.safetensors"
    linked.symlink_to(write(tmp_path / "player.safetensors"))
    assert card_envs.load_agent("king_lui", linked).name == str(linked)


@pytest.mark.parametrize("change", [b"", b"more"])
def test_a_file_that_changes_while_it_is_read_is_noticed(
    change: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shorter or longer than it was when its reading began; a file of the same length would have another checksum."""
    path, fstat = write(tmp_path / "player.safetensors"), os.fstat

    def meanwhile(handle: int) -> os.stat_result:
        found = fstat(handle)
        path.write_bytes(path.read_bytes() + change if change else b"")
        return found

    monkeypatch.setattr(os, "fstat", meanwhile)
    with pytest.raises(CheckpointError, match="it was changed while it was read; try again"):
        read_regular(path, 2**20, CheckpointError)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it is Linux that tells")
def test_a_file_is_in_memory_once(tmp_path: Path) -> None:
    network = Mlp((2048, 2048), "relu")
    path = write(tmp_path / "large.safetensors", weights=random_weights("king_lui", network), network=network)
    code = (
        "import re, sys; from pathlib import Path; from card_envs.agents.checkpoint import read_checkpoint\n"
        "def kilobytes(what): return int(re.search(what + r':\\s+(\\d+)', Path('/proc/self/status').read_text())[1])\n"
        "read_checkpoint(sys.argv[2], 'king_lui')\n"
        "Path('/proc/self/clear_refs').write_text('5')\n"  # the peak is forgotten
        "before = kilobytes('VmRSS'); read_checkpoint(sys.argv[1], 'king_lui'); print(kilobytes('VmHWM') - before)"
    )
    small = write(tmp_path / "small.safetensors")
    done = subprocess.run([sys.executable, "-c", code, path, small], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) * 1024 < 1.15 * path.stat().st_size


def huge(sign: float) -> dict[str, Any]:
    """Weights that are finite, and with which nothing that is calculated is."""
    weights = random_weights("king_lui")
    return {name: np.copysign(np.float32(3e38), array * sign) for name, array in weights.items()}


@pytest.mark.parametrize("network", [Mlp((16, 8), "tanh"), Mlp((16, 8), "relu")], ids=["tanh", "relu"])
@pytest.mark.parametrize("options", [{}, {"greedy": True}, {"temperature": 0.01}, {"temperature": 100.0}], ids=str)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_weights_so_large_that_the_network_overflows_still_play_legally(
    sign: float, options: dict[str, Any], network: Mlp, tmp_path: Path
) -> None:
    path = write(tmp_path / "huge.safetensors", weights=huge(sign), network=network)
    batch = card_envs.make_batch("king_lui", 200, players=3, seed=0)
    agent = CheckpointAgent(path, "king_lui", seed=0, **options)
    with warnings.catch_warnings(action="error"):
        chances = agent.probabilities(batch.observation, batch.action_mask)
        actions = agent.act(batch.observation, batch.action_mask)
        assert np.isfinite(agent.values(batch.observation)).all()
    assert np.isfinite(chances).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert (chances[batch.action_mask == 0] == 0).all()
    assert batch.action_mask[np.arange(200), actions].all()


def test_a_player_that_cannot_calculate_ends_its_games(tmp_path: Path) -> None:
    path = write(tmp_path / "huge.safetensors", weights=huge(1.0))
    assert card_envs.play_match("king_lui", [path, path, "bot"], games=20, seed=0).points.shape == (20, 3)
    assert read_checkpoint(path, "king_lui").content_hash
