"""A model behind an address that speaks as OpenAI's does: one request for each try, to that address and no other."""

from __future__ import annotations

import http.client
import io
import json
import os
import socket
import ssl
import time
from typing import Any
from urllib.parse import urlsplit

from card_envs.agents.isolated.agent import FAILED
from card_envs.agents.isolated.wire import NONSENSE, TOO_SLOW, plain
from card_envs.agents.speaking.answer import HOW_IN_WORDS, read_words
from card_envs.agents.speaking.options import ChatOptions
from card_envs.errors import NoAnswerError

LONGEST_ANSWER = 1 << 20  # bytes
OK = 200


class Endpoint:
    """Each decision is a conversation of its own: the rules, the question, and what was wrong with answers to it."""

    patience = 3  # an address that is not there is not there the next time

    def __init__(self, options: ChatOptions) -> None:
        self.options = options
        self._talk: list[dict[str, str]] = []

    def ask(self, question: dict[str, Any], deadline: float) -> int | str:
        """Send the conversation so far, and read the action that the answer ends with."""
        if question["try"] == 1:
            rules = f"{question['title']}\n\n{question['rules']}\n\nWhen you have chosen, {HOW_IN_WORDS}"
            self._talk = [{"role": "system", "content": rules}, {"role": "user", "content": question["prompt"]}]
        else:
            self._talk.append({"role": "user", "content": f"{question['error']}. Please choose again: {HOW_IN_WORDS}"})
        content = _content(self._request(deadline))
        self._talk.append({"role": "assistant", "content": content})
        return read_words(content)

    def _request(self, deadline: float) -> bytes:
        options, parts = self.options, urlsplit(self.options.url)
        body: dict[str, Any] = {"model": options.model, "messages": self._talk, "stream": False}
        if options.temperature is not None:
            body["temperature"] = options.temperature
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if options.key is not None:
            headers["Authorization"] = f"Bearer {os.environ.get(options.key, '').strip()}"
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        connection, line = http.client.HTTPConnection(host, port), _Timed(deadline)
        try:
            line.connect(host, port, secure=parts.scheme == "https")
            connection.sock = line  # it has all that is used of a socket
            connection.request("POST", f"{parts.path.rstrip('/')}/chat/completions", json.dumps(body), headers)
            response = connection.getresponse()
            answer = response.read(LONGEST_ANSWER + 1)
        except TimeoutError:
            raise NoAnswerError(TOO_SLOW) from None
        except (OSError, http.client.HTTPException, ValueError) as error:  # ValueError: a key with signs that none has
            # Only of what kind it is: the words of an error may have headers in them, and so the key.
            reason = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
            raise NoAnswerError(f"{FAILED}: {plain(reason)}") from None
        finally:
            line.hang_up()
        if response.status != OK:  # also where it sends us elsewhere: nobody goes there
            raise NoAnswerError(f"{FAILED}: HTTP {response.status} {plain(response.reason, 80)}")
        if len(answer) > LONGEST_ANSWER:
            raise NoAnswerError(NONSENSE)
        return answer

    def close(self) -> None:
        """Nothing is kept open."""
        self._talk = []


def _content(answer: bytes) -> str:
    """The words of the first choice."""
    try:
        content = json.loads(answer)["choices"][0]["message"]["content"]
    except (ValueError, RecursionError, LookupError, TypeError):
        raise NoAnswerError(NONSENSE) from None
    return content if isinstance(content, str) else ""


class _Timed:
    """A socket of which every wait ends at the same moment, however slowly bytes come."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._socket: socket.socket | None = None

    def connect(self, host: str, port: int, *, secure: bool) -> None:
        """To the first of the host's addresses that answers."""
        problem: OSError = OSError("it has no address")
        for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            self._socket = socket.socket(family, kind, protocol)
            try:
                self._hurried().connect(address)
                break
            except OSError as error:
                self._socket.close()
                problem = error
        else:
            raise problem
        if secure:
            self._socket = ssl.create_default_context().wrap_socket(self._hurried(), server_hostname=host)

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def _hurried(self) -> socket.socket:
        assert self._socket is not None
        self._socket.settimeout(self._left())
        return self._socket

    def sendall(self, data: Any) -> None:
        """Send it whole."""
        self._hurried().sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """What answers are read from."""
        return io.BufferedReader(_Reader(self))

    def receive(self, into: Any) -> int:
        """Some of what has come."""
        return self._hurried().recv_into(into)

    def close(self) -> None:
        """Said when the answer begins, which is still to be read."""

    def hang_up(self) -> None:
        """It is over."""
        if self._socket is not None:
            self._socket.close()


class _Reader(io.RawIOBase):
    def __init__(self, timed: _Timed) -> None:
        self._timed = timed

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        return self._timed.receive(into)
