"""Messages between us and an isolated agent: a length and so many bytes, over a socket, before a deadline."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.errors import NoAnswerError

LONGEST_NOTE = 4096  # bytes of JSON
ACTIONS, PROBLEM = b"\0", b"\1"  # what an answer begins with
_LENGTH = struct.Struct("<I")
_QUESTION = struct.Struct("<III")  # rows, numbers of an observation, actions
_AT_ONCE = 1 << 20


TOO_SLOW, GONE, NONSENSE = "too slow", "process ended", "unreadable answer"


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise NoAnswerError(TOO_SLOW)
    return left


def send(connection: socket.socket, message: bytes, deadline: float | None = None) -> None:
    """Send one message whole."""
    try:
        connection.settimeout(_left(deadline))
        connection.sendall(_LENGTH.pack(len(message)) + message)
    except TimeoutError:
        raise NoAnswerError(TOO_SLOW) from None
    except OSError:
        raise NoAnswerError(GONE) from None


def receive(connection: socket.socket, most: int, deadline: float | None = None) -> bytes:
    """The next message, of at most so many bytes."""
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size, deadline))
    if length > most:
        raise NoAnswerError(NONSENSE)
    return _exactly(connection, length, deadline)


def _exactly(connection: socket.socket, count: int, deadline: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        try:
            connection.settimeout(_left(deadline))
            part = connection.recv(min(count - len(parts), _AT_ONCE))
        except TimeoutError:
            raise NoAnswerError(TOO_SLOW) from None
        except OSError:
            raise NoAnswerError(GONE) from None
        if not part:
            raise NoAnswerError(GONE)
        parts += part
    return bytes(parts)


def send_note(connection: socket.socket, note: dict[str, Any], deadline: float | None = None) -> None:
    """A small message about something else than a position."""
    send(connection, json.dumps(note).encode(), deadline)


def receive_note(connection: socket.socket, deadline: float | None = None) -> dict[str, Any]:
    """The other end of `send_note`."""
    try:
        note = json.loads(receive(connection, LONGEST_NOTE, deadline))
    except (ValueError, RecursionError):
        raise NoAnswerError(NONSENSE) from None
    if not isinstance(note, dict):
        raise NoAnswerError(NONSENSE)
    return note


def pack_question(observation: NDArray[np.float32], mask: NDArray[np.int8], lots: NDArray[np.float64]) -> bytes:
    """What an agent is asked: the positions, and a lot for each."""
    head = _QUESTION.pack(len(observation), observation.shape[1], mask.shape[1])
    return head + observation.tobytes() + mask.tobytes() + lots.tobytes()


def unpack_question(message: bytes) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.float64]]:
    """The other end of `pack_question`."""
    rows, inputs, actions = _QUESTION.unpack_from(message)
    place = _QUESTION.size
    observation = np.frombuffer(message, np.float32, rows * inputs, place).reshape(rows, inputs)
    mask = np.frombuffer(message, np.int8, rows * actions, place + observation.nbytes).reshape(rows, actions)
    lots = np.frombuffer(message, np.float64, rows, place + observation.nbytes + mask.nbytes)
    return observation, mask, lots


def plain(text: object, longest: int = 200) -> str:
    """A stranger's words in one line that no terminal takes for commands."""
    words = " ".join(str(text).split())
    return "".join(sign if sign.isprintable() else "?" for sign in words)[:longest]
