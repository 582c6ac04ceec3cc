"""`python -m card_envs.testing FOLDER` rewrites the golden playthroughs in that folder."""

from __future__ import annotations

import sys
from pathlib import Path

from card_envs.testing.golden import write_golden

if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
    sys.exit("usage: python -m card_envs.testing FOLDER (the folder of the golden files, such as tests/golden)")
write_golden(Path(sys.argv[1]))
