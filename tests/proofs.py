"""Everything that is tried in large numbers, one after the other: hostile files, kills, an attack on the server, and a
million games of each kind.

    python -m tests.proofs

What went well is noted, as long as the code stays as it is, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".artefacts" / "proofs.jsonl"
PROOFS = (
    ("tests.fuzz.checkpoints", "--files", "10000"),
    ("tests.fuzz.run_states", "--files", "1000"),
    ("tests.fuzz.tournaments", "--files", "1000"),
    ("tests.fuzz.training_kills", "--kills", "50"),
    ("tests.fuzz.tournament_kills", "--kills", "50"),
    ("tests.fuzz.web_attack", "--rounds", "1000"),
    ("tests.soak", "--games", "1000000"),  # keeps notes of its own, game by game
)


def content() -> str:
    """A hash of all code that has a part in it."""
    folders = [ROOT / name for name in ("card_envs", "training", "tests")]
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def proven(now: str) -> set[str]:
    """What went well with this code before."""
    found = set()
    for line in KEPT.read_text(encoding="utf-8").splitlines() if KEPT.is_file() else ():
        with suppress(ValueError):  # a line that was cut off by a crash
            one = json.loads(line)
            if one["content"] == now:
                found.add(one["proof"])
    return found


def main() -> None:
    """Run all that was not run yet; ends with the first that fails."""
    now = content()
    for module, *arguments in PROOFS:
        command = " ".join(["python -m", module, *arguments])
        if command in proven(now):
            print(f"{command}: went well before", flush=True)
            continue
        print(f"\n{command}", flush=True)
        began = time.monotonic()
        try:
            code = subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=False).returncode
        except KeyboardInterrupt:
            sys.exit("stopped; the same command goes on from here")
        if code:
            sys.exit(f"{command} ended with {code}")
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        with KEPT.open("a", encoding="utf-8") as notes:
            minutes = (time.monotonic() - began) / 60
            notes.write(json.dumps({"content": now, "proof": command, "minutes": round(minutes, 1)}) + "\n")
    print("\nall went well")


if __name__ == "__main__":
    main()
