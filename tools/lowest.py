"""The oldest versions that pyproject.toml allows, in an environment of their own, and tests on them: `make lowest`.

Every `>=` of the package and its extras becomes `==`. Two are held where they are: torch, of which one version only is
light enough, and what the extra `dev` brings to run tests with, which no user needs.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

import apart

EXTRAS = ("arena", "bench", "draw", "scale", "train", "web")
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "httpx2")  # of `dev`: what these tests run with
TESTS = ("tests/unit", "tests/rules", "tests/properties/test_every_game.py")
ASK = "import json, importlib.metadata as m; print(json.dumps({d.name.lower(): d.version for d in m.distributions()}))"


def lowest() -> list[str]:
    """Each dependency with the oldest version that is allowed."""
    said = apart.project()
    extras = said["optional-dependencies"]
    named = [*said["dependencies"], *(one for extra in EXTRAS for one in extras[extra])]
    found: dict[str, str] = {}
    for one in named:
        name, _, version = re.sub(r"\[.*?\]", "", one).partition(">=")
        if name not in ("torch", "card-envs"):
            found[name] = max(
                found.get(name, version), version, key=lambda text: [int(part) for part in text.split(".")]
            )
    return [f"{name}=={version}" for name, version in found.items()]


def check(pins: list[str], installed: dict[str, str]) -> None:
    """Is what is installed really the oldest? 2.0 and 2.0.0 are one version."""
    for pin in pins:
        name, version = pin.split("==")
        found = installed.get(name.lower()) or installed.get(name.lower().replace("-", "_"))
        if found is None or re.sub(r"(\.0)+$", "", found) != re.sub(r"(\.0)+$", "", version):
            raise apart.BrokenError(f"{name} should be {version}, and is {found}")


def main() -> None:
    """Install them, say which they are, and run the tests."""
    pins = lowest()
    newest = {
        one.split("==")[0]: one for one in (apart.ROOT / "constraints.txt").read_text().splitlines() if "==" in one
    }
    tools = [newest[name] for name in TOOLS]
    print("the oldest versions: " + ", ".join(pins), flush=True)
    python = apart.environment("lowest", [f".[{','.join(EXTRAS)}]", *tools], pins)
    check(pins, json.loads(subprocess.check_output([str(python), "-c", ASK], text=True)))
    command = [python, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-m", "not slow", *TESTS]
    # Warnings are errors in `make test`; old versions warn of what new Pythons and NumPys will do, which is not ours.
    said = apart.run([*command, "-W", "default"], 1800, OMP_NUM_THREADS="1")
    if not re.search(r"\d+ passed", said):
        raise apart.BrokenError("no test was run")


if __name__ == "__main__":
    try:
        main()
    except apart.BrokenError as broken:
        sys.exit(f"the oldest versions do not work: {broken}")
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on from here")
