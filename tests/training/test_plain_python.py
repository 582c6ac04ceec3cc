"""Learning as plain Python, where bounds are checked: it comes to what compiled code comes to, but for the last digits.

Compiled code may round a product and a sum once instead of twice.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.core.compile import JIT
from tests.support import duels, parts
from tests.support.counting import counted


@pytest.mark.parametrize(("activation", "trying"), [("relu", False), ("tanh", True)])
def test_plain_python_learns_the_same(activation: str, trying: bool, tmp_path: Path) -> None:
    compare(parts.__name__, f"({activation!r}, {trying})", parts.learned(activation, trying), tmp_path)


@pytest.mark.parametrize("players", [2, 3])
def test_plain_python_learns_the_same_duels(players: int, tmp_path: Path) -> None:
    compare(duels.__name__, f"({players})", duels.learned(players), tmp_path)


def compare(module: str, arguments: str, compiled: dict[str, Any], tmp_path: Path) -> None:
    assert JIT, "this comparison needs compiled code on this side"
    file = tmp_path / "plain.npz"
    code = f"from {module} import *; np.savez({str(file)!r}, **learned{arguments})"
    environment = {**counted(), "NUMBA_DISABLE_JIT": "1"}
    plain = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert plain.returncode == 0, plain.stderr
    with np.load(file) as found:
        for name, array in compiled.items():
            np.testing.assert_allclose(found[name], array, rtol=1e-3, atol=1e-5, err_msg=name)
    assert compiled["gradient"].any()
