"""The process in which an agent of another package lives: `python -m card_envs.agents.isolated.host`.

It forks a process for each life of the agent, which imports the agent's package by itself: lives share nothing, and no
code of a stranger runs in here. When whoever started it is gone, it ends all of them, with all that they have started
in their groups of processes.
"""

from __future__ import annotations

import array
import contextlib
import os
import signal
import socket
import sys
from typing import Any

from card_envs.agents.answers import check_form
from card_envs.agents.base import Agent, Identified, LotsAgent, SearchAgent
from card_envs.agents.isolated.wire import (
    ACTIONS,
    PROBLEM,
    plain,
    receive,
    receive_note,
    send,
    send_note,
    unpack_question,
)
from card_envs.agents.loading import load_agent
from card_envs.errors import NoAnswerError
from card_envs.games import open_game

MOST_ASKED = 1 << 30


def main() -> None:
    """Serve one agent, over the socket whose number is the only argument."""
    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the other side decides
    with contextlib.suppress(NoAnswerError):
        Host(control, receive_note(control)).serve()


class Host:
    """All lives of one agent."""

    def __init__(self, control: socket.socket, about: dict[str, Any]) -> None:
        self.control = control
        self.game = open_game(about["game"], about["version"], about["home"])
        self.agent, self.players = about["agent"], about["players"]
        self.lives: dict[int, int] = {}
        self.begun = 0

    def serve(self) -> None:
        """Begin and end lives until the other side hangs up."""
        send_note(self.control, {})
        try:
            while True:
                message, line = _receive_with_line(self.control)
                if "end" in message:
                    self._end(message["end"])
                    send_note(self.control, {})
                else:
                    self._begin(message["seed"], line)
                    send_note(self.control, {"life": self.begun})
        finally:
            for life in list(self.lives):
                self._end(life)

    def _begin(self, seed: int | None, line: socket.socket) -> None:
        self.begun += 1
        process = os.fork()
        if process == 0:
            os.setpgid(0, 0)
            self.control.close()
            try:
                self._live(seed, line)
            finally:
                os._exit(0)
        line.close()
        self.lives[self.begun] = process
        with contextlib.suppress(OSError):  # both sides say so, and whoever is later finds it done
            os.setpgid(process, process)

    def _end(self, life: int) -> None:
        process = self.lives.pop(life, None)
        if process is not None:
            for end in (os.killpg, os.kill):  # it may have left its group, and would be waited for without end
                with contextlib.suppress(OSError):
                    end(process, signal.SIGKILL)
            os.waitpid(process, 0)

    def _live(self, seed: int | None, line: socket.socket) -> None:
        """One life: say who we are, then answer questions."""
        try:
            agent = load_agent(self.game, self.agent, players=self.players, seed=seed)
            identity = agent.content_hash if isinstance(agent, Identified) else None
            who = {"kind": _kind(agent), "content_hash": identity, "searches": isinstance(agent, SearchAgent)}
            send_note(line, who)
        except BaseException as error:  # also an exit: a stranger's code may try anything
            send_note(line, {"problem": plain(f"{type(error).__name__}: {error}", 1000)})
            return
        with contextlib.suppress(NoAnswerError):
            while True:
                send(line, _answer(agent, receive(line, MOST_ASKED)))


def _answer(agent: Agent, question: bytes) -> bytes:
    observation, mask, lots = unpack_question(question)
    try:
        if isinstance(agent, LotsAgent):
            actions = agent.act_with_lots(observation, mask, lots)
        else:
            actions = agent.act(observation, mask)
        return ACTIONS + check_form(agent.name, actions, len(mask)).astype("<i8").tobytes()
    except Exception as error:
        return PROBLEM + plain(f"{type(error).__name__}: {error}").encode()


def _kind(agent: Agent) -> str:
    return f"{type(agent).__module__}.{type(agent).__qualname__}"


def _receive_with_line(control: socket.socket) -> tuple[dict[str, Any], socket.socket]:
    """A note, and the socket that comes with it; for a note that brings none, the control socket itself."""
    room = socket.CMSG_LEN(array.array("i").itemsize)
    _, extra, _, _ = control.recvmsg(1, room)
    numbers = array.array("i")
    for _, _, data in extra:
        numbers.frombytes(data[: numbers.itemsize])
    note = receive_note(control)
    return note, socket.socket(fileno=numbers[0]) if numbers else control


if __name__ == "__main__":
    main()
