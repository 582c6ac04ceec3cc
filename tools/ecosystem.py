"""Train with other libraries, each in an environment of its own, and say which of them is broken: `make ecosystem`.

python tools/ecosystem.py              all scripts of examples/ecosystem/
python tools/ecosystem.py minari       only these

A script says in its first lines what it needs, as PEP 723 has it. It trains with the library's own trainer, saves a
checkpoint as mine.safetensors where it can, and says `win share 0.731 +- 0.010 against random, of 0.500` of each game,
which is read here: whoever does not beat random players with certainty (four standard errors) has not learned.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import apart

SCRIPTS = apart.ROOT / "examples" / "ecosystem"
SECONDS = 900  # until a script is ended; five minutes are meant on two cores of its own
SURE = 4  # standard errors above an equal share


def needs(script: Path) -> list[str]:
    """What a script says that it needs."""
    block = re.search(r"^# /// script\n(.*?)^# ///$", script.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if block is None:
        raise apart.BrokenError(f"{script.name} does not say what it needs, between `# /// script` and `# ///`")
    text = "".join(line.removeprefix("#").strip() + "\n" for line in block[1].splitlines())
    return list(tomllib.loads(text)["dependencies"])


def judged(said: str) -> str:
    """The lines with what came out, one per game, if all are good enough."""
    found = re.findall(r"win share ([\d.]+) \+- ([\d.]+) against random, of ([\d.]+)", said)
    if not found:
        raise apart.BrokenError("it did not say how it plays against random players")
    for share, error, equal in found:
        if float(share) - SURE * float(error) <= float(equal):
            raise apart.BrokenError(f"it did not learn: win share {share} +- {error} against random, of {equal}")
    return "; ".join(f"win share {share} +- {error} against random, of {equal}" for share, error, equal in found)


def main() -> None:
    """All scripts, or those that are named; a table at the end."""
    known = {script.stem.removeprefix("with_"): script for script in sorted(SCRIPTS.glob("*.py"))}
    chosen = sys.argv[1:] or list(known)
    if unknown := [name for name in chosen if name not in known]:
        sys.exit(f"there is no script {', '.join(unknown)}; there are {', '.join(known)}")
    results = {}
    for number, name in enumerate(chosen, start=1):
        print(f"{number} of {len(chosen)}: {name}", flush=True)
        try:
            python = apart.environment(name, [".", *needs(known[name])])
            begun = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="card-envs-") as folder:  # where it writes mine.safetensors
                said = apart.run([python, known[name]], SECONDS, Path(folder))
            results[name] = f"{judged(said)}, {time.monotonic() - begun:.0f} seconds"
        except apart.BrokenError as broken:
            results[name] = f"BROKEN: {broken}"
    print("\n".join(["", *(f"{name:20} {result}" for name, result in results.items())]))
    if any(result.startswith("BROKEN") for result in results.values()):
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; what is installed stays, and the same command goes on from here")
