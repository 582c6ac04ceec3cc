"""The server under attack: two people play on, whatever strangers do, and nobody learns what is not for them.

python -m tests.fuzz.web_attack --rounds 1000 --first-seed 0
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import http.client
import json
import queue
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.progress import Progress

from card_envs.web.agent_library import AgentLibrary
from card_envs.web.app import _state
from card_envs.web.hosted_game import HostedGame
from card_envs.web.record import Record, Seat
from tests.fuzz.web_attacks import PATIENCE, Prey, rounds

FILES, SIEGE, STRANGERS = 256, 400, 3
HONEST = ("127.0.0.2", 0)  # an address of their own: limits of rate are per address


@dataclass
class Report:
    """What was seen. `findings` is empty if all is well."""

    findings: list[str] = field(default_factory=list)
    attacks: collections.Counter[str] = field(default_factory=collections.Counter)
    statuses: collections.Counter[int] = field(default_factory=collections.Counter)
    answers: int = 0
    slowest: float = 0.0
    games: int = 0
    views: int = 0

    def __str__(self) -> str:
        told = ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        return (
            f"{self.attacks.total()} attacks of {len(self.attacks)} kinds (answers {told}); {self.games} honest games, "
            f"{self.answers} answers, the slowest after {1000 * self.slowest:.0f} ms, {self.views} views without a "
            f"secret; {len(self.findings)} findings"
        )


@contextlib.contextmanager
def besieged(folder: Path, *arguments: str, files: int = FILES) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A real server that may open few files, and its port."""

    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    command = [sys.executable, "-m", "card_envs", "web", "--port", "0", "--no-open", *arguments]
    command += ["--state", str(folder / "web.sqlite")]
    with (folder / "stderr.txt").open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, preexec_fn=few_files)
    try:
        assert process.stdout
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found, (folder / "stderr.txt").read_text()
        yield process, int(found[1])
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate()


def open_files(process: subprocess.Popen[str]) -> int:
    return len(list(Path(f"/proc/{process.pid}/fd").iterdir()))


class Person:
    """Plays fairly, and takes note of everything that the server says."""

    def __init__(self, port: int, report: Report) -> None:
        self.port, self.report = port, report
        self.line = http.client.HTTPConnection("127.0.0.1", port, PATIENCE, source_address=HONEST)
        self.seat, self.key, self.seen = 0, "", dict[int, dict[str, Any]]()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Content-Type": "application/json", "X-Seat-Key": self.key or "x" * 32}
        begun = time.perf_counter()
        for attempt in (1, 2):  # as browsers do when a connection that was kept has been closed meanwhile
            try:
                self.line.request(method, path, None if body is None else json.dumps(body), headers)
                answer = self.line.getresponse()
                break
            except (http.client.RemoteDisconnected, ConnectionError):
                self.line.close()
                if attempt == 2:
                    raise
        told = json.loads(answer.read())
        self.report.answers += 1
        self.report.slowest = max(self.report.slowest, time.perf_counter() - begun)
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path} of an honest person: {answer.status} {told}")
        return told

    def look(self, table: str) -> dict[str, Any]:
        state: dict[str, Any] = self.ask("GET", f"/api/games/{table}")
        self.seen[state["version"]] = state
        return state


def play_fairly(port: int, report: Report, prey: Prey, game: str = "king_lui") -> None:
    """A whole game of two people and a bot over the API; then all that they saw is compared with what they may know."""
    host, guest = Person(port, report), Person(port, report)
    opened = host.ask("POST", "/api/games", {"game": game, "seats": ["me", "person", "bot"]})
    host.key, guest.seat = opened["key"], 1
    prey.tables.append(opened["id"])
    guest.key = guest.ask("POST", f"/api/games/{opened['id']}/claim", opened["invitations"][0])["key"]
    while not (states := [one.look(opened["id"]) for one in (host, guest)])[0]["over"]:
        for person, state in zip((host, guest), states, strict=True):
            if state["actions"]:
                action = state["actions"][len(person.seen) % len(state["actions"])]["number"]
                person.ask("POST", f"/api/games/{opened['id']}/moves", {"action": action, "version": state["version"]})
    for person in (host, guest):
        person.line.close()
        report.views += check_secrets(person, states[0])
    report.games += 1


def check_secrets(person: Person, end: dict[str, Any]) -> int:
    """Play the game again, and draw anew all that this seat could not know: it would have been told the very same."""
    seats = [Seat(key="a"), Seat(key="b"), Seat(agent="bot", name="bot")]
    table = HostedGame(Record(end["id"], end["game"], int(end["seed"]), seats), AgentLibrary())
    for action in [*end["moves"], None]:
        told = person.seen.get(table.version)
        if told is not None and not told["over"]:
            real, table.batch = table.batch, table.batch.copy()
            table.batch.redraw_hidden(person.seat, seed=table.version)
            assert json.loads(_state(table, person.seat, "en", "wide").model_dump_json()) == told, "a secret was told"
            table.batch = real
        if action is not None:
            table._step(action)
    return len(person.seen)


def attack(count: int, first_seed: int, *, progress: Callable[[], None] = lambda: None) -> Report:
    """So many attacks by strangers, while people play for as long as these last, and at least one whole game."""
    report = Report()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with besieged(folder) as (process, port):
            play_fairly(port, report, Prey(port))  # loads what it needs, and opens files that stay open
            before = open_files(process)
            _siege(count, first_seed, port, report, progress)
            _check_end(process, port, before, report)
        lines = (folder / "stderr.txt").read_text().splitlines()
        said = "\n".join(line for line in lines if not line.startswith("compiling "))  # once, on a new machine
        if said or process.returncode:
            report.findings.append(f"the server ended with {process.returncode} and said: {said[:2000]}")
    return report


def _siege(count: int, first_seed: int, port: int, report: Report, progress: Callable[[], None]) -> None:
    prey, lock, over = Prey(port, ["nosuchgame"]), threading.Lock(), threading.Event()
    todo: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for one in rounds(count, first_seed):
        todo.put(one)

    def strangers() -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                make, rng = todo.get_nowait()
                try:
                    told = make(prey, rng)
                except Exception as error:
                    told = b""
                    with lock:
                        report.findings.append(f"{make.__name__}: {error!r}")
                with lock:
                    report.attacks[make.__name__] += 1
                    _judge(make.__name__, told, report)
                    progress()

    def people() -> None:
        try:
            while report.games < 2 or not over.is_set():
                play_fairly(port, report, prey)
        except Exception as error:
            report.findings.append(f"an honest person: {error!r}")

    with contextlib.ExitStack() as lines:
        for _ in range(SIEGE):
            lines.enter_context(prey.connect())
        threads = [threading.Thread(target=strangers) for _ in range(STRANGERS)]
        playing = threading.Thread(target=people)
        for thread in (playing, *threads):
            thread.start()
        for thread in threads:
            thread.join()
        over.set()
        playing.join()


def _judge(name: str, told: bytes, report: Report) -> None:
    """Strangers hear refusals, and what everybody may know."""
    statuses = [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", told)]
    report.statuses.update(statuses)
    for status in statuses:
        if status >= 500 and status != 503:
            report.findings.append(f"{name} was answered with {status}: {told[:1000]!r}")
    if name == "trespass" and any(status < 400 for status in statuses):
        report.findings.append(f"strangers got into a table of others: {told[:1000]!r}")
    if b"Traceback" in told or b'File "' in told:
        report.findings.append(f"{name} was told of the inside: {told[:1000]!r}")


def _check_end(process: subprocess.Popen[str], port: int, before: int, report: Report) -> None:
    """It lives and answers, and has let go of everything."""
    if process.poll() is not None:
        report.findings.append("the server is gone")
        return
    for _ in range(1000):  # each question gives it time to notice who has left
        with socket.create_connection(("127.0.0.1", port), PATIENCE, source_address=HONEST) as line:
            line.sendall(b"GET /palette.css HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            while line.recv(1 << 16):
                pass
        if open_files(process) <= before:
            return
    report.findings.append(f"the server had {before} files open before, and has {open_files(process)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    chosen = parser.parse_args()
    with Progress() as bar:
        task = bar.add_task("attacks", total=chosen.rounds)
        report = attack(chosen.rounds, chosen.first_seed, progress=lambda: bar.advance(task))
    print(report)
    for finding in report.findings:
        print(finding, file=sys.stderr)
    return 1 if report.findings else 0


if __name__ == "__main__":
    sys.exit(main())
