"""Our side of an isolated agent: it is begun anew for each life, asked with a time limit, and forfeits if it fails."""

from __future__ import annotations

import contextlib
import math
import os
import socket
import subprocess
import sys
import threading
import time
import weakref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.answers import legal_rows
from card_envs.agents.isolated.wire import (
    ACTIONS,
    GONE,
    NONSENSE,
    PROBLEM,
    pack_question,
    plain,
    receive,
    receive_note,
    send,
    send_note,
)
from card_envs.core.game import Game
from card_envs.errors import IllegalActionError, NoAnswerError, OptionError

PATIENCE = 5.0  # seconds in which a process that was told to end has ended its lives
START_SECONDS = 120.0  # for importing a package, and for making an agent: neural networks take their time
LONGEST_PROBLEM = 1024
ILLEGAL, FAILED = "illegal action", "error"


class IsolatedHost:
    """The process of one agent. Lives are begun in it as often as they are needed."""

    def __init__(self, game: Game, agent: str, players: int, seconds: float) -> None:
        if not hasattr(os, "fork"):
            raise OptionError("agents can be isolated on Linux and macOS only; leave out isolate")
        self.agent, self.seconds = agent, seconds
        self._one_at_a_time = threading.Lock()
        self._control, theirs = socket.socketpair()
        command = [sys.executable, "-m", "card_envs.agents.isolated.host", str(theirs.fileno())]
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self._process = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # what a stranger prints may be endless, or commands to a terminal
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C in a terminal is ours to deal with
        )
        theirs.close()
        self.close = weakref.finalize(self, _end_all, self._process, self._control)
        self._greeted = False
        about = {"game": game.name, "version": game.version, "home": game.home, "agent": agent, "players": players}
        self._tell(about)

    def _tell(self, note: dict[str, Any], line: socket.socket | None = None) -> dict[str, Any]:
        """Tell the process something, and return what it says to that."""
        deadline = time.monotonic() + START_SECONDS
        with self._one_at_a_time:
            try:
                if self._greeted:
                    socket.send_fds(self._control, [b"\0"], [] if line is None else [line.fileno()])
                self._greeted = True
                send_note(self._control, note, deadline)
                return receive_note(self._control, deadline)
            except OSError:
                self.close()
                raise NoAnswerError(GONE) from None
            except BaseException:  # also Ctrl-C: the next answer would be to another question
                self.close()
                raise

    @property
    def alive(self) -> bool:
        """Whether lives can be begun in it."""
        return self.close.alive and self._process.poll() is None

    def begin(self, seed: int | None, within: float = math.inf) -> IsolatedAgent:
        """A new life of the agent, for which it has so many seconds, or fewer. An OptionError says why it cannot be
        made, a NoAnswerError that it was silent.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                number = self._tell({"seed": seed}, theirs).get("life")
        except BaseException:
            ours.close()
            raise
        agent = IsolatedAgent(self.agent, Life(self, ours, number))
        try:
            agent.introduce(receive_note(ours, time.monotonic() + min(START_SECONDS, within)))
        except BaseException:
            agent.close()
            raise
        return agent

    def end(self, life: Any) -> None:
        """End a life, whatever it is doing."""
        self._tell({"end": life})


def _end_all(process: subprocess.Popen[bytes], control: socket.socket) -> None:
    control.close()  # at which it ends all lives, and then itself
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Life(NamedTuple):
    """Where an agent lives: in which process, and over which line it is asked."""

    host: IsolatedHost
    line: socket.socket
    number: Any


class IsolatedAgent:
    """One life of an agent in another process. Without one, it forfeits whatever it is asked, for this reason."""

    def __init__(self, name: str, life: Life | None, over: str = "") -> None:
        self.name = name
        self.kind, self.content_hash = "", None
        self._life = life
        self._over = over  # why it cannot be asked any more
        if life:
            self._hang_up = weakref.finalize(self, life.line.close)

    def introduce(self, note: dict[str, Any]) -> None:
        """What the agent says of itself when it has been made; an OptionError if it has not, or cannot play here."""
        if problem := note.get("problem"):
            raise OptionError(f"the agent {self.name!r} could not be made in a process of its own: {plain(problem)}")
        if note.get("searches"):
            raise OptionError(
                f"the agent {self.name!r} thinks ahead in positions that are handed to it, which it does not get in a "
                f"process of its own; let it play without isolate, or leave it out"
            )
        self.kind, self.content_hash = plain(note.get("kind", "")), note.get("content_hash")
        if self.content_hash is not None and not (isinstance(self.content_hash, str) and self.content_hash):
            raise OptionError(
                f"the content_hash of the agent {self.name!r} must be a text, not {plain(self.content_hash)!r}"
            )

    def act(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """Like any other agent, for whoever does not know how to forfeit."""
        actions, reason = self.answer(observation, action_mask, np.random.default_rng().random(len(action_mask)))
        if reason:
            raise IllegalActionError(f"the agent {self.name} gave no legal action in its own process: {reason}")
        return actions

    def answer(
        self, observation: NDArray[np.float32], mask: NDArray[np.int8], lots: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], str]:
        """An action for each row, -1 where there is none that is legal, and if so the reason in a few words."""
        nothing = np.full(len(mask), -1, np.int64)
        if self._over or self._life is None:
            return nothing, self._over
        deadline = time.monotonic() + self._life.host.seconds
        try:
            send(self._life.line, pack_question(observation, mask, lots), deadline)
            message = receive(self._life.line, max(8 * len(mask), LONGEST_PROBLEM) + 1, deadline)
        except NoAnswerError as problem:
            return nothing, self._fail(problem.reason)
        if message[:1] == PROBLEM:
            return nothing, f"{FAILED}: {plain(message[1:].decode(errors='replace'))}"
        if message[:1] != ACTIONS or len(message) != 8 * len(mask) + 1:
            return nothing, self._fail(NONSENSE)
        actions = np.frombuffer(message, "<i8", offset=1).astype(np.int64)
        legal = legal_rows(actions, mask)
        return np.where(legal, actions, -1), "" if legal.all() else ILLEGAL

    def _fail(self, reason: str) -> str:
        """It cannot be asked again in this life: what it would answer now belongs to an earlier question."""
        self._over = reason
        self._hang_up()
        return reason

    def close(self) -> None:
        """End this life."""
        if self._life is not None:
            self._hang_up()
            with contextlib.suppress(NoAnswerError):
                self._life.host.end(self._life.number)
        self._life, self._over = None, self._over or GONE
