"""An agent that speaks: it is asked in words, asked again if its answer is no legal action, and then has forfeited."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.agents.isolated.agent import ILLEGAL
from card_envs.agents.isolated.wire import NONSENSE
from card_envs.agents.positions import Positions
from card_envs.agents.speaking.answer import find_action, why_not
from card_envs.agents.speaking.options import ChatOptions, CommandOptions, Speaker
from card_envs.agents.speaking.program import Program
from card_envs.agents.speaking.question import make_question
from card_envs.errors import NoAnswerError, OptionError, UnreadableError

LOG = logging.getLogger("card_envs")  # nobody hears it unless a program asks for it: see notices.py
_TOLD: set[tuple[str, str]] = set()  # names and reasons of forfeits that this process has told of


class OtherSide(Protocol):
    """Whoever answers: a program, or a model behind an address."""

    patience: int  # how many times in a row it may give no answer at all before nobody asks it any more

    def ask(self, question: dict[str, Any], deadline: float) -> int | str:
        """The action that it names. NoAnswerError if it gives no answer, UnreadableError if that names none."""

    def close(self) -> None:
        """End whatever was started."""


def _other_side(options: CommandOptions | ChatOptions) -> OtherSide:
    if isinstance(options, CommandOptions):
        return Program(options)
    from card_envs.agents.speaking.endpoint import Endpoint  # with all that speaks HTTP, which few need

    return Endpoint(options)


class SpokenAgent:
    """One life of an agent that speaks. What it needs is started when it is first asked, and ended by `close`.

    One that gives no answer (too slow, gone) has forfeited what it was asked about; where that happens too often, it is
    not asked again before it is closed: everything else is forfeited at once.
    """

    def __init__(self, speaker: Speaker) -> None:
        self.speaker, self.name, self.content_hash = speaker, speaker.name, speaker.name
        self._other = _other_side(speaker.options)
        self._one_at_a_time = threading.RLock()
        self._failures, self._over = 0, ""

    def __deepcopy__(self, memo: dict[int, Any]) -> SpokenAgent:
        return SpokenAgent(self.speaker)

    def __reduce__(self) -> Any:
        return SpokenAgent, (self.speaker,)

    def act(self, observation: NDArray[np.float32], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """It cannot be asked so: numbers are no words."""
        raise OptionError(
            f"{self.name} is told games in words, which is done in matches, tournaments, environments and at the table "
            f"only; name another agent here"
        )

    def answer(self, positions: Positions) -> tuple[NDArray[np.int64], list[str]]:
        """An action for each position, -1 where it has forfeited, and the reasons of these in a few words."""
        actions, reasons = np.full(len(positions), -1, np.int64), []
        with self._one_at_a_time:
            for row in range(len(positions)):
                actions[row], reason = self._decide(positions, row)
                reasons += [reason] if actions[row] < 0 else []
        return actions, reasons

    def _decide(self, positions: Positions, row: int) -> tuple[int, str]:
        """One decision: so many tries, and one deadline for all of them."""
        if self._over:
            return -1, self._over
        options = self.speaker.options
        question, error, reason = make_question(positions, row), None, ""
        deadline = time.monotonic() + options.seconds
        for number in range(1, options.tries + 1):
            tried = {"try": number, "tries": options.tries, "seconds": options.seconds, "error": error}
            try:
                named = self._other.ask({**question, **tried}, deadline)
            except NoAnswerError as silence:
                return -1, self._fail(silence.reason)
            except UnreadableError as problem:
                error, reason = str(problem), NONSENSE
            else:
                action = find_action(named, question["legal"])
                if action is not None:
                    self._failures = 0
                    return action, ""
                error, reason = why_not(named, question["legal"]), ILLEGAL
        self._complain(f"{reason}: {error}")
        return -1, reason

    def _fail(self, reason: str) -> str:
        self._failures += 1
        if self._failures >= self._other.patience:
            self._over = reason
        self._complain(reason)
        return reason

    def _complain(self, why: str) -> None:
        """Say once what is wrong: of many forfeits in many lives, the first is what helps."""
        kind = self.name, why.partition(":")[0]
        if kind not in _TOLD:
            _TOLD.add(kind)
            LOG.info("%s has forfeited a game: %s", self.speaker.title, why)

    def close(self) -> None:
        """End this life; whoever asks again begins another one."""
        with self._one_at_a_time:
            self._other.close()
            self._failures, self._over = 0, ""
