"""Build wheel and sdist, and use the wheel in a clean environment: `python tools/wheel.py dist`."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from set_up import Teller, follow, give_up

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("Makefile", "constraints.txt", "mkdocs.yml", "pyproject.toml", "README.md", "CONTRIBUTING.md", "LICENSE")
FOLDERS = ("card_envs", "training", "configs", "tests", "docs", "examples", "tools")
TELLER = Teller()
USE = """
import gymnasium as gym
import card_envs
from card_envs import king_lui_v0

env = gym.make("card_envs/ZumKuhkuck-v0", opponents="bot")
observation, info = env.reset(seed=7)
over = False
while not over:
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
    over = terminated or truncated
env = king_lui_v0.env(players=4)
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    env.step(None if terminated or truncated else env.action_space(agent).sample(observation["action_mask"]))
print("one game of Zum Kuhkuck with Gymnasium and one of King Lui with PettingZoo: played")
try:
    import training
except ModuleNotFoundError:
    print("the wheel brings no `training`, as it should be")
else:
    raise SystemExit(f"the wheel brought {training.__file__}")
"""


def main() -> None:
    """Build, look inside, install, use."""
    made = ROOT / sys.argv[1]
    shutil.rmtree(made, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="card-envs-wheel-") as temporary:
        folder = Path(temporary)
        print("Building sdist and wheel, and using the wheel in a clean environment: usually a minute", flush=True)
        builder = environment(folder / "builder")
        run("installing the package `build`", *pip(builder), "build")
        run("building", builder / "python", "-m", "build", "--outdir", made, ROOT)
        (wheel,), (sdist,) = made.glob("*.whl"), made.glob("*.tar.gz")
        look_inside(wheel, sdist)
        clean = environment(folder / "clean")
        run(f"installing {wheel.name} and what it needs", *pip(clean), wheel)
        os.environ["CARD_ENVS_CACHE"] = str(folder / "cache")
        os.chdir(folder)  # where nothing of the clone can be imported
        run("running card-envs games", clean / "card-envs", "games", show=4)
        run("running card-envs show", clean / "card-envs", "show", "zum_kuhkuck", show=2)
        run("running games, compiled first,", clean / "python", "-c", USE, show=2)
        match = ("match", "king_lui", "champion", "bot", "bot", "bot", "--games", "200")
        run("running card-envs match", clean / "card-envs", *match, show=5)
    print(f"{wheel.name} and {sdist.name} are in {made.name}/")


def look_inside(wheel: Path, sdist: Path) -> None:
    """The wheel has the package and both licences and nothing else; the sdist has what its own tests need."""
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    strangers = {name for name in top if name != "card_envs" and not name.endswith(".dist-info")}
    licences = [name for name in names if ".dist-info/licenses/" in name]
    with tarfile.open(sdist) as files:
        inside = {name.split("/", 1)[1] for name in files.getnames() if "/" in name}
    missing = [name for name in NEEDED if name not in inside]
    missing += [name for name in FOLDERS if not any(path.startswith(f"{name}/") for path in inside)]
    if strangers or len(licences) != 2 or missing:
        sys.exit(f"wheel: also has {strangers or 'nothing'}, licences {licences}; sdist: lacks {missing or 'nothing'}")


def environment(folder: Path) -> Path:
    """A new virtual environment. The folder of its programs."""
    run("making an environment", sys.executable, "-m", "venv", folder)
    return folder / "bin"


def pip(programs: Path) -> tuple[str | Path, ...]:
    """The words of a command that installs, with our pins."""
    options = ("--disable-pip-version-check", "--no-compile", "-c", ROOT / "constraints.txt")
    return programs / "python", "-m", "pip", "install", *options


def run(doing: str, *command: str | Path, show: int = 0) -> None:
    """Run a program, show the last lines of what it says, and stop if it fails."""
    TELLER.say(doing)
    TELLER.waiting = doing
    well, said = follow(command, lambda line: None, TELLER)
    if not well:
        give_up(" ".join(str(word) for word in command), said)
    print("".join(f"         {line}\n" for line in said[len(said) - show :]), end="", flush=True)


if __name__ == "__main__":
    main()
