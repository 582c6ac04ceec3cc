"""How fast the table in the browser answers: many people at once, each at a game of their own against bots."""

from __future__ import annotations

import http.client
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from card_envs.agents.loading import usual_opponent
from card_envs.errors import OptionError
from card_envs.games import game_names, get_game

START = 120.0  # seconds in which a server must have begun, even if it compiles first


@dataclass
class WebFigures:
    """What all people together met: seconds per answered move, and whatever went wrong."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    games: int = 0

    def quantile(self, share: float) -> float:
        """The time in which this share of the moves was answered."""
        ordered = sorted(self.seconds)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")

    def __str__(self) -> str:
        times = ", ".join(f"{share:.0%} within {1000 * self.quantile(share):.0f} ms" for share in (0.5, 0.95, 0.99))
        return f"{len(self.seconds)} moves in {self.games} games: {times}; {len(self.errors)} errors"


def measure_web(people: int = 100, seconds: float = 20.0, think: float = 1.0) -> WebFigures:
    """Serve in another process, and let people play who think about each move, for a second on average."""
    figures, lock = WebFigures(), threading.Lock()
    with _server() as address:
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=_Person(address, number, think, figures, lock).play, args=(until,))
            for number in range(people)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return figures


@contextmanager
def _server() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "card_envs", "web", "--port", "0", "--no-open"]
        command += ["--state", str(Path(folder) / "web.sqlite")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            line = process.stdout.readline() if process.stdout else ""
            found = re.search(r"http://([\d.]+:\d+)/", line)
            if not found:
                raise OptionError(f"the server did not start; it said {line!r}")
            _warm_up(found[1])
            yield found[1]
        finally:
            process.terminate()
            process.wait()
            if process.stdout:
                process.stdout.close()


def _warm_up(address: str) -> None:
    """Play a move of each game, so that loading and compiling it is not measured."""
    figures = WebFigures()
    for number in range(len(game_names())):
        _Person(address, number, 0.0, figures, threading.Lock(), timeout=START).play(time.monotonic())
    if figures.errors:
        raise OptionError(f"the server does not answer: {figures.errors[0]}")


class _Person:
    """Plays at random, one game after the other, on one connection."""

    def __init__(
        self, address: str, number: int, think: float, figures: WebFigures, lock: Any, timeout: float = 30.0
    ) -> None:
        self.think, self.figures, self.lock = think, figures, lock
        self.chance = random.Random(number)
        self.game = get_game(game_names()[number % len(game_names())])
        self.line = http.client.HTTPConnection(address, timeout=timeout)

    def play(self, until: float) -> None:
        """At least one move, then until the time is up."""
        try:
            if self.think:
                time.sleep(self.chance.random() * self.think)  # people do not all come at the same moment
            while self._game(until):
                pass
        except Exception as error:
            with self.lock:
                self.figures.errors.append(repr(error))
        finally:
            self.line.close()

    def _game(self, until: float) -> bool:
        seats = ["me", *[usual_opponent(self.game)] * (self.game.options().players - 1)]
        table = self._ask("POST", "/api/games", {"game": self.game.name, "seats": seats})
        key = {"X-Seat-Key": table["key"]}
        state = self._ask("GET", f"/api/games/{table['id']}", headers=key)
        with self.lock:
            self.figures.games += 1
        while not state["over"]:
            body = {"action": self.chance.choice(state["actions"])["number"], "version": state["version"]}
            start = time.perf_counter()
            state = self._ask("POST", f"/api/games/{table['id']}/moves", body, key)
            took = time.perf_counter() - start
            with self.lock:
                self.figures.seconds.append(took)
            if time.monotonic() >= until:
                return False
            time.sleep(self.think * self.chance.uniform(0.5, 1.5))
        return True

    def _ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        content = None if body is None else json.dumps(body)
        self.line.request(method, path, content, {"Content-Type": "application/json", **(headers or {})})
        answer = self.line.getresponse()
        found = json.loads(answer.read())
        if answer.status >= 400:
            raise OptionError(f"{method} {path}: {answer.status} {found}")
        return found
