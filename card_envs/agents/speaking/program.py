"""A program that is asked over its standard input and answers on its standard output, a line of JSON for each."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
import weakref
from typing import Any

from card_envs.agents.isolated.wire import GONE, NONSENSE, TOO_SLOW, plain
from card_envs.agents.speaking.answer import read_json
from card_envs.agents.speaking.options import CommandOptions
from card_envs.agents.speaking.question import to_json
from card_envs.errors import NoAnswerError, OptionError

LONGEST_ANSWER = 1 << 16  # bytes of a line
LAST_WORDS = 2000  # bytes of what it complains about that are kept
STARTING = 10.0  # seconds more for the first answer: interpreters and models take their time
PATIENCE = 1.0  # seconds in which a program that is told to end by the end of its input has ended
_AT_ONCE = 1 << 16


class Program:
    """The process is started with the first question. It never outlives whoever asks, unless that is killed."""

    patience = 1  # what it says later would be the answer to an earlier question

    def __init__(self, options: CommandOptions) -> None:
        if os.name != "posix":
            raise OptionError("programs can be agents on Linux and macOS only; give a model an address with chat(...)")
        self.options = options
        self._running: _Running | None = None

    def ask(self, question: dict[str, Any], deadline: float) -> int | str:
        """Send the question as a line, and read the line that comes back."""
        try:
            if self._running is None:
                self._running = _Running(self.options.words)
                deadline += STARTING
            line = self._running.exchange(to_json(question).encode() + b"\n", deadline)
        except BaseException:  # also Ctrl-C
            self._end(at_once=True)
            raise
        return read_json(line.decode(errors="replace"))

    def _end(self, *, at_once: bool) -> None:
        if self._running is not None:
            self._running.end(at_once)
            self._running = None

    def close(self) -> None:
        """Tell the program to end, and end it if it does not."""
        self._end(at_once=False)


class _Running:
    """One process, in a group of its own."""

    def __init__(self, words: list[str]) -> None:
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # Ctrl-C in a terminal is ours to deal with
            )
        except OSError as error:
            raise NoAnswerError(f"{GONE}: it cannot be started ({error.strerror})") from None
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.to, self.answers, self.complaints = self.process.stdin, self.process.stdout, self.process.stderr
        for pipe in (self.to, self.answers, self.complaints):
            os.set_blocking(pipe.fileno(), False)
        self.last_words = b""
        self._kill = weakref.finalize(self, _kill, self.process)

    def exchange(self, message: bytes, deadline: float) -> bytes:
        """Write a message whole and read one line, whichever the program is ready for."""
        with contextlib.suppress(BlockingIOError):
            self._read()
            raise NoAnswerError(NONSENSE)  # an answer to nothing: all that follow would be to earlier questions
        unsent, answer = memoryview(message), bytearray()
        with selectors.DefaultSelector() as ready:
            ready.register(self.to, selectors.EVENT_WRITE)
            for pipe in (self.answers, self.complaints):
                ready.register(pipe, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select(_left(deadline)):
                    if key.fileobj is self.to:
                        unsent = unsent[self._write(unsent) :]
                        if not unsent:
                            ready.unregister(self.to)
                    elif key.fileobj is self.complaints:
                        if not self._listen():
                            ready.unregister(self.complaints)
                    else:
                        answer += self._read()
                line, ended, more = answer.partition(b"\n")
                if len(line) > LONGEST_ANSWER or more or (ended and unsent):
                    raise NoAnswerError(NONSENSE)  # too much, two answers, or one to a question it has not read
                if ended:
                    return bytes(line)

    def _write(self, unsent: memoryview) -> int:
        try:
            return os.write(self.to.fileno(), unsent[:_AT_ONCE])
        except BlockingIOError:
            return 0
        except OSError:
            raise NoAnswerError(self._why_gone()) from None

    def _read(self) -> bytes:
        part = os.read(self.answers.fileno(), _AT_ONCE)
        if not part:
            raise NoAnswerError(self._why_gone())
        return part

    def _listen(self) -> bool:
        """Keep the end of what it complains about, so that it never waits for somebody to read; False at the end."""
        part = os.read(self.complaints.fileno(), _AT_ONCE)
        self.last_words = (self.last_words + part)[-LAST_WORDS:]
        return bool(part)

    def _why_gone(self) -> str:
        """It has ended or closed its end; the last line of its complaints tells most."""
        with contextlib.suppress(BlockingIOError):
            while self._listen():
                pass
        lines = self.last_words.decode(errors="replace").strip().splitlines()
        return f"{GONE}: {plain(lines[-1])}" if lines else GONE

    def end(self, at_once: bool) -> None:
        """End the program and all that it has started in its group."""
        self.to.close()
        if not at_once:
            self._await_end()
        self._kill()

    def _await_end(self) -> None:
        """Until it has closed its output, for a moment."""
        deadline = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as ready, contextlib.suppress(NoAnswerError):
            ready.register(self.answers, selectors.EVENT_READ)
            while not ready.select(_left(deadline)) or os.read(self.answers.fileno(), _AT_ONCE):
                pass


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise NoAnswerError(TOO_SLOW)
    return left


def _kill(process: subprocess.Popen[bytes]) -> None:
    for end in (os.killpg, os.kill):  # it may have left its group
        with contextlib.suppress(OSError):
            end(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
