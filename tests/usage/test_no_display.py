"""`render_mode="human"` where there is no display."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("pygame")
CODE = """
import card_envs
env = card_envs.make_env("zum_kuhkuck", render_mode="human")
try:
    env.reset(seed=1)
except card_envs.errors.OptionError as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
def test_one_sentence_says_what_to_use_instead() -> None:
    hidden = ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.startswith('render_mode "human" cannot open a window here')
    assert 'use "rgb_array" or "ansi" instead' in done.stdout
    assert done.stdout.count("\n") == 1
