"""What `make` installs, told as it goes. Needs nothing but Python, because nothing else is there yet.

python tools/set_up.py venv .venv arena,train    the package with these extras, pinned by constraints.txt
python tools/set_up.py chromium                  a browser for tests of the web page, where that is possible
"""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")  # as tests/support/web_browser.py looks for them
NO_BROWSER = "The tests of the web page in a browser are skipped"
# pip complains of every package that a folder of wheels does not have
NOISE = re.compile(r"WARNING: (Location .* is ignored|.*find-links)|DEPRECATION|\[notice\]")


class Teller:
    """Says what is going on at least every two seconds, many names to a line."""

    def __init__(self) -> None:
        self.start = self.last = time.monotonic()
        self.doing, self.names, self.waiting = "", [], ""

    def add(self, doing: str, name: str) -> None:
        """Something begins, or is done."""
        if doing != self.doing:
            self.flush()
        self.doing, self.waiting = doing, f"{doing} {name}"
        if name not in self.names:
            self.names.append(name)

    def tick(self) -> None:
        """Called often: speaks when it is time to."""
        if time.monotonic() - self.last > 1.5:
            self.flush() if self.names else self.say(f"still {self.waiting}")

    def flush(self) -> None:
        """Say what was gathered."""
        if self.names:
            self.say(f"{self.doing} {', '.join(self.names)}")
            self.names = []

    def say(self, text: str) -> None:
        """One line, with the seconds since the beginning."""
        self.last = time.monotonic()
        print(f"{self.last - self.start:5.0f} s  {text}", flush=True)


def follow(
    command: Iterable[object], each: Callable[[str], None], teller: Teller, env: dict[str, str] | None = None
) -> tuple[bool, list[str]]:
    """Run a program and hand each line of what it says to `each`. Whether it went well, and what it said."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    program = subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
    )

    def read() -> None:
        for line in program.stdout:
            lines.put(line.rstrip())
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    said: list[str] = []
    while True:
        try:
            line = lines.get(timeout=0.2)
        except queue.Empty:
            line = ""
        if line is None:
            break
        if line:
            said.append(line)
        each(line)
        teller.tick()
    teller.flush()
    return program.wait() == 0, said


def give_up(what: str, said: list[str]) -> None:
    """The end of what a program said, and what to do."""
    print("\n".join([line for line in said if not NOISE.search(line)][-15:]), file=sys.stderr)
    sys.exit(f"{what} failed: see above. Nothing is lost; the same command goes on from here.")


def set_up_venv(venv: Path, extras: str, first_use: str | None) -> None:
    """A virtual environment with this package, editable, and its extras."""
    if sys.version_info < (3, 11):  # noqa: UP036 - that is for us to find out
        version = sys.version.split()[0]
        sys.exit(f"card_envs needs Python 3.11 or newer, and this is {version}; name one with PYTHON=python3.12")
    teller = Teller()
    python = venv / "bin" / "python"
    if not (venv / "bin" / "pip").exists():  # what a venv gets last
        teller.add("making", str(venv))
        teller.flush()
        well, said = follow([sys.executable, "-m", "venv", venv], lambda line: None, teller)
        if not well:
            give_up(f"python -m venv {venv}", said)
    install(python, extras, teller)
    if first_use:
        compile_first_use(python, first_use, teller)
    else:
        compile_all(python, teller)
    print(f"{venv}: {megabytes(venv):,} MB, {time.monotonic() - teller.start:.0f} seconds", flush=True)


def install(python: Path, extras: str, teller: Teller) -> None:
    """Install with pip, which says nothing while it unpacks: what has arrived in site-packages does."""
    site = packages_of(python)
    there = {path.parent for path in site.glob("*.dist-info/INSTALLER")}
    coming: list[str] = []
    teller.waiting = "reading what is needed"

    def each(line: str) -> None:
        if found := re.match(r"Collecting ([\w.-]+)", line):
            teller.add("fetching", normal(found[1]))
        elif found := re.match(r"\s*Downloading ([\w.]+)-\S+ \((\d\d.* MB)\)", line):
            teller.add("fetching", f"{normal(found[1])} ({found[2]})")
        elif line.startswith(("Installing build dep", "Preparing editable", "Building editable")):
            teller.add("preparing", "card-envs")
        elif line.startswith("Installing collected packages: "):
            coming.extend(normal(name) for name in line.split(": ")[1].split(", "))
        elif line.startswith("ERROR"):
            print(line, file=sys.stderr)
        if coming:
            new = {path.parent for path in site.glob("*.dist-info/INSTALLER")} - there
            there.update(new)
            for name in sorted(arrived(new) & set(coming), key=coming.index):
                teller.add("installed", name)
            left = [name for name in coming if name not in arrived(there)]
            teller.waiting = f"installing {left[0]}" if left else "installing card-envs"

    # Without --no-compile pip translates every file of every package, one after the other: half of its time.
    options = ["--no-compile", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    well, said = follow(
        [python, "-m", "pip", "install", *options, "-c", "constraints.txt", "-e", f".[{extras}]"], each, teller
    )
    if not well:
        give_up("pip install", said)


def compile_first_use(python: Path, code: str, teller: Teller) -> None:
    """Bytecode for what is used at once; the rest follows when it is imported."""
    teller.add("importing", "torch, numba and the games for the first time")
    teller.flush()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    well, said = follow([python, "-c", code], lambda line: None, teller, env=environment)
    if not well:
        give_up(f"python -c '{code}'", said)


def compile_all(python: Path, teller: Teller) -> None:
    """Bytecode for everything, on all cores. Tests take warnings for errors, those of a package's first import too."""
    site = packages_of(python)

    def each(line: str) -> None:
        if found := re.match(rf"Compiling '{re.escape(str(site))}/(\w+)", line):
            teller.add("compiling", found[1])

    # Some packages have files that are not meant to be compiled: templates, tests of syntax errors.
    follow([python, "-W", "ignore", "-m", "compileall", "-j", "0", site], each, teller)


def set_up_chromium() -> None:
    """Chromium from the system's packages. Where it cannot be had, one line says so, and that is all."""
    if any(map(shutil.which, BROWSERS)):
        return
    if not shutil.which("apt-get") or os.getuid() != 0:
        why = "this is not root" if shutil.which("apt-get") else "this system has no apt-get"
        print(f"There is no Chromium, and {why}. {NO_BROWSER}; install Chromium to run them")
        return
    print(
        "Installing Chromium from the system's packages (apt-get; about 400 MB, usually half a minute), for the tests\n"
        "of the web page in a real browser. To go without: make test BROWSER=no",
        flush=True,
    )
    teller = Teller()

    def each(line: str) -> None:
        if found := re.match(r"(Get:|Unpacking|Setting up)\S* (\S+)(?: \S+ \S+ (\S+))?", line):
            doing = {"Get:": "downloading", "Unpacking": "unpacking", "Setting up": "setting up"}[found[1]]
            teller.add(doing, (found[3] or found[2]) if found[1] == "Get:" else found[2].split(":")[0])

    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    teller.waiting = "asking for the list of packages"
    for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        well, said = follow(["apt-get", *command], each, teller, env=environment)
        if not well:
            reason = next((line for line in reversed(said) if line.startswith("E: ")), said[-1] if said else "")
            print(f"apt-get {command[0]} failed ({reason}). {NO_BROWSER}")
            return


def packages_of(python: Path) -> Path:
    """Where an environment keeps its packages."""
    found = subprocess.check_output(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )
    return Path(found.strip())


def arrived(folders: Iterable[Path]) -> set[str]:
    """Whose folders these are."""
    return {normal(folder.name.split("-")[0]) for folder in folders}


def normal(name: str) -> str:
    """A package's name as pip compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def megabytes(folder: Path) -> int:
    """How much a folder takes."""
    return int(subprocess.check_output(["du", "-sk", str(folder)], text=True).split()[0]) // 1024


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    venv = commands.add_parser("venv", help="a virtual environment with this package")
    venv.add_argument("folder", type=Path)
    venv.add_argument("extras", help="separated by commas")
    venv.add_argument("--first-use", help="code to run once; without it every package is compiled")
    commands.add_parser("chromium", help="a browser for tests")
    given = parser.parse_args()
    if given.command == "venv":
        set_up_venv(given.folder, given.extras, given.first_use)
    else:
        set_up_chromium()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on from here")
