"""state.pt, from which a run goes on: one file, all of it under a checksum, read without running code.

A line that names the format, a line with the SHA-256 of the rest, and the rest as torch writes it. So a file of which
one bit has changed is refused before anything in it is used. A checksum tells damage, not malice: whoever can write
into a run's folder can make one that fits.
"""

from __future__ import annotations

import hashlib
import io
import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from card_envs.errors import RunStateError
from card_envs.files import read_regular, write_whole
from training.state_checks import check_count, require

FORMAT = b"card_envs state 3\n"
BEFORE = b"PK"  # how a state began when it had no checksum: as torch's own file
HEADER = len(FORMAT) + 2 * hashlib.sha256().digest_size + 1
LARGEST_STATE = 2**32
KEYS = {"game", "settings", "decisions", "seconds", "best", "unmeasured", "learner"}
MOST_UNMEASURED = 100


def write_state(path: Path, state: Mapping[str, Any]) -> None:
    """Replace the last state by this one, whole."""
    buffer = io.BytesIO()
    buffer.write(bytes(HEADER))
    torch.save(dict(state), buffer)
    with buffer.getbuffer() as data:
        data[:HEADER] = _header(data[HEADER:])
    if buffer.tell() > LARGEST_STATE:
        raise RunStateError(
            f"the state of this run would have {buffer.tell()} bytes, and can have {LARGEST_STATE} at most; "
            f"begin one with fewer games or a smaller network"
        )
    write_whole(path, buffer.getvalue())


def read_state(path: Path) -> dict[str, Any]:
    """The state as it was written, or half a sentence about why it cannot be used."""
    data = read_regular(path, LARGEST_STATE, RunStateError)
    if not data:
        raise RunStateError("it is empty")
    if not data.startswith(FORMAT):
        older = data.startswith((BEFORE, FORMAT.split(b" state ")[0] + b" state "))
        raise RunStateError("it is of another version of card_envs" if older else "it is no state of a run")
    if data[:HEADER] != _header(memoryview(data)[HEADER:]):
        raise RunStateError("its checksum does not fit: the file is damaged, or somebody has changed it")
    stream = io.BytesIO(data)
    stream.seek(HEADER)
    try:
        with warnings.catch_warnings(action="ignore"):  # about files that are refused anyway
            state = torch.load(stream, weights_only=True, map_location="cpu")
    except Exception as error:  # whatever another version of torch may say about it
        raise RunStateError(f"torch {torch.__version__} cannot read it ({type(error).__name__})") from None
    _check(state)
    return state  # type: ignore[no-any-return]  # _check has looked


def _header(body: memoryview) -> bytes:
    return FORMAT + hashlib.sha256(body).hexdigest().encode() + b"\n"


def _check(state: object) -> None:
    """What every run's state has, whoever learns in it."""
    require(isinstance(state, dict) and state.keys() == KEYS, "it does not hold what a state holds")
    assert isinstance(state, dict)
    check_count(state["decisions"], "decisions")
    seconds = state["seconds"]
    require(type(seconds) is float and math.isfinite(seconds) and seconds >= 0, "its seconds are no length of time")
    require(all(isinstance(state[name], dict) for name in ("game", "settings", "learner")), "its tables are no tables")
    match state["best"]:
        case None | (int(), dict()):
            pass
        case _:
            raise RunStateError("its best player is no player")
    unmeasured = state["unmeasured"]
    sound = isinstance(unmeasured, list) and len(unmeasured) <= MOST_UNMEASURED and all(map(_is_unmeasured, unmeasured))
    require(sound, "its players that are not measured yet are none")


def _is_unmeasured(value: object) -> bool:
    """A step, weights, and names of opponents."""
    match value:
        case (int(), dict(), [str(), *opponents]):
            return all(isinstance(one, str) for one in opponents)
    return False


def as_tensors(values: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays as tensors, which can be saved and read without running code; all else as it is."""
    return {name: torch.from_numpy(one) if isinstance(one, np.ndarray) else one for name, one in values.items()}


def as_arrays(values: Mapping[str, Any]) -> dict[str, Any]:
    """Tensors as arrays again."""
    return {name: one.numpy() if isinstance(one, torch.Tensor) else one for name, one in values.items()}


def check_like(saved: object, own: object, name: str) -> None:
    """Refuse what has not the form of the learner's own: other names, types or shapes, or numbers that are not finite.

    What a learner would save at its beginning is the measure of what was saved later.
    """
    if isinstance(own, torch.Tensor):
        require(
            isinstance(saved, torch.Tensor) and saved.dtype == own.dtype and saved.shape == own.shape,
            f"its {name} must be of the type {own.dtype} and the shape {tuple(own.shape)}",
        )
        assert isinstance(saved, torch.Tensor)
        require(bool(torch.isfinite(saved).all()), f"its {name} holds numbers that are not finite")
    elif isinstance(own, dict):
        require(isinstance(saved, dict) and saved.keys() == own.keys(), f"its {name} must have {', '.join(own)}")
        assert isinstance(saved, dict)
        for key, value in own.items():
            check_like(saved[key], value, f"{name}.{key}")
    elif isinstance(own, list):
        require(isinstance(saved, list) and len(saved) == len(own), f"its {name} must be {len(own)} of them")
        assert isinstance(saved, list)
        for number, (one, other) in enumerate(zip(saved, own, strict=True)):
            check_like(one, other, f"{name} {number}")
    else:
        require(type(saved) is type(own), f"its {name} must be of the type {type(own).__name__}")


def check_adam(saved: object, own: torch.optim.Optimizer, name: str) -> None:
    """Refuse what is no state of this optimiser: of other parameters, or with means that cannot be."""
    mine = own.state_dict()
    require(isinstance(saved, dict) and saved.keys() == mine.keys(), f"its {name} is none")
    assert isinstance(saved, dict)
    check_like(saved["param_groups"], mine["param_groups"], f"{name}'s groups")
    for theirs, ours in zip(saved["param_groups"], mine["param_groups"], strict=True):
        same = {key: value for key, value in ours.items() if key not in ("lr", "initial_lr")}
        require(all(theirs[key] == value for key, value in same.items()), f"its {name} has other settings")
        require(math.isfinite(theirs["lr"]) and theirs["lr"] >= 0, f"its {name} has no learning rate")
    parameters = [one for group in own.param_groups for one in group["params"]]
    moments = saved["state"]
    numbered = dict(enumerate(parameters)) if moments else {}  # nothing, before the first step
    require(isinstance(moments, dict) and moments.keys() == numbered.keys(), f"its {name} knows other parameters")
    for number, parameter in numbered.items():
        like = parameter.detach()
        form = {"step": torch.zeros(()), "exp_avg": like, "exp_avg_sq": like}
        check_like(moments[number], form, f"{name}'s parameter {number}")
        for one in ("step", "exp_avg_sq"):
            require(bool((moments[number][one] >= 0).all()), f"its {name} has a negative {one}")
